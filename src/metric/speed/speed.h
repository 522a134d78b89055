// What speed_chroma and speed_temporal share (README.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "metric/metric.h"

namespace acutance {

namespace speed {
#include "metric/speed/speed_math.kernel.h"
}  // namespace speed

inline constexpr int kSpeedStep = 16;     // samples of the picture between those of the small one, both ways
inline constexpr int kSpeedSide = 5;      // of a block of the small picture
inline constexpr int kSpeedValues = 25;   // of a block: the size of the covariance matrix
inline constexpr int kSpeedPartials = 8;  // sums that make a covariance: sum i has the columns i, i + 8, i + 16...

enum class SpeedResizing { kNearest, kBilinear, kBicubic, kLanczos };

/// The options, checked.
struct SpeedSettings {
  float kernel_scale = 1;
  double prescale = 1;
  SpeedResizing resizing = SpeedResizing::kNearest;
  float sigma_nn = 0.29f;
  float nn_floor = 0;
};

/// The options that both metrics have.
inline const OptionSpec kSpeedOptions[] = {
    {"speed_kernelscale", "ks", "factor on the size of the filters", 1.0, 0.1, 4, true},
    {"speed_prescale", "ps", "factor on the size of the pictures, before all else", 1.0, 0.1, 4, true},
    {"speed_prescale_method", "psm", "how they are resized: nearest, bilinear, bicubic or lanczos4",
     std::string("nearest"), 0, 0, true},
    {"speed_sigma_nn", "snn", "variance of the noise that hides differences", 0.29, 0.1, 2, true},
    {"speed_nn_floor", "nnf", "blocks whose entropies both lie below that of noise, raised by this, do not count", 0.0,
     0, 1, true},
};

Result<SpeedSettings> ReadSpeedSettings(const OptionValues& options);

/// Where the samples of a resized side read: sample i the weighted `taps` from index[i * taps] on.
struct SpeedAxis {
  int taps = 1;
  std::vector<int32_t> index;
  std::vector<float> weight;
};

/// The samples of a resized row that the filter reads, the taps of one sample of the small picture after those of
/// another. Lists are as long as whole vectors need.
struct SpeedPacked {
  int count = 0;
  std::vector<int32_t> index;  // [tap of SpeedAxis][place]
  std::vector<float> weight;
};

/// A plane and the pictures that are made of it, without samples.
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

/// The results for one picture of one video, in words: one a block, and one that says whether the covariances have an
/// inverse.
inline int SpeedWords(const SpeedLayout& layout) { return layout.blocks() + 1; }

struct SpeedBlock {
  float variance;
  float entropy;
};
int64_t SpeedWord(SpeedBlock block);
SpeedBlock SpeedBlockFrom(int64_t word);

/// The score of two pictures, from their words.
struct SpeedScore {
  float value;
  bool is_singular;  // one of the two or both
};

/// weight_mode: option speed_weight_var_mode.
SpeedScore ScoreSpeed(const SpeedSettings& settings, int weight_mode, std::span<const int64_t> reference,
                      std::span<const int64_t> distorted);

// --- The stages of both metrics

/// The small pictures of a frame, before they are sharpened.
class SpeedSamples : public Workspace {
 public:
  SpeedSamples(const SpeedLayout& layout, int pictures);
  std::span<float> of(int picture) { return std::span(values_).subspan(picture * stride_, stride_); }

 private:
  const size_t stride_;
  std::vector<float> values_;
};

/// Two stages: rows of the small pictures, one picture after another; then pictures.
ExtractorSpec MakeSpeedSpec(const SpeedLayout& layout, int pictures);

struct SpeedWork {
  const SpeedLayout& layout;
  float sigma_nn;
  std::span<const SpeedSource> sources;
};
void RunSpeedStage(const SpeedWork& work, int stage, RowBand band, const Workspaces& workspaces,
                   std::span<int64_t> words);

// --- The reference implementation

/// Rows `band` of the small picture, before it is sharpened: samples[row * layout.columns + column].
void SampleSpeedRef(const SpeedLayout& layout, const SpeedSource& source, RowBand band, float* samples);

/// Of such samples, all rows of them, the words.
void AnalyseSpeedRef(const SpeedLayout& layout, float sigma_nn, std::span<const float> samples,
                     std::span<int64_t> words);

// --- Steps that both implementations share

using SpeedMatrix = float[kSpeedValues][kSpeedValues];

/// The eigenvalues of a symmetric tridiagonal matrix, over its diagonal; `beside` has one element less.
void SolveTridiagonal(std::span<float, kSpeedValues> diagonal, std::span<float, kSpeedValues> beside);

/// The entropy of noise of variance 1 in a value, and a block's entropy with one more of that variance.
double SpeedEntropyOfOne();
float AddSpeedEntropy(float sum, float variance);

/// Whether libvmaf takes the matrix for one that has an inverse.
bool AreRegular(std::span<const float, kSpeedValues> eigenvalues);

extern const Metric kSpeedChromaMetric;
extern const Metric kSpeedTemporalMetric;

}  // namespace acutance
