#include "align/hold_frames.h"

#include <algorithm>
#include <utility>

namespace acutance {
namespace {

/// When frames are shown: in seconds, or in frames of the reference where times are not known.
class Clock {
 public:
  Clock(const ShownVideo& reference, const ShownVideo& distorted, double step)
      : reference_(reference), distorted_(distorted), step_(step) {
    has_times_ = std::ssize(reference.times) == reference.count && std::ssize(distorted.times) == distorted.count;
  }

  double Reference(int64_t frame) const { return has_times_ ? reference_.times[frame] : static_cast<double>(frame); }
  double Distorted(int64_t frame) const {
    if (!has_times_) return step_ * static_cast<double>(frame);
    return frame < distorted_.count ? distorted_.times[frame] : distorted_.times.back() + DurationOf(distorted_);
  }
  /// How much later a frame may be shown: containers round times.
  double tolerance() const {
    constexpr double kShare = 0.25;  // of a frame
    return kShare * (has_times_ ? DurationOf(reference_) : 1);
  }

 private:
  static double DurationOf(const ShownVideo& video) {
    return video.count < 2 ? 0 : (video.times.back() - video.times.front()) / static_cast<double>(video.count - 1);
  }

  const ShownVideo &reference_, &distorted_;
  const double step_;
  bool has_times_;
};

}  // namespace

void HoldFrames(const ShownVideo& reference, const ShownVideo& distorted, Alignment& alignment) {
  if (alignment.pairs.empty()) return;
  const Clock clock(reference, distorted, static_cast<double>(UsualStep(alignment.pairs)));
  PairList pairs;
  for (size_t k = 0; k < alignment.pairs.size(); ++k) {
    const auto [first, shown] = alignment.pairs[k];
    const bool is_last = k + 1 == alignment.pairs.size();
    const auto [end, next] = is_last ? std::pair(reference.count, distorted.count) : alignment.pairs[k + 1];
    pairs.push_back(alignment.pairs[k]);
    int64_t frame = shown;
    for (int64_t i = first + 1; i < end; ++i) {
      const double passed = clock.Reference(i) - clock.Reference(first) + clock.tolerance();
      const auto is_shown = [&](int64_t j) { return clock.Distorted(j) - clock.Distorted(shown) <= passed; };
      while (frame + 1 < next && is_shown(frame + 1)) ++frame;
      if (is_last && is_shown(next)) break;
      pairs.emplace_back(i, frame);
      alignment.held.push_back(i);
    }
  }
  alignment.pairs = std::move(pairs);
  NoteUnmatched(reference.count, distorted.count, alignment);
  std::erase_if(alignment.doubtful,
                [&](int64_t frame) { return !std::ranges::binary_search(alignment.unmatched_distorted, frame); });
}

}  // namespace acutance
