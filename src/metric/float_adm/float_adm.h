// Types and entry points that the files of float_adm share.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/kernel.h"
#include "metric/blocks/float_pyramid.h"
#include "metric/metric.h"

namespace acutance {

namespace float_adm {
#include "metric/float_adm/float_adm_math.kernel.h"
}  // namespace float_adm

inline constexpr int kFloatAdmScales = 4;
inline constexpr int kFloatAdmBands = 3;  // h, v, d: the order of every array of bands
inline constexpr int kFloatAdmMinSide = 17;

/// What rows add up: [kind * 3 + band].
enum FloatAdmSum { kFloatAdmNum, kFloatAdmAim, kFloatAdmDen, kFloatAdmKinds };
inline constexpr int kFloatAdmSums = kFloatAdmKinds * kFloatAdmBands;

/// Rows or columns [begin, end) of a band that are scored.
struct FloatAdmRange {
  int begin;
  int end;
  int size() const { return end - begin; }
};

struct FloatAdmScale {
  int width;  // of the image that is split
  int height;
  int band_width;
  int band_height;
  FloatAdmRange columns, rows;
  std::array<float, kFloatAdmBands> factor;  // contrast sensitivity
  bool scored;                               // false: only the next image
};

/// The options.
struct FloatAdmSettings {
  std::array<std::array<float, kFloatAdmBands>, kFloatAdmScales> factors;  // contrast sensitivity
  double gain_limit;
  float p_norm;
  bool masks;   // false: no threshold
  bool scale0;  // false: it does not count
  double noise_weight;
  double dlm_weight;
  double min_val;
  int no_aim_scale;  // -1: none
  bool harmonic;
  bool debug;
};

/// Sizes and options, for one picture format.
struct FloatAdmLayout {
  FloatAdmSettings settings;
  int bit_depth;
  std::array<FloatAdmScale, kFloatAdmScales> scales;

  ScaleRows rows() const;                          // whose sums are results
  std::vector<PictureSize> smaller_sizes() const;  // of scales 1 to 3
};

FloatAdmSettings ReadFloatAdmSettings(const OptionValues& options);
FloatAdmLayout MakeFloatAdmLayout(const FloatAdmSettings& settings, const PictureFormat& format);

/// Row buffers of one thread.
struct FloatAdmBuffers : Workspace {
  explicit FloatAdmBuffers(const FloatAdmLayout& layout);

  static constexpr int kRing = 3;  // rows of the bands, those of a threshold
  static constexpr int kRingRows =
      15;  // magnitudes of the reference, the restored and the added part; shares of the latter

  static constexpr int kSampleRows = 4;

  FloatRows samples;  // of both videos, those that a row of the bands is computed from
  FloatRows columns;  // low and high of both images after the vertical pass, each as even and odd columns
  FloatRows ring;
};

/// words[y * kFloatAdmSums + i]: the running float sums of row y of the bands (FloatAdmSum), 0
/// where none is scored, for the rows of `band`; and these rows of the next scale's images. With SIMD (Highway).
void FloatAdmBand(const FloatAdmLayout& layout, int scale, RowBand band, const LumaPlanes& planes, FloatPyramid& images,
                  FloatAdmBuffers& buffers, std::span<int64_t> words);

/// The same in plain loops, the reference implementation.
void FloatAdmBandRef(const FloatAdmLayout& layout, int scale, RowBand band, const LumaPlanes& planes,
                     FloatPyramid& images, std::span<int64_t> words);

extern const Metric kFloatAdmMetric;

}  // namespace acutance
