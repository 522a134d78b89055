// Chroma is filtered in whole numbers, down and then across; then each lane has a pixel.
#include <algorithm>
#include <array>

#include "metric/blocks/linear_rgb.h"
#include "simd/aligned_memory.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/blocks/linear_rgb_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane has no odd one; the plain loops are as good

void Row(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
         std::array<float*, 3> row) {
  LinearRgbRowRef(conversion, source, y, columns, row);
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using VU = hn::Vec<DU>;

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }

/// bits / 5, rounded down: 0xcccccccd / 2^34 is 1/5 and less than 2^-33 of it more.
HWY_INLINE VU FifthOf(VU bits) {
  const DU d;
  const VU factor = hn::Set(d, 0xcccccccdu);
  const auto even = hn::MulEven(bits, factor);
  const auto odd =
      hn::MulEven(hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(hn::RepartitionToWide<DU>(), bits))), factor);
  const auto both = hn::Or(hn::ShiftRight<34>(even), hn::ShiftLeft<32>(hn::ShiftRight<34>(odd)));
  return hn::BitCast(d, both);
}

/// In place. Each step is taken for all vectors before the next, since a step waits for the one before.
template <int count>
HWY_INLINE void Power24(VF (&x)[count]) {
  VF fifths[count], roots[count];
  for (int i = 0; i < count; ++i) {
    fifths[i] = hn::Mul(x[i], Number(0.2f));
    roots[i] = hn::BitCast(DF(), hn::Add(FifthOf(hn::BitCast(DU(), x[i])), hn::Set(DU(), 0x32c9a4f0u)));
  }
  HWY_UNROLL(3)
  for (int step = 0; step < 3; ++step)
    for (int i = 0; i < count; ++i) {
      const VF r2 = hn::Mul(roots[i], roots[i]);
      roots[i] = hn::Add(hn::Mul(roots[i], Number(0.8f)), hn::Div(fifths[i], hn::Mul(r2, r2)));
    }
  for (int i = 0; i < count; ++i) {
    const VF power = hn::Mul(hn::Mul(x[i], x[i]), hn::Mul(roots[i], roots[i]));
    x[i] = hn::IfThenElseZero(hn::Ge(x[i], hn::BitCast(DF(), hn::Set(DU(), 0x2b800000u))), power);
  }
}

/// a * b + c in one rounding: fused where the instruction set has that, otherwise lane by lane.
HWY_INLINE VF Fused(VF a, VF b, VF c) {
#if HWY_NATIVE_FMA
  return hn::MulAdd(a, b, c);
#else
  HWY_ALIGN float lanes[3][hn::MaxLanes(DF())];
  const DF d;
  hn::Store(a, d, lanes[0]);
  hn::Store(b, d, lanes[1]);
  hn::Store(c, d, lanes[2]);
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[0][i] = acutance::fused(lanes[0][i], lanes[1][i], lanes[2][i]);
  return hn::Load(d, lanes[0]);
#endif
}

HWY_INLINE VF LinearSrgb(VF x) {
  VF p = Number(8.210152774e-01f), q = Number(6.521209011e-03f);
  for (const float term : {7.961564959e-01f, 1.624820318e-01f, 1.043637593e-02f, 2.200248328e-04f})
    p = Fused(p, x, Number(term));
  for (const float term : {-5.512498495e-02f, 4.987528350e-01f, 1.076976492e+00f, 2.631846970e-01f})
    q = Fused(q, x, Number(term));
  return hn::IfThenElse(hn::Gt(x, Number(0.04045f)), hn::Div(p, q), hn::Mul(x, Number(1.0f / 12.92f)));
}

template <int transfer, int count>
HWY_INLINE void Light(VF (&x)[count]) {
  if constexpr (transfer == LINEAR_RGB_BT1886) Power24(x);
  if constexpr (transfer == LINEAR_RGB_SRGB)
    for (VF& value : x) value = LinearSrgb(value);
}

template <int transfer, bool clips, int count>
HWY_INLINE void SignedLight(VF (&x)[count]) {
  const VF zero = hn::Zero(DF()), one = Number(1.0f);
  if constexpr (clips) {
    for (VF& value : x) {
      value = hn::IfThenElseZero(hn::Gt(value, zero), value);
      value = hn::IfThenElse(hn::Lt(value, one), value, one);
    }
    Light<transfer>(x);
  } else {
    VF sizes[count];
    for (int i = 0; i < count; ++i) sizes[i] = hn::Abs(x[i]);
    Light<transfer>(sizes);
    for (int i = 0; i < count; ++i) x[i] = hn::IfThenElse(hn::Lt(x[i], zero), hn::Neg(sizes[i]), sizes[i]);
  }
}

HWY_INLINE VF Level(const int32_t* samples, int offset, float scale) {
  const DI d;
  return hn::Mul(hn::ConvertTo(DF(), hn::Sub(hn::LoadU(d, samples), hn::Set(d, offset))), Number(scale));
}

constexpr int kPadding = 4 * static_cast<int>(hn::MaxLanes(DI()));
constexpr int kChromaReach = 2;  // chroma samples that taps reach beyond

/// Columns of one picture's row: integers of luma and both chroma planes, as wide as luma.
struct SampleRows {
  explicit SampleRows(int width) {
    for (auto& row : rows) row = AlignedArray<int32_t>(static_cast<size_t>(width) + kPadding);
    filtered = AlignedArray<int32_t>(static_cast<size_t>(width) + kPadding);
  }
  std::array<AlignedArray<int32_t>, 3> rows;  // from the first column that is asked for on
  AlignedArray<int32_t> filtered;             // chroma, filtered down, from its plane's first column on
};

template <class Sample>
void FilterDown(const ChromaTaps& taps, const Plane& plane, RowBand columns, int32_t* to) {
  const DI d;
  const hn::Rebind<Sample, DI> samples;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Sample* rows[4];
  for (int i = 0; i < 4; ++i) rows[i] = plane.Row<Sample>(std::clamp(taps.first + i, 0, plane.height - 1));
  int x = columns.begin;
  for (; x + lanes <= columns.end; x += lanes) {
    VI sum = hn::Zero(d);
    for (int i = 0; i < 4; ++i) {
      const VI row = hn::PromoteTo(d, hn::LoadU(samples, rows[i] + x));
      sum = hn::Add(sum, hn::Mul(row, hn::Set(d, taps.weights[i])));
    }
    hn::StoreU(sum, d, to + x);
  }
  for (; x < columns.end; ++x) {
    to[x] = 0;
    for (int i = 0; i < 4; ++i) to[x] += taps.weights[i] * rows[i][x];
  }
}

HWY_INLINE VI Weighed(const ChromaTaps& taps, const int32_t* from) {
  const DI d;
  VI sum = hn::Zero(d);
  for (int i = 0; i < 4; ++i)
    if (taps.weights[i] != 0)
      sum = hn::Add(sum, hn::Mul(hn::LoadU(d, from + taps.first + i), hn::Set(d, taps.weights[i])));
  return sum;
}

/// `to` has the first of the columns, which is even.
void FilterAcross(const ChromaAxis& axis, const int32_t* from, int chroma_width, RowBand columns, int32_t* to) {
  const auto at_edge = [&](int x) {
    const ChromaTaps taps = axis.TapsAt(x);
    int32_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += taps.weights[i] * from[std::clamp(taps.first + i, 0, chroma_width - 1)];
    to[x - columns.begin] = sum;
  };
  const int left = std::min(2 * kChromaReach, columns.end), right = 2 * (chroma_width - kChromaReach);
  int x = columns.begin;
  for (; x < left; ++x) at_edge(x);
  const ChromaTaps even = axis.TapsAt(0), odd = axis.TapsAt(1);
  const int end = std::max(x, std::min(columns.end, right));
  for (; x < end; x += 2 * static_cast<int>(hn::Lanes(DI())))
    hn::StoreInterleaved2(Weighed(even, from + x / 2), Weighed(odd, from + x / 2), DI(), to + (x - columns.begin));
  for (x = end; x < columns.end; ++x) at_edge(x);
}

template <class Sample>
void ReadChroma(const LinearRgbConversion& conversion, const Plane& plane, int y, RowBand columns,
                AlignedArray<int32_t>& filtered, int32_t* to) {
  const bool across = conversion.across.doubled;
  const RowBand read = {across ? std::max(0, columns.begin / 2 - kChromaReach) : columns.begin,
                        across ? std::min(plane.width, (columns.end + 1) / 2 + kChromaReach) : columns.end};
  if (conversion.down.doubled) FilterDown<Sample>(conversion.down.TapsAt(y), plane, read, filtered.data());
  else std::copy_n(plane.Row<Sample>(y) + read.begin, read.end - read.begin, filtered.data() + read.begin);
  if (across) FilterAcross(conversion.across, filtered.data(), plane.width, columns, to);
  else std::copy_n(filtered.data() + columns.begin, columns.end - columns.begin, to);
}

template <class Sample>
void ReadRows(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
              SampleRows& samples) {
  const int count = columns.end - columns.begin;
  std::copy_n(source.planes[0].Row<Sample>(y) + columns.begin, count, samples.rows[0].data());
  for (int p = 1; p < 3; ++p)
    if (conversion.source.PlaneCount() == 1)
      std::fill_n(samples.rows[p].data(), count, conversion.factors.chroma_offset);
    else ReadChroma<Sample>(conversion, source.planes[p].Whole(), y, columns, samples.filtered, samples.rows[p].data());
}

/// Makes `vectors` vectors of encoded red, green and blue from column x on, of luma and chroma.
struct OfYuv {
  const light::LinearRgbFactors factors;
  const SampleRows& samples;

  template <int vectors>
  HWY_INLINE void Load(int x, VF (&colors)[3 * vectors]) const {
    for (int i = 0; i < vectors; ++i, x += static_cast<int>(hn::Lanes(DF()))) {
      const VF luma = Level(samples.rows[0].data() + x, factors.luma_offset, factors.luma_scale);
      const VF cb = Level(samples.rows[1].data() + x, factors.chroma_offset, factors.chroma_scale);
      const VF cr = Level(samples.rows[2].data() + x, factors.chroma_offset, factors.chroma_scale);
      colors[3 * i] = hn::Add(luma, hn::Mul(Number(factors.cr_red), cr));
      colors[3 * i + 1] =
          hn::Sub(hn::Sub(luma, hn::Mul(Number(factors.cb_green), cb)), hn::Mul(Number(factors.cr_green), cr));
      colors[3 * i + 2] = hn::Add(luma, hn::Mul(Number(factors.cb_blue), cb));
    }
  }
};

/// The same of rows of red, green and blue, which are as long as whole vectors.
struct OfRgb {
  const std::array<AlignedArray<float>, 3>& rows;

  template <int vectors>
  HWY_INLINE void Load(int x, VF (&colors)[3 * vectors]) const {
    for (int i = 0; i < vectors; ++i, x += static_cast<int>(hn::Lanes(DF())))
      for (int c = 0; c < 3; ++c) colors[3 * i + c] = hn::LoadU(DF(), rows[c].data() + x);
  }
};

template <int transfer, bool clips, class Of>
void MakeColors(const Of& of, int width, std::array<float*, 3> row) {
  const int lanes = static_cast<int>(hn::Lanes(DF()));
  int x = 0;
  for (; x + 2 * lanes <= width; x += 2 * lanes) {
    VF colors[6];
    of.template Load<2>(x, colors);
    SignedLight<transfer, clips>(colors);
    for (int c = 0; c < 3; ++c) {
      hn::StoreU(colors[c], DF(), row[c] + x);
      hn::StoreU(colors[c + 3], DF(), row[c] + x + lanes);
    }
  }
  for (; x < width; x += lanes) {
    VF colors[3];
    of.template Load<1>(x, colors);
    SignedLight<transfer, clips>(colors);
    for (int c = 0; c < 3; ++c) {
      HWY_ALIGN float last[hn::MaxLanes(DF())];
      hn::Store(colors[c], DF(), last);
      std::copy_n(last, std::min(lanes, width - x), row[c] + x);
    }
  }
}

template <int transfer, class Of>
void MakeColorsBy(const LinearRgbConversion& conversion, const Of& of, int count, std::array<float*, 3> row) {
  if (conversion.factors.clips) MakeColors<transfer, true>(of, count, row);
  else MakeColors<transfer, false>(of, count, row);
}

template <class Of>
void MakeRow(const LinearRgbConversion& conversion, const Of& of, int count, std::array<float*, 3> row) {
  if (conversion.factors.transfer == LINEAR_RGB_BT1886) MakeColorsBy<LINEAR_RGB_BT1886>(conversion, of, count, row);
  else if (conversion.factors.transfer == LINEAR_RGB_SRGB) MakeColorsBy<LINEAR_RGB_SRGB>(conversion, of, count, row);
  else MakeColorsBy<LINEAR_RGB_NONE>(conversion, of, count, row);
}

template <class Sample>
void ReadRgb(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
             std::array<AlignedArray<float>, 3>& rows) {
  const light::LinearRgbFactors& factors = conversion.factors;
  for (int p = 0; p < 3; ++p) {
    const Sample* from = source.planes[p].Row<Sample>(y) + columns.begin;
    for (int x = 0; x < columns.end - columns.begin; ++x)
      rows[p].data()[x] = static_cast<float>(from[x] - factors.luma_offset) * factors.luma_scale;
  }
}

void RgbRow(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
            std::array<float*, 3> row) {
  static thread_local std::array<AlignedArray<float>, 3> rows;
  const int count = columns.end - columns.begin;
  const auto floats = static_cast<size_t>(count) + kPadding;
  for (auto& plane : rows)
    if (plane.size() < floats) plane = AlignedArray<float>(floats);
  if (conversion.source.bit_depth == kFloatDepth)
    for (int p = 0; p < 3; ++p) std::copy_n(source.planes[p].Row<float>(y) + columns.begin, count, rows[p].data());
  else if (conversion.source.bit_depth > 8) ReadRgb<uint16_t>(conversion, source, y, columns, rows);
  else ReadRgb<uint8_t>(conversion, source, y, columns, rows);
  MakeRow(conversion, OfRgb{rows}, count, row);
}

void Row(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
         std::array<float*, 3> row) {
  if (conversion.factors.is_rgb != 0 || conversion.source.bit_depth == kFloatDepth) {
    RgbRow(conversion, source, y, columns, row);
    return;
  }
  static thread_local SampleRows samples(0);
  const int width = conversion.source.width;
  if (static_cast<int>(samples.filtered.size()) < width + kPadding) samples = SampleRows(width);
  if (conversion.source.bit_depth > 8) ReadRows<uint16_t>(conversion, source, y, columns, samples);
  else ReadRows<uint8_t>(conversion, source, y, columns, samples);
  MakeRow(conversion, OfYuv{conversion.factors, samples}, columns.end - columns.begin, row);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Row);

void LinearRgbRow(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
                  std::array<float*, 3> row) {
  HWY_DYNAMIC_DISPATCH(Row)(conversion, source, y, columns, row);
}

}  // namespace acutance
#endif  // HWY_ONCE
