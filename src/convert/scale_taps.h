// Filters that bring a row or column of samples to another length, as whole numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace acutance {

enum class ScaleFilter { kBicubic, kLanczos, kBilinear, kArea };

inline constexpr std::string_view kScaleFilterNames[] = {"bicubic", "lanczos", "bilinear", "area"};
std::optional<ScaleFilter> FindScaleFilter(std::string_view name);

/// Samples of one axis: luma, or chroma with one sample for every second of luma.
struct ScaleAxis {
  int from = 0;  // samples
  int to = 0;
  double step = 1;    // luma samples of the source for each of the result
  int subsample = 1;  // luma samples for each sample: 1 or 2
  /// Where a sample lies between its luma samples, from the first: 0 on it (left or top), 0.5 in the
  /// middle of two. Always 0 without subsampling.
  double siting = 0;
};

/// Result i is the sum of `taps` neighbouring samples from first[i] on, each times its weight. Samples
/// before the first and after the last are that one.
struct ScaleTaps {
  static constexpr int kBits = 14;  // of the weights: those of a result add up to 2^14
  static constexpr int kGroup = 4;  // taps that lie side by side

  int taps = 0;  // a multiple of kGroup
  int used = 0;  // those after them have no weight
  /// Each result's first sample: at least -taps, at most the last sample. Results are as many as are asked for, and
  /// some more like the last, for whole vectors.
  std::vector<int32_t> first;
  std::vector<int16_t> weights;  // [group][result][tap of the group]

  int pairs() const { return (used + 1) / 2; }
  const int16_t* group(int g) const { return weights.data() + g * kGroup * first.size(); }
  int weight(int i, int k) const { return group(k / kGroup)[i * kGroup + k % kGroup]; }
};

/// The bicubic filter is the one with B = 0 and C = 0.6, which FFmpeg's scaler has by default; Lanczos has
/// three lobes. Where the result is smaller, all filters are stretched by the ratio of sizes. Area
/// weighs each sample by how much of it a result covers.
ScaleTaps MakeScaleTaps(ScaleFilter filter, const ScaleAxis& axis);

}  // namespace acutance
