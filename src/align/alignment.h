// Which frames of two videos belong together, and how sure that is.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace acutance {

struct Alignment {
  enum class By { kFingerprints, kTimes, kIndex, kGiven };
  /// Why fingerprints did not decide: the picture stands still, or comes again and again, or there is too little of it,
  /// or the encode has lost what frames differ by.
  enum class Doubt { kNone, kStill, kPeriodic, kShort, kLost };

  By by = By::kIndex;
  Doubt doubt = Doubt::kNone;
  int64_t period = 0;                                // Doubt::kPeriodic: frames
  double confidence = 1;                             // kFingerprints: 0 to 1
  std::vector<std::pair<int64_t, int64_t>> pairs{};  // reference frame, distorted frame: both grow
  std::vector<int64_t> unmatched_reference{}, unmatched_distorted{};
  /// The frames of unmatched_distorted that fit two unlike reference frames alike.
  std::vector<int64_t> doubtful{};

  /// How many distorted frames come before the first pair, less the reference's.
  int64_t late() const { return pairs.empty() ? 0 : pairs.front().second - pairs.front().first; }
  /// Unmatched frames between the first pair and the last.
  int64_t dropped() const;   // of the reference, less as many as are doubtful
  int64_t repeated() const;  // of the distorted video, less doubtful ones
  /// Whether frame k belongs to frame k, from the first to the end of the shorter video.
  bool is_identity() const { return IsShifted(0); }
  /// Whether distorted frame k + late belongs to reference frame k, from the first that both have to the last pair.
  bool IsShifted(int64_t late) const;

  /// "distorted starts 12 frames late; 3 frames repeated; confidence 0.99"
  std::string Describe() const;
};

/// Fills the unmatched frames of videos of these lengths.
void NoteUnmatched(int64_t reference_count, int64_t distorted_count, Alignment& alignment);

/// "reference_frame,distorted_frame" and a line for each pair.
std::string PairsCsv(const std::vector<std::pair<int64_t, int64_t>>& pairs);

}  // namespace acutance
