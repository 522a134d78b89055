#include "report/image_files.h"

#include <libdeflate.h>
#include <turbojpeg.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string_view>

namespace acutance {
namespace {

std::string BigEndian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 255);
  return bytes;
}

/// Appends a chunk: size, type, data, and the check sum of type and data.
void AppendChunk(std::string_view type, std::string_view data, std::string& file) {
  file += BigEndian(static_cast<uint32_t>(data.size()));
  const size_t begin = file.size();
  file += type;
  file += data;
  file += BigEndian(libdeflate_crc32(0, &file[begin], file.size() - begin));
}

/// The rows, each after the number of its filter: 0 (none) for the first one, 2 (up) for the others.
std::string FilteredRows(const RgbImage& image) {
  constexpr char kUp = 2;
  const size_t row_bytes = size_t{3} * image.width;
  std::string rows((row_bytes + 1) * image.height, kUp);
  rows[0] = '\0';
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* row = &image.rgb[row_bytes * y];
    char* to = &rows[(row_bytes + 1) * y + 1];
    if (y == 0) std::copy_n(row, row_bytes, to);
    else
      std::transform(row, row + row_bytes, row - row_bytes, to,
                     [](uint8_t here, uint8_t above) { return static_cast<char>(here - above); });
  }
  return rows;
}

std::string Compress(std::string_view bytes) {
  constexpr int kLevel = 1;  // higher levels find few repeats in video and take several times as long
  const std::unique_ptr<libdeflate_compressor, decltype(&libdeflate_free_compressor)> compressor(
      libdeflate_alloc_compressor(kLevel), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string packed(libdeflate_zlib_compress_bound(compressor.get(), bytes.size()), '\0');
  packed.resize(libdeflate_zlib_compress(compressor.get(), bytes.data(), bytes.size(), packed.data(), packed.size()));
  return packed;
}

}  // namespace

std::string Png(const RgbImage& image) {
  constexpr std::string_view kMagic = "\x89PNG\r\n\x1a\n", kRgbOf8Bits("\x08\x02\0\0\0", 5);
  std::string header = BigEndian(static_cast<uint32_t>(image.width)) + BigEndian(static_cast<uint32_t>(image.height));
  header += kRgbOf8Bits;
  std::string file(kMagic);
  AppendChunk("IHDR", header, file);
  AppendChunk("IDAT", Compress(FilteredRows(image)), file);
  AppendChunk("IEND", "", file);
  return file;
}

std::string Jpeg(const RgbImage& image, int quality) {
  const std::unique_ptr<void, decltype(&tjDestroy)> encoder(tjInitCompress(), tjDestroy);
  if (!encoder) throw std::bad_alloc();
  std::string file(tjBufSize(image.width, image.height, TJSAMP_420), '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(file.data());
  unsigned long size = file.size();
  if (tjCompress2(encoder.get(), image.rgb.data(), image.width, 0, image.height, TJPF_RGB, &bytes, &size, TJSAMP_420,
                  quality, TJFLAG_NOREALLOC) != 0)
    throw std::runtime_error(tjGetErrorStr2(encoder.get()));
  file.resize(size);
  return file;
}

}  // namespace acutance
