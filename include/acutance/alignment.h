// Alignment: which frames of two videos were paired, and the confidence in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acutance {

struct Alignment {
  /// What decided: the pictures' fingerprints, timestamps, the frames' numbers, or the caller.
  enum class By { kFingerprints, kTimes, kIndex, kGiven };
  /// Why fingerprints did not decide: a still picture, a periodic one, too few frames, or an encode that lost the
  /// differences between frames.
  enum class Doubt { kNone, kStill, kPeriodic, kShort, kLost };

  By by = By::kIndex;
  Doubt doubt = Doubt::kNone;
  int64_t period = 0;     // Doubt::kPeriodic: frames
  double confidence = 1;  // of kFingerprints: 0 to 1
  int64_t window = 0;     // frames that were aligned at once, to save memory; 0: all
  /// Reference frame, distorted frame: both increase, or the second stays where it is held.
  std::vector<std::pair<int64_t, int64_t>> pairs{};
  std::vector<int64_t> unmatched_reference{}, unmatched_distorted{};
  /// The frames of unmatched_distorted that fit two different reference frames equally well.
  std::vector<int64_t> doubtful{};
  /// The reference frames paired with what is on the screen at their time, as the distorted video has no frame for them
  /// that is known (the option "missing").
  std::vector<int64_t> held{};

  /// The number of distorted frames before the first pair, less the reference's.
  int64_t late() const { return pairs.empty() ? 0 : pairs.front().second - pairs.front().first; }
  /// Unmatched frames between the first pair and the last.
  int64_t dropped() const;     // of the reference, less as many as are doubtful
  int64_t repeated() const;    // of the distorted video, less doubtful ones
  int64_t held_count() const;  // from the first pair to the last
  /// Whether frame k is paired with frame k, from the first to the last pair.
  bool is_identity() const { return IsShifted(0); }
  /// Whether distorted frame k + late is paired with reference frame k, from the first that both have to the last pair.
  bool IsShifted(int64_t late) const;

  /// "distorted[12] = reference[0] (12 frames more at the start); 3 frames repeated; confidence 0.99"
  std::string Describe() const;
};

/// The name in summaries and in Python.
constexpr std::string_view NameOf(Alignment::By by) {
  constexpr std::string_view kNames[] = {"signatures", "times", "index", "given"};
  return kNames[static_cast<int>(by)];
}

}  // namespace acutance
