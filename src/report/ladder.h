// Rate-quality curves, their hulls and differences, as `acutance ladder` prints them (docs/use/decisions.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "report/common_frames.h"
#include "report/summary.h"
#include "stats/bd_rate.h"

namespace acutance {

struct LadderCurve {
  std::string name;
  std::vector<RatePoint> points;                    // by rate
  std::vector<std::string> encodes;                 // of the points; empty: known points, with rates in any unit
  std::vector<size_t> hull;                         // indices of points
  ScoreDirection better = ScoreDirection::kHigher;  // of their qualities
  std::vector<std::string> sizes{};                 // of the encodes: "1280x720"; empty: not known

  /// "1280x720"; "" where it is not known.
  std::string SizeOf(size_t point) const { return point < sizes.size() ? sizes[point] : ""; }
};

struct LadderDifference {
  std::string anchor, test;
  std::string refusal;       // empty: there are results
  Overlap overlap;           // where there are results
  std::vector<BdResult> by;  // by kCurveMethods

  /// Whether that method's BD-rate is far from the others', which agree: its curve swings between the points.
  bool is_outlier(size_t method) const;
  bool is_doubtful() const { return std::min(overlap.quality, overlap.rate) < kGoodOverlap; }
};

/// The score of a ladder of known points.
inline constexpr const char* kKnownQuality = "quality";

struct Ladder {
  std::string score;
  std::vector<LadderCurve> curves;  // the anchor first
  std::vector<LadderDifference> differences;
  std::optional<int64_t> common_frames{};  // set where encodes have others, too (report/common_frames.h)
};

/// The curves' names and encodes become points by the mean of a score over common frames; videos of the summary are in
/// the order of the curves' encodes.
Result<std::vector<LadderCurve>> CurvesOf(const Summary& summary, const std::string& score, CommonScores common,
                                          std::vector<LadderCurve> curves);

/// Sorts the points, and compares each curve with the first. block: of frames, for intervals.
Ladder MakeLadder(std::string score, std::vector<LadderCurve> curves, size_t block);

/// The same from a summary's videos, with blocks for intervals that suit its frame rate.
Result<Ladder> LadderOf(const Summary& summary, const std::string& score, std::vector<LadderCurve> curves);

/// What lines of points may have in addition to numbers: nothing; or, as AVM's do, infinite qualities, and empty cells,
/// whose points leave.
enum class PointCells { kNumbers, kAvm };

/// "curve,rate,quality" lines under such a heading; rates in any unit, since differences are of their ratios.
Result<std::vector<LadderCurve>> ReadPoints(const std::string& path, PointCells cells = PointCells::kNumbers);

Json LadderJson(const Ladder& ladder);
std::string LadderText(const Ladder& ladder);

}  // namespace acutance
