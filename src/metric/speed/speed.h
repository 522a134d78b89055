// What speed_chroma and speed_temporal share (README.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "metric/blocks/resizing.h"
#include "metric/metric.h"

namespace acutance {

namespace speed {
#include "metric/speed/speed_math.kernel.h"
}  // namespace speed

inline constexpr int kSpeedStep = 16;     // samples of the picture between those of the small one, both ways
inline constexpr int kSpeedSide = 5;      // of a block of the small picture
inline constexpr int kSpeedValues = 25;   // of a block: the size of the covariance matrix
inline constexpr int kSpeedPartials = 8;  // sums that make a covariance: sum i has the columns i, i + 8, i + 16...

/// The options, checked.
struct SpeedSettings {
  float kernel_scale = 1;
  double prescale = 1;
  ResizingMethod resizing = ResizingMethod::kNearest;
  float sigma_nn = 0.29f;
  float nn_floor = 0;
};

Result<SpeedSettings> ReadSpeedSettings(const OptionValues& options);

using SpeedAxis = ResizingAxis;

/// The samples of a resized row that the filter reads, the taps of one sample of the small picture after those of
/// another. Lists are as long as whole vectors need.
struct SpeedPacked {
  int count = 0;
  std::vector<int32_t> index;  // [tap of SpeedAxis][place]
  std::vector<float> weight;
};

/// A plane and the pictures computed from it, without samples.
struct SpeedLayout {
  int bit_depth;
  int plane_width;
  bool is_resized;  // else both axes are empty
  bool is_divided;  // a resized sample, by the sum of its weights
  SpeedAxis across, down;
  SpeedPacked packed;
  int width, height;           // after resizing
  std::vector<float> blur;     // taps before the picture is made small
  std::vector<float> sharpen;  // taps of what is subtracted afterwards
  int columns, rows;           // of the small picture
  int blocks_across, blocks_down;

  int blocks() const { return blocks_across * blocks_down; }
  int samples() const { return columns * rows; }
  int window_columns() const { return kSpeedSide * (blocks_across - 1) + 1; }
  int window_rows() const { return kSpeedSide * (blocks_down - 1) + 1; }
};

/// Fails where the small picture has no block.
Result<SpeedLayout> MakeSpeedLayout(std::string_view metric, const SpeedSettings& settings, int plane_width,
                                    int plane_height, int bit_depth);

/// A picture: a plane, less the middle of its range or less another plane.
struct SpeedSource {
  const Plane* plane;
  const Plane* less = nullptr;  // null: the middle
};

/// Partial results for one picture of one video: one per block, and whether the covariances have an inverse.
inline int SpeedWords(const SpeedLayout& layout) { return layout.blocks() + 1; }

struct SpeedBlock {
  float variance;
  float entropy;
};
int64_t SpeedWord(SpeedBlock block);
SpeedBlock SpeedBlockFrom(int64_t word);

/// The score of two pictures.
struct SpeedScore {
  float value;
  bool is_singular;  // one of the two or both
};

SpeedScore ScoreSpeed(const SpeedSettings& settings, int weight_mode, std::span<const int64_t> reference,
                      std::span<const int64_t> distorted);

/// A SpeedSource on a device: a plane of a frame `back` frames ago, less the middle or this frame's plane of `less`.
struct SpeedDeviceSource {
  Video video;
  int plane = 0;
  int back = 0;
  std::optional<Video> less{};
};

/// Pairs of pictures, the reference's before the distorted video's.
Result<Plan> MakeSpeedPlan(const SpeedSettings& settings, const SpeedLayout& layout, const PlanContext& context,
                           std::span<const SpeedDeviceSource> sources);

// --- The reference implementation

/// Rows `band` of the small picture, before it is sharpened: samples[row * layout.columns + column].
void SampleSpeedRef(const SpeedLayout& layout, const SpeedSource& source, RowBand band, float* samples);

/// The partial results of such samples.
void AnalyseSpeedRef(const SpeedLayout& layout, float sigma_nn, std::span<const float> samples,
                     std::span<int64_t> words);

// --- Steps that both implementations share

using SpeedMatrix = float[kSpeedValues][kSpeedValues];

/// The eigenvalues of a symmetric tridiagonal matrix, over its diagonal; `off_diagonal` has one element less.
void SolveTridiagonal(std::span<float, kSpeedValues> diagonal, std::span<float, kSpeedValues> off_diagonal);

/// The entropy of noise of variance 1 in a value, and a block's entropy with one more of that variance.
double SpeedEntropyOfOne();
float AddSpeedEntropy(float sum, float variance);

/// Whether libvmaf takes the matrix for one that has an inverse.
bool AreRegular(std::span<const float, kSpeedValues> eigenvalues);

extern const Metric kSpeedChromaMetric;
extern const Metric kSpeedTemporalMetric;

}  // namespace acutance
