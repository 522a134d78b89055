#include "report/jpeg.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "report/image_rows.h"

namespace acutance {
namespace {

constexpr int kBlock = 8, kCells = kBlock * kBlock, kUnit = 16;  // a unit has four blocks of luma and two of color

/// T.81, figure A.6: the place of each coefficient in the file.
constexpr uint8_t kZigZag[kCells] = {0,  1,  5,  6,  14, 15, 27, 28, 2,  4,  7,  13, 16, 26, 29, 42,
                                     3,  8,  12, 17, 25, 30, 41, 43, 9,  11, 18, 24, 31, 40, 44, 53,
                                     10, 19, 23, 32, 39, 45, 52, 54, 20, 22, 33, 38, 46, 51, 55, 60,
                                     21, 34, 37, 47, 50, 56, 59, 61, 35, 36, 48, 49, 57, 58, 62, 63};

constexpr auto kFromZigZag = [] {
  std::array<uint8_t, kCells> from{};
  for (int i = 0; i < kCells; ++i) from[kZigZag[i]] = static_cast<uint8_t>(i);
  return from;
}();

/// Table K.1 and K.2: steps at quality 50.
constexpr uint8_t kLumaSteps[kCells] = {16, 11, 10, 16, 24,  40,  51,  61,  12, 12, 14, 19, 26,  58,  60,  55,
                                        14, 13, 16, 24, 40,  57,  69,  56,  14, 17, 22, 29, 51,  87,  80,  62,
                                        18, 22, 37, 56, 68,  109, 103, 77,  24, 35, 55, 64, 81,  104, 113, 92,
                                        49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99};
constexpr uint8_t kColorSteps[kCells] = {17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99,
                                         24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99, 99, 99, 99, 99,
                                         99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
                                         99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99};

/// Tables K.3 to K.6: how many codes there are of each length from 1 on, and what they stand for, as they are written.
struct CodeText {
  uint8_t name;  // of the table in the file
  std::string_view lengths, symbols;
};
using namespace std::string_literals;
using namespace std::string_view_literals;
constexpr auto kDcSymbols = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b"sv;
constexpr CodeText kCodes[] = {
    {0x00, "\x00\x01\x05\x01\x01\x01\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00"sv, kDcSymbols},
    {0x10, "\x00\x02\x01\x03\x03\x02\x04\x03\x05\x05\x04\x04\x00\x00\x01\x7d"sv,
     "\x01\x02\x03\x00\x04\x11\x05\x12\x21\x31\x41\x06\x13\x51\x61\x07\x22\x71\x14\x32\x81\x91\xa1\x08\x23\x42\xb1\xc1"
     "\x15\x52\xd1\xf0\x24\x33\x62\x72\x82\x09\x0a\x16\x17\x18\x19\x1a\x25\x26\x27\x28\x29\x2a\x34\x35\x36\x37\x38\x39"
     "\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74\x75"
     "\x76\x77\x78\x79\x7a\x83\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5\xa6\xa7"
     "\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6\xd7\xd8"
     "\xd9\xda\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa"sv},
    {0x01, "\x00\x03\x01\x01\x01\x01\x01\x01\x01\x01\x01\x00\x00\x00\x00\x00"sv, kDcSymbols},
    {0x11, "\x00\x02\x01\x02\x04\x04\x03\x04\x07\x05\x04\x04\x00\x01\x02\x77"sv,
     "\x00\x01\x02\x03\x11\x04\x05\x21\x31\x06\x12\x41\x51\x07\x61\x71\x13\x22\x32\x81\x08\x14\x42\x91\xa1\xb1\xc1\x09"
     "\x23\x33\x52\xf0\x15\x62\x72\xd1\x0a\x16\x24\x34\xe1\x25\xf1\x17\x18\x19\x1a\x26\x27\x28\x29\x2a\x35\x36\x37\x38"
     "\x39\x3a\x43\x44\x45\x46\x47\x48\x49\x4a\x53\x54\x55\x56\x57\x58\x59\x5a\x63\x64\x65\x66\x67\x68\x69\x6a\x73\x74"
     "\x75\x76\x77\x78\x79\x7a\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x92\x93\x94\x95\x96\x97\x98\x99\x9a\xa2\xa3\xa4\xa5"
     "\xa6\xa7\xa8\xa9\xaa\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9\xba\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xd2\xd3\xd4\xd5\xd6"
     "\xd7\xd8\xd9\xda\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9\xfa"sv}};

/// Where the bits of a row's coefficients stand in the file's order.
constexpr auto kRowsInZigZag = [] {
  std::array<std::array<uint64_t, 256>, kBlock> rows{};
  for (size_t row = 0; row < kBlock; ++row)
    for (size_t bits = 1; bits < 256; ++bits)
      rows[row][bits] = rows[row][bits & (bits - 1)] | uint64_t{1} << kZigZag[kBlock * row + std::countr_zero(bits)];
  return rows;
}();

struct Code {
  uint32_t bits = 0;
  int length = 0;
};
using CodeTable = std::array<Code, 256>;

/// Annex C: codes of a length follow one another.
CodeTable MakeCodes(const CodeText& text) {
  CodeTable codes;
  uint32_t next = 0;
  size_t symbol = 0;
  for (int length = 1; length <= static_cast<int>(text.lengths.size()); ++length, next <<= 1)
    for (int i = 0; i < text.lengths[length - 1]; ++i)
      codes[static_cast<uint8_t>(text.symbols[symbol++])] = {next++, length};
  return codes;
}

/// Bits one after another, behind those that a file has.
class BitWriter {
 public:
  explicit BitWriter(std::string& file) : file_(file), size_(file.size()) {}

  /// Makes room for so many bytes before bits are put.
  void Reserve(size_t bytes) {
    if (file_.size() < size_ + bytes + kSlack) file_.resize(2 * file_.size() + bytes + kSlack);
  }
  /// At most 32 bits.
  void Put(uint32_t bits, int length) {
    held_ = held_ << length | bits;
    count_ += length;
    if (count_ >= 32) PutWord();
  }
  void Put(const Code& code) { Put(code.bits, code.length); }
  /// What is left of the last byte is filled with ones.
  void Finish() {
    Put(0x7F, 7);
    for (; count_ >= 8; count_ -= 8) PutByte(static_cast<uint8_t>(held_ >> (count_ - 8)));
    file_.resize(size_);
  }

 private:
  static constexpr size_t kSlack = 16;

  void PutWord() {
    count_ -= 32;
    const auto word = static_cast<uint32_t>(held_ >> count_);
    const uint32_t inverse = ~word;
    const bool has_ff = ((inverse - 0x01010101u) & ~inverse & 0x80808080u) != 0;  // a byte of the inverse is 0
    for (int shift = 24; shift >= 0 && has_ff; shift -= 8) PutByte(static_cast<uint8_t>(word >> shift));
    if (has_ff) return;
    char* const to = &file_[size_];
    for (int i = 0; i < 4; ++i) to[i] = static_cast<char>(word >> (24 - 8 * i));
    size_ += 4;
  }
  void PutByte(uint8_t byte) {
    file_[size_++] = static_cast<char>(byte);
    if (byte == 0xFF) file_[size_++] = '\0';  // no marker begins here
  }

  std::string& file_;
  size_t size_;
  uint64_t held_ = 0;
  int count_ = 0;  // below 32
};

/// The steps of a component at a quality, and what a coefficient is multiplied by.
struct Quantizer {
  Quantizer(const uint8_t* at_50, int quality) {
    const int scale = quality < 50 ? 5000 / quality : 200 - quality * 2;
    // Arai, Agui and Nakajima's transform leaves its outputs that much larger.
    constexpr float kRoot8 = 2.828427125f;
    constexpr float kLarger[kBlock] = {1.0f * kRoot8,         1.387039845f * kRoot8, 1.306562965f * kRoot8,
                                       1.175875602f * kRoot8, 1.0f * kRoot8,         0.785694958f * kRoot8,
                                       0.541196100f * kRoot8, 0.275899379f * kRoot8};
    for (int i = 0; i < kCells; ++i) {
      const int step = std::clamp((at_50[i] * scale + 50) / 100, 1, 255);
      steps[kZigZag[i]] = static_cast<uint8_t>(step);
      factors[i] = 1 / (static_cast<float>(step) * kLarger[i / kBlock] * kLarger[i % kBlock]);
    }
  }

  std::array<uint8_t, kCells> steps{};  // as they are written
  std::array<float, kCells> factors{};
};

using Block = std::array<float, kCells>;

/// The cosine transform (Arai, Agui and Nakajima 1988) of each row, whose samples lie side by side, or of each column:
/// all of them at once.
template <int kStep, int kNext>
void Transform(Block& block) {
  for (int line = 0; line < kBlock; ++line) {
    float* const d = &block[static_cast<size_t>(line * kNext)];
    const float d0 = d[0], d1 = d[kStep], d2 = d[2 * kStep], d3 = d[3 * kStep], d4 = d[4 * kStep], d5 = d[5 * kStep],
                d6 = d[6 * kStep], d7 = d[7 * kStep];
    const float sum07 = d0 + d7, sum16 = d1 + d6, sum25 = d2 + d5, sum34 = d3 + d4;
    const float less07 = d0 - d7, less16 = d1 - d6, less25 = d2 - d5, less34 = d3 - d4;
    const float outer = sum07 + sum34, outer_less = sum07 - sum34, inner = sum16 + sum25, inner_less = sum16 - sum25;
    const float even = (inner_less + outer_less) * 0.707106781f;
    d[0] = outer + inner;
    d[4 * kStep] = outer - inner;
    d[2 * kStep] = outer_less + even;
    d[6 * kStep] = outer_less - even;
    const float low = less34 + less25, middle = (less25 + less16) * 0.707106781f, high = less16 + less07;
    const float turn = (low - high) * 0.382683433f;
    const float z2 = low * 0.541196100f + turn, z4 = high * 1.306562965f + turn;
    const float plus = less07 + middle, minus = less07 - middle;
    d[5 * kStep] = minus + z2;
    d[3 * kStep] = minus - z2;
    d[kStep] = plus + z4;
    d[7 * kStep] = plus - z4;
  }
}

/// A color component of the image: its quantizer and codes, and the mean of its block before.
class Component {
 public:
  Component(const Quantizer& quantizer, const CodeTable& dc, const CodeTable& ac)
      : quantizer_(quantizer), dc_(dc), ac_(ac) {}

  void Write(Block block, BitWriter& bits) {
    Transform<1, kBlock>(block);
    Transform<kBlock, 1>(block);
    std::array<int16_t, kCells> cells;
    const uint64_t non_zeros = RoundCoefficients(block.data(), quantizer_.factors.data(), cells.data());
    const int difference = cells[0] - mean_;
    mean_ = cells[0];
    Put(0, difference, dc_, bits);
    int before = 0;
    for (uint64_t left = InZigZag(non_zeros) & ~uint64_t{1}; left != 0; left &= left - 1) {
      const int at = std::countr_zero(left);
      int zeros = at - before - 1;
      before = at;
      for (; zeros >= 16; zeros -= 16) bits.Put(ac_[0xF0]);
      Put(zeros << 4, cells[kFromZigZag[at]], ac_, bits);
    }
    if (before < kCells - 1) bits.Put(ac_[0x00]);
  }

 private:
  /// A number: how many bits it has, and these (T.81 F.1.2.1).
  static void Put(int run, int value, const CodeTable& codes, BitWriter& bits) {
    const int length = std::bit_width(static_cast<uint32_t>(value < 0 ? -value : value));
    const Code& code = codes[static_cast<size_t>(run | length)];
    const uint32_t number = static_cast<uint32_t>(value < 0 ? value - 1 : value) & ((1u << length) - 1);
    bits.Put(code.bits << length | number, code.length + length);
  }

  /// Bits of coefficients by rows, in the file's order.
  static uint64_t InZigZag(uint64_t bits) {
    uint64_t ordered = 0;
    for (size_t row = 0; row < kBlock; ++row) ordered |= kRowsInZigZag[row][bits >> (kBlock * row) & 0xFF];
    return ordered;
  }

  const Quantizer& quantizer_;
  const CodeTable &dc_, &ac_;
  int mean_ = 0;
};

/// Sixteen rows of an image as luma and colors; what lies beyond its edges is like the edge.
class UnitRows {
 public:
  explicit UnitRows(const RgbImage& image) : image_(image), width_((image.width + kUnit - 1) / kUnit * kUnit) {
    for (auto* plane : {&luma_, &blue_, &red_}) plane->resize(static_cast<size_t>(width_) * kUnit);
  }

  int width() const { return width_; }

  void Read(int top) {
    const auto width = static_cast<size_t>(image_.width);
    for (int y = 0; y < kUnit; ++y) {
      const size_t at = static_cast<size_t>(y) * width_;
      SplitRgbRow(&image_.rgb[3 * width * std::min(top + y, image_.height - 1)], width, &luma_[at], &blue_[at],
                  &red_[at]);
      for (auto* plane : {&luma_, &blue_, &red_})
        std::fill_n(plane->begin() + static_cast<ptrdiff_t>(at + width), width_ - width, (*plane)[at + width - 1]);
    }
  }

  Block Luma(int left, int top) const {
    Block block;
    for (int y = 0; y < kBlock; ++y)
      std::copy_n(At(luma_, left, top + y), kBlock, &block[static_cast<size_t>(y) * kBlock]);
    return block;
  }
  Block Blue(int left) const { return Halved(blue_, left); }
  Block Red(int left) const { return Halved(red_, left); }

 private:
  const float* At(const std::vector<float>& plane, int x, int y) const {
    return &plane[static_cast<size_t>(y) * width_ + x];
  }
  Block Halved(const std::vector<float>& plane, int left) const {
    Block block;
    for (int y = 0; y < kBlock; ++y) {
      const float *above = At(plane, left, 2 * y), *below = At(plane, left, 2 * y + 1);
      for (int x = 0; x < kBlock; ++x)
        block[y * kBlock + x] = (above[2 * x] + above[2 * x + 1] + below[2 * x] + below[2 * x + 1]) * 0.25f;
    }
    return block;
  }

  const RgbImage& image_;
  const int width_;
  std::vector<float> luma_, blue_, red_;
};

std::string Header(const RgbImage& image, const Quantizer& luma, const Quantizer& color) {
  std::string file = "\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"s;
  const auto append = [&](std::span<const uint8_t> bytes) {
    file.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  };
  file += "\xff\xdb\x00\x84"sv;
  file += '\0';
  append(luma.steps);
  file += '\1';
  append(color.steps);
  const uint8_t sizes[] = {static_cast<uint8_t>(image.height >> 8), static_cast<uint8_t>(image.height),
                           static_cast<uint8_t>(image.width >> 8), static_cast<uint8_t>(image.width)};
  file += "\xff\xc0\x00\x11\x08"sv;
  append(sizes);
  file += "\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xc4\x01\xa2"sv;
  for (const CodeText& code : kCodes) {
    file += static_cast<char>(code.name);
    file += code.lengths;
    file += code.symbols;
  }
  return file += "\xff\xda\x00\x0c\x03\x01\x00\x02\x11\x03\x11\x00\x3f\x00"sv;
}

}  // namespace

std::string Jpeg(const RgbImage& image, int quality) {
  static const CodeTable kLumaDc = MakeCodes(kCodes[0]), kLumaAc = MakeCodes(kCodes[1]),
                         kColorDc = MakeCodes(kCodes[2]), kColorAc = MakeCodes(kCodes[3]);
  const Quantizer luma_steps(kLumaSteps, quality), color_steps(kColorSteps, quality);
  constexpr size_t kMostOfUnit =
      size_t{6} * kCells * 27 / 8 * 2;  // codes of 16 bits, numbers of 11, and zeros behind 255
  std::string file = Header(image, luma_steps, color_steps);
  BitWriter bits(file);
  Component luma(luma_steps, kLumaDc, kLumaAc), blue(color_steps, kColorDc, kColorAc),
      red(color_steps, kColorDc, kColorAc);
  UnitRows rows(image);
  for (int y = 0; y < image.height; y += kUnit) {
    rows.Read(y);
    for (int x = 0; x < rows.width(); x += kUnit) {
      bits.Reserve(kMostOfUnit);
      for (int i = 0; i < 4; ++i) luma.Write(rows.Luma(x + i % 2 * kBlock, i / 2 * kBlock), bits);
      blue.Write(rows.Blue(x), bits);
      red.Write(rows.Red(x), bits);
    }
  }
  bits.Finish();
  return file += "\xff\xd9"sv;
}

}  // namespace acutance
