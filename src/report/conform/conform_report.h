// Reports of a conformance test: text for people, JSON, and JUnit XML.
#pragma once

#include <string>

#include "base/json.h"
#include "report/conform/conformance.h"

namespace acutance {

std::string ConformText(const ConformTool& tool, const ConformResult& result);
Json ConformJson(const ConformTool& tool, const ConformResult& result);
/// A test suite for each clip, a test case for each feature or model on it.
std::string ConformJunit(const ConformTool& tool, const ConformResult& result);

}  // namespace acutance
