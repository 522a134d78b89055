// Verdicts as JUnit XML, which continuous integration shows as tests.
#pragma once

#include <string>

#include "report/summary.h"

namespace acutance {

/// A test case for each requirement of each video.
std::string JunitXml(const Summary& summary);

}  // namespace acutance
