// Frame alignment of two videos: how it is requested, its unmatched frames, its pairs as a table.
#pragma once

#include <acutance/alignment.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"

namespace acutance {

/// Reference frame, distorted frame.
using PairList = std::vector<std::pair<int64_t, int64_t>>;

/// Whether frame k is paired with frame k for all of `frames`, or those after the last pair fit two places. Otherwise
/// one video stands still at its end, and shows no frames of its own there.
bool ReachesEnd(const Alignment& alignment, int64_t frames);

/// Sets the unmatched frames of videos of these lengths.
void NoteUnmatched(int64_t reference_count, int64_t distorted_count, Alignment& alignment);

/// By how many reference frames the distorted video advances with each of its own, where nearly always the same; 1
/// where it varies.
int64_t UsualStep(const PairList& pairs);

/// "reference_frame,distorted_frame" and a line for each pair.
std::string PairsCsv(const PairList& pairs);

struct AlignmentRequest {
  enum class Mode { kIndex, kAuto, kTimes, kOffset, kFile };

  Mode mode = Mode::kIndex;
  int64_t late = 0;           // kOffset: distorted frame k + late is aligned with reference frame k
  std::string file;           // kFile: of pairs
  PairList pairs{};           // kFile: the pairs themselves, in place of a file's
  bool holds_frames = false;  // HoldFrames (hold_frames.h)
};

/// Parses "auto", "time", "index", "+12", "-3", or a file's path. An error says what is expected.
Result<AlignmentRequest> ParsePairing(const std::string& text);

/// Reads "reference_frame,distorted_frame" lines, as --pairs-out writes them: the reference's numbers increase, the
/// others do not decrease. A first line without digits is a heading.
Result<PairList> ReadPairsFile(const std::string& path);

}  // namespace acutance
