#include "align/residuals.h"

#include <algorithm>
#include <cmath>

#include "base/exact_math.h"

namespace acutance {
namespace {

// An encode is late where little moves, and its errors last for many frames: what is left of neighbours must differ by
// more than kAlike, a sixth, to tell one from the other, and less than that only breaks ties.
constexpr double kAlike = 0.15;
constexpr double kWeight = 5;      // of what goes beyond: the cells of a frame err alike
constexpr double kUnmatched = 25;  // a pair costs this at most: a single frame decides nothing
constexpr double kStrange = 4;     // a frame that fits nothing: coded badly, or from elsewhere
constexpr int kAll = FrameSignature::kCells;

/// Sums of squares of 32 differences below 2^13 fit into 32 bits.
double SquaredDistance(const int16_t* a, const int16_t* b) {
  uint64_t sum = 0;
  for (int row = 0; row < FrameSignature::kRows; ++row) {
    uint32_t part = 0;
    for (int x = 0; x < FrameSignature::kColumns; ++x) {
      const int difference = a[row * FrameSignature::kColumns + x] - b[row * FrameSignature::kColumns + x];
      part += static_cast<uint32_t>(difference * difference);
    }
    sum += part;
  }
  return static_cast<double>(sum);
}

}  // namespace

void PairingCosts::FromResiduals(double energy, double floor, std::span<double> residuals, double tie) const {
  if (residuals.empty()) return;
  constexpr double kNats = 0.69314718055994531;  // ln 2
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

/// Cells are means of 12 of the signature's, as 12-bit samples, less the frame's mean.
CoarseResiduals::Frames CoarseResiduals::Reduce(const FrameTrack& track) {
  constexpr int kAcross = FrameSignature::kColumns / kColumns, kDown = FrameSignature::kRows / kRows;
  Frames frames;
  frames.cells.reserve(track.signatures.size() * kCells);
  for (const FrameSignature& signature : track.signatures) {
    std::array<int32_t, kCells> sums{};
    int64_t total = 0;
    for (int y = 0; y < FrameSignature::kRows; ++y)
      for (int x = 0; x < FrameSignature::kColumns; ++x) {
        const int sample = signature.cells[static_cast<size_t>(y * FrameSignature::kColumns + x)];
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

double FineResiduals::floor() { return kAll * 2.0 * 2.0; }

FineResiduals::FineResiduals(const FrameTrack& reference, const FrameTrack& distorted, double gain,
                             std::span<const std::pair<int64_t, int64_t>> pairs) {
  const auto scaled = static_cast<int64_t>(std::lround(gain * 4096));
  std::array<int64_t, kAll> apart{};  // of each cell, in all pairs
  for (const auto& [i, j] : pairs)
    for (size_t c = 0; c < kAll; ++c)
      apart[c] += distorted.signatures[static_cast<size_t>(j)].cells[c] -
                  ((reference.signatures[static_cast<size_t>(i)].cells[c] * scaled) >> 12);
  if (!pairs.empty())
    for (int64_t& cell : apart) cell /= static_cast<int64_t>(pairs.size());
  const auto fits = [](int64_t value) { return static_cast<int16_t>(std::clamp<int64_t>(value >> kShift, 0, 8191)); };
  for (const FrameSignature& frame : reference.signatures)
    for (size_t c = 0; c < kAll; ++c) reference_.push_back(fits(((frame.cells[c] * scaled) >> 12) + apart[c]));
  for (const FrameSignature& frame : distorted.signatures) {
    int64_t sum = 0, squares = 0;
    for (const uint16_t cell : frame.cells) {
      const int64_t value = fits(cell);
      distorted_.push_back(static_cast<int16_t>(value));
      sum += value;
      squares += value * value;
    }
    energies_.push_back(static_cast<double>(squares - sum * sum / kAll));
  }
}

double FineResiduals::Residual(int64_t j, int64_t i) const {
  return SquaredDistance(distorted_.data() + j * kAll, reference_.data() + i * kAll);
}

void FineResiduals::Fill(int64_t j, int64_t first, std::span<double> residuals) const {
  for (size_t k = 0; k < residuals.size(); ++k) residuals[k] = Residual(j, first + static_cast<int64_t>(k));
}

double FineResiduals::DistortedMotion(int64_t j) const {
  return j == 0 ? 0 : SquaredDistance(distorted_.data() + j * kAll, distorted_.data() + (j - 1) * kAll);
}

double FineResiduals::ReferenceDistance(int64_t i, int64_t k) const {
  return SquaredDistance(reference_.data() + i * kAll, reference_.data() + k * kAll);
}

}  // namespace acutance
