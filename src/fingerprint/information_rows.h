// Sums over rows of samples, for spatial and temporal information.
#pragma once

#include <cstdint>

namespace acutance {

/// Sums over a row: exact whole numbers.
struct RowMoments {
  int64_t sum = 0;
  int64_t squares = 0;

  bool operator==(const RowMoments&) const = default;
};

/// Over the magnitudes of Sobel's gradient around samples 1 to width - 2 of the middle one of three rows, each times
/// `scale` and rounded to the nearest whole number: root(x * x + y * y) * scale + 0.5 in floats, of which the whole
/// part counts. scale: 2^(18 - bit depth), so that sums of a row fit into 64 bits.
RowMoments SobelMoments(const uint8_t* const rows[3], int width, float scale);
RowMoments SobelMoments(const uint16_t* const rows[3], int width, float scale);

/// Over the differences of two rows' samples.
RowMoments DifferenceMoments(const uint8_t* row, const uint8_t* before, int width);
RowMoments DifferenceMoments(const uint16_t* row, const uint16_t* before, int width);

}  // namespace acutance
