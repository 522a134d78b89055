#include "align/path/residuals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "math/exact_math.h"

namespace acutance {
namespace {

// An encode lags where little moves, and its errors persist for many frames: residuals of neighbours must differ by
// more than kAlike, a sixth, to distinguish them; less than that only breaks ties.
constexpr double kAlike = 0.15;
constexpr double kWeight = 5;      // of what goes beyond: the cells of a frame err alike
constexpr double kUnmatched = 25;  // a pair costs this at most: a single frame decides nothing
constexpr double kStrange = 4;     // a frame that fits nothing: coded badly, or from elsewhere

/// What a band has of a frame, in 16 bits.
int64_t ValueOf(FineResiduals::Band band, const FrameFingerprint& frame, int64_t k) {
  const int64_t at = k;
  return band == FineResiduals::Band::kCells ? int64_t{frame.cells[at]}
                                             : int64_t{FrameFingerprint::kDetailStep} * frame.details[at];
}

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

void PairingCosts::FromResiduals(double energy, double floor, std::span<double> residuals, double tie) const {
  if (residuals.empty()) return;
  const double smallest = *std::ranges::min_element(residuals);
  const double usual = usual_part_ > 0 ? std::max(usual_part_ * energy, usual_residual_) : smallest;
  const double unit = Log2(smallest + floor);
  const double beyond = kNats * std::max(0.0, unit - Log2(usual + floor));
  const double strange = std::min(kStrange, kWeight * beyond);
  for (double& residual : residuals) {
    const double ratio = kNats * (Log2(residual + floor) - unit);  // a logarithm
    const double cost = ratio < kAlike ? tie * ratio : tie * kAlike + kWeight * (ratio - kAlike);
    residual = strange + std::min(kUnmatched, cost);
  }
}

double CoarseResiduals::floor() { return kCells * 4.0 * 4.0; }  // a quarter of an 8-bit step in each cell

CoarseResiduals::CoarseResiduals(const FrameTrack& reference, const FrameTrack& distorted)
    : reference_(Reduce(reference)), distorted_(Reduce(distorted)) {}

/// Cells are means of 12 of the fingerprint's, as 12-bit samples, less the frame's mean.
CoarseResiduals::Frames CoarseResiduals::Reduce(const FrameTrack& track) {
  constexpr int kAcross = FrameFingerprint::kColumns / kColumns, kDown = FrameFingerprint::kRows / kRows;
  Frames frames;
  frames.cells.reserve(track.fingerprints.size() * kCells);
  for (const FrameFingerprint& fingerprint : track.fingerprints) {
    std::array<int32_t, kCells> sums{};
    int64_t total = 0;
    for (int y = 0; y < FrameFingerprint::kRows; ++y)
      for (int x = 0; x < FrameFingerprint::kColumns; ++x) {
        const int sample = fingerprint.cells[y * FrameFingerprint::kColumns + x];
        sums[y / kDown * kColumns + x / kAcross] += sample;
        total += sample;
      }
    const auto mean = static_cast<int32_t>(total / kCells);
    int64_t energy = 0;
    for (int32_t& sum : sums) {
      sum = (sum - mean) / (kAcross * kDown * 16);
      energy += static_cast<int64_t>(sum) * sum;
    }
    for (const int32_t sum : sums) frames.cells.push_back(static_cast<int16_t>(sum));
    frames.energies.push_back(static_cast<double>(energy));
  }
  return frames;
}

/// 48 products of 12 bits and signs fit into 32 bits.
int32_t CoarseResiduals::Product(int64_t j, int64_t i) const {
  const int16_t* a = reference_.cells.data() + i * kCells;
  const int16_t* b = distorted_.cells.data() + j * kCells;
  int32_t product = 0;
  for (int c = 0; c < kCells; ++c) product += a[c] * b[c];
  return product;
}

double CoarseResiduals::GainOf(int64_t j, int64_t i) const {
  const double energy = reference_.energies[i];
  return energy < floor() ? 0 : static_cast<double>(Product(j, i)) / energy;
}

void CoarseResiduals::Fill(int64_t j, int64_t first, std::span<double> residuals) const {
  constexpr double kLeast = 0.5, kMost = 2;  // gain: what is more is no encode
  const double own = distorted_.energies[j];
  for (size_t k = 0; k < residuals.size(); ++k) {
    const int64_t i = first + static_cast<int64_t>(k);
    const double energy = reference_.energies[i];
    const auto product = static_cast<double>(Product(j, i));
    const double gain = energy > 0 ? std::clamp(product / energy, kLeast, kMost) : 1;
    residuals[k] = std::max(0.0, own - 2 * gain * product + gain * gain * energy);
  }
}

FineResiduals::FineResiduals(Band band, const FrameTrack& reference, const FrameTrack& distorted, double gain,
                             const PairList& pairs)
    : size_(band == Band::kCells ? FrameFingerprint::kCells : FrameFingerprint::kDetails),
      floor_(static_cast<double>(size_) * 2 * 2) {
  const auto scaled = static_cast<int64_t>(std::lround(gain * 4096));
  const int64_t least = band == Band::kCells ? 0 : -4096, most = least + 8191;
  const auto fits = [&](int64_t value) { return static_cast<int16_t>(std::clamp(value >> kShift, least, most)); };
  std::vector<int64_t> apart(size_);  // of each cell, in all pairs
  for (const auto& [i, j] : pairs)
    for (int64_t c = 0; c < size_; ++c)
      apart[c] +=
          ValueOf(band, distorted.fingerprints[j], c) - ((ValueOf(band, reference.fingerprints[i], c) * scaled) >> 12);
  if (!pairs.empty())
    for (int64_t& cell : apart) cell /= static_cast<int64_t>(pairs.size());
  for (const FrameFingerprint& frame : reference.fingerprints)
    for (int64_t c = 0; c < size_; ++c)
      reference_.push_back(fits(((ValueOf(band, frame, c) * scaled) >> 12) + apart[c]));
  for (const FrameFingerprint& frame : distorted.fingerprints) {
    int64_t sum = 0, squares = 0;
    for (int64_t c = 0; c < size_; ++c) {
      const int64_t value = fits(ValueOf(band, frame, c));
      distorted_.push_back(static_cast<int16_t>(value));
      sum += value;
      squares += value * value;
    }
    const int64_t energy = squares - sum * sum / size_;
    energies_.push_back(static_cast<double>(energy));
    const int16_t* last = distorted_.data() + static_cast<ptrdiff_t>(distorted_.size()) - size_;
    motions_.push_back(motions_.empty() ? 0 : SquaredDistance(last, last - size_, size_));
  }
  cached_.assign(distorted.fingerprints.size() * kCached, -1);
  cached_first_.assign(distorted.fingerprints.size(), -1);
}

double FineResiduals::Residual(int64_t j, int64_t i) const {
  const auto find = [&] {
    return static_cast<float>(SquaredDistance(distorted_.data() + j * size_, reference_.data() + i * size_, size_));
  };
  int64_t& first = cached_first_[j];
  if (first < 0) first = std::max<int64_t>(0, i - kCached / 2);
  if (i < first || i >= first + kCached) return find();
  float& cached = cached_[j * kCached + i - first];
  if (cached < 0) cached = find();
  return cached;
}

void FineResiduals::Fill(int64_t j, int64_t first, std::span<double> residuals) const {
  for (size_t k = 0; k < residuals.size(); ++k) residuals[k] = Residual(j, first + static_cast<int64_t>(k));
}

double FineResiduals::ReferenceDistance(int64_t i, int64_t k) const {
  return SquaredDistance(reference_.data() + i * size_, reference_.data() + k * size_, size_);
}

/// Sums over pairs, from which what changes in them follows.
class MovingPart::Sums {
 public:
  explicit Sums(const MovingPart& videos) : videos_(videos) {}

  void Add(int64_t i, int64_t j) {
    const int16_t* reference = videos_.reference_.data() + i * kCells;
    const int16_t* distorted = videos_.distorted_.data() + j * kCells;
    apart_ += SquaredDistance(reference, distorted, kCells);
    energy_ += videos_.reference_energies_[i] + videos_.distorted_energies_[j];
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

std::optional<int64_t> MovingPart::BetterOffset(const FrameClock& clock, int64_t most, const PairList& pairs) const {
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

double MovingPart::MarginOf(const PairList& pairs, int64_t shift) const {
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
