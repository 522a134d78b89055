// Input facts in summaries and reports.
#pragma once

#include <acutance/facts.h>

#include <string>
#include <vector>

#include "base/json.h"

namespace acutance {

/// "h264, 25 frames/s, SDR, BT.709, limited range": what the stream declares; empty: nothing.
std::string Describe(const Input& input);

/// The inputs as docs/schema/acutance-1.json describes them.
Json InputsJson(const std::vector<Input>& inputs);

}  // namespace acutance
