// A libvmaf shared library as a program with the options of libvmaf's tool, through the library's C API.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"

namespace acutance {

/// Opens the library and computes what the arguments of ConformTool::Command say. Meant for a process of its own: a
/// crash of the library ends it.
Status RunLibraryTool(const std::string& library, const std::vector<std::string>& arguments);

}  // namespace acutance
