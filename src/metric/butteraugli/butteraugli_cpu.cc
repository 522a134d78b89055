// Both pictures flow from above through all steps, some rows at a time. Between steps lie rings of rows, as many as the
// next step needs, so that no plane is ever whole and what a step reads is still in a cache.
#include <algorithm>
#include <memory>
#include <vector>

#include "metric/butteraugli/butteraugli.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/butteraugli/butteraugli_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/butteraugli/butteraugli_image-inl.h"
#include "metric/butteraugli/butteraugli_map-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if !HWY_NATIVE_FMA || HWY_HAVE_SCALABLE  // fused operations made of doubles gain nothing from vectors

std::unique_ptr<ButteraugliSweep> Make(int) { return MakeButteraugliSweepRef(); }

void AddRow(const float* own, const float* half, int width, float* row, ButteraugliSums& sums) {
  AddButteraugliRowRef(own, half, 0, width, row, sums);
}

#else

/// The map of a distorted picture.
class Comparison {
 public:
  explicit Comparison(int width)
      : distorted_(width),
        differences_{Differences(width), Differences(width), Differences(width),
                     Differences(width), Differences(width), Differences(width)},
        lines_{RowRing(width, kBatch), RowRing(width, kBatch)},
        map_{RowRing(width, 1), RowRing(width, 1)},
        pairs_(kBatch + 2 * kReachOfDifferences) {}

  void Begin(const FloatColors& colors, bool halved, float nits, RowBand band) {
    distorted_.Begin(colors, halved, nits, band);
    differences_done_ = band.begin - kReachOfDifferences;
    map_done_ = band.begin;
  }

  /// Rows of the map up to `map_row`, which may lie above those that are asked for.
  void Advance(Image& reference, int map_row, ButteraugliRows& to) {
    distorted_.Advance(map_row);
    for (; differences_done_ < map_row + kReachOfDifferences; ++differences_done_)
      MakeDifferences(reference, differences_done_);
    if (map_row <= map_done_) return;
    for (int i = 0; i < 6; ++i) AddLines(i, {map_done_, map_row});
    for (; map_done_ < map_row; ++map_done_) {
      MapRow(RowsAt(reference, map_done_), distorted_.layout().floats(), map_[0].Row(0));
      Collect(distorted_.layout(), map_[0].Row(0), map_[1].Row(0));
      to.Take(map_done_, map_[1].Row(0));
    }
  }

 private:
  static RowRing Differences(int width) { return RowRing(width, kBatch + 2 * kReachOfDifferences, kLineReach + 1); }

  /// Makes the differences of the highest, high and middle frequencies of x, then of y.
  void MakeDifferences(Image& reference, int y) {
    const ButteraugliConstants& constants = GetButteraugliConstants();
    const RowLayout& layout = distorted_.layout();
    for (int c = 0; c < 2; ++c) {
      const auto make = [&](int i, const RowRing& a, const RowRing& b, const ButteraugliBand& band) {
        float* row = differences_[3 * c + i].Row(y);
        if (y >= 0 && y < distorted_.height()) DifferenceRow(a.Row(y), b.Row(y), band.malta, layout, row);
        else std::fill_n(row - kLineReach * kLanes, layout.floats() + 2 * kLineReach * kLanes, 0.0f);
      };
      make(0, reference.highest[c], distorted_.highest[c], constants.highest_band[c]);
      make(1, reference.high[c], distorted_.high[c], constants.high_band[c]);
      make(2, reference.middle[c], distorted_.middle[c], constants.middle_band[c]);
    }
  }

  void AddLines(int i, RowBand band) {
    if (i % 3 == 0) AddLinesOf<1>(i, band, [](const LinePoints& points, int x) { return DenseLines(points, x); });
    else AddLinesOf<2>(i, band, [](const LinePoints& points, int x) { return SparseLines(points, x); });
  }

  template <int step, class Lines>
  void AddLinesOf(int i, RowBand band, Lines lines) {
    constexpr int kReach = kReachOfDifferences, kRows = kBatch + 2 * kReach;
    const int floats = distorted_.layout().floats();
    for (int begin = 0; begin < floats; begin += PairRows::kSize) {
      const int size = std::min(PairRows::kSize, floats - begin);
      const float* rows[kRows];
      const int count = band.end - band.begin + 2 * kReach;
      for (int r = 0; r < count; ++r) rows[r] = differences_[i].Row(band.begin - kReach + r) + begin;
      MakePairs<step>(rows, count, size, pairs_);
      for (int y = band.begin; y < band.end; ++y) {
        const int r = y - band.begin;
        LinePoints points = {.differences = rows + r};
        for (int kind = 0; kind < 4; ++kind) points.pairs[kind] = pairs_.Row(kind, r);
        float* to = lines_[i / 3].Row(y) + begin;
        for (int x = 0; x < size; x += kLanes) {
          const VF sum = lines(points, x);
          Store(i % 3 == 0 ? sum : hn::Add(Load(to + x), sum), to + x);
        }
      }
    }
  }

  MapRows RowsAt(Image& reference, int y) const {
    MapRows rows;
    const Image* images[2] = {&reference, &distorted_};
    for (int i = 0; i < 2; ++i) {
      for (int c = 0; c < 3; ++c) {
        rows.low[i][c] = images[i]->low[c].Row(y);
        rows.middle[i][c] = images[i]->middle[c].Row(y);
      }
      for (int c = 0; c < 2; ++c) rows.high[i][c] = images[i]->high[c].Row(y);
      rows.mask[i] = images[i]->mask.Row(y);
    }
    for (int i = 0; i < 3; ++i) {
      const int near = y + 3 * (i - 1);
      rows.masks_around[i] = near < 0 || near >= distorted_.height() ? nullptr : reference.mask.Row(near);
    }
    for (int c = 0; c < 2; ++c) rows.lines[c] = lines_[c].Row(y);
    return rows;
  }

  Image distorted_;
  int differences_done_ = 0, map_done_ = 0;
  std::array<RowRing, 6> differences_;
  std::array<RowRing, 2> lines_;
  std::array<RowRing, 2> map_;  // a row each
  PairRows pairs_;
};

class Sweep : public ButteraugliSweep {
 public:
  explicit Sweep(int width) : width_(width) {}

  /// Compares several distorted pictures in turns, each for a while, so that its rows stay in a cache; the reference's
  /// rows wait for all.
  void Run(const FloatColors& reference, std::span<const FloatColors> distorted, bool halved, float nits, RowBand band,
           std::span<ButteraugliRows* const> to) override {
    const int together = distorted.size() > 1 ? kTogetherOfSeveral : kBatch;
    if (!reference_ || together > together_) reference_ = std::make_unique<Image>(width_, together - kBatch);
    together_ = std::max(together, together_);
    while (comparisons_.size() < distorted.size()) comparisons_.push_back(std::make_unique<Comparison>(width_));
    reference_->Begin(reference, halved, nits, band);
    for (size_t i = 0; i < distorted.size(); ++i) comparisons_[i]->Begin(distorted[i], halved, nits, band);
    for (int row = std::max(0, band.begin - kReachOfLight) - kReachOfLight; row < band.end; row += together) {
      const int end = std::min(row + together, band.end);
      ForBatches(row, end, [&](int map_row) { reference_->Advance(map_row); });
      for (size_t i = 0; i < distorted.size(); ++i)
        ForBatches(row, end, [&](int map_row) { comparisons_[i]->Advance(*reference_, map_row, *to[i]); });
    }
  }

 private:
  static constexpr int kTogetherOfSeveral = 8 * kBatch;

  /// Calls `f` with the end of each batch of rows [begin, end).
  template <class F>
  static void ForBatches(int begin, int end, F f) {
    for (int row = begin; row < end; row += kBatch) f(std::min(row + kBatch, end));
  }

  const int width_;
  int together_ = 0;  // rows that the reference keeps
  std::unique_ptr<Image> reference_;
  std::vector<std::unique_ptr<Comparison> > comparisons_;
};

std::unique_ptr<ButteraugliSweep> Make(int width) { return std::make_unique<Sweep>(width); }

void AddRow(const float* own, const float* half, int width, float* row, ButteraugliSums& sums) {
  const hn::Half<DF> half_vector;
  const hn::RepartitionToWide<DF> d;
  const auto halves = hn::IndicesFromVec(DF(), hn::ShiftRight<1>(hn::Iota(DI(), 0)));
  VF largest = hn::Zero(DF());
  int x = 0;
  for (; x + kLanes <= width; x += kLanes) {
    VF value = Load(own + x);
    if (half) {
      const VF doubled = hn::TableLookupLanes(hn::ZeroExtendVector(DF(), hn::LoadU(half_vector, half + x / 2)), halves);
      value = hn::Add(hn::Mul(value, Number(0.85f)), hn::Mul(Number(0.5f), doubled));
    }
    Store(value, row + x);
    largest = hn::Max(largest, value);
    const auto add = [&](auto v, int at) HWY_ATTR {
      const auto to = [&](int i, auto power) HWY_ATTR {
        double* sum = sums.columns[i].data() + at;
        hn::StoreU(hn::Add(hn::LoadU(d, sum), power), d, sum);
      };
      const auto v3 = hn::Mul(v, hn::Mul(v, v)), v6 = hn::Mul(v3, v3);
      to(0, v3);
      to(1, v6);
      to(2, hn::Mul(v6, v6));
      auto power = v;
      for (int i = 1; i < sums.q; ++i) power = hn::Mul(power, v);
      to(3, power);
    };
    add(hn::PromoteTo(d, hn::LowerHalf(half_vector, value)), x);
    add(hn::PromoteTo(d, hn::UpperHalf(half_vector, value)), x + kLanes / 2);
  }
  sums.largest = std::max(sums.largest, hn::GetLane(hn::MaxOfLanes(DF(), largest)));
  AddButteraugliRowRef(own, half, x, width, row, sums);
}

#endif

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Make);
HWY_EXPORT(AddRow);

std::unique_ptr<ButteraugliSweep> MakeButteraugliSweep(int width) { return HWY_DYNAMIC_DISPATCH(Make)(width); }

void AddButteraugliRow(const float* own, const float* half, int width, float* row, ButteraugliSums& sums) {
  HWY_DYNAMIC_DISPATCH(AddRow)(own, half, width, row, sums);
}

}  // namespace acutance
#endif  // HWY_ONCE
