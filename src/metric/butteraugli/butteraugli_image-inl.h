// Colors and frequencies of rows (butteraugli_math.kernel.h has those of a pixel). Included once per instruction set.
#if defined(ACUTANCE_BUTTERAUGLI_IMAGE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ACUTANCE_BUTTERAUGLI_IMAGE_INL_H_
#undef ACUTANCE_BUTTERAUGLI_IMAGE_INL_H_
#else
#define ACUTANCE_BUTTERAUGLI_IMAGE_INL_H_
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <limits>

#include "metric/butteraugli/butteraugli.h"
#include "metric/butteraugli/butteraugli_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_NATIVE_FMA && !HWY_HAVE_SCALABLE

/// HalveButteraugliRow with vectors where both columns and both rows of pixels exist.
inline void HalveRow(const FloatColors& from, int plane, int y, float* to) {
  const DF d;
  const VF quarter = Number(0.25f);
  int x = 0;
  if (2 * y + 1 < from.height) {
    const float *above = from.Row(plane, 2 * y), *below = from.Row(plane, 2 * y + 1);
    for (; x + kLanes <= from.width / 2; x += kLanes) {
      VF left[2], right[2];
      hn::LoadInterleaved2(d, above + ptrdiff_t{2} * x, left[0], right[0]);
      hn::LoadInterleaved2(d, below + ptrdiff_t{2} * x, left[1], right[1]);
      const VF sum = hn::Add(hn::Mul(left[0], quarter), hn::Mul(right[0], quarter));
      Store(hn::Add(hn::Add(sum, hn::Mul(left[1], quarter)), hn::Mul(right[1], quarter)), to + x);
    }
  }
  HalveButteraugliRow(from, plane, y, x, to);
}

HWY_INLINE VF Absorbed(VF red, VF green, VF blue, float of_red, float of_green, float of_blue, float least) {
  return hn::MulAdd(Number(of_red), red,
                    hn::MulAdd(Number(of_green), green, hn::MulAdd(Number(of_blue), blue, Number(least))));
}

HWY_INLINE VF NearLog2(VF z) {
  const VI bits = hn::BitCast(DI(), z);
  const VI exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(DI(), 0x3f2aaaab)));
  const VF f = hn::Sub(hn::BitCast(DF(), hn::Sub(bits, hn::ShiftLeft<23>(exponent))), Number(1.0f));
  const VF above = hn::MulAdd(hn::MulAdd(Number(7.4245873327820566e-1f), f, Number(1.4287160470083755f)), f,
                              Number(-1.8503833400518310e-6f));
  const VF below = hn::MulAdd(hn::MulAdd(Number(1.7409343003366853e-1f), f, Number(1.0096718572241148f)), f,
                              Number(9.9032814277590719e-1f));
  return hn::Add(hn::Div(above, below), hn::ConvertTo(DF(), exponent));
}

HWY_INLINE VF Cone(VF light, VF around, float least) {
  const VF m = hn::Max(hn::Max(around, Number(least)), Number(1e-4f));
  const VF scale = hn::BitCast(DF(), hn::Set(DI(), 0x41556f1d));
  const VF gain = hn::MulAdd(scale, NearLog2(hn::Add(m, Number(9.9710635769299145f))), Number(-23.16046239805755f));
  const VF sensitivity = hn::Max(hn::Div(gain, m), Number(1e-4f));
  return hn::Max(hn::Mul(light, sensitivity), Number(least));
}

inline void ColorRow(const float* const (&light)[3], const float* const (&around)[3], float nits, int x, int stop,
                     float* const (&to)[3]) {
  constexpr float kLeast = 1.7557483643287353f, kLeastBlue = 12.226454707163354f;
  const VF scale = Number(nits);
  for (; x < stop; x += kLanes) {
    VF in[3], near[3];
    for (int p = 0; p < 3; ++p) {
      in[p] = hn::Mul(Load(light[p] + x), scale);
      near[p] = hn::Mul(Load(around[p] + x), scale);
    }
    const auto cone = [&](float red, float green, float blue, float least) HWY_ATTR {
      return Cone(Absorbed(in[0], in[1], in[2], red, green, blue, least),
                  Absorbed(near[0], near[1], near[2], red, green, blue, least), least);
    };
    const VF l = cone(0.29956550340058319f, 0.63373087833825936f, 0.077705617820981968f, kLeast);
    const VF m = cone(0.22158691104574774f, 0.69391388044116142f, 0.0987313588422f, kLeast);
    Store(hn::Sub(l, m), to[0] + x);
    Store(hn::Add(l, m), to[1] + x);
    Store(cone(0.02f, 0.02f, 0.20480129041026129f, kLeastBlue), to[2] + x);
  }
}

/// Weighs low frequencies; `rest` gets what they leave of the colors.
inline void LowRow(std::array<const float*, 3> colors, int x, int stop, std::array<float*, 3> low,
                   std::array<float*, 3> rest) {
  for (; x < stop; x += kLanes) {
    VF v[3];
    for (int c = 0; c < 3; ++c) {
      v[c] = Load(low[c] + x);
      Store(hn::Sub(Load(colors[c] + x), v[c]), rest[c] + x);
    }
    Store(hn::Mul(v[0], Number(33.832837186260f)), low[0] + x);
    Store(hn::Mul(v[1], Number(14.458268100570f)), low[1] + x);
    Store(hn::Mul(hn::MulAdd(Number(-0.362267051518f), v[1], v[2]), Number(49.87984651440f)), low[2] + x);
  }
}

HWY_INLINE VF Shrunk(float width, VF v) {
  const VF w = Number(width);
  return hn::IfThenElse(hn::Gt(v, w), hn::Sub(v, w), hn::IfThenElseZero(hn::Lt(v, hn::Neg(w)), hn::Add(v, w)));
}
HWY_INLINE VF Expanded(float width, VF v) {
  const VF w = Number(width);
  return hn::IfThenElse(hn::Gt(v, w), hn::Add(v, w),
                        hn::IfThenElse(hn::Lt(v, hn::Neg(w)), hn::Sub(v, w), hn::Add(v, v)));
}
HWY_INLINE VF SoftClipped(float limit, VF v) {
  const VF l = Number(limit), slope = Number(0.724216145665f);
  return hn::IfThenElse(hn::Ge(v, l), hn::MulAdd(hn::Sub(v, l), slope, l),
                        hn::IfThenElse(hn::Lt(v, hn::Neg(l)), hn::MulAdd(hn::Add(v, l), slope, hn::Neg(l)), v));
}

/// Bends the middle frequencies of x and y; `high` gets what they leave of `rest`.
inline void MiddleRow(std::array<const float*, 2> rest, int x, int stop, std::array<float*, 2> middle,
                      std::array<float*, 2> high) {
  const VF limit = Number(46.0f);
  for (; x < stop; x += kLanes) {
    const VF of_x = Load(middle[0] + x), of_y = Load(middle[1] + x);
    const VF left = hn::Sub(Load(rest[0] + x), of_x), y = hn::Sub(Load(rest[1] + x), of_y);
    const VF factor =
        hn::MulAdd(hn::Div(limit, hn::MulAdd(y, y, limit)), Number(0.346979443743f), Number(0.653020556257f));
    Store(hn::Mul(factor, left), high[0] + x);
    Store(y, high[1] + x);
    Store(Shrunk(0.29f, of_x), middle[0] + x);
    Store(Expanded(0.1f, of_y), middle[1] + x);
  }
}

/// Bends high frequencies and makes the highest of `both`; `masks` gets the mask's source.
inline void HighRow(std::array<const float*, 2> both, int x, int stop, std::array<float*, 2> high,
                    std::array<float*, 2> highest, float* masks) {
  const float scale = 6.19424080439f, bias = scale * 12.61050594197f;
  const VF offset = hn::Sqrt(Number(bias));
  for (; x < stop; x += kLanes) {
    const VF blurred_x = Load(high[0] + x);
    const VF highest_x = Shrunk(0.04f, hn::Sub(Load(both[0] + x), blurred_x)), high_x = Shrunk(1.5f, blurred_x);
    const VF clipped = SoftClipped(28.4691806922f, Load(high[1] + x));
    const VF highest_y =
        hn::Mul(SoftClipped(5.19175294647f, hn::Sub(Load(both[1] + x), clipped)), Number(2.69313763794f));
    const VF high_y = Expanded(0.132f, hn::Mul(clipped, Number(2.155f)));
    Store(high_x, high[0] + x);
    Store(high_y, high[1] + x);
    Store(highest_x, highest[0] + x);
    Store(highest_y, highest[1] + x);
    const VF of_x = hn::Mul(hn::Add(highest_x, high_x), Number(2.5f));
    const VF of_y = hn::Add(hn::Mul(highest_y, Number(0.4f)), hn::Mul(high_y, Number(0.4f)));
    const VF source = hn::Sqrt(hn::Add(hn::Mul(of_x, of_x), hn::Mul(of_y, of_y)));
    Store(hn::Sub(hn::Sqrt(hn::Add(hn::Mul(Number(scale), source), Number(bias))), offset), masks + x);
  }
}

// --- A picture's steps from light to frequencies and masks, some rows at a time.

constexpr int kBatch = 8;  // rows at a time

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

/// Rows that a step has made of those that it will make.
struct Progress {
  void Begin(RowBand band, int reach_of_step, int height) {
    reach = reach_of_step;
    done = std::max(0, band.begin - reach);
    end = std::min(height, band.end + reach);
  }
  /// The next rows that are made, so that the map comes up to `map_row`.
  RowBand Next(int map_row) {
    const RowBand next = {done, std::max(done, std::min(end, map_row + reach))};
    done = next.end;
    return next;
  }

  int reach = 0, done = 0, end = 0;
};

/// Columns at a time, of which all rows that a blur reads lie in the second cache, and which are enough for processors
/// to foresee what is read next. A multiple of four vectors.
constexpr int kChunk = 640;

/// Calls `f(x, stop)` for columns [x, stop).
template <class F>
void ForChunks(int width, F f) {
  for (int x = 0; x < width; x += kChunk) f(x, std::min(width, x + kChunk));
}

/// Blurs a batch of rows down columns.
template <int radius>
class BlurDown {
 public:
  BlurDown(const BorderedBlur<radius>& blur, const RowRing& from, int height, RowBand band, const RowRing& to)
      : blur_(blur.weights()), to_(to), height_(height), first_(std::max(0, band.begin - radius)), band_(band) {
    const int last = std::min(height, band.end + radius);
    for (int y = first_; y < last; ++y) rows_[y - first_] = from.Row(y);
  }

  void Run(int x, int stop) const {
    for (int y = band_.begin; y < band_.end;) {
      const int inside = y < radius ? 0 : std::min(height_ - radius, band_.end) - y;
      if (inside <= 0) y += CutOff(y, x, stop);
      else if (kTogether == 4 && inside >= 4) y += FourInside(y, x, stop);
      else y += Inside(y, x, stop);
    }
  }

 private:
  int FourInside(int y, int x, int stop) const {
    float* const to[4] = {to_.Row(y), to_.Row(y + 1), to_.Row(y + 2), to_.Row(y + 3)};
    BlurRows<radius, 4>(blur_, rows_ + (y - radius - first_), x, stop, to);
    return 4;
  }

  int Inside(int y, int x, int stop) const {
    BlurRow<radius>(blur_, rows_ + (y - radius - first_), x, stop, to_.Row(y));
    return 1;
  }

  int CutOff(int y, int x, int stop) const {
    const int above = std::max(0, y - radius), below = std::min(height_, y + radius + 1);
    BlurCutOff(blur_, rows_ + (above - first_), above - y + radius, below - above, blur_.Share(y, height_), x, stop,
               to_.Row(y));
    return 1;
  }

  const ButteraugliBlur& blur_;
  const RowRing& to_;
  const int height_, first_;
  const RowBand band_;
  const float* rows_[kBatch + 2 * radius];
};

/// One picture's frequencies.
class Image {
 public:
  /// `kept`: rows that are still read after the next batch.
  explicit Image(int width, int kept = 0)
      : low(Rings<3>(width, kReachOfLow + kept)),
        middle(Rings<3>(width, kReachOfHigh + kept)),
        high(Rings<2>(width, kReachOfHighest + kept)),
        highest(Rings<2>(width, kReachOfHighest + kept)),
        mask(width, kBatch + kReachOfMask + 3 + kept, kMaskDistance),
        light_(Rings<3>(width, kReachOfLight - kReachOfColors + 2, 2)),
        around_(Rings<3>(width, kReachOfLight - kReachOfColors + 2)),
        colors_(Rings<3>(width, kReachOfColors - kReachOfLow, 16)),
        low_across_(Rings<3>(width, kReachOfColors - kReachOfLow + 16)),
        without_low_(Rings<3>(width, kReachOfLow - kReachOfHigh, 7)),
        high_across_(Rings<3>(width, kReachOfLow - kReachOfHigh + 7)),
        without_middle_(Rings<2>(width, kReachOfHigh - kReachOfHighest, 3)),
        highest_across_(Rings<2>(width, kReachOfHigh - kReachOfHighest + 3)),
        mask_source_(width, kBatch, 6),
        mask_across_(width, kBatch + kReachOfHighest - kReachOfMask + 6),
        spare_{RowRing(width, 1), RowRing(width, 1), RowRing(width, 1)} {}

  void Begin(const FloatColors& colors, bool halved, float nits, RowBand band) {
    source_ = &colors;
    halved_ = halved;
    nits_ = nits;
    layout_ = RowLayout(halved ? (colors.width + 1) / 2 : colors.width);
    height_ = halved ? (colors.height + 1) / 2 : colors.height;
    const Reach reaches[] = {kReachOfLight, kReachOfColors, kReachOfLow, kReachOfHigh, kReachOfHighest, kReachOfMask};
    for (int i = 0; i < kSteps; ++i) progress_[i].Begin(band, reaches[i], height_);
  }

  /// Makes what rows of the map up to `map_row` need, kBatch more than last time at most.
  void Advance(int map_row) {
    MakeLight(progress_[0].Next(map_row));
    MakeColors(progress_[1].Next(map_row));
    MakeLow(progress_[2].Next(map_row));
    MakeHigh(progress_[3].Next(map_row));
    MakeHighest(progress_[4].Next(map_row));
    MakeMask(progress_[5].Next(map_row));
  }

  const RowLayout& layout() const { return layout_; }
  int height() const { return height_; }

  std::array<RowRing, 3> low, middle;
  std::array<RowRing, 2> high, highest;
  RowRing mask;

 private:
  static constexpr int kSteps = 6, kMaskDistance = 3;

  template <size_t count>
  static std::array<RowRing, count> Rings(int width, int beyond, int beside = 0) {
    const auto ring = [&] { return RowRing(width, kBatch + beyond, beside); };
    if constexpr (count == 3) return {ring(), ring(), ring()};
    else return {ring(), ring()};
  }

  void MakeLight(RowBand band) {
    for (int y = band.begin; y < band.end; ++y)
      for (int p = 0; p < 3; ++p) {
        float* row = light_[p].Row(y);
        Deal(layout_, SourceRow(p, y), row);
        SurroundMirrored(layout_, row);
        const float* rows[] = {row - 2 * kLanes, row - kLanes, row, row + kLanes, row + 2 * kLanes};
        BlurAround(blurs_.around, rows, 0, layout_.floats(), around_[p].Row(y));
      }
  }

  /// A row of the source, with as many columns as fill all vectors.
  const float* SourceRow(int p, int y) {
    float* row = spare_[0].Row(0);
    if (halved_) HalveRow(*source_, p, y, row);
    else if (layout_.width == layout_.floats()) return source_->Row(p, y);
    else std::copy_n(source_->Row(p, y), layout_.width, row);
    return row;
  }

  void MakeColors(RowBand band) {
    for (int y = band.begin; y < band.end; ++y) {
      const float *light[3], *around[3][5];
      float *blurred[3], *colors[3];
      for (int p = 0; p < 3; ++p) {
        for (int i = 0; i < 5; ++i) {
          const int near = y + i - 2;
          around[p][i] = around_[p].Row(near < 0 ? -1 - near : near >= height_ ? 2 * height_ - 1 - near : near);
        }
        blurred[p] = spare_[p].Row(0);
        light[p] = light_[p].Row(y);
        colors[p] = colors_[p].Row(y);
      }
      ForChunks(layout_.floats(), [&](int x, int stop) {
        for (int p = 0; p < 3; ++p) BlurAround(blurs_.around, around[p], x, stop, blurred[p]);
        ColorRow(light, blurred, nits_, x, stop, colors);
      });
      for (int c = 0; c < 3; ++c) BlurAcross(blurs_.low, layout_, colors[c], low_across_[c].Row(y));
    }
  }

  void MakeLow(RowBand band) {
    const auto down = [&](int c) { return BlurDown<16>(blurs_.low, low_across_[c], height_, band, low[c]); };
    const BlurDown<16> downs[] = {down(0), down(1), down(2)};
    ForChunks(layout_.floats(), [&](int x, int stop) {
      for (const auto& blur : downs) blur.Run(x, stop);
      for (int y = band.begin; y < band.end; ++y)
        LowRow({colors_[0].Row(y), colors_[1].Row(y), colors_[2].Row(y)}, x, stop,
               {low[0].Row(y), low[1].Row(y), low[2].Row(y)},
               {without_low_[0].Row(y), without_low_[1].Row(y), without_low_[2].Row(y)});
    });
    for (int y = band.begin; y < band.end; ++y)
      for (int c = 0; c < 3; ++c) BlurAcross(blurs_.high, layout_, without_low_[c].Row(y), high_across_[c].Row(y));
  }

  void MakeHigh(RowBand band) {
    const auto down = [&](int c) { return BlurDown<7>(blurs_.high, high_across_[c], height_, band, middle[c]); };
    const BlurDown<7> downs[] = {down(0), down(1), down(2)};
    ForChunks(layout_.floats(), [&](int x, int stop) {
      for (const auto& blur : downs) blur.Run(x, stop);
      for (int y = band.begin; y < band.end; ++y)
        MiddleRow({without_low_[0].Row(y), without_low_[1].Row(y)}, x, stop, {middle[0].Row(y), middle[1].Row(y)},
                  {without_middle_[0].Row(y), without_middle_[1].Row(y)});
    });
    for (int y = band.begin; y < band.end; ++y)
      for (int c = 0; c < 2; ++c)
        BlurAcross(blurs_.highest, layout_, without_middle_[c].Row(y), highest_across_[c].Row(y));
  }

  void MakeHighest(RowBand band) {
    const auto down = [&](int c) { return BlurDown<3>(blurs_.highest, highest_across_[c], height_, band, high[c]); };
    const BlurDown<3> downs[] = {down(0), down(1)};
    ForChunks(layout_.floats(), [&](int x, int stop) {
      for (const auto& blur : downs) blur.Run(x, stop);
      for (int y = band.begin; y < band.end; ++y)
        HighRow({without_middle_[0].Row(y), without_middle_[1].Row(y)}, x, stop, {high[0].Row(y), high[1].Row(y)},
                {highest[0].Row(y), highest[1].Row(y)}, mask_source_.Row(y));
    });
    for (int y = band.begin; y < band.end; ++y)
      BlurAcross(blurs_.mask, layout_, mask_source_.Row(y), mask_across_.Row(y));
  }

  void MakeMask(RowBand band) {
    const BlurDown<6> blur(blurs_.mask, mask_across_, height_, band, mask);
    ForChunks(layout_.floats(), [&](int x, int stop) { blur.Run(x, stop); });
    for (int y = band.begin; y < band.end; ++y) {
      constexpr float kNone = std::numeric_limits<float>::infinity();
      FillRest(layout_, kNone, mask.Row(y));
      Surround(layout_, kNone, kMaskDistance, mask.Row(y));
    }
  }

  const Blurs blurs_;
  const FloatColors* source_ = nullptr;
  bool halved_ = false;
  float nits_ = 0;
  RowLayout layout_;
  int height_ = 0;
  Progress progress_[kSteps];
  std::array<RowRing, 3> light_, around_, colors_, low_across_, without_low_, high_across_;
  std::array<RowRing, 2> without_middle_, highest_across_;
  RowRing mask_source_, mask_across_;
  std::array<RowRing, 3> spare_;  // a row each
};

#endif

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // ACUTANCE_BUTTERAUGLI_IMAGE_INL_H_
