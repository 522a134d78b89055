// Signal-to-noise ratios of metrics that read samples as floats (docs/spec/siblings.md 7).
#pragma once

#include <algorithm>

#include "math/exact_math.h"

namespace acutance {

/// The largest sample as a float: 255, 255.75, 255.9375, 255.99609375 for 8, 10, 12, 16 bits.
inline double FloatPeak(int bit_depth) { return 256.0 - 1.0 / static_cast<double>(1 << (bit_depth - 8)); }

/// The upper limit in dB: 60, 72, 84, 108.
inline double FloatDecibelLimit(int bit_depth) { return 6.0 * bit_depth + 12.0; }

/// 10 log10(signal / noise) in dB, at most the limit. A noise of 0 counts as 1e-10.
inline double LimitedDecibels(double signal, double noise, int bit_depth) {
  return std::min(10.0 * Log10(signal / std::max(noise, 1e-10)), FloatDecibelLimit(bit_depth));
}

}  // namespace acutance
