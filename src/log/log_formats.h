// One writer per log format (docs/spec/system.md 6).
#pragma once

#include "log/log_writer.h"

namespace acutance {

void WriteXml(const LogInput& input, const TextSink& sink);
void WriteJson(const LogInput& input, const TextSink& sink);
void WriteCsv(const LogInput& input, const TextSink& sink);
void WriteSub(const LogInput& input, const TextSink& sink);

}  // namespace acutance
