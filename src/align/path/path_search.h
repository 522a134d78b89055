// Cheapest monotone path of a distorted video through its reference, by dynamic programming.
//
// A state of distorted frame j is an offset o, with which it shows reference frame i = clock.ReferenceAt(j, o), and a
// layer: `match` shows i, `hold` shows no reference frame of its own.
//
//   match -> match              continues at offset o
//   match, hold -> match, o + n  jumps: n reference frames are missing
//   match, hold -> hold, o - f   holds: the distorted video stops, or other frames begin; f is clock.per_frame
//   hold -> match               continues after a stop
//   match -> match, o - k       slips: where frames advance by f > k reference frames, one was repeated before that
//
// With E(j, i', i), the cost that frame j shows i after i' was shown (`fill_steps`, or the pair's own cost by `fill`),
// and C the cost of the cheapest path that ends in a state:
//
//   here(j, o)     = min(C_match(j, o), C_hold(j, o))
//   C_match(j, o)  = min(here(j - 1, o) + E, min over p < o: here(j - 1, p) + jump + jump_a_frame * (o - p) + E,
//                        C_match(j - 1, o +- 1) + slip + E where offsets are parts of a frame,
//                        min over k < f: C_match(j - 1, o + k) + slip + E where they are whole ones)
//   C_hold(j, o)   = min(C_match(j - 1, o + f) + hold, C_hold(j - 1, o + f)) + min(hold_a_frame, hold_again + E)
//
// Rivals come from the same recurrence run from the end to the start: cost up to a state plus cost from it on.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "align/frame_track.h"

namespace acutance {

/// Costs are logarithms of likelihoods: 1 is a factor of e.
struct PathCosts {
  double jump = 12;  // reference frames are missing: the offset grows
  double jump_a_frame = 0.02;
  double slip = 15;            // a conversion of rates continues in another phase
  double hold = 16;            // the distorted video stops on a frame, or other frames begin
  double hold_a_frame = 3;     // another frame, which fits no reference frame
  double hold_a_match = 10;    // one that does
  double hold_again = 1.5;     // the frame before, once more
  double outside = 3;          // a frame before the reference's first or after its last
  double outside_a_match = 6;  // one that fits a reference frame
  double off_time = 8;         // a first offset other than 0
  double off_time_a_frame = 0.01;
  double jump_after_repeat = 3.5;  // the same where the distorted frames are seen to repeat
  double hold_at_repeat = 3.5;
  double hold_again_at_repeat = 0.2;
};

/// The costs by which a path is judged: an offset must show in the frames, not be expected before. A rival that adds a
/// drop and a repeat which make up for each other costs both; one that moves a drop or a repeat costs neither.
inline constexpr PathCosts kJudgingCosts{.jump = 6, .jump_a_frame = 0.02, .slip = 8, .hold = 6, .off_time = 2};

struct PathSearch {
  int64_t reference_count = 0;
  FrameClock clock;
  PathCosts costs{};
  std::vector<uint8_t> repeats;  // by distorted frame: whether it looks like the one before

  /// Fills the costs of pairing distorted frame j with reference frames first, first + 1, ...; all of them exist.
  std::function<void(int64_t j, int64_t first, std::span<double> costs)> fill;
  /// Fills, for each of `befores` reference frames from `first_before` on that frame j - 1 may show, a row of what
  /// frame j costs if it shows first, first + 1, ... after it. `pairs` are the costs that `fill` gives. Empty: a frame
  /// costs the same regardless of what came before it.
  std::function<void(int64_t j, int64_t first_before, int64_t befores, int64_t first, std::span<const double> pairs,
                     std::span<double> steps)>
      fill_steps;
  /// The offsets that frame j may have.
  struct Window {
    int64_t first, last;
  };
  std::function<Window(int64_t j, int64_t around)> window;
  /// The path that is judged: each distorted frame's reference frame (-1: none); empty: there is none to judge. Needs
  /// fill_steps.
  std::span<const int64_t> judged{};
  /// Whether reference frame `other` differs from `own`, so that it matters which of the two frame j shows. Needed to
  /// judge.
  std::function<bool(int64_t j, int64_t own, int64_t other)> is_rival{};
  bool is_judging() const { return !judged.empty(); }
};

struct FramePath {
  std::vector<int64_t> offsets;  // by distorted frame
  std::vector<uint8_t> held;     // whether the frame stands for no reference frame of its own
  double cost = 0;

  /// How much more the cheapest path costs that gives distorted frame j a rival of its judged reference frame, and the
  /// rival (-1: none). A cost below 0 means that the other path is cheaper. Needs `judged`.
  struct Rival {
    double margin = 0;
    int64_t reference = -1;
  };
  std::vector<Rival> rivals{};
};

/// Long videos are searched in chunks that overlap, each with its windows around the offset where the last one ended.
FramePath FindPath(const PathSearch& search);

}  // namespace acutance
