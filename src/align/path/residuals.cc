#include "align/path/residuals.h"

#include <algorithm>
#include <cmath>

#include "math/exact_math.h"

namespace acutance {
namespace {

// An encode is late where little moves, and its errors last for many frames: what is left of neighbours must differ by
// more than kAlike, a sixth, to distinguish them, and less than that only breaks ties.
constexpr double kAlike = 0.15;
constexpr double kWeight = 5;      // of what goes beyond: the cells of a frame err alike
constexpr double kUnmatched = 25;  // a pair costs this at most: a single frame decides nothing
constexpr double kStrange = 4;     // a frame that fits nothing: coded badly, or from elsewhere

/// What a band has of a frame, in 16 bits.
int64_t ValueOf(FineResiduals::Band band, const FrameFingerprint& frame, int64_t k) {
  const auto at = static_cast<size_t>(k);
  return band == FineResiduals::Band::kCells ? int64_t{frame.cells[at]}
                                             : int64_t{FrameFingerprint::kDetailStep} * frame.details[at];
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
        const int sample = fingerprint.cells[static_cast<size_t>(y * FrameFingerprint::kColumns + x)];
        sums[static_cast<size_t>(y / kDown * kColumns + x / kAcross)] += sample;
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
  const double energy = reference_.energies[static_cast<size_t>(i)];
  return energy < floor() ? 0 : static_cast<double>(Product(j, i)) / energy;
}

void CoarseResiduals::Fill(int64_t j, int64_t first, std::span<double> residuals) const {
  constexpr double kLeast = 0.5, kMost = 2;  // gain: what is more is no encode
  const double own = distorted_.energies[static_cast<size_t>(j)];
  for (size_t k = 0; k < residuals.size(); ++k) {
    const int64_t i = first + static_cast<int64_t>(k);
    const double energy = reference_.energies[static_cast<size_t>(i)];
    const auto product = static_cast<double>(Product(j, i));
    const double gain = energy > 0 ? std::clamp(product / energy, kLeast, kMost) : 1;
    residuals[k] = std::max(0.0, own - 2 * gain * product + gain * gain * energy);
  }
}

FineResiduals::FineResiduals(Band band, const FrameTrack& reference, const FrameTrack& distorted, double gain,
                             std::span<const std::pair<int64_t, int64_t>> pairs)
    : size_(band == Band::kCells ? FrameFingerprint::kCells : FrameFingerprint::kDetails),
      floor_(static_cast<double>(size_) * 2 * 2) {
  const auto scaled = static_cast<int64_t>(std::lround(gain * 4096));
  const int64_t least = band == Band::kCells ? 0 : -4096, most = least + 8191;
  const auto fits = [&](int64_t value) { return static_cast<int16_t>(std::clamp(value >> kShift, least, most)); };
  std::vector<int64_t> apart(static_cast<size_t>(size_));  // of each cell, in all pairs
  for (const auto& [i, j] : pairs)
    for (int64_t c = 0; c < size_; ++c)
      apart[static_cast<size_t>(c)] +=
          ValueOf(band, distorted.fingerprints[static_cast<size_t>(j)], c) -
          ((ValueOf(band, reference.fingerprints[static_cast<size_t>(i)], c) * scaled) >> 12);
  if (!pairs.empty())
    for (int64_t& cell : apart) cell /= static_cast<int64_t>(pairs.size());
  for (const FrameFingerprint& frame : reference.fingerprints)
    for (int64_t c = 0; c < size_; ++c)
      reference_.push_back(fits(((ValueOf(band, frame, c) * scaled) >> 12) + apart[static_cast<size_t>(c)]));
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
  int64_t& first = cached_first_[static_cast<size_t>(j)];
  if (first < 0) first = std::max<int64_t>(0, i - kCached / 2);
  if (i < first || i >= first + kCached) return find();
  float& cached = cached_[static_cast<size_t>(j * kCached + i - first)];
  if (cached < 0) cached = find();
  return cached;
}

void FineResiduals::Fill(int64_t j, int64_t first, std::span<double> residuals) const {
  for (size_t k = 0; k < residuals.size(); ++k) residuals[k] = Residual(j, first + static_cast<int64_t>(k));
}

double FineResiduals::ReferenceDistance(int64_t i, int64_t k) const {
  return SquaredDistance(reference_.data() + i * size_, reference_.data() + k * size_, size_);
}

}  // namespace acutance
