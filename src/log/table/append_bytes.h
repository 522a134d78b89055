// Numbers as files of tables store them.
#pragma once

#include <bit>
#include <cstring>
#include <string>

namespace acutance {

/// The bytes of a number, the least significant one first.
template <class T>
void AppendBytes(std::string& to, T value) {
  static_assert(std::endian::native == std::endian::little);
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  to.append(bytes, sizeof(T));
}

}  // namespace acutance
