#include "align/identity_alignment.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "align/path/fit_path.h"
#include "align/statistics.h"

namespace acutance {
namespace {

constexpr int kShift = 3;  // as fine residuals have it: 32 steps for one of an 8-bit sample
constexpr double kPlainFloor = FrameFingerprint::kCells * 2.0 * 2.0;

}  // namespace

double DistanceOf(const FrameFingerprint& a, const FrameFingerprint& b) {
  constexpr int kPart = 32;  // squares of 32 differences below 2^13 fit into 32 bits
  int64_t squares = 0;
  int32_t sum = 0;
  for (size_t first = 0; first < FrameFingerprint::kCells; first += kPart) {
    uint32_t part = 0;
    for (size_t c = first; c < first + kPart; ++c) {
      const int difference = (a.cells[c] >> kShift) - (b.cells[c] >> kShift);
      part += static_cast<uint32_t>(difference * difference);
      sum += difference;
    }
    squares += part;
  }
  return static_cast<double>(squares) - static_cast<double>(sum) * sum / FrameFingerprint::kCells;
}

namespace {

double DetailDistanceOf(const FrameFingerprint& a, const FrameFingerprint& b) {
  int32_t squares = 0;  // 1728 of 16 bits
  for (size_t c = 0; c < FrameFingerprint::kDetails; ++c) {
    const int difference = a.details[c] - b.details[c];
    squares += difference * difference;
  }
  return squares;
}

/// The frames about number k, and how far from it they lie.
template <class Fingerprints>
struct Frame {
  const Fingerprints& reference;
  int64_t count;  // of the reference's frames
  const FrameFingerprint& distorted;
  int64_t number;

  bool Has(int64_t i) const { return i >= 0 && i < count; }
  const FrameFingerprint& at(int64_t i) const { return reference[i]; }
  double DistanceFrom(int64_t i) const { return DistanceOf(distorted, at(i)); }
};

/// Whether reference frames look alike for what the encode left of them, in cells and details.
template <class Fingerprints>
bool LookAlike(const Frame<Fingerprints>& frame, int64_t other, double own) {
  constexpr double kAlike = 0.05, kDetailFloor = FrameFingerprint::kDetails / 16.0;
  if (DistanceOf(frame.at(frame.number), frame.at(other)) > kAlike * (own + kPlainFloor)) return false;
  return DetailDistanceOf(frame.at(frame.number), frame.at(other)) <=
         kAlike * (DetailDistanceOf(frame.distorted, frame.at(frame.number)) + kDetailFloor);
}

/// Sums of how far frames lie from their own number, and from the nearest of the frames about it.
struct Lead {
  double own = 0, nearest = 0;
  int64_t firsts = 0;  // frames to which no other lies nearer

  void Add(double own_distance, double nearest_other) {
    own += own_distance;
    nearest += std::min(own_distance, nearest_other);
    firsts += own_distance < nearest_other;
  }
};

enum class Fit { kClearly, kAlike, kNo };

template <class Fingerprints>
Fit FitOf(const Frame<Fingerprints>& frame) {
  constexpr double kFar = 2;
  constexpr int64_t kAway = 12;
  const double own = frame.DistanceFrom(frame.number);
  Fit fit = Fit::kClearly;
  for (const int64_t other : {frame.number - 1, frame.number + 1}) {
    if (!frame.Has(other) || frame.DistanceFrom(other) > kFar * (own + kPlainFloor)) continue;
    if (!LookAlike(frame, other, own)) return Fit::kNo;
    fit = Fit::kAlike;
  }
  if (fit == Fit::kClearly) return fit;
  // Where all neighbours look alike the picture may still creep, and the encode lag far behind.
  for (const int64_t other : {frame.number - kAway, frame.number + kAway})
    if (frame.Has(other) && frame.DistanceFrom(other) + kPlainFloor < own) return Fit::kNo;
  return fit;
}

template <class Fingerprints>
bool FitPlainly(const Fingerprints& reference, const Fingerprints& distorted, int64_t most) {
  constexpr int64_t kLeast = 24;
  const int64_t reference_count = std::min(most, static_cast<int64_t>(std::ssize(reference)));
  const int64_t count = std::min(reference_count, static_cast<int64_t>(std::ssize(distorted)));
  int64_t clear = 0;
  for (int64_t k = 0; k < count; ++k) {
    const Fit fit = FitOf(Frame<Fingerprints>{reference, reference_count, distorted[k], k});
    if (fit == Fit::kNo) return false;
    clear += fit == Fit::kClearly;
  }
  return clear >= kLeast && 2 * clear >= count;
}

/// Whether the distorted video stands still for a while where the reference moves as it does about there, and amid
/// frames that move as far in both: an encode that lags, or loses what moves, loses it in the frames about, too.
bool StopsAlone(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr int64_t kAbout = 6, kWhile = 2;
  constexpr double kStill = 0.02, kMoves = 0.3, kAlike = 0.5;
  const int64_t count = std::min(reference.size(), distorted.size());
  const auto motion_of = [count](const FrameTrack& track) {
    std::vector<double> motion(count);
    for (size_t k = 1; k < motion.size(); ++k) motion[k] = DistanceOf(track.fingerprints[k - 1], track.fingerprints[k]);
    return motion;
  };
  const auto usual_at = [count](const std::vector<double>& motion, int64_t k) {
    return Median<double>(
        {motion.begin() + std::max<int64_t>(1, k - kAbout), motion.begin() + std::min(count, k + kAbout + 1)});
  };
  const std::vector<double> moved = motion_of(reference), own = motion_of(distorted);
  int64_t still = 0;
  for (int64_t k = 1; k < count; ++k) {
    const double usual = usual_at(moved, k), usual_own = usual_at(own, k);
    const bool is_still = own[k] < kStill * usual_own && moved[k] > kMoves * usual && usual > 4 * kPlainFloor &&
                          usual_own > kAlike * usual;
    still = is_still ? still + 1 : 0;
    if (still >= kWhile) return true;
  }
  return false;
}

}  // namespace

bool IsIdentityAlignment(const FrameTrack& reference, const FrameTrack& distorted) {
  return FitPlainly(reference.fingerprints, distorted.fingerprints, std::numeric_limits<int64_t>::max());
}

bool IsIdentityAlignment(const std::deque<FrameFingerprint>& reference, const std::deque<FrameFingerprint>& distorted,
                         int64_t count) {
  return FitPlainly(reference, distorted, count);
}

/// An encode that lags where little moves lies nearer to earlier frames, by three times where it has lost nearly
/// everything. Details lag less: frames that are visibly off differ by an eighth there, unless the encode returns to
/// its own number again and again, as at frames that are coded alone.
IdentityEvidence IdentityEvidenceOf(const FrameTrack& reference, const FrameTrack& distorted) {
  constexpr int64_t kLeast = 12, kFarthest = 300, kBack = 24;  // frames
  constexpr double kMostFirsts = 0.6, kLate = 3, kDetailsLate = 1.12, kDetailFloor = FrameFingerprint::kDetails / 16.0;
  const int64_t count = std::min(reference.size(), distorted.size());
  if (count < kLeast || StopsAlone(reference, distorted)) return IdentityEvidence::kAgainst;
  constexpr FrameFingerprint kFlat{};
  Lead cells, details;
  double energy = 0;
  int64_t last_first = -1, longest = 0;  // frames after one that lies nearest to its own number
  for (int64_t k = 0; k < count; ++k) {
    const Frame<std::vector<FrameFingerprint>> frame{reference.fingerprints, reference.size(),
                                                     distorted.fingerprints[k], k};
    double cell = std::numeric_limits<double>::infinity(), detail = cell;
    for (int64_t away = 1; away <= kFarthest; away += 1 + away / 16)
      for (const int64_t i : {k - away, k + away}) {
        if (i < 0 || i >= count) continue;
        cell = std::min(cell, frame.DistanceFrom(i));
        detail = std::min(detail, DetailDistanceOf(frame.distorted, frame.at(i)));
      }
    energy += DistanceOf(frame.distorted, kFlat);
    const double own = frame.DistanceFrom(k), own_detail = DetailDistanceOf(frame.distorted, frame.at(k));
    cells.Add(own + kPlainFloor, cell + kPlainFloor);
    details.Add(own_detail + kDetailFloor, detail + kDetailFloor);
    if (own < cell && own_detail < detail) last_first = k;
    longest = std::max(longest, k - last_first);
  }
  const auto most = static_cast<int64_t>(kMostFirsts * static_cast<double>(count));
  if (cells.firsts > most && details.firsts > most) return IdentityEvidence::kFor;
  const bool is_same = cells.own < kMostUnexplained * energy;
  const bool is_in_step = longest <= kBack || details.own < kDetailsLate * details.nearest;
  const bool is_near = cells.own < kLate * cells.nearest && is_in_step;
  return is_same && is_near ? IdentityEvidence::kTooLittle : IdentityEvidence::kAgainst;
}

}  // namespace acutance
