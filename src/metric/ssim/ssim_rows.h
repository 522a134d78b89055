// What one thread works on in the SIMD implementation of the SSIM metrics. All of it but `columns` stays in caches.
#pragma once

#include <vector>

#include "metric/ssim/ssim.h"

namespace acutance {

struct SsimRows : Workspace {
  static constexpr int kMaps = 5;    // reference, distorted, their squares, their product
  static constexpr int kGroup = 16;  // rows of windows at once
  static constexpr int kColumns = ssim::kStripColumns;
  static constexpr int kSlack = 32;  // floats that whole vectors may touch behind a row

  explicit SsimRows(int width) : sums(kMargin + width + kMargin), whole_sums(kMargin + width + kMargin) {}

  alignas(64) float samples[2][kMaps][kColumns + kSlack] = {};        // a row, and the next one
  alignas(64) float along[kMaps][kSsimLoss + kGroup][kColumns] = {};  // rows filtered along
  alignas(64) float windows[kMaps][kColumns] = {};                    // a row of windows: filtered down, too
  alignas(64) float deviations[kColumns] = {}, variances[kColumns] = {};
  alignas(64) float structure[kColumns] = {}, means[kColumns] = {};

  static constexpr int kMargin = 16;
  std::vector<double> sums;  // of columns of a picture to shrink, with margins
  std::vector<int32_t> whole_sums;

  static constexpr int kHalvedRows = 10;                       // of the plane, of which 9 are in use
  alignas(64) float halving[2][2][kColumns + kSlack] = {};     // even and odd columns of a row, and of the next one
  alignas(64) float halves[kHalvedRows][3][2][kColumns] = {};  // rows filtered along, higher and lower part
};

}  // namespace acutance
