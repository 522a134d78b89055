#include "align/path/moving_part.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "align/path/residuals.h"
#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr int64_t kCells = FrameFingerprint::kCells;
constexpr int64_t kLooks = 1500;         // frames that are compared: more add nothing new
constexpr double kFloor = kCells * 4.0;  // of a pair: what rounding leaves

int64_t StrideOf(int64_t count) { return std::max<int64_t>(1, count / kLooks); }

/// Appends a frame in steps of which 32 are one of an 8-bit sample, as fine residuals have them.
void Append(const FrameFingerprint& fingerprint, int64_t gain, std::vector<int16_t>& cells,
            std::vector<double>& energies) {
  constexpr int kShift = 3 + 12;
  constexpr int64_t kMost = 8191;
  double energy = 0;
  for (const uint16_t cell : fingerprint.cells) {
    cells.push_back(static_cast<int16_t>(std::min(kMost, (int64_t{cell} * gain) >> kShift)));
    energy += static_cast<double>(cells.back()) * cells.back();
  }
  energies.push_back(energy);
}

}  // namespace

/// Sums over pairs, from which what changes in them follows.
class MovingPart::Sums {
 public:
  explicit Sums(const MovingPart& videos) : videos_(videos) {}

  void Add(int64_t i, int64_t j) {
    const int16_t* reference = videos_.reference_.data() + i * kCells;
    const int16_t* distorted = videos_.distorted_.data() + j * kCells;
    apart_ += SquaredDistance(reference, distorted, kCells);
    energy_ +=
        videos_.reference_energies_[static_cast<size_t>(i)] + videos_.distorted_energies_[static_cast<size_t>(j)];
    for (size_t c = 0; c < static_cast<size_t>(kCells); ++c) {
      references_[c] += reference[c];
      distorted_[c] += distorted[c];
    }
    ++pairs_;
  }

  int64_t pairs() const { return pairs_; }

  /// The part of what changes in both that their differences have.
  double unexplained() const {
    if (pairs_ == 0) return 1;
    double constant = 0, still = 0;
    for (size_t c = 0; c < static_cast<size_t>(kCells); ++c) {
      const double a = references_[c], b = distorted_[c];
      constant += (a - b) * (a - b);
      still += a * a + b * b;
    }
    const auto count = static_cast<double>(pairs_);
    const double floor = kFloor * count;
    return (std::max(0.0, apart_ - constant / count) + floor) / (std::max(0.0, energy_ - still / count) + floor);
  }

  /// A logarithm: what pairs explain counts the more, the more of them there are.
  double likelihood() const { return -kNats * static_cast<double>(pairs_) * Log2(unexplained()); }

 private:
  const MovingPart& videos_;
  double apart_ = 0, energy_ = 0;
  int64_t pairs_ = 0;
  std::array<int32_t, static_cast<size_t>(kCells)> references_{}, distorted_{};  // 2^13 x a few thousand pairs
};

MovingPart::MovingPart(const FrameTrack& reference, const FrameTrack& distorted, double gain)
    : reference_count_(reference.size()), distorted_count_(distorted.size()) {
  const int64_t scaled = std::lround(gain * 4096);
  for (const FrameFingerprint& frame : reference.fingerprints) Append(frame, scaled, reference_, reference_energies_);
  for (const FrameFingerprint& frame : distorted.fingerprints) Append(frame, 4096, distorted_, distorted_energies_);
}

std::optional<int64_t> MovingPart::BetterOffset(const FrameClock& clock, int64_t most, const Pairs& pairs) const {
  constexpr double kExplained = 0.3, kMost = 0.5;  // of what changes
  constexpr double kSure = 20;                     // what is asked of whole paths
  constexpr int64_t kLeast = 24;                   // pairs
  const int64_t stride = StrideOf(distorted_count_);
  Sums of_pairs(*this);
  for (size_t k = 0; k < pairs.size(); k += static_cast<size_t>(stride)) of_pairs.Add(pairs[k].first, pairs[k].second);
  if (of_pairs.pairs() > 0 && of_pairs.unexplained() < kExplained) return std::nullopt;
  std::optional<int64_t> found;
  double best = of_pairs.likelihood() + kSure;
  for (int64_t offset = -most; offset <= most; offset += clock.steps) {
    Sums sums(*this);
    for (int64_t j = 0; j < distorted_count_; j += stride)
      if (const int64_t i = clock.ReferenceAt(j, offset); i >= 0 && i < reference_count_) sums.Add(i, j);
    if (sums.pairs() < kLeast || sums.unexplained() > kMost || sums.likelihood() <= best) continue;
    best = sums.likelihood();
    found = offset;
  }
  return found;
}

double MovingPart::MarginOf(const Pairs& pairs, int64_t shift) const {
  constexpr double kWeight = 0.5;  // successive frames are correlated
  constexpr int64_t kLeast = 24;
  const auto stride = static_cast<size_t>(StrideOf(std::ssize(pairs)));
  Sums own(*this), shifted(*this);
  int64_t looks = 0;
  for (size_t k = 0; k < pairs.size(); k += stride, ++looks) {
    const auto& [i, j] = pairs[k];
    if (i + shift < 0 || i + shift >= reference_count_) continue;
    own.Add(i, j);
    shifted.Add(i + shift, j);
  }
  if (own.pairs() < kLeast || 4 * own.pairs() < looks) return std::numeric_limits<double>::quiet_NaN();
  return kWeight * kNats * static_cast<double>(pairs.size()) * Log2(shifted.unexplained() / own.unexplained());
}

}  // namespace acutance
