#include "report/film.h"

#include <cmath>
#include <string_view>
#include <utility>

namespace acutance {
namespace {

std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  while (bytes-- > 0) text += static_cast<char>(value >> (8 * bytes) & 255);
  return text;
}

// EBML (RFC 8794): an element is its identifier, its size, its content. The identifiers are those of RFC 9559.

std::string Identifier(uint32_t id) { return BigEndian(id, id > 0xffffff ? 4 : id > 0xffff ? 3 : id > 0xff ? 2 : 1); }

std::string Element(uint32_t id, std::string_view content) {
  constexpr uint64_t kSizeOf8Bytes = uint64_t{1} << 56;
  return Identifier(id) + BigEndian(kSizeOf8Bytes | content.size(), 8) + std::string(content);
}

std::string Number(uint32_t id, uint64_t value) { return Element(id, BigEndian(value, 8)); }

std::string Head() {
  return Element(0x1A45DFA3, Number(0x4286, 1) + Number(0x42F7, 1) + Number(0x42F2, 4) + Number(0x42F3, 8) +
                                 Element(0x4282, "matroska") + Number(0x4287, 4) + Number(0x4285, 2));
}

/// Times are in milliseconds.
std::string Info() {
  constexpr uint64_t kNanoseconds = 1'000'000;
  return Element(0x1549A966,
                 Number(0x2AD7B1, kNanoseconds) + Element(0x4D80, "acutance") + Element(0x5741, "acutance"));
}

std::string Tracks(int width, int height, double frame_rate) {
  const std::string video =
      Element(0xE0, Number(0xB0, static_cast<uint64_t>(width)) + Number(0xBA, static_cast<uint64_t>(height)));
  const auto duration = static_cast<uint64_t>(std::floor(1e9 / frame_rate + 0.5));
  return Element(0x1654AE6B, Element(0xAE, Number(0xD7, 1) + Number(0x73C5, 1) + Number(0x83, 1) + Number(0x9C, 0) +
                                               Number(0x23E383, duration) + Element(0x86, "V_MJPEG") + video));
}

}  // namespace

Result<std::unique_ptr<Film>> Film::Open(const std::string& path, int width, int height, double frame_rate) {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<OutputFile> file, OutputFile::Open(path));
  constexpr uint64_t kToTheEnd = 0x01FFFFFFFFFFFFFF;
  file->Write(Head() + Identifier(0x18538067) + BigEndian(kToTheEnd, 8) + Info() + Tracks(width, height, frame_rate));
  return std::unique_ptr<Film>(new Film(std::move(file), frame_rate));
}

void Film::Add(const std::string& jpeg) {
  const double time = std::floor(1000 * static_cast<double>(frames_++) / frame_rate_ + 0.5);
  const std::string block = std::string("\x81\0\0\x80", 4) + jpeg;  // track 1, at the cluster's time, a key frame
  file_->Write(Element(0x1F43B675, Number(0xE7, static_cast<uint64_t>(time)) + Element(0xA3, block)));
}

}  // namespace acutance
