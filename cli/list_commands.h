// `acutance features` and `acutance models`: what exists, with options and meaning.
#pragma once

#include <string>

#include "base/status.h"

namespace acutance::cli {

/// Prints all features, one line each, or everything about one.
Result<std::string> DescribeFeatures(const std::string& name);

std::string DescribeModels();

/// JSON of `vmaf --list-backends`: {"backends":[{"name":"cpu","usable":true,...}]}.
std::string ListBackendsJson();

}  // namespace acutance::cli
