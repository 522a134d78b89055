#include "align/path_search.h"

#include <algorithm>
#include <limits>

namespace acutance {
namespace {

constexpr int64_t kChunk = 1500;   // frames that are decided at once
constexpr int64_t kOverlap = 300;  // frames after them that are looked at
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
    if (!search.wants_margins) return;
    for (auto& layer : forward_) layer.resize(all);
    emissions_.resize(all);
  }

  void Begin() {
    Emit(begin_);
    for (size_t o = 0; o < count_; ++o) cost_[kMatch][o] = emission_[o] + Prior(first_ + static_cast<int64_t>(o));
    Keep(begin_);
    for (int64_t j = begin_ + 1; j < end_; ++j) Advance(j), Keep(j);
  }

  void GoOn(const State& from) {
    const int64_t o = from.offset - first_;
    if (o >= 0 && o < static_cast<int64_t>(count_)) cost_[from.layer][static_cast<size_t>(o)] = 0;
    for (int64_t j = begin_; j < end_; ++j) Advance(j), Keep(j);
  }

  /// The states of all frames on the cheapest path.
  std::vector<State> Trace() {
    size_t best = 0;
    Layer layer = kMatch;
    for (const Layer each : {kMatch, kHold})
      for (size_t o = 0; o < count_; ++o)
        if (cost_[each][o] < cost_[layer][best]) best = o, layer = each;
    total_ = cost_[layer][best];
    std::vector<State> states(static_cast<size_t>(end_ - begin_));
    for (size_t k = states.size(); k-- > 0;) {
      states[k] = {first_ + static_cast<int64_t>(best), layer};
      const Source& source = sources_[layer][k * count_ + best];
      best = static_cast<size_t>(source.offset);
      layer = static_cast<Layer>(source.layer);
    }
    return states;
  }

  double total() const { return total_; }

  /// The cheapest other paths, by frame, from the costs of going on from each state to the end.
  std::vector<FramePath::Rival> Rivals(const std::vector<State>& states) {
    std::vector<FramePath::Rival> rivals(states.size());
    for (auto& layer : cost_) layer.assign(count_, 0);
    for (int64_t j = end_ - 1; j >= begin_; --j) {
      const State& own = states[static_cast<size_t>(j - begin_)];
      rivals[static_cast<size_t>(j - begin_)] = RivalOf(j, ShownBy(j, own.offset));
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
  void Keep(int64_t j) {
    if (!search_.wants_margins) return;
    const auto row = static_cast<ptrdiff_t>(static_cast<size_t>(j - begin_) * count_);
    for (const Layer layer : {kMatch, kHold}) std::ranges::copy(cost_[layer], forward_[layer].begin() + row);
    std::ranges::copy(emission_, emissions_.begin() + row);
  }

  FramePath::Rival RivalOf(int64_t j, int64_t own) const {
    const size_t row = static_cast<size_t>(j - begin_) * count_;
    FramePath::Rival rival{kNever, -1};
    for (const Layer layer : {kMatch, kHold})
      for (size_t o = 0; o < count_; ++o) {
        const double cost = forward_[layer][row + o] + cost_[layer][o];
        if (cost - total_ >= rival.margin) continue;
        const int64_t shown = ShownBy(j, first_ + static_cast<int64_t>(o));
        if (shown != own) rival = {cost - total_, shown};
      }
    return rival;
  }

  /// From what states of frame j cost to the end, to what those of the frame before do.
  void GoBack(int64_t j) {
    const size_t row = static_cast<size_t>(j - begin_) * count_;
    std::ranges::copy_n(emissions_.begin() + static_cast<ptrdiff_t>(row), static_cast<ptrdiff_t>(count_),
                        emission_.begin());
    const Moves moves = MovesOf(j);
    const auto per_frame = static_cast<size_t>(search_.clock.per_frame);
    double after = kNever;  // the cheapest state of a larger offset, and the way there
    for (size_t o = count_; o-- > 0;) {
      const double match = cost_[kMatch][o] + emission_[o];
      double best = std::min(match, after + moves.jump);
      double hold = kNever;
      if (o >= per_frame) hold = cost_[kHold][o - per_frame] + HeldCost(moves, emission_[o - per_frame]);
      next_[kHold][o] = std::min(best, hold);
      if (search_.clock.steps > 1)
        for (const size_t side : {o - 1, o + 1})
          if (side < count_) best = std::min(best, cost_[kMatch][side] + emission_[side] + search_.costs.slip);
      next_[kMatch][o] = std::min(best, hold + moves.hold);
      after = std::min(after, match) + moves.apart;
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
  static double HeldCost(const Moves& moves, double emission) {
    return emission < kNever ? std::min(moves.other, moves.again + emission) : kNever;
  }

  double Prior(int64_t offset) const {
    const auto frames = static_cast<double>(std::abs(offset)) / search_.clock.steps;
    return frames < 1 ? 0 : search_.costs.off_time + search_.costs.off_time_a_frame * frames;
  }

  bool IsRepeat(int64_t j) const {
    return j >= 0 && j < static_cast<int64_t>(search_.repeats.size()) && search_.repeats[static_cast<size_t>(j)] != 0;
  }

  void Emit(int64_t j) {
    const PathSearch::Window window = windows_[static_cast<size_t>(j - begin_)];
    std::ranges::fill(emission_, kNever);
    const int64_t top = search_.reference_count - 1;
    const int64_t low = std::clamp<int64_t>(search_.clock.ReferenceAt(j, window.first), 0, top);
    const int64_t high = std::clamp<int64_t>(search_.clock.ReferenceAt(j, window.last), 0, top);
    pairs_.resize(static_cast<size_t>(high - low + 1));
    search_.fill(j, low, pairs_);
    for (int64_t o = window.first; o <= window.last; ++o) {
      const int64_t i = search_.clock.ReferenceAt(j, o);
      emission_[static_cast<size_t>(o - first_)] =
          i < 0 || i > top ? search_.costs.outside : pairs_[static_cast<size_t>(i - low)];
    }
  }

  void Advance(int64_t j) {
    Emit(j);
    const Moves moves = MovesOf(j);
    const size_t row = static_cast<size_t>(j - begin_) * count_;
    next_[kMatch].assign(count_, kNever);
    next_[kHold].assign(count_, kNever);
    double before = kNever;  // the cheapest state of a smaller offset, and the way to here
    Source from_before;
    const auto per_frame = static_cast<size_t>(search_.clock.per_frame);
    for (size_t o = 0; o < count_; ++o) {
      const bool is_match = cost_[kMatch][o] <= cost_[kHold][o];
      const double here = is_match ? cost_[kMatch][o] : cost_[kHold][o];
      const Source from_here{static_cast<int32_t>(o), static_cast<uint8_t>(is_match ? kMatch : kHold)};
      double best = here;
      Source source = from_here;
      if (before + moves.jump < best) best = before + moves.jump, source = from_before;
      if (search_.clock.steps > 1) {
        for (const size_t side : {o - 1, o + 1})
          if (side < count_ && cost_[kMatch][side] + search_.costs.slip < best)
            best = cost_[kMatch][side] + search_.costs.slip, source = {static_cast<int32_t>(side), kMatch};
      }
      next_[kMatch][o] = best + emission_[o];
      sources_[kMatch][row + o] = source;
      if (o + per_frame < count_ && emission_[o] < kNever) {
        const size_t above = o + per_frame;
        const double held = HeldCost(moves, emission_[o]);
        const double opened = cost_[kMatch][above] + moves.hold + held, kept = cost_[kHold][above] + held;
        next_[kHold][o] = std::min(opened, kept);
        sources_[kHold][row + o] = {static_cast<int32_t>(above), static_cast<uint8_t>(opened < kept ? kMatch : kHold)};
      }
      if (here < before) before = here, from_before = from_here;
      before += moves.apart;
    }
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
    else chunk.GoOn(state);
    const std::vector<State> states = chunk.Trace();
    const int64_t decided = end == count ? end : begin + kChunk;
    if (search.wants_margins) {
      const std::vector<FramePath::Rival> rivals = chunk.Rivals(states);
      path.rivals.insert(path.rivals.end(), rivals.begin(), rivals.begin() + (decided - begin));
    }
    for (int64_t j = begin; j < decided; ++j) {
      state = states[static_cast<size_t>(j - begin)];
      path.offsets.push_back(state.offset);
      path.held.push_back(state.layer == kHold);
    }
    path.cost += chunk.total();
    begin = decided;
  }
  return path;
}

}  // namespace acutance
