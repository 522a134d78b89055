// Chroma is filtered in whole numbers, down and then across; then each lane has a pixel.
#include <algorithm>
#include <vector>

#include "metric/blocks/linear_rgb.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/blocks/linear_rgb_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane has no odd one; the plain loops are as good

void Row(const LinearRgbConversion& conversion, const Picture& source, int y, std::array<float*, 3> row) {
  LinearRgbRowRef(conversion, source, y, row);
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

HWY_INLINE VF Power24(VF x) {
  const VF q = hn::Mul(x, Number(0.2f));
  VF r = hn::BitCast(DF(), hn::Add(FifthOf(hn::BitCast(DU(), x)), hn::Set(DU(), 0x32c9a4f0u)));
  for (int i = 0; i < 3; ++i) {
    const VF r2 = hn::Mul(r, r);
    r = hn::Add(hn::Mul(r, Number(0.8f)), hn::Div(q, hn::Mul(r2, r2)));
  }
  const VF power = hn::Mul(hn::Mul(x, x), hn::Mul(r, r));
  return hn::IfThenElseZero(hn::Ge(x, hn::BitCast(DF(), hn::Set(DU(), 0x2b800000u))), power);
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

template <int transfer, bool clips>
HWY_INLINE VF Light(VF value) {
  const VF zero = hn::Zero(DF());
  const auto light = [](VF size) HWY_ATTR {
    if constexpr (transfer == LINEAR_RGB_BT1886) return Power24(size);
    else if constexpr (transfer == LINEAR_RGB_SRGB) return LinearSrgb(size);
    else return size;
  };
  if constexpr (clips) {
    const VF positive = hn::IfThenElseZero(hn::Gt(value, zero), value);
    return light(hn::IfThenElse(hn::Lt(positive, Number(1.0f)), positive, Number(1.0f)));
  } else {
    const VF size = light(hn::Abs(value));
    return hn::IfThenElse(hn::Lt(value, zero), hn::Neg(size), size);
  }
}

HWY_INLINE VF Level(const int32_t* samples, int offset, float scale) {
  const DI d;
  return hn::Mul(hn::ConvertTo(DF(), hn::Sub(hn::LoadU(d, samples), hn::Set(d, offset))), Number(scale));
}

constexpr int kPadding = 32;

/// Rows of one picture's row: integers of luma and both chroma planes, as wide as luma.
struct SampleRows {
  explicit SampleRows(int width) {
    for (auto& row : rows) row.resize(width + kPadding);
    filtered.resize(width + kPadding);
  }
  std::array<std::vector<int32_t>, 3> rows;
  std::vector<int32_t> filtered;  // chroma, filtered down
};

template <class Sample>
void FilterDown(const ChromaTaps& taps, const Plane& plane, int32_t* to) {
  const Sample* rows[4];
  for (int i = 0; i < 4; ++i) rows[i] = plane.Row<Sample>(std::clamp(taps.first + i, 0, plane.height - 1));
  const auto [a, b, c, d] = taps.weights;
  for (int x = 0; x < plane.width; ++x) to[x] = a * rows[0][x] + b * rows[1][x] + c * rows[2][x] + d * rows[3][x];
}

void FilterAcross(const ChromaAxis& axis, const int32_t* from, int chroma_width, int width, int32_t* to) {
  if (!axis.doubled) {
    std::copy_n(from, width, to);
    return;
  }
  const auto at_edge = [&](int x) {
    const ChromaTaps taps = axis.TapsAt(x);
    int32_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += taps.weights[i] * from[std::clamp(taps.first + i, 0, chroma_width - 1)];
    to[x] = sum;
  };
  constexpr int kEdge = 2;  // chroma samples that taps reach beyond
  const int begin = std::min(2 * kEdge, width), end = std::max(begin, std::min(width / 2, chroma_width - kEdge) * 2);
  for (int x = 0; x < begin; ++x) at_edge(x);
  const auto even = axis.TapsAt(0), odd = axis.TapsAt(1);
  const auto [e0, e1, e2, e3] = even.weights;
  const auto [o0, o1, o2, o3] = odd.weights;
  for (int i = begin / 2; i < end / 2; ++i) {
    const int32_t *e = from + i + even.first, *o = from + i + odd.first;
    to[2 * i] = e0 * e[0] + e1 * e[1] + e2 * e[2] + e3 * e[3];
    to[2 * i + 1] = o0 * o[0] + o1 * o[1] + o2 * o[2] + o3 * o[3];
  }
  for (int x = end; x < width; ++x) at_edge(x);
}

template <class Sample>
void ReadRows(const LinearRgbConversion& conversion, const Picture& source, int y, SampleRows& samples) {
  const int width = conversion.source.width;
  std::copy_n(source.planes[0].Row<Sample>(y), width, samples.rows[0].data());
  for (int p = 1; p < 3; ++p) {
    if (conversion.source.PlaneCount() == 1) {
      std::fill_n(samples.rows[p].data(), width, conversion.factors.chroma_offset);
      continue;
    }
    const Plane plane = source.planes[p].Whole();
    if (!conversion.down.doubled) std::copy_n(plane.Row<Sample>(y), plane.width, samples.filtered.data());
    else FilterDown<Sample>(conversion.down.TapsAt(y), plane, samples.filtered.data());
    FilterAcross(conversion.across, samples.filtered.data(), plane.width, width, samples.rows[p].data());
  }
}

template <int transfer, bool clips>
void MakeColors(const LinearRgbConversion& conversion, const SampleRows& samples, std::array<float*, 3> row) {
  const light::LinearRgbFactors& factors = conversion.factors;
  const int width = conversion.source.width, lanes = static_cast<int>(hn::Lanes(DF()));
  const VF cr_red = Number(factors.cr_red), cb_blue = Number(factors.cb_blue);
  const VF cb_green = Number(factors.cb_green), cr_green = Number(factors.cr_green);
  for (int x = 0; x < width; x += lanes) {
    const VF luma = Level(samples.rows[0].data() + x, factors.luma_offset, factors.luma_scale);
    const VF cb = Level(samples.rows[1].data() + x, factors.chroma_offset, factors.chroma_scale);
    const VF cr = Level(samples.rows[2].data() + x, factors.chroma_offset, factors.chroma_scale);
    const VF red = Light<transfer, clips>(hn::Add(luma, hn::Mul(cr_red, cr)));
    const VF green = Light<transfer, clips>(hn::Sub(hn::Sub(luma, hn::Mul(cb_green, cb)), hn::Mul(cr_green, cr)));
    const VF blue = Light<transfer, clips>(hn::Add(luma, hn::Mul(cb_blue, cb)));
    const auto store = [&](int c, VF light) HWY_ATTR {
      if (x + lanes <= width) return hn::StoreU(light, DF(), row[c] + x);
      HWY_ALIGN float last[hn::MaxLanes(DF())];
      hn::Store(light, DF(), last);
      std::copy_n(last, width - x, row[c] + x);
    };
    store(0, red);
    store(1, green);
    store(2, blue);
  }
}

template <int transfer>
void MakeColorsBy(const LinearRgbConversion& conversion, const SampleRows& samples, std::array<float*, 3> row) {
  if (conversion.factors.clips) MakeColors<transfer, true>(conversion, samples, row);
  else MakeColors<transfer, false>(conversion, samples, row);
}

void Row(const LinearRgbConversion& conversion, const Picture& source, int y, std::array<float*, 3> row) {
  static thread_local SampleRows samples(0);
  const int width = conversion.source.width;
  if (static_cast<int>(samples.filtered.size()) < width + kPadding) samples = SampleRows(width);
  if (conversion.source.bit_depth > 8) ReadRows<uint16_t>(conversion, source, y, samples);
  else ReadRows<uint8_t>(conversion, source, y, samples);
  if (conversion.factors.transfer == LINEAR_RGB_BT1886) MakeColorsBy<LINEAR_RGB_BT1886>(conversion, samples, row);
  else if (conversion.factors.transfer == LINEAR_RGB_SRGB) MakeColorsBy<LINEAR_RGB_SRGB>(conversion, samples, row);
  else MakeColorsBy<LINEAR_RGB_NONE>(conversion, samples, row);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Row);

void LinearRgbRow(const LinearRgbConversion& conversion, const Picture& source, int y, std::array<float*, 3> row) {
  HWY_DYNAMIC_DISPATCH(Row)(conversion, source, y, row);
}

}  // namespace acutance
#endif  // HWY_ONCE
