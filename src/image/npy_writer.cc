#include "image/npy_writer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>

namespace acutance {

std::string NpyHeader(std::initializer_list<int64_t> shape) {
  constexpr size_t kBytes = 128, kBeforeHeader = 10;
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", fmt::join(shape, ", "));
  header.resize(kBytes - kBeforeHeader - 1, ' ');
  header += '\n';
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(header.size() & 255);
  start += static_cast<char>(header.size() >> 8);
  return start + header;
}

std::string NpyValues(std::span<const double> values) {
  std::string bytes;
  for (const double value : values)
    for (int byte = 0; byte < 8; ++byte) bytes += static_cast<char>(std::bit_cast<uint64_t>(value) >> (8 * byte) & 255);
  return bytes;
}

std::string NpyFile(std::span<const double> values, int rows, int columns) {
  return NpyHeader({rows, columns}) + NpyValues(values);
}

}  // namespace acutance
