// The system's kernel, which holds the lower half of drivers such as amdgpu and i915.
#pragma once

#include <sys/utsname.h>

#include <string>

namespace acutance {

/// "Linux 6.1.0-13-amd64".
inline std::string KernelRelease() {
  utsname name{};
  if (::uname(&name) != 0) return "a kernel of unknown version";
  return std::string(name.sysname) + " " + name.release;
}

}  // namespace acutance
