// Geometry, shifts and sums of ADM's four scales (docs/spec/core.md 2.3 to 2.9).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/int_math.h"
#include "base/status.h"
#include "image/picture.h"
#include "metric/block_sums.h"
#include "metric/options.h"

namespace acutance {

inline constexpr int kAdmScales = 4;
inline constexpr int kAdmBands = 3;  // h, v, d: the order of every array of bands

/// Contrast sensitivity (docs/spec/core.md 2.6): how much a band's difference counts at a viewing distance.
enum class AdmCsfMode { kWatson97 = 0, kBarten = 1, kBlend = 2, kBlendMae = 3 };

struct AdmCsfOptions {
  AdmCsfMode mode = AdmCsfMode::kWatson97;
  double view_distance = 3.0;   // in display heights
  int display_height = 1080;    // in pixels
  double scale = 1.0;           // kBarten alone: multiplies the factor of h and v
  double diagonal_scale = 1.0;  // kBarten alone: multiplies the factor of d
};

struct AdmCsf {
  std::array<std::array<float, kAdmBands>, kAdmScales> factor;
  /// factor in fixed point: 16 bits at scale 0, 32 bits at scales 1 to 3. Larger values wrap, as libvmaf's do on x86.
  std::array<std::array<uint32_t, kAdmBands>, kAdmScales> fixed;
};

/// Fails for a display closer than 3240 pixels of height times distance, and for a pair that the tables of kBlend and
/// kBlendMae do not list.
Result<AdmCsf> MakeAdmCsf(const AdmCsfOptions& options);

/// Smaller pictures make libvmaf read outside its buffers at scale 3.
inline constexpr int kAdmMinDimension = 33;

/// Columns or rows [begin, end).
struct AdmRange {
  int begin;
  int end;
  int size() const { return end - begin; }
};

/// The middle 80 % of a band dimension, which is scored: the closed form of trunc(n * 0.1 - 0.5).
constexpr AdmRange AdmScoreRange(int n) {
  const int border = std::max((n - 5) / 10, 0);
  return {border, n - border};
}

/// The scored range and the neighbour on each side that the masking threshold reads.
constexpr AdmRange AdmWorkRange(int n) {
  const AdmRange score = AdmScoreRange(n);
  return {std::max(score.begin - 1, 0), std::min(score.end + 1, n)};
}

struct AdmScale {
  bool scored;  // false at scale 0 under adm_skip_scale0: only band a is made
  int in_width, in_height;
  int width, height;                       // of a band
  AdmRange columns, rows;                  // scored
  std::array<uint32_t, kAdmBands> factor;  // fixed point
  std::array<int, kAdmBands> cube_shift;   // of the masked magnitude's cube, per pixel
  int row_shift;                           // of its row sum
  int den_cube_shift;                      // of the denominator's cube, per pixel; 0 at scale 0
  int den_row_shift;
};

/// The options, checked.
struct AdmSettings {
  AdmCsf csf;
  double gain_limit;
  bool aim;     // false under adm_skip_aim
  bool scale0;  // false under adm_skip_scale0
  bool wide;    // some factor is too large for the arithmetic that suffices in every sensible mode
  double noise_weight;
  double dlm_weight;
  double min_val;
  bool debug;
};

/// Fails where MakeAdmCsf does.
Result<AdmSettings> ReadAdmSettings(const OptionValues& options);

struct AdmSetup {
  AdmSetup(const AdmSettings& of, const PictureFormat& format);

  AdmSettings settings;
  int bit_depth;
  std::array<AdmScale, kAdmScales> scales;
};

enum AdmSum { kAdmNum, kAdmAim, kAdmDen };
inline constexpr int kAdmSumKinds = 3;
inline constexpr int kAdmSumCount = kAdmScales * kAdmSumKinds * kAdmBands;

/// Where a sum over the rows of a band stands among the frame's sums.
constexpr int AdmSumIndex(int scale, AdmSum kind, int band) { return (scale * kAdmSumKinds + kind) * kAdmBands + band; }

/// The block of a place in a band of `scale`.
inline int AdmBlock(const BlockGrid& grid, int x, int y, int scale) {
  return grid.at(x << (scale + 1), y << (scale + 1));
}

/// The scored columns of a band, counted from the first of them, by block; without a grid all of them.
std::vector<AdmRange> AdmBlockColumns(const AdmScale& s, int scale, const BlockGrid* grid);

}  // namespace acutance
