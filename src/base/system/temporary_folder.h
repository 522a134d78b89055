// A new folder for temporary files.
#pragma once

#include <string>

namespace acutance {

/// In the system's folder for temporary files, named `prefix` and more; empty where there cannot be one.
std::string MakeTemporaryFolder(const std::string& prefix);

}  // namespace acutance
