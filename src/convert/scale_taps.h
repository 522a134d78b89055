// Scaling filters: weights that resample a row or column to another length, as whole numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace acutance {

enum class ScaleFilter { kBicubic, kLanczos, kBilinear, kArea, kAom };

inline constexpr std::string_view kScaleFilterNames[] = {"bicubic", "lanczos", "bilinear", "area", "aom"};
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

/// How the filter along rows rounds its sums (scale_math.kernel.h).
enum class ScaleRounding : int32_t {
  kUp,            // halves up
  kAwayFromZero,  // halves of negative sums of samples down: AVM's tool
  kWholeSamples,  // the same to whole samples, where no filter down columns follows
};

/// Result i is the sum of `taps` neighbouring samples from first[i] on, each times its weight. Samples
/// before the first and after the last are that one.
struct ScaleTaps {
  static constexpr int kBits = 14;  // of the weights: those of a result add up to 2^14
  static constexpr int kGroup = 4;  // taps that lie side by side

  ScaleTaps() = default;
  /// Without weights: each result gets its own by Set, in their order.
  ScaleTaps(int results, int used_taps);
  void Set(int result, int first_sample, std::span<const int> result_weights);

  int taps = 0;  // a multiple of kGroup
  int used = 0;  // those after them have no weight
  /// Each result's first sample: at least -taps, at most the last sample. Padded to whole
  /// vectors by copies of the last result.
  std::vector<int32_t> first;
  std::vector<int16_t> weights;                 // [group][result][tap of the group]
  ScaleRounding rounding = ScaleRounding::kUp;  // where this is the filter along rows

  int pairs() const { return (used + 1) / 2; }
  const int16_t* group(int g) const { return weights.data() + g * kGroup * first.size(); }
  int weight(int i, int k) const { return group(k / kGroup)[i * kGroup + k % kGroup]; }
};

/// The bicubic filter is the one with B = 0 and C = 0.6, which FFmpeg's scaler has by default; Lanczos has
/// three lobes. Where the result is smaller, all filters are stretched by the ratio of sizes. Area
/// weighs each sample by how much of it a result covers. kAom is Lanczos with five lobes; sizes have its taps from
/// convert/aom_taps.h.
ScaleTaps MakeScaleTaps(ScaleFilter filter, const ScaleAxis& axis);

/// The filter along rows as the SIMD code reads it, where neighbouring results read neighbouring samples: a lane for
/// each result, and weights by pairs of taps, so that nothing is added across lanes. The samples for four results come
/// from blocks of eight.
class CompactTaps {
 public:
  static constexpr int kBlock = 4;    // results
  static constexpr int kSamples = 8;  // of a block
  static constexpr int kMost = 32;    // results of one turn of a loop

  enum class Kind {
    kFar,      // one pair of taps of four results does not fit into a block of samples: not for this class
    kPairs,    // a block of samples for each pair
    kAtOnce,   // two pairs, whose samples lie in one block
    kHalving,  // each result begins two samples after the one before it, and has its weights
  };

  CompactTaps() = default;
  CompactTaps(const ScaleTaps& taps, int width);

  Kind kind() const { return kind_; }
  int pairs() const { return pairs_; }
  const int32_t* firsts(int x) const { return firsts_.data() + x / kBlock; }
  const int16_t* places(int x) const { return places_.data() + 2 * x; }
  /// The places of the second pair in the block of the first.
  const int16_t* second_places(int x) const { return places(padded_ + x); }
  const int16_t* weights(int pair, int x) const {
    return weights_.data() + (static_cast<size_t>(pair) * padded_ + x) * 2;
  }

 private:
  static Kind FindKind(const ScaleTaps& taps, int width, int pairs);

  Kind kind_ = Kind::kFar;
  int pairs_ = 0, padded_ = 0;
  std::vector<int32_t> firsts_;   // of each block of results
  std::vector<int16_t> places_;   // [first or second pair][result][tap of the pair]: the bytes of a sample in a block
  std::vector<int16_t> weights_;  // [pair][result][tap of the pair]
};

}  // namespace acutance
