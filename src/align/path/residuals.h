// Residuals of fingerprints: how far distorted frames lie from reference frames, as costs of pairing them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "align/alignment.h"
#include "align/frame_track.h"

namespace acutance {

/// The squared difference of two rows of samples. `count` is a multiple of 32. Sums of squares of 32 differences below
/// 2^13 fit into 32 bits.
inline double SquaredDistance(const int16_t* a, const int16_t* b, int64_t count) {
  constexpr int kPart = 32;
  uint64_t sum = 0;
  for (int64_t first = 0; first < count; first += kPart) {
    uint32_t part = 0;
    for (int x = 0; x < kPart; ++x) {
      const int difference = a[first + x] - b[first + x];
      part += static_cast<uint32_t>(difference * difference);
    }
    sum += part;
  }
  return static_cast<double>(sum);
}

/// What pairing a frame costs: the logarithm of its residual, less that of the frame's smallest residual or of what
/// pairs usually leave, whichever is less.
class PairingCosts {
 public:
  /// What pairs usually leave: a part of the frame's energy, and no less than `residual`. Frames of which all pairs
  /// leave more show no reference frame.
  void set_usual(double part, double residual) {
    usual_part_ = part;
    usual_residual_ = residual;
  }

  static constexpr double kTie = 0.5;     // of a single frame
  static constexpr double kTieOfAll = 4;  // where the sum over a clip counts, in which errors average out

  /// residuals -> costs, in place. `energy` is that of the frame itself, less its mean. `tie`: what a small difference
  /// of the logarithms weighs.
  void FromResiduals(double energy, double floor, std::span<double> residuals, double tie = kTie) const;

  /// The costs of pairing distorted frame j with reference frames first, first + 1, ...
  template <class Residuals>
  void Fill(const Residuals& residuals, int64_t j, int64_t first, std::span<double> costs, double tie = kTie) const {
    residuals.Fill(j, first, costs);
    FromResiduals(residuals.energy(j), residuals.floor(), costs, tie);
  }

 private:
  double usual_part_ = 0, usual_residual_ = 0;  // 0: not known
};

/// Fingerprints of 8 x 6 cells without their means: brightness and contrast are fitted to each pair. Cheap, for far
/// offsets.
class CoarseResiduals {
 public:
  CoarseResiduals(const FrameTrack& reference, const FrameTrack& distorted);

  void Fill(int64_t j, int64_t first, std::span<double> residuals) const;
  double energy(int64_t j) const { return distorted_.energies[j]; }
  static double floor();

  /// The gain that fits reference frame i to distorted frame j best; 0: one of them is flat.
  double GainOf(int64_t j, int64_t i) const;

 private:
  static constexpr int kColumns = 8, kRows = 6, kCells = kColumns * kRows;
  struct Frames {
    std::vector<int16_t> cells;  // kCells a frame
    std::vector<double> energies;
  };
  static Frames Reduce(const FrameTrack& track);
  int32_t Product(int64_t j, int64_t i) const;

  Frames reference_, distorted_;
};

/// Whole fingerprints after one gain, one brightness and the constant difference of each cell, which the whole clip
/// gives. Cells and details have residuals of their own, as encodes err more in one or the other.
class FineResiduals {
 public:
  enum class Band { kCells, kDetails };

  /// The gain, the brightness and the differences are those of `pairs`.
  FineResiduals(Band band, const FrameTrack& reference, const FrameTrack& distorted, double gain,
                const PairList& pairs);

  void Fill(int64_t j, int64_t first, std::span<double> residuals) const;
  double Residual(int64_t j, int64_t i) const;
  double energy(int64_t j) const { return energies_[j]; }
  /// The residual of a distorted frame and the one before it.
  double DistortedMotion(int64_t j) const { return motions_[j]; }
  /// The residual of two reference frames.
  double ReferenceDistance(int64_t i, int64_t k) const;
  /// What rounding leaves.
  double floor() const { return floor_; }

 private:
  static constexpr int kShift = 3;  // 32 steps for one of an 8-bit sample

  int64_t size_ = 0;  // values of a frame
  double floor_ = 0;
  std::vector<int16_t> reference_, distorted_;
  std::vector<double> energies_, motions_;

  /// Residuals computed so far, by distorted frame and reference frame about the first one.
  static constexpr int64_t kCached = 48;
  mutable std::vector<float> cached_;          // below 0: not known
  mutable std::vector<int64_t> cached_first_;  // the reference frame of each row's first; -1: none
};

/// How well pairs of frames fit by what changes in them, after subtracting the constant difference that each cell has
/// in these pairs: where a small thing moves before a still picture, only that distinguishes frames.
class MovingPart {
 public:
  /// `gain`: what the reference's differences are in the distorted video.
  MovingPart(const FrameTrack& reference, const FrameTrack& distorted, double gain);

  /// The offset by which the videos fit best, of whole frames up to `most` steps both ways, if they fit far better so
  /// than in the pairs of a path.
  std::optional<int64_t> BetterOffset(const FrameClock& clock, int64_t most, const PairList& pairs) const;

  /// How much worse, as a logarithm over all pairs, these fit if their reference frames are `shift` later. NaN: too few
  /// of these exist.
  double MarginOf(const PairList& pairs, int64_t shift) const;

 private:
  class Sums;

  std::vector<int16_t> reference_, distorted_;
  std::vector<double> reference_energies_, distorted_energies_;
  int64_t reference_count_, distorted_count_;
};

}  // namespace acutance
