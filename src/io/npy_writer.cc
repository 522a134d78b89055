#include "io/npy_writer.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace acutance {

std::string NpyFile(std::span<const double> values, int rows, int columns) {
  constexpr size_t kAlignment = 64, kBeforeHeader = 10;
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  header.resize((kBeforeHeader + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment - kBeforeHeader - 1,
                ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size() & 255);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  for (const double value : values)
    for (int byte = 0; byte < 8; ++byte) file += static_cast<char>(std::bit_cast<uint64_t>(value) >> (8 * byte) & 255);
  return file;
}

}  // namespace acutance
