// Text that identifies devices and drivers.
#pragma once

#include <fmt/format.h>

#include <string>

namespace acutance {

/// The hexadecimal digits of bytes, such as a UUID's: "00112233445566778899aabbccddeeff".
template <class Bytes>
std::string Hex(const Bytes& bytes) {
  std::string text;
  for (const auto byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace acutance
