#include "image/tiff_writer.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/files.h"
#include "base/system/file.h"

namespace acutance {
namespace {

/// The header of TIFF 6.0 in little-endian order: a directory of ten entries, in the order of their tags.
class Header {
 public:
  Header() {
    Put16(0x4949);  // "II"
    Put16(42);
    Put32(8);  // where the directory begins
    Put16(kEntries);
  }

  /// A number of 32 bits; those of 16 bits stand in its lower half.
  void Entry(uint16_t tag, bool is_long, uint32_t value) {
    constexpr uint16_t kShort = 3, kLong = 4;
    Put16(tag);
    Put16(is_long ? kLong : kShort);
    Put32(1);  // how many values
    Put32(value);
  }

  const char* bytes() const { return reinterpret_cast<const char*>(bytes_.data()); }

 private:
  static constexpr uint16_t kEntries = 10;

  void Put16(uint16_t value) {
    bytes_[at_++] = static_cast<uint8_t>(value);
    bytes_[at_++] = static_cast<uint8_t>(value >> 8);
  }
  void Put32(uint32_t value) {
    Put16(static_cast<uint16_t>(value));
    Put16(static_cast<uint16_t>(value >> 16));
  }

  std::array<uint8_t, kTiffHeaderBytes> bytes_{};
  size_t at_ = 0;
};

Header MakeHeader(const Plane& plane, const PictureFormat& format, uint32_t bytes) {
  const bool is_float = format.bit_depth == kFloatDepth;
  Header header;
  header.Entry(256, true, plane.width);
  header.Entry(257, true, plane.height);
  header.Entry(258, false, format.BytesPerSample() * 8);
  header.Entry(259, false, 1);  // not compressed
  header.Entry(262, false, 1);  // 0 is black
  header.Entry(273, true, kTiffHeaderBytes);
  header.Entry(277, false, 1);  // one sample a pixel
  header.Entry(278, true, plane.height);
  header.Entry(279, true, bytes);
  header.Entry(339, false, is_float ? 3 : 1);
  return header;
}

}  // namespace

Status WriteTiff(const std::string& path, const Plane& plane, const PictureFormat& format) {
  const int64_t row_bytes = int64_t{plane.width} * format.BytesPerSample(), bytes = row_bytes * plane.height;
  if (bytes > std::numeric_limits<uint32_t>::max() - kTiffHeaderBytes)
    return Error(StatusCode::kUnsupported, "{}: a TIFF file holds no picture of {}x{}", path, plane.width,
                 plane.height);
  std::ofstream file(SystemPath(path), std::ios::binary | std::ios::trunc);
  file.write(MakeHeader(plane, format, static_cast<uint32_t>(bytes)).bytes(), kTiffHeaderBytes);
  for (int y = 0; y < plane.height; ++y) file.write(plane.Row<char>(y), row_bytes);
  file.close();
  if (!file.fail()) return {};
  Status status = Error(StatusCode::kIo, "could not write {}: {}", path, std::strerror(errno));
  if (IsRegularFile(path)) RemoveFile(path);
  return status;
}

}  // namespace acutance
