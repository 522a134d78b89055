#include "align/check_bars.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace acutance {
namespace {

constexpr int kBlack = 26 * 256, kPicture = 48 * 256;  // of the limited range, with what an encoder adds
constexpr int kColumns = FrameFingerprint::kColumns, kRows = FrameFingerprint::kRows;

/// A row of cells at the upper or lower edge, or a column at a side.
struct EdgeLine {
  int first, step, count;

  bool IsBelow(const FrameFingerprint& frame, int most) const {
    int64_t sum = 0;
    for (int k = 0; k < count; ++k) sum += frame.cells[static_cast<size_t>(first + k * step)];
    return sum < int64_t{most} * count;
  }
};

constexpr std::array kEdges = {EdgeLine{0, 1, kColumns}, EdgeLine{(kRows - 1) * kColumns, 1, kColumns},
                               EdgeLine{0, kColumns, kRows}, EdgeLine{kColumns - 1, kColumns, kRows}};

/// Whether a line is black in the one video throughout and in most frames of the other it is not. A video that is black
/// as a whole has no bars.
bool HasBars(const FrameTrack& track, const FrameTrack& other) {
  const auto is_black = [&](const EdgeLine& line) {
    return std::ranges::all_of(track.fingerprints,
                               [&](const FrameFingerprint& frame) { return line.IsBelow(frame, kBlack); });
  };
  const auto is_bar = [&](const EdgeLine& edge) {
    if (!is_black(edge)) return false;
    return 4 * std::ranges::count_if(other.fingerprints,
                                     [&](const FrameFingerprint& frame) { return edge.IsBelow(frame, kPicture); }) <
           other.size();
  };
  if (std::ranges::none_of(kEdges, is_bar)) return false;
  for (int row = 0; row < kRows; ++row)
    if (!is_black({row * kColumns, 1, kColumns})) return true;
  return false;
}

Status BarsDiffer(bool of_distorted) {
  return Error(StatusCode::kBadData,
               "the {} video has black bars that the other has not, so that its frames are not paired: cut them off by "
               "--crop auto, or give the parts that both show (--crop), which acutance doctor tells",
               of_distorted ? "distorted" : "reference");
}

}  // namespace

Status CheckBars(const FrameTrack& reference, const FrameTrack& distorted) {
  if (HasBars(distorted, reference)) return BarsDiffer(true);
  if (HasBars(reference, distorted)) return BarsDiffer(false);
  return {};
}

}  // namespace acutance
