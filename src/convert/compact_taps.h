// The filter along rows as the SIMD code reads it, for results whose neighbours lie near: a lane for each result.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "convert/scale_taps.h"

namespace acutance {

/// The weights a pair of taps at a time, so that nothing is added across lanes. The samples for four results come from
/// blocks of eight.
class CompactTaps {
 public:
  static constexpr int kBlock = 4;    // results
  static constexpr int kSamples = 8;  // of a block
  static constexpr int kMost = 32;    // results that a turn of a loop makes

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
