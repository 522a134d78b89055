// Parsers of the formats of logs: each fills a LogBuilder.
#pragma once

#include <string_view>

#include "base/json.h"
#include "base/status.h"
#include "log/read/log_builder.h"

namespace acutance {

/// <VMAF> of libvmaf: elements and attributes, without their order. Unknown ones are passed over.
Status ParseXmlLog(std::string_view text, LogBuilder& builder);

/// {"frames": [{"frameNum": 0, "metrics": {...}}], "pooled_metrics", "aggregate_metrics"}
Status ParseJsonLog(const Json& document, LogBuilder& builder);

/// A line of names, whose first is Frame, and a line for each frame.
Status ParseCsvLog(std::string_view text, LogBuilder& builder);

/// MicroDVD subtitles: {0}{1}frame: 0|vmaf: 93.412345|
Status ParseSubLog(std::string_view text, LogBuilder& builder);

}  // namespace acutance
