// Both pictures flow from above through all steps, some rows at a time. Between steps lie rings of rows, as many as the
// next step needs, so that no plane is ever whole and what a step reads is still in a cache.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "metric/butteraugli/butteraugli.h"
#include "simd/aligned_memory.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/butteraugli/butteraugli_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/butteraugli/butteraugli_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if !HWY_NATIVE_FMA || HWY_HAVE_SCALABLE  // fused operations made of doubles gain nothing from vectors

std::unique_ptr<ButteraugliSweep> Make(int) { return MakeButteraugliSweepRef(); }

#else

constexpr int kBatch = 16;  // rows at a time

/// How many rows beyond those of the map a step makes.
enum Reach {
  kReachOfMap = 0,
  kReachOfMask = 3,
  kReachOfDifferences = 4,
  kReachOfHighest = kReachOfMask + 6,
  kReachOfHigh = kReachOfHighest + 3,
  kReachOfLow = kReachOfHigh + 7,
  kReachOfColors = kReachOfLow + 16,
  kReachOfLight = kReachOfColors + 2,
};

/// Rows that follow each other. Beside each there is space, zeros to its left. Rows lie an odd number of cache lines
/// apart, so that those around one do not all fall into the same sets of a cache.
class RowRing {
 public:
  RowRing(int width, int rows)
      : pitch_(16 * ((width + kLeft + kRight + 15) / 16 | 1)),
        rows_(rows),
        samples_(AllocateVectors<float>(static_cast<size_t>(pitch_) * rows)) {
    std::fill_n(samples_.get(), static_cast<size_t>(pitch_) * rows, 0.0f);
  }

  /// y is at least -rows.
  float* Row(int y) const { return samples_.get() + static_cast<size_t>((y + rows_) % rows_) * pitch_ + kLeft; }

 private:
  static constexpr int kLeft = 32, kRight = 96;

  int pitch_, rows_;
  hwy::AlignedFreeUniquePtr<float[]> samples_;
};

/// Rows that a step has made of those that it will make.
struct Progress {
  void Begin(RowBand band, int reach_of_step, int height) {
    reach = reach_of_step;
    done = std::max(0, band.begin - reach);
    end = std::min(height, band.end + reach);
  }
  /// Those up to which the map shall come.
  RowBand Next(int map_row) {
    const RowBand next = {done, std::max(done, std::min(end, map_row + reach))};
    done = next.end;
    return next;
  }

  int reach = 0, done = 0, end = 0;
};

/// Down columns: rows [band.begin, band.end) of `to` from those around them in `from`.
template <int radius>
void BlurDown(const BorderedBlur& blur, const RowRing& from, int width, int height, RowBand band, const RowRing& to) {
  constexpr int kChunk = 128;  // of which all rows stay in the first cache
  const float* rows[kBatch + 2 * radius + kReachOfLight + 1];
  const int first = std::max(0, band.begin - radius), last = std::min(height, band.end + radius);
  for (int y = first; y < last; ++y) rows[y - first] = from.Row(y);
  for (int x = 0; x < width; x += kChunk)
    for (int y = band.begin; y < band.end; ++y) {
      const int above = std::max(0, y - radius), below = std::min(height, y + radius + 1);
      const int stop = std::min(width, x + kChunk);
      if (below - above == 2 * radius + 1) BlurInside<radius>(blur, rows + (above - first), x, stop, to.Row(y));
      else
        BlurCutOff(blur.weights(), rows + (above - first), above - y + radius, below - above,
                   blur.weights().Share(y, height), x, stop, to.Row(y));
    }
}

/// One picture's frequencies.
class Image {
 public:
  explicit Image(int width)
      : low(Rings<3>(width, kReachOfLow)),
        middle(Rings<3>(width, kReachOfHigh)),
        high(Rings<2>(width, kReachOfHighest)),
        highest(Rings<2>(width, kReachOfHighest)),
        mask(width, kBatch + kReachOfMask + 3),
        light_(Rings<3>(width, kReachOfLight - kReachOfColors + 2)),
        around_(Rings<3>(width, kReachOfLight - kReachOfColors + 2)),
        colors_(Rings<3>(width, kReachOfColors - kReachOfLow)),
        low_across_(Rings<3>(width, kReachOfColors - kReachOfLow + 16)),
        without_low_(Rings<3>(width, kReachOfLow - kReachOfHigh)),
        high_across_(Rings<3>(width, kReachOfLow - kReachOfHigh + 7)),
        without_middle_(Rings<2>(width, kReachOfHigh - kReachOfHighest)),
        highest_across_(Rings<2>(width, kReachOfHigh - kReachOfHighest + 3)),
        mask_across_(width, kBatch + kReachOfHighest - kReachOfMask + 6),
        spare_{RowRing(width, 1), RowRing(width, 1), RowRing(width, 1)} {}

  void Begin(const FloatColors& colors, bool halved, float nits, RowBand band) {
    source_ = &colors;
    halved_ = halved;
    nits_ = nits;
    width_ = halved ? (colors.width + 1) / 2 : colors.width;
    height_ = halved ? (colors.height + 1) / 2 : colors.height;
    const Reach reaches[] = {kReachOfLight, kReachOfColors, kReachOfLow, kReachOfHigh, kReachOfHighest, kReachOfMask};
    for (int i = 0; i < kSteps; ++i) progress_[i].Begin(band, reaches[i], height_);
  }

  /// Makes what rows of the map up to `map_row` need.
  void Advance(int map_row) {
    MakeLight(progress_[0].Next(map_row));
    MakeColors(progress_[1].Next(map_row));
    MakeLow(progress_[2].Next(map_row));
    MakeHigh(progress_[3].Next(map_row));
    MakeHighest(progress_[4].Next(map_row));
    MakeMask(progress_[5].Next(map_row));
  }

  int width() const { return width_; }
  int height() const { return height_; }

  std::array<RowRing, 3> low, middle;
  std::array<RowRing, 2> high, highest;
  RowRing mask;

 private:
  static constexpr int kSteps = 6, kMaskDistance = 3;

  template <size_t count>
  static std::array<RowRing, count> Rings(int width, int beyond) {
    const auto ring = [&] { return RowRing(width, kBatch + beyond); };
    if constexpr (count == 3) return {ring(), ring(), ring()};
    else return {ring(), ring()};
  }

  void MakeLight(RowBand band) {
    for (int y = band.begin; y < band.end; ++y)
      for (int p = 0; p < 3; ++p) {
        float* row = light_[p].Row(y);
        if (halved_) HalveButteraugliRow(*source_, p, y, row);
        else std::copy_n(source_->Row(p, y), width_, row);
        row[-1] = row[0];
        row[-2] = row[1];
        row[width_] = row[width_ - 1];
        row[width_ + 1] = row[width_ - 2];
        const float* rows[] = {row - 2, row - 1, row, row + 1, row + 2};
        BlurAround(blurs_.around, rows, width_, around_[p].Row(y));
        row[-1] = row[-2] = 0.0f;
      }
  }

  void MakeColors(RowBand band) {
    for (int y = band.begin; y < band.end; ++y) {
      const float* light[3];
      float *blurred[3], *colors[3];
      for (int p = 0; p < 3; ++p) {
        const float* rows[5];
        for (int i = 0; i < 5; ++i) {
          const int near = y + i - 2;
          rows[i] = around_[p].Row(near < 0 ? -1 - near : near >= height_ ? 2 * height_ - 1 - near : near);
        }
        blurred[p] = spare_[p].Row(0);
        BlurAround(blurs_.around, rows, width_, blurred[p]);
        light[p] = light_[p].Row(y);
        colors[p] = colors_[p].Row(y);
      }
      ColorRow(light, blurred, nits_, width_, colors);
      for (int c = 0; c < 3; ++c) BlurAcross<16>(blurs_.low, colors[c], width_, low_across_[c].Row(y));
    }
  }

  void MakeLow(RowBand band) {
    for (int c = 0; c < 3; ++c) BlurDown<16>(blurs_.low, low_across_[c], width_, height_, band, low[c]);
    for (int y = band.begin; y < band.end; ++y) {
      float *lows[3], *rests[3];
      const float* colors[3];
      for (int c = 0; c < 3; ++c) {
        lows[c] = low[c].Row(y);
        rests[c] = without_low_[c].Row(y);
        colors[c] = colors_[c].Row(y);
      }
      LowRow(colors, width_, lows, rests);
      for (int c = 0; c < 3; ++c) BlurAcross<7>(blurs_.high, rests[c], width_, high_across_[c].Row(y));
    }
  }

  void MakeHigh(RowBand band) {
    for (int c = 0; c < 3; ++c) BlurDown<7>(blurs_.high, high_across_[c], width_, height_, band, middle[c]);
    for (int y = band.begin; y < band.end; ++y) {
      const float* rests[2] = {without_low_[0].Row(y), without_low_[1].Row(y)};
      float* middles[2] = {middle[0].Row(y), middle[1].Row(y)};
      float* highs[2] = {without_middle_[0].Row(y), without_middle_[1].Row(y)};
      MiddleRow(rests, width_, middles, highs);
      for (int c = 0; c < 2; ++c) BlurAcross<3>(blurs_.highest, highs[c], width_, highest_across_[c].Row(y));
    }
  }

  void MakeHighest(RowBand band) {
    for (int c = 0; c < 2; ++c) BlurDown<3>(blurs_.highest, highest_across_[c], width_, height_, band, high[c]);
    for (int y = band.begin; y < band.end; ++y) {
      const float* both[2] = {without_middle_[0].Row(y), without_middle_[1].Row(y)};
      float *highs[2] = {high[0].Row(y), high[1].Row(y)}, *highests[2] = {highest[0].Row(y), highest[1].Row(y)};
      float* masks = spare_[0].Row(0);
      HighRow(both, width_, highs, highests, masks);
      BlurAcross<6>(blurs_.mask, masks, width_, mask_across_.Row(y));
    }
  }

  void MakeMask(RowBand band) {
    BlurDown<6>(blurs_.mask, mask_across_, width_, height_, band, mask);
    for (int y = band.begin; y < band.end; ++y) {
      constexpr float kNone = std::numeric_limits<float>::infinity();
      std::fill_n(mask.Row(y) - kMaskDistance, kMaskDistance, kNone);
      std::fill_n(mask.Row(y) + width_, kMaskDistance, kNone);
    }
  }

  const Blurs blurs_;
  const FloatColors* source_ = nullptr;
  bool halved_ = false;
  float nits_ = 0;
  int width_ = 0, height_ = 0;
  Progress progress_[kSteps];
  std::array<RowRing, 3> light_, around_, colors_, low_across_, without_low_, high_across_;
  std::array<RowRing, 2> without_middle_, highest_across_;
  RowRing mask_across_;
  std::array<RowRing, 3> spare_;  // a row each
};

/// The map of a distorted picture.
class Comparison {
 public:
  explicit Comparison(int width)
      : distorted_(width),
        differences_{Differences(width), Differences(width), Differences(width),
                     Differences(width), Differences(width), Differences(width)},
        lines_{RowRing(width, kBatch), RowRing(width, kBatch)},
        map_(width, 1),
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
      MapRow(RowsAt(reference, map_done_), distorted_.width(), map_.Row(0));
      to.Take(map_done_, map_.Row(0));
    }
  }

 private:
  static RowRing Differences(int width) { return RowRing(width, kBatch + 2 * kReachOfDifferences); }

  /// Of the highest, high and middle frequencies of x, then of y.
  void MakeDifferences(Image& reference, int y) {
    const ButteraugliConstants& constants = GetButteraugliConstants();
    const int width = distorted_.width();
    for (int c = 0; c < 2; ++c) {
      const auto make = [&](int i, const RowRing& a, const RowRing& b, const ButteraugliBand& band) {
        float* row = differences_[3 * c + i].Row(y);
        if (y < 0 || y >= distorted_.height()) std::fill_n(row, width + 4 * kLanes, 0.0f);
        else DifferenceRow(a.Row(y), b.Row(y), band.malta, width, row);
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
    for (int begin = 0; begin < distorted_.width(); begin += PairRows::kWidth) {
      const int width = std::min(PairRows::kWidth, distorted_.width() - begin);
      const float* rows[kRows];
      const int count = band.end - band.begin + 2 * kReach;
      for (int r = 0; r < count; ++r) rows[r] = differences_[i].Row(band.begin - kReach + r) + begin;
      MakePairs<step>(rows, count, width, pairs_);
      for (int y = band.begin; y < band.end; ++y) {
        const int r = y - band.begin;
        LinePoints points = {.differences = rows + r, .pitch = PairRows::kPitch};
        for (int kind = 0; kind < 4; ++kind) points.pairs[kind] = pairs_.Row(kind, r);
        float* to = lines_[i / 3].Row(y) + begin;
        for (int x = 0; x < width; x += kLanes) {
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
  RowRing map_;
  PairRows pairs_;
};

class Sweep : public ButteraugliSweep {
 public:
  explicit Sweep(int width) : width_(width), reference_(width) {}

  void Run(const FloatColors& reference, std::span<const FloatColors> distorted, bool halved, float nits, RowBand band,
           std::span<ButteraugliRows* const> to) override {
    while (comparisons_.size() < distorted.size()) comparisons_.push_back(std::make_unique<Comparison>(width_));
    reference_.Begin(reference, halved, nits, band);
    for (size_t i = 0; i < distorted.size(); ++i) comparisons_[i]->Begin(distorted[i], halved, nits, band);
    const int first = std::max(0, band.begin - kReachOfLight) - kReachOfLight;
    for (int row = first; row < band.end;) {
      row = std::min(row + kBatch, band.end);
      reference_.Advance(row);
      for (size_t i = 0; i < distorted.size(); ++i) comparisons_[i]->Advance(reference_, row, *to[i]);
    }
  }

 private:
  const int width_;
  Image reference_;
  std::vector<std::unique_ptr<Comparison> > comparisons_;
};

std::unique_ptr<ButteraugliSweep> Make(int width) { return std::make_unique<Sweep>(width); }

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Make);

std::unique_ptr<ButteraugliSweep> MakeButteraugliSweep(int width) { return HWY_DYNAMIC_DISPATCH(Make)(width); }

}  // namespace acutance
#endif  // HWY_ONCE
