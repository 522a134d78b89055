// The steps of writing images that take every sample, with vectors of the processor.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace acutance {

/// From samples in steps of 8 bits to red, green and blue.
struct ColorFactors {
  float black = 0, luma = 1;
  float red_v = 0, green_u = 0, green_v = 0, blue_u = 0;
};

/// A row of pixels from sums of luma and of both chroma samples, which become samples times `share`.
void StoreRgbRow(const std::array<const uint32_t*, 3>& sums, size_t count, float share, const ColorFactors& factors,
                 uint8_t* rgb);

/// The same from samples: `count` of each plane.
void StoreRgbRow(const std::array<const uint8_t*, 3>& samples, size_t count, const ColorFactors& factors, uint8_t* rgb);

/// Each sample twice, side by side; an odd `count` leaves out the last one's second.
void RepeatSamples(const uint8_t* samples, size_t count, uint8_t* to);

/// Rows of luma less 128 and of both colors as JPEG has them, from a row of pixels.
void SplitRgbRow(const uint8_t* rgb, size_t count, float* luma, float* blue, float* red);

/// Of a block of JPEG: 64 coefficients times their factors, rounded. Bit i of the result: coefficient i is not 0.
uint64_t RoundCoefficients(const float* coefficients, const float* factors, int16_t* rounded);

/// Bit i % 64 of bits[i / 64]: whether byte i is like the one before it. The bits of a last word behind them are 0.
void FindRepeats(std::string_view bytes, uint64_t* bits);

/// Subtracts from each byte, modulo 256.
void SubtractBytes(const uint8_t* bytes, const uint8_t* less, size_t count, uint8_t* to);

/// The sum of bytes, and that with the first one so many times as there are bytes, and the last one once. At most
/// 4,096.
struct ByteSums {
  uint32_t sum, weighted;
};
ByteSums SumBytes(std::string_view bytes);

/// Adds to each byte, at most to 255.
void AddBytes(const uint8_t* bytes, const uint8_t* more, size_t count, uint8_t* to);

}  // namespace acutance
