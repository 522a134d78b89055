#include "io/ffmpeg/still_orientation.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace acutance {
namespace {

using Bytes = std::span<const uint8_t>;

bool StartsWith(Bytes bytes, std::string_view text) {
  return bytes.size() >= text.size() && std::equal(text.begin(), text.end(), bytes.begin(),
                                                   [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; });
}

/// Whole numbers of `size` bytes; 0 beyond the end.
uint32_t NumberAt(Bytes bytes, size_t at, size_t size, bool is_big_endian) {
  if (at > bytes.size() || bytes.size() - at < size) return 0;
  uint32_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8 | bytes[at + (is_big_endian ? i : size - 1 - i)];
  return number;
}

int TiffOrientation(Bytes tiff) {
  using namespace std::string_view_literals;
  const bool is_big_endian = StartsWith(tiff, "MM\0*"sv);
  if (!is_big_endian && !StartsWith(tiff, "II*\0"sv)) return 0;
  constexpr size_t kEntry = 12;  // tag, type, count, value
  constexpr uint32_t kOrientation = 0x112;
  const size_t directory = NumberAt(tiff, 4, 4, is_big_endian);
  const size_t entries = NumberAt(tiff, directory, 2, is_big_endian);
  for (size_t i = 0; i < entries; ++i) {
    const size_t entry = directory + 2 + kEntry * i;
    if (NumberAt(tiff, entry, 2, is_big_endian) != kOrientation) continue;
    const uint32_t number = NumberAt(tiff, entry + 8, 2, is_big_endian);
    return number <= 8 ? static_cast<int>(number) : 0;
  }
  return 0;
}

}  // namespace

int StillOrientation(Bytes file) {
  constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";
  if (!StartsWith(file, kPng)) return TiffOrientation(file);
  for (size_t chunk = kPng.size(); chunk + 12 <= file.size();) {  // length, type, data, checksum
    const size_t length = NumberAt(file, chunk, 4, true);
    const Bytes rest = file.subspan(chunk + 8);
    if (length > rest.size()) break;
    if (StartsWith(file.subspan(chunk + 4), "eXIf")) return TiffOrientation(rest.first(length));
    chunk += 12 + length;
  }
  return 0;
}

}  // namespace acutance
