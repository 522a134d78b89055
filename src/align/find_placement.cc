#include "align/find_placement.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "align/align_tracks.h"

namespace acutance {
namespace {

constexpr int64_t kLooks = 12;      // frames that are compared
constexpr double kWhole = 0.006;    // of the picture: edges nearer to the whole's are those
constexpr double kFarBetter = 1.5;  // what is left as they are, over what a placement leaves
constexpr double kMostLeft = 0.15;  // of what the pictures hold
/// From one of these a fit finds crops of up to an eighth, both ways.
constexpr Placement kStarts[] = {{}, {0.04, 0.04, 0.92, 0.92}, {-0.04, -0.04, 1.08, 1.08}};

/// The placements that a search begins with, and what it takes: of an axis, the least length of the distorted picture's
/// part (the greatest is its inverse), and of each video the least part that the other shows.
struct Reach {
  std::vector<Placement> starts;
  double least_length, least_shared;
};

/// Parts of one picture's size and of `size` of it, in its middle and at its edges; and the other way round.
void AddStarts(double width, double height, std::vector<Placement>& starts) {
  for (const double x : {0.5, 0.0, 1.0})
    for (const double y : {0.5, 0.0, 1.0}) {
      if ((width == 1 && x != 0.5) || (height == 1 && y != 0.5)) continue;
      const Placement part{x * (1 - width), y * (1 - height), width, height};
      starts.push_back(part);
      starts.push_back({-part.left / width, -part.top / height, 1 / width, 1 / height});
    }
}

Reach ReachOf(CropReach reach) {
  if (reach == CropReach::kUpToAnEighth) return {{std::begin(kStarts), std::end(kStarts)}, 0.8, 0.75};
  std::vector<Placement> starts(std::begin(kStarts), std::end(kStarts));
  for (const double size : {0.9, 0.82, 0.74, 0.67, 0.6}) {
    AddStarts(size, size, starts);
    AddStarts(size, 1, starts);
    AddStarts(1, size, starts);
  }
  return {std::move(starts), 0.56, 0.54};
}

constexpr double kLeastEnergy = 9;  // squares of steps of 8 bits a sample: a picture with less is flat

/// Fingerprints as grids of `by` x `by` quarters, computed on demand.
class Grids {
 public:
  Grids(const FrameTrack& track, int by) : track_(track), by_(by) {}

  const LumaGrid& at(int64_t frame) {
    auto& grid = made_[frame];
    if (grid.samples.empty()) {
      grid = QuartersOf(track_.fingerprints[frame]);
      grid = Smooth(by_ == 1 ? grid : ShrinkBy(grid, by_));
    }
    return grid;
  }

 private:
  const FrameTrack& track_;
  int by_;
  std::map<int64_t, LumaGrid> made_;
};

/// Both videos in one size of grids.
struct GridsOfBoth {
  GridsOfBoth(const FrameTrack& of_reference, const FrameTrack& of_distorted, int by)
      : reference(of_reference, by), distorted(of_distorted, by) {}

  std::vector<std::pair<const LumaGrid*, const LumaGrid*>> Of(const PairList& pairs) {
    std::vector<std::pair<const LumaGrid*, const LumaGrid*>> grids;
    for (const auto& [i, j] : pairs) grids.emplace_back(&reference.at(i), &distorted.at(j));
    return grids;
  }

  Grids reference, distorted;
};

/// Without what a fit puts a little outside: so small an excess is rounding.
Placement WithinWhole(Placement placement) {
  const auto within = [](double& begin, double& length) {
    double end = begin + length;
    if (begin < 0 && begin > -kWhole) begin = 0;
    if (end > 1 && end < 1 + kWhole) end = 1;
    length = end - begin;
  };
  within(placement.left, placement.width);
  within(placement.top, placement.height);
  return placement;
}

/// Whether most pairs are of frames with one number.
bool AreInStep(const PairList& pairs) {
  return 4 * std::ranges::count_if(pairs, [](const auto& pair) { return pair.first == pair.second; }) >=
         3 * std::ssize(pairs);
}

double EnergyOf(const LumaGrid& grid) {
  double sum = 0, squares = 0;
  for (const float sample : grid.samples) sum += sample, squares += double{sample} * sample;
  const auto count = static_cast<double>(grid.samples.size());
  return squares / count - sum / count * (sum / count);
}

class Search {
 public:
  Search(const FrameTrack& reference, const FrameTrack& distorted, const PairList& path, CropReach reach)
      : is_wide_(reach == CropReach::kUpToNearlyHalf),
        reach_(ReachOf(reach)),
        reference_count_(reference.size()),
        have_one_length_(reference.size() == distorted.size()),
        rate_(reference.rate.value_or(distorted.rate.value_or(25))),
        small_(reference, distorted, 4),
        cells_(reference, distorted, 2),
        quarters_(reference, distorted, 1) {
    has_path_ = !path.empty();
    if (has_path_) {
      for (const int64_t k : SampleFrameNumbers(std::ssize(path))) Look(path[k]);
      return;
    }
    const std::vector<double> clock = TimeClock(reference, distorted).positions;
    for (const int64_t j : SampleFrameNumbers(distorted.size())) Look({std::llround(clock[j]), j});
  }

  std::optional<FoundPlacement> Find() {
    constexpr size_t kLeast = 6;
    if (looks_.size() < kLeast || !StartNear() || near_.size() < kLeast) return std::nullopt;
    for (int round = 0; round < 3; ++round) {
      MoveFrames();
      fit_ = Refine(cells_, near_, fit_.placement);
    }
    MoveTogether();
    MoveFrames();
    fit_ = Refine(cells_, near_, fit_.placement);
    if (!IsPossible(fit_.placement) || fit_.placement.DistanceFrom({}) < kWhole) return std::nullopt;
    if (fit_.error > kMostLeft * fit_.energy || kFarBetter * fit_.error > ErrorAsTheyAre()) return std::nullopt;
    FoundPlacement found{Refine(quarters_, near_, fit_.placement).placement};
    CompareOtherTimes(found);
    found.placement = WithinWhole(found.placement);
    for (Placement& other : found.others) other = WithinWhole(other);
    if (found.in_step) found.in_step = WithinWhole(*found.in_step);
    if (!IsCrop(found.placement) || found.placement.DistanceFrom({}) < kWhole) return std::nullopt;
    return found;
  }

 private:
  void Look(const std::pair<int64_t, int64_t>& pair) {
    if (EnergyOf(small_.distorted.at(pair.second)) > kLeastEnergy) looks_.push_back(pair);
  }

  /// Whether each video has most of what the other shows.
  bool IsPossible(const Placement& placement) const {
    const auto fits = [this](double begin, double length) {
      return length > reach_.least_length && length < 1 / reach_.least_length &&
             std::min(1.0, begin + length) - std::max(0.0, begin) > reach_.least_shared;
    };
    return fits(placement.left, placement.width) && fits(placement.top, placement.height);
  }

  /// Whether one picture has all of the other's width, and one all of its height, as what was cropped has.
  bool IsCrop(const Placement& placement, double tolerance = kWhole) const {
    const auto lies_within = [tolerance](double begin, double length) {
      const double before = begin, after = 1 - begin - length;
      return std::min(before, after) > -tolerance || std::max(before, after) < tolerance;
    };
    return IsPossible(placement) && lies_within(placement.left, placement.width) &&
           lies_within(placement.top, placement.height);
  }

  PairList Shifted(const PairList& pairs, int64_t by) const {
    PairList shifted;
    for (const auto& [i, j] : pairs)
      if (i + by >= 0 && i + by < reference_count_) shifted.emplace_back(i + by, j);
    return shifted;
  }

  static PlacementFit Refine(GridsOfBoth& grids, const PairList& pairs, const Placement& start, int rounds = 3) {
    return RefinePlacement(grids.Of(pairs), start, rounds);
  }

  /// The one distance in time at which the frames fit best, placed as they fit best there.
  bool StartNear() {
    constexpr int64_t kNear = 24, kVeryNear = 6, kMost = 1200;
    const int64_t all = std::min({static_cast<int64_t>(kMostSecondsApart * rate_), reference_count_, kMost});
    const int64_t reach = is_wide_ ? kVeryNear : has_path_ ? kNear : all;
    const int64_t step = has_path_ && !is_wide_ ? 1 : 2;
    constexpr double kSmall = 0.015;        // what small grids may be off by
    constexpr double kMostLeftSmall = 0.4;  // small grids of far larger pictures are blurred by far more
    double best = is_wide_ ? kMostLeftSmall : kMostLeft;
    for (int64_t by = -reach; by <= reach; by += step) {
      PairList pairs = Shifted(looks_, by);
      if (2 * pairs.size() < looks_.size() + 1) continue;
      for (const Placement& start : reach_.starts) {
        const PlacementFit fit = Refine(small_, pairs, start, 3);
        if (!IsCrop(fit.placement, kSmall) || fit.error >= best * fit.energy) continue;
        best = fit.error / fit.energy;
        fit_ = fit;
        near_ = pairs;
      }
    }
    return !near_.empty();
  }

  /// Takes for each frame the reference frame near to its own that fits best as they are placed, and leaves out the
  /// fourth of them that fits worst: there frames were dropped, or it is another picture.
  void MoveFrames() {
    constexpr int64_t kNear = 6;
    constexpr double kClearly = 1.3;  // what is less may come from a placement that is not yet right
    std::vector<std::pair<double, std::pair<int64_t, int64_t>>> moved;
    for (const auto& [i, j] : std::exchange(near_, {})) {
      const auto error_at = [&, j = j](int64_t k) {
        const PlacementFit fit = FitOf(cells_.Of(PairList{{k, j}}), fit_.placement);
        return fit.energy > 0 ? fit.error / fit.energy : 2;
      };
      double best = error_at(i) / kClearly;
      std::pair<int64_t, int64_t> to{i, j};
      for (int64_t k = std::max<int64_t>(0, i - kNear); k <= std::min(reference_count_ - 1, i + kNear); ++k)
        if (const double error = error_at(k); error < best) best = error, to.first = k;
      moved.emplace_back(best, to);
    }
    std::ranges::sort(moved);
    if (!left_out_) moved.resize(moved.size() - moved.size() / 4);
    left_out_ = true;
    for (const auto& [error, pair] : moved) near_.push_back(pair);
  }

  /// Takes another distance in time for all frames where they fit better so, placed as they fit best there.
  void MoveTogether() {
    constexpr int64_t kNear = 3;
    PlacementFit best = fit_;
    int64_t best_shift = 0;
    for (int64_t by = -kNear; by <= kNear; ++by) {
      const PairList pairs = Shifted(near_, by);
      if (by == 0 || pairs.size() < near_.size()) continue;
      const PlacementFit fit = Refine(cells_, pairs, fit_.placement);
      if (fit.error < best.error) best = fit, best_shift = by;
    }
    near_ = Shifted(near_, best_shift);
    fit_ = best;
  }

  /// What is left where the frames are not placed, and each has the reference frame that fits it best so.
  double ErrorAsTheyAre() {
    constexpr int64_t kNear = 30;
    double error = 0;
    for (const auto& [i, j] : near_) {
      double least = HUGE_VAL;
      for (int64_t k = std::max<int64_t>(0, i - kNear); k <= std::min(reference_count_ - 1, i + kNear); ++k)
        least = std::min(least, FitOf(cells_.Of(PairList{{k, j}}), {}).error);
      error += least;
    }
    return error;
  }

  /// Where the camera pans evenly, a crop that lies a little aside shows what another frame does. Fades decide, since
  /// an encoder leaves brightness as it is. People crop evenly at both sides: a placement in the middle is believed,
  /// too, if there is only one.
  void CompareOtherTimes(FoundPlacement& found) {
    constexpr int64_t kNear = 12;
    constexpr double kRounding = 0.001;  // of the energy: what placing a grid may leave
    constexpr double kAsGood = 1.12, kApart = 0.002, kInTheMiddle = 0.006;
    const PlacementFit own = Refine(quarters_, near_, found.placement);
    const double rounding = kRounding * own.energy;
    std::vector<std::pair<PlacementFit, PairList>> all;  // by time
    const auto add = [&](PairList pairs) {
      if (pairs.size() < near_.size()) return;
      const PlacementFit fit = Refine(quarters_, pairs, found.placement, 2);
      const bool is_as_good = fit.error + rounding <= kAsGood * (own.error + rounding);
      if (is_as_good && fit.placement.DistanceFrom(found.placement) >= kApart && IsCrop(fit.placement))
        all.emplace_back(fit, std::move(pairs));
    };
    for (int64_t by = -kNear; by <= kNear; ++by) {
      PairList pairs = Shifted(near_, by);
      if (by == 0 && IsCrop(found.placement))
        all.emplace_back(own, near_), all.back().first.placement = found.placement;
      if (by != 0) add(std::move(pairs));
    }
    PairList in_step;
    for (const auto& [i, j] : near_)
      if (have_one_length_) in_step.emplace_back(j, j);
    if (std::ranges::none_of(all, [](const auto& each) { return AreInStep(each.second); })) add(std::move(in_step));
    if (all.empty()) return;
    // What a gain and brightness for each pair explain, and one for all pairs does not.
    const auto light = [](const auto& each) { return each.first.error_alike - each.first.error; };
    const double most = light(*std::ranges::min_element(all, {}, light)) + (kAsGood - 1) * (own.error + rounding);
    std::erase_if(all, [&](const auto& each) { return light(each) > most; });
    const auto placement = [](const auto& each) { return each.first.placement; };
    const auto off_centre = [&](const auto& each) { return placement(each).OffCentre(); };
    const auto middle = std::ranges::min_element(all, {}, off_centre);
    found.is_sure = all.size() == 1 ||
                    std::ranges::count_if(all, [&](const auto& each) { return off_centre(each) < kInTheMiddle; }) == 1;
    if (found.is_sure) {
      if (placement(*middle).DistanceFrom(found.placement) > 0)
        found.placement = Refine(quarters_, middle->second, placement(*middle)).placement;
      return;
    }
    if (!IsCrop(found.placement)) found.placement = placement(*middle);
    found.others = {placement(all.front()), placement(all.back())};
    const auto plain = std::ranges::find_if(all, [](const auto& each) { return AreInStep(each.second); });
    if (plain != all.end()) found.in_step = Refine(quarters_, plain->second, placement(*plain)).placement;
  }

  const bool is_wide_;
  const Reach reach_;
  const int64_t reference_count_;
  const bool have_one_length_;
  const double rate_;
  GridsOfBoth small_, cells_, quarters_;
  bool has_path_ = false, left_out_ = false;
  PairList looks_, near_;  // pairs to begin with, and those that fit best so far
  PlacementFit fit_;
};

}  // namespace

std::vector<int64_t> SampleFrameNumbers(int64_t count) {
  std::vector<int64_t> numbers;
  const int64_t looks = std::min(count, kLooks);
  for (int64_t k = 0; k < looks; ++k) numbers.push_back((2 * k + 1) * count / (2 * looks));
  return numbers;
}

std::optional<FoundPlacement> FindPlacement(const FrameTrack& reference, const FrameTrack& distorted,
                                            const PairList& pairs, CropReach reach) {
  if (reference.size() == 0 || distorted.size() == 0) return std::nullopt;
  return Search(reference, distorted, pairs, reach).Find();
}

bool MayBeCropped(const std::vector<FrameFingerprint>& reference, const std::vector<FrameFingerprint>& distorted) {
  constexpr double kBetter = 1.4, kNearlyWhole = 0.7 * kWhole, kMuch = 0.01;
  std::vector<LumaGrid> grids;
  for (size_t k = 0; k < std::min(reference.size(), distorted.size()); ++k)
    for (const FrameFingerprint* frame : {&reference[k], &distorted[k]})
      grids.push_back(Smooth(ShrinkBy(QuartersOf(*frame), 4)));
  std::vector<std::pair<const LumaGrid*, const LumaGrid*>> pairs;
  for (size_t k = 0; k + 1 < grids.size(); k += 2)
    if (EnergyOf(grids[k + 1]) > kLeastEnergy) pairs.emplace_back(&grids[k], &grids[k + 1]);
  if (pairs.empty()) return false;
  const PlacementFit whole = FitOf(pairs, {});
  if (whole.error > kMuch * whole.energy) return true;
  return std::ranges::any_of(kStarts, [&](const Placement& start) {
    const PlacementFit placed = RefinePlacement(pairs, start, 2);
    return whole.error > kBetter * placed.error && placed.placement.DistanceFrom({}) > kNearlyWhole;
  });
}

}  // namespace acutance
