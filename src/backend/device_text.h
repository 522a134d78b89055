// Text that identifies devices and drivers.
#pragma once

#include <fmt/format.h>
#include <sys/utsname.h>

#include <string>

namespace acutance {

/// The hexadecimal digits of bytes, such as a UUID's: "00112233445566778899aabbccddeeff".
template <class Bytes>
std::string Hex(const Bytes& bytes) {
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

/// "Linux 6.1.0-13-amd64": the operating system's kernel, which holds the lower half of drivers such as amdgpu and
/// i915.
inline std::string KernelRelease() {
  utsname name{};
  if (::uname(&name) != 0) return "a kernel of unknown version";
  return std::string(name.sysname) + " " + name.release;
}

}  // namespace acutance
