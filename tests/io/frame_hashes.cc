// The frames of a video as acutance reads them, by segments as short as the stream allows, for
// tests/io/ffmpeg_versions.py: size, depth and CRC-32 of all planes.
// usage: frame_hashes FILE ...
#include <fmt/format.h>

#include <array>
#include <cstdio>

#include "base/system/process.h"
#include "video/open_video.h"

namespace acutance {
namespace {

uint32_t AddBytes(uint32_t crc, const std::byte* bytes, size_t count) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> entries{};
    for (uint32_t i = 0; i < entries.size(); ++i) {
      uint32_t entry = i;
      for (int bit = 0; bit < 8; ++bit) entry = entry >> 1 ^ (entry & 1 ? 0xedb88320u : 0);
      entries[i] = entry;
    }
    return entries;
  }();
  for (size_t i = 0; i < count; ++i) crc = crc >> 8 ^ table[(crc ^ static_cast<uint32_t>(bytes[i])) & 0xff];
  return crc;
}

std::string Describe(const Picture& picture) {
  const int bytes = picture.format.BytesPerSample();
  uint32_t crc = 0xffffffff;
  for (int p = 0; p < picture.format.PlaneCount(); ++p) {
    const Plane& plane = picture.planes[p];
    for (int y = 0; y < plane.height; ++y)
      crc = AddBytes(crc, plane.data + y * plane.stride, static_cast<size_t>(plane.width) * static_cast<size_t>(bytes));
  }
  return fmt::format("{}x{} {} {:08x}", picture.format.width, picture.format.height, picture.format.bit_depth, ~crc);
}

Status Print(const char* path) {
  const OpenOptions options{
      .decoder_threads = 3,
      .segments = {.most_bytes = size_t{1} << 30, .start_after = 1, .least_packets = 1, .least_threads = 2}};
  ACU_ASSIGN_OR_RETURN(const auto source, OpenVideo(path, options));
  fmt::print("{}\n", path);
  for (;;) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, source->Next());
    if (!picture) return {};
    fmt::print("  {}\n", Describe(*picture));
  }
}

}  // namespace
}  // namespace acutance

int main(int count, char** paths) {
  acutance::SetMainProgram();
  for (int i = 1; i < count; ++i) {
    const acutance::Status status = acutance::Print(paths[i]);
    if (status.ok()) continue;
    fmt::print(stderr, "{}\n", status.message());
    return 1;
  }
  return 0;
}
