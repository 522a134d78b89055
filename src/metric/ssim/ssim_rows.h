// What one thread works on in the SIMD implementation of the SSIM metrics. All of it but `columns` stays in caches.
#pragma once

#include <vector>

#include "metric/ssim/ssim.h"

namespace acutance {

struct SsimRows : Workspace {
  static constexpr int kMaps = 5;  // reference, distorted, their squares, their product
  static constexpr int kColumns = ssim::kStripColumns;
  static constexpr int kSpan = 2 * kColumns;    // columns of windows at once
  static constexpr int kSlack = 32;             // floats that whole vectors may touch behind a row
  static constexpr int kLines = 16;             // rows of the planes at once
  static constexpr int kChunk = ssim::kWindow;  // rows of windows at once
  static constexpr int kRing = 3 * kLines;      // rows in memory: a chunk, those before and those after it

  explicit SsimRows(int width) : sums(kMargin + width + kMargin), whole_sums(kMargin + width + kMargin) {}

  alignas(64) float samples[2][kMaps][kSpan + kSlack] = {};  // a row, and the next one
  alignas(64) float along[kMaps][(kRing + kSsimLoss) * kSpan] =
      {};                                                // rows filtered along; the first ones again behind them
  bool is_bright[kRing] = {};                            // all samples of the row
  alignas(64) float windows[kMaps][kChunk][kSpan] = {};  // filtered down, too
  alignas(64) float deviations[kSpan] = {}, variances[kSpan] = {};
  alignas(64) float structure[kSpan] = {}, means[kSpan] = {};

  // Bright rows: both pictures, the same by columns, and a map of them filtered.
  static constexpr int kSpanSamples = kSpan + kSsimLoss + 2;  // a multiple of four
  alignas(64) float bright[2][kLines][kSpan + kSlack] = {};
  alignas(64) float transposed[2][kSpanSamples * kLines] = {};
  alignas(64) float filtered[kSpanSamples * kLines] = {};
  alignas(64) float open[kMaps][2][kSsimLoss][kSpan] = {};  // sums of windows that continue in the next chunk

  static constexpr int kMargin = 16;
  std::vector<double> sums;  // of columns of a picture to shrink, with margins
  std::vector<int32_t> whole_sums;

  // Bright rows: even and odd columns of five pairs of rows; both sums of their columns, for each distance from the
  // middle of the halving filter; those of rows of halves that continue in the next pairs.
  static constexpr int kPairs = 5;
  static constexpr int kHalvingWidth = kSpan + kSlack;
  alignas(64) float pairs[2 * kPairs][2][kHalvingWidth] = {};
  alignas(64) float half_sums[kPairs][5][2][kHalvingWidth] = {};
  alignas(64) float open_halves[5][8][kHalvingWidth] = {};

  static constexpr int kHalvedRows = 10;                       // of the plane, of which 9 are in use
  alignas(64) float halving[2][2][kColumns + kSlack] = {};     // even and odd columns of a row, and of the next one
  alignas(64) float halves[kHalvedRows][3][2][kColumns] = {};  // rows filtered along, higher and lower part
};

}  // namespace acutance
