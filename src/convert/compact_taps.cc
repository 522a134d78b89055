#include "convert/compact_taps.h"

#include <algorithm>

namespace acutance {
namespace {

/// Where the bytes of a sample lie in a block.
int16_t BytesOf(int place) { return static_cast<int16_t>(2 * place | (2 * place + 1) << 8); }

bool IsHalving(const ScaleTaps& taps, int width) {
  for (int x = 0; x < width; ++x) {
    if (taps.first[x] != taps.first[0] + 2 * x) return false;
    for (int k = 0; k < taps.used; ++k)
      if (taps.weight(x, k) != taps.weight(0, k)) return false;
  }
  return true;
}

/// How far apart the first samples for four results lie.
int Spread(const ScaleTaps& taps, int width) {
  int most = 0;
  for (int x = 0; x < width; x += CompactTaps::kBlock)
    most = std::max(most, taps.first[std::min(x + CompactTaps::kBlock, width) - 1] - taps.first[x]);
  return most;
}

}  // namespace

CompactTaps::Kind CompactTaps::FindKind(const ScaleTaps& taps, int width, int pairs) {
  const int spread = Spread(taps, width);
  if (spread > kSamples - 2) return Kind::kFar;
  if (IsHalving(taps, width)) return Kind::kHalving;
  return pairs <= 2 && spread <= kSamples - 4 ? Kind::kAtOnce : Kind::kPairs;
}

CompactTaps::CompactTaps(const ScaleTaps& taps, int width)
    : pairs_(taps.pairs()), padded_((width + kMost - 1) / kMost * kMost) {
  kind_ = FindKind(taps, width, pairs_);
  if (kind_ == Kind::kFar) return;
  if (kind_ == Kind::kAtOnce) pairs_ = 2;
  firsts_.resize(padded_ / kBlock, taps.first[width - 1]);
  places_.resize(size_t{4} * padded_);
  weights_.resize(size_t{2} * padded_ * pairs_);
  for (int x = 0; x < width; ++x) {
    const int first = taps.first[x / kBlock * kBlock];
    firsts_[x / kBlock] = first;
    for (int k = 0; k < 4; ++k) places_[(k / 2 * padded_ + x) * 2 + k % 2] = BytesOf(taps.first[x] - first + k);
    for (int k = 0; k < 2 * pairs_; ++k)
      weights_[(static_cast<size_t>(k / 2) * padded_ + x) * 2 + k % 2] = static_cast<int16_t>(taps.weight(x, k));
  }
}

}  // namespace acutance
