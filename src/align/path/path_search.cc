#include "align/path/path_search.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace acutance {
namespace {

constexpr int64_t kChunk = 1500;   // frames that are decided at once
constexpr int64_t kOverlap = 300;  // further frames that are searched
constexpr double kNever = std::numeric_limits<double>::infinity();

enum Layer { kMatch, kHold };

/// Which state of the frame before a state came from.
struct Source {
  int32_t offset = 0;  // index among the chunk's offsets; -1: none
  uint8_t layer = kMatch;
};

struct State {
  int64_t offset = 0;
  Layer layer = kMatch;
};

/// The dynamic programming of one chunk: distorted frames begin .. end - 1.
class Chunk {
 public:
  Chunk(const PathSearch& search, int64_t begin, int64_t end, int64_t around)
      : search_(search), begin_(begin), end_(end) {
    first_ = std::numeric_limits<int64_t>::max();
    int64_t last = std::numeric_limits<int64_t>::min();
    for (int64_t j = begin; j < end; ++j) {
      windows_.push_back(search.window(j, around));
      first_ = std::min(first_, windows_.back().first);
      last = std::max(last, windows_.back().last);
    }
    count_ = static_cast<size_t>(last - first_ + 1);
    for (auto& layer : cost_) layer.assign(count_, kNever);
    const size_t all = count_ * static_cast<size_t>(end - begin);
    for (auto& layer : sources_) layer.resize(all);
    emission_.resize(count_);
    if (!search.is_judging()) return;
    for (auto& layer : forward_) layer.resize(all);
    emissions_.resize(all);
    steps_.resize(end - begin);
  }

  void Begin() {
    Emit(begin_);
    for (size_t o = 0; o < count_; ++o) cost_[kMatch][o] = emission_[o] + Prior(first_ + static_cast<int64_t>(o));
    Record(begin_);
    for (int64_t j = begin_ + 1; j < end_; ++j) Advance(j), Record(j);
  }

  void Continue(const State& from) {
    const int64_t o = from.offset - first_;
    if (o >= 0 && o < static_cast<int64_t>(count_)) cost_[from.layer][o] = 0;
    for (int64_t j = begin_; j < end_; ++j) Advance(j), Record(j);
  }

  /// The states of all frames on the cheapest path.
  std::vector<State> Trace() {
    size_t best = 0;
    Layer layer = kMatch;
    for (const Layer each : {kMatch, kHold})
      for (size_t o = 0; o < count_; ++o)
        if (cost_[each][o] < cost_[layer][best]) best = o, layer = each;
    total_ = cost_[layer][best];
    std::vector<State> states(end_ - begin_);
    for (size_t k = states.size(); k-- > 0;) {
      states[k] = {first_ + static_cast<int64_t>(best), layer};
      const Source& source = sources_[layer][k * count_ + best];
      best = static_cast<size_t>(source.offset);
      layer = static_cast<Layer>(source.layer);
    }
    return states;
  }

  double total() const { return total_; }

  /// The cheapest other paths, by frame, from the costs of continuing from each state to the end.
  std::vector<FramePath::Rival> Rivals() {
    std::vector<FramePath::Rival> rivals(end_ - begin_);
    for (auto& layer : cost_) layer.assign(count_, 0);
    for (int64_t j = end_ - 1; j >= begin_; --j) {
      rivals[j - begin_] = RivalOf(j, search_.judged[j]);
      if (j > begin_) GoBack(j);
    }
    return rivals;
  }

 private:
  int64_t ShownBy(int64_t j, int64_t offset) const {
    const int64_t i = search_.clock.ReferenceAt(j, offset);
    return i < 0 || i >= search_.reference_count ? -1 : i;
  }

  /// What each state of frame j costs up to there, for Rivals.
  void Record(int64_t j) {
    if (!search_.is_judging()) return;
    const auto row = static_cast<ptrdiff_t>(static_cast<size_t>(j - begin_) * count_);
    for (const Layer layer : {kMatch, kHold}) std::ranges::copy(cost_[layer], forward_[layer].begin() + row);
    std::ranges::copy(emission_, emissions_.begin() + row);
  }

  FramePath::Rival RivalOf(int64_t j, int64_t own) const {
    const size_t row = static_cast<size_t>(j - begin_) * count_;
    FramePath::Rival rival{kNever, -1};
    double judged = kNever;
    if (own < 0) return rival;
    int64_t asked = own;  // states that follow each other often show one frame
    bool is_rival = false;
    const auto may_be = [&](int64_t shown) {
      if (shown != std::exchange(asked, shown)) is_rival = search_.is_rival(j, own, shown);
      return is_rival;
    };
    for (const Layer layer : {kMatch, kHold})
      for (size_t o = 0; o < count_; ++o) {
        const double cost = forward_[layer][row + o] + cost_[layer][o];
        if (cost >= std::min(rival.margin, judged) && cost >= std::max(rival.margin, judged)) continue;
        const int64_t shown = ShownBy(j, first_ + static_cast<int64_t>(o));
        if (shown == own) judged = std::min(judged, cost);
        else if (shown >= 0 && cost < rival.margin && may_be(shown)) rival = {cost, shown};
      }
    rival.margin = judged < kNever ? rival.margin - judged : -kNever;
    return rival;
  }

  /// From the costs of continuing from frame j's states to the end, computes those of the frame before.
  void GoBack(int64_t j) {
    const size_t row = static_cast<size_t>(j - begin_) * count_;
    std::ranges::copy_n(emissions_.begin() + static_cast<ptrdiff_t>(row), static_cast<ptrdiff_t>(count_),
                        emission_.begin());
    const Steps& steps = steps_[j - begin_];
    const Moves moves = MovesOf(j);
    const auto per_frame = static_cast<size_t>(search_.clock.per_frame);
    jumps_.clear();
    for (size_t o = count_; o-- > 0;) {
      const int64_t before = ReferenceAt(j - 1, o), now = ReferenceAt(j, o);
      double best = cost_[kMatch][o] + StepCost(steps, before, now, o);
      for (const Jump& jump : jumps_)
        best = std::min(best, jump.cost - moves.apart * static_cast<double>(o) + moves.jump +
                                  StepCost(steps, before, jump.reference, jump.offset));
      double hold = kNever;
      if (o >= per_frame) {
        const size_t below = o - per_frame;
        hold = cost_[kHold][below] + HeldCost(moves, StepCost(steps, before, ReferenceAt(j, below), below));
      }
      next_[kHold][o] = std::min(best, hold);
      if (search_.clock.steps > 1)
        for (const size_t side : {o - 1, o + 1})
          if (side < count_)
            best = std::min(
                best, cost_[kMatch][side] + search_.costs.slip + StepCost(steps, before, ReferenceAt(j, side), side));
      for (size_t to = o; to-- > 0 && o - to < ShortSteps();)
        best = std::min(best, cost_[kMatch][to] + search_.costs.slip + StepCost(steps, before, ReferenceAt(j, to), to));
      next_[kMatch][o] = std::min(best, hold + moves.hold);
      AddJump(now, o, cost_[kMatch][o] + moves.apart * static_cast<double>(o), {});
    }
    std::swap(cost_, next_);
  }

  /// What moves to frame j cost.
  struct Moves {
    double jump, hold, again, other, apart;
  };
  Moves MovesOf(int64_t j) const {
    const PathCosts& costs = search_.costs;
    const double nearest = *std::ranges::min_element(emission_);
    constexpr int64_t kStart = 12;  // a jump there is another first offset
    return {IsRepeat(j - 1) && j > kStart ? costs.jump_after_repeat : costs.jump,
            IsRepeat(j) ? costs.hold_at_repeat : costs.hold,
            IsRepeat(j) ? costs.hold_again_at_repeat : costs.hold_again,
            std::max(costs.hold_a_frame, costs.hold_a_match - nearest), costs.jump_a_frame / search_.clock.steps};
  }
  /// Below how many offsets a path may slip where a distorted frame advances by several reference frames: one was
  /// repeated before the conversion.
  size_t ShortSteps() const { return search_.clock.steps == 1 ? static_cast<size_t>(search_.clock.per_frame) : 0; }

  static double HeldCost(const Moves& moves, double emission) {
    return emission < kNever ? std::min(moves.other, moves.again + emission) : kNever;
  }

  double Prior(int64_t offset) const {
    const auto frames = static_cast<double>(std::abs(offset)) / search_.clock.steps;
    return frames < 1 ? 0 : search_.costs.off_time + search_.costs.off_time_a_frame * frames;
  }

  bool IsRepeat(int64_t j) const {
    return j >= 0 && j < static_cast<int64_t>(search_.repeats.size()) && search_.repeats[j] != 0;
  }

  void Emit(int64_t j) {
    const PathSearch::Window window = windows_[j - begin_];
    std::ranges::fill(emission_, kNever);
    const int64_t top = search_.reference_count - 1;
    const int64_t low = std::clamp<int64_t>(search_.clock.ReferenceAt(j, window.first), 0, top);
    const int64_t high = std::clamp<int64_t>(search_.clock.ReferenceAt(j, window.last), 0, top);
    first_pair_ = low;
    pairs_.resize(high - low + 1);
    search_.fill(j, low, pairs_);
    const double outside =
        std::max(search_.costs.outside, search_.costs.outside_a_match - *std::ranges::min_element(pairs_));
    for (int64_t o = window.first; o <= window.last; ++o) {
      const int64_t i = search_.clock.ReferenceAt(j, o);
      emission_[o - first_] = i < 0 || i > top ? outside : pairs_[i - low];
    }
  }

  int64_t ReferenceAt(int64_t j, size_t o) const {
    return search_.clock.ReferenceAt(j, first_ + static_cast<int64_t>(o));
  }

  /// What frames cost after others, of one distorted frame.
  struct Steps {
    int64_t first_before = 0, befores = 0, first = 0, count = 0;
    std::vector<double> costs;
  };

  /// Frames at the ends of windows have no steps: what the pair alone costs stands for them.
  double StepCost(const Steps& steps, int64_t before, int64_t now, size_t o) const {
    if (emission_[o] >= kNever) return kNever;
    const int64_t row = before - steps.first_before, column = now - steps.first;
    if (row < 0 || row >= steps.befores || column < 0 || column >= steps.count) return emission_[o];
    return steps.costs[row * steps.count + column];
  }

  /// The pairs of the frame before must be those of windows_[j - 1].
  void MakeSteps(int64_t j) {
    steps_now_.befores = steps_now_.count = 0;
    if (!search_.fill_steps || j == begin_) return;
    const PathSearch::Window window = windows_[j - 1 - begin_];
    const int64_t top = search_.reference_count - 1;
    const int64_t low = std::clamp<int64_t>(search_.clock.ReferenceAt(j - 1, window.first), 0, top);
    const int64_t high = std::clamp<int64_t>(search_.clock.ReferenceAt(j - 1, window.last), 0, top);
    steps_now_.first_before = low;
    steps_now_.befores = high - low + 1;
    steps_now_.first = first_pair_;
    steps_now_.count = static_cast<int64_t>(pairs_.size());
    steps_now_.costs.resize(steps_now_.befores * steps_now_.count);
    search_.fill_steps(j, low, steps_now_.befores, first_pair_, pairs_, steps_now_.costs);
  }

  /// The cheapest of the states passed so far that show one reference frame. A jump costs `apart` for each offset,
  /// which `cost` has from offset 0.
  struct Jump {
    int64_t reference;
    size_t offset;
    double cost;
    Source source;
  };
  void AddJump(int64_t reference, size_t offset, double cost, Source source) {
    if (cost >= kNever) return;
    if (!search_.fill_steps) reference = -1;  // which one it was does not matter
    if (jumps_.empty() || jumps_.back().reference != reference) jumps_.push_back({reference, offset, cost, source});
    else if (cost < jumps_.back().cost) jumps_.back() = {reference, offset, cost, source};
  }

  void Advance(int64_t j) {
    Emit(j);
    MakeSteps(j);
    const Moves moves = MovesOf(j);
    const size_t row = static_cast<size_t>(j - begin_) * count_;
    next_[kMatch].assign(count_, kNever);
    next_[kHold].assign(count_, kNever);
    const auto per_frame = static_cast<size_t>(search_.clock.per_frame);
    jumps_.clear();
    for (size_t o = 0; o < count_; ++o) {
      const bool is_match = cost_[kMatch][o] <= cost_[kHold][o];
      const double here = is_match ? cost_[kMatch][o] : cost_[kHold][o];
      const Source from_here{static_cast<int32_t>(o), static_cast<uint8_t>(is_match ? kMatch : kHold)};
      const int64_t now = ReferenceAt(j, o);
      const auto step = [&](size_t from) { return StepCost(steps_now_, ReferenceAt(j - 1, from), now, o); };
      double best = here < kNever ? here + step(o) : kNever;
      Source source = from_here;
      for (const Jump& jump : jumps_) {
        const double cost = jump.cost + moves.apart * static_cast<double>(o) + moves.jump +
                            StepCost(steps_now_, jump.reference, now, o);
        if (cost < best) best = cost, source = jump.source;
      }
      if (search_.clock.steps > 1) {
        for (const size_t side : {o - 1, o + 1}) {
          if (side >= count_ || cost_[kMatch][side] >= kNever) continue;
          const double cost = cost_[kMatch][side] + search_.costs.slip + step(side);
          if (cost < best) best = cost, source = {static_cast<int32_t>(side), kMatch};
        }
      }
      for (size_t from = o + 1; from < std::min(count_, o + ShortSteps()); ++from) {
        const double cost = cost_[kMatch][from] + search_.costs.slip + step(from);
        if (cost < best) best = cost, source = {static_cast<int32_t>(from), kMatch};
      }
      next_[kMatch][o] = best;
      sources_[kMatch][row + o] = source;
      if (o + per_frame < count_ && emission_[o] < kNever) {
        const size_t above = o + per_frame;
        const double held = HeldCost(moves, step(above));
        const double opened = cost_[kMatch][above] + moves.hold + held, held_on = cost_[kHold][above] + held;
        next_[kHold][o] = std::min(opened, held_on);
        sources_[kHold][row + o] = {static_cast<int32_t>(above),
                                    static_cast<uint8_t>(opened < held_on ? kMatch : kHold)};
      }
      AddJump(ReferenceAt(j - 1, o), o, here - moves.apart * static_cast<double>(o), from_here);
    }
    if (search_.is_judging()) steps_[j - begin_] = steps_now_;
    std::swap(cost_, next_);
  }

  const PathSearch& search_;
  const int64_t begin_, end_;
  std::vector<PathSearch::Window> windows_;
  int64_t first_ = 0;  // the offset of index 0
  size_t count_ = 0;   // offsets
  std::vector<double> cost_[2], next_[2], emission_, pairs_;
  std::vector<Source> sources_[2];
  std::vector<double> forward_[2], emissions_;
  int64_t first_pair_ = 0;  // the reference frame of pairs_[0]
  Steps steps_now_;
  std::vector<Steps> steps_;  // by distorted frame, for Rivals
  std::vector<Jump> jumps_;
  double total_ = 0;
};

}  // namespace

FramePath FindPath(const PathSearch& search) {
  FramePath path;
  const auto count = static_cast<int64_t>(search.clock.positions.size());
  State state;
  for (int64_t begin = 0; begin < count;) {
    const int64_t end = begin + kChunk + kOverlap >= count ? count : begin + kChunk + kOverlap;
    Chunk chunk(search, begin, end, state.offset);
    if (begin == 0) chunk.Begin();
    else chunk.Continue(state);
    const std::vector<State> states = chunk.Trace();
    const int64_t decided = end == count ? end : begin + kChunk;
    if (search.is_judging()) {
      const std::vector<FramePath::Rival> rivals = chunk.Rivals();
      path.rivals.insert(path.rivals.end(), rivals.begin(), rivals.begin() + (decided - begin));
    }
    for (int64_t j = begin; j < decided; ++j) {
      state = states[j - begin];
      path.offsets.push_back(state.offset);
      path.held.push_back(state.layer == kHold);
    }
    path.cost += chunk.total();
    begin = decided;
  }
  return path;
}

}  // namespace acutance
