// From the entropies of blocks to scores (docs/spec/siblings.md 2.6).
#include <bit>
#include <cmath>
#include <numbers>

#include "math/exact_math.h"
#include "metric/blocks/words.h"
#include "metric/speed/speed.h"

namespace acutance {
namespace {

/// The factors on the entropies of a block of the reference and of the distorted picture.
struct Weights {
  double reference;
  double distorted;
};

Weights WeighBlock(int mode, float reference, float distorted) {
  const double own_reference = Log2(1.0f + reference), own_distorted = Log2(1.0f + distorted);
  switch (mode) {
    case 1:
      return {own_reference, own_reference};
    case 2:
      return {own_distorted, own_distorted};
    case 3: {
      const double mean = Log2(1 + static_cast<double>(reference + distorted) / 2);
      return {mean, mean};
    }
    case 4:
      return {own_reference, Log2(1 + static_cast<double>(reference + distorted) / 2)};
    case 5:
      return {own_reference, Log2(1 + (0.75 * reference + 0.25 * distorted))};
    case 6:
      return {own_reference, Log2(1 + (0.25 * reference + 0.75 * distorted))};
    default:
      return {own_reference, own_distorted};
  }
}

float DifferenceOfBlock(int mode, float floor, const SpeedBlock& reference, const SpeedBlock& distorted) {
  if (reference.entropy < floor && distorted.entropy < floor) return 0;
  const Weights weights = WeighBlock(mode, reference.variance, distorted.variance);
  const float of_reference = static_cast<float>(reference.entropy * weights.reference);
  const float of_distorted = static_cast<float>(distorted.entropy * weights.distorted);
  return std::fabs(of_reference - of_distorted);
}

}  // namespace

double SpeedEntropyOfOne() {
  static const double entropy = Log2(2 * std::numbers::pi * std::numbers::e);
  return entropy;
}

float AddSpeedEntropy(float sum, float variance) {
  return static_cast<float>(sum + (Log2(variance) + SpeedEntropyOfOne()));
}

int64_t SpeedWord(SpeedBlock block) {
  return std::bit_cast<int64_t>(static_cast<uint64_t>(WordFromFloat(block.entropy)) << 32 |
                                static_cast<uint64_t>(WordFromFloat(block.variance)));
}

SpeedBlock SpeedBlockFrom(int64_t word) {
  return {FloatFromWord(word), FloatFromWord(static_cast<int64_t>(static_cast<uint64_t>(word) >> 32))};
}

SpeedScore ScoreSpeed(const SpeedSettings& settings, int weight_mode, std::span<const int64_t> reference,
                      std::span<const int64_t> distorted) {
  const bool is_reference_singular = reference.back() != 0, is_distorted_singular = distorted.back() != 0;
  if (is_reference_singular != is_distorted_singular) return {0, true};
  const float floor =
      static_cast<float>(kSpeedValues * (Log2((1.0f + settings.nn_floor) * settings.sigma_nn) + SpeedEntropyOfOne()));
  const size_t blocks = reference.size() - 1;
  float sum = 0;
  for (size_t j = 0; j < blocks; ++j)
    sum += DifferenceOfBlock(weight_mode, floor, SpeedBlockFrom(reference[j]), SpeedBlockFrom(distorted[j]));
  return {sum / static_cast<float>(blocks), is_reference_singular};
}

}  // namespace acutance
