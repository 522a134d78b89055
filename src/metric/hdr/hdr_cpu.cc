// Light and sums with SIMD: each lane has a column.
#include <algorithm>

#include "metric/blocks/words.h"
#include "metric/hdr/hdr.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/hdr/hdr_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/hdr/hdr_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

void LightRow(const hdr::HdrCurve& curve, int width, const std::array<float*, 3>& row) {
  HdrLightRowRef(curve, width, row);
}
void PsnrStrips(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words, HdrBuffers&) {
  PuPsnrStripsRef(pair, weights, strips, words);
}
void ItpStrips(const HdrPair& pair, bool is_bt2020, RowBand strips, std::span<int64_t> words, const DeltaEMap& map,
               HdrBuffers&) {
  DeltaEStripsRef(pair, is_bt2020, strips, words, map);
}

#else

using namespace hdr_vector;

Many<3> HlgScene(const Many<3>& encoded) {
  Many<3> v;
  for (int c = 0; c < 3; ++c)
    v[c] = hn::Mul(hn::Sub(hn::Max(encoded[c], Number(0.5f)), Bits(0x3f0f564fu)), Bits(0x4101139au));
  v = Exp2(v);
  for (int c = 0; c < 3; ++c) {
    const VF high = hn::Mul(hn::Add(v[c], Bits(0x3e91c020u)), Bits(0x3daaaaabu));
    const VF low = hn::Mul(hn::Mul(encoded[c], encoded[c]), Bits(0x3eaaaaabu));
    v[c] = hn::IfThenElse(hn::Le(encoded[c], Number(0.5f)), low, high);
  }
  return v;
}

Many<3> HlgLight(const HdrCurve& curve, const Many<3>& encoded) {
  const Many<3> scene = HlgScene(encoded);
  const VF luminance = Weighted(scene[0], scene[1], scene[2], 0.2627f, 0.6780f, 0.0593f);
  const auto is_black = hn::Lt(luminance, Number(0x1p-60f));
  const Many<1> power = Power(Many<1>{{hn::IfThenElse(is_black, Number(1.0f), luminance)}}, Same{curve.gamma});
  const VF factor = hn::Mul(hn::IfThenZeroElse(is_black, power[0]), Number(curve.scale));
  return {{hn::Mul(factor, scene[0]), hn::Mul(factor, scene[1]), hn::Mul(factor, scene[2])}};
}

Many<3> SdrLight(const HdrCurve& curve, const Many<3>& light) {
  const VF scale = Number(curve.scale);
  return {{hn::Mul(light[0], scale), hn::Mul(light[1], scale), hn::Mul(light[2], scale)}};
}

template <class Curve>
void ApplyCurve(const Curve& curve, int width, const std::array<float*, 3>& row) {
  for (int x = 0; x < width; x += Lanes()) {
    Many<3> colors;
    for (int c = 0; c < 3; ++c) colors[c] = LoadUpTo(row[c] + x, width - x);
    colors = curve(colors);
    for (int c = 0; c < 3; ++c) StoreUpTo(colors[c], row[c] + x, width - x);
  }
}

void LightRow(const HdrCurve& curve, int width, const std::array<float*, 3>& row) {
  const auto pq = [](const Many<3>& colors) HWY_ATTR { return PqLight(colors); };
  const auto hlg = [&](const Many<3>& colors) HWY_ATTR { return HlgLight(curve, colors); };
  const auto sdr = [&](const Many<3>& colors) HWY_ATTR { return SdrLight(curve, colors); };
  if (curve.transfer == HDR_PQ) ApplyCurve(pq, width, row);
  else if (curve.transfer == HDR_HLG) ApplyCurve(hlg, width, row);
  else ApplyCurve(sdr, width, row);
}

/// `add_row(y)` for the rows of each strip, then `finish(strip)`.
template <class AddRow, class Finish>
void ForStrips(const HdrPair& pair, RowBand strips, const AddRow& add_row, const Finish& finish) {
  for (int s = strips.begin; s < strips.end; ++s) {
    const int end = std::min((s + 1) * kHdrStrip, pair.reference.height);
    for (int y = s * kHdrStrip; y < end; ++y) add_row(y);
    finish(s);
  }
}

void PsnrStrips(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words,
                HdrBuffers& buffers) {
  HdrColumns& columns = buffers.columns;
  const auto add_row = [&](int y) HWY_ATTR {
    for (int x = 0; x < pair.reference.width; x += Lanes()) {
      const Pixels r = Pixels::Read(pair.reference, x, y), t = Pixels::Read(pair.distorted, x, y);
      const Many<4> first = PuEncoded(Many<4>{{r.Luminance(weights), t.Luminance(weights), r.red, t.red}});
      const Many<4> second = PuEncoded(Many<4>{{r.green, t.green, r.blue, t.blue}});
      AddTo(columns.Row(0) + x, hn::Sub(first[0], first[1]), true);
      AddTo(columns.Row(1) + x, hn::Sub(first[2], first[3]), true);
      AddTo(columns.Row(2) + x, hn::Sub(second[0], second[1]), true);
      AddTo(columns.Row(3) + x, hn::Sub(second[2], second[3]), true);
    }
  };
  ForStrips(pair, strips, add_row, [&](int strip) {
    for (int i = 0; i < kPuPsnrWords; ++i) words[kPuPsnrWords * strip + i] = WordFromDouble(columns.Fold(i));
  });
}

HWY_INLINE Pixels WithBt2020(const Pixels& light) {
  const auto [red, green, blue] = light;
  return {Weighted(red, green, blue, 0.6274f, 0.3293f, 0.0433f), Weighted(red, green, blue, 0.0691f, 0.9195f, 0.0114f),
          Weighted(red, green, blue, 0.0164f, 0.0880f, 0.8956f)};
}

HWY_INLINE Many<3> Cones(const Pixels& light) {
  const auto [red, green, blue] = light;
  return PqEncoded(Many<3>{{Weighted(red, green, blue, 0.412109375f, 0.52392578125f, 0.06396484375f),
                            Weighted(red, green, blue, 0.166748046875f, 0.720458984375f, 0.11279296875f),
                            Weighted(red, green, blue, 0.024169921875f, 0.075439453125f, 0.900390625f)}});
}

HWY_INLINE VF Difference(const Many<3>& r, const Many<3>& t) {
  const VF l = hn::Sub(r[0], t[0]), m = hn::Sub(r[1], t[1]), s = hn::Sub(r[2], t[2]);
  const VF intensity = hn::Mul(hn::Add(l, m), Number(0.5f));
  const VF tritan = Weighted(l, m, s, 0.806884765625f, -1.6617431640625f, 0.8548583984375f);
  const VF protan = Weighted(l, m, s, 4.378173828125f, -4.24560546875f, -0.132568359375f);
  return hn::Sqrt(hn::Add(hn::Add(hn::Mul(intensity, intensity), hn::Mul(tritan, tritan)), hn::Mul(protan, protan)));
}

void ItpStrips(const HdrPair& pair, bool is_bt2020, RowBand strips, std::span<int64_t> words, const DeltaEMap& map,
               HdrBuffers& buffers) {
  const int width = pair.reference.width;
  VF most = hn::Zero(DF());
  const auto add_row = [&](int y) HWY_ATTR {
    float* const drawn = map.Row(y);
    for (int x = 0; x < width; x += Lanes()) {
      Pixels r = Pixels::Read(pair.reference, x, y), t = Pixels::Read(pair.distorted, x, y);
      if (!is_bt2020) r = WithBt2020(r), t = WithBt2020(t);
      const VF difference = Difference(Cones(r), Cones(t));
      most = hn::Max(most, difference);
      AddTo(buffers.columns.Row(0) + x, difference, false);
      if (drawn) StoreUpTo(hn::Mul(Number(720.0f), difference), drawn + x, width - x);
    }
  };
  ForStrips(pair, strips, add_row, [&](int strip) HWY_ATTR {
    words[kDeltaEWords * strip] = WordFromDouble(buffers.columns.Fold(0));
    words[kDeltaEWords * strip + 1] = WordFromDouble(static_cast<double>(hn::GetLane(hn::MaxOfLanes(DF(), most))));
    most = hn::Zero(DF());
  });
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(LightRow);
HWY_EXPORT(PsnrStrips);
HWY_EXPORT(ItpStrips);

void HdrLightRow(const hdr::HdrCurve& curve, int width, const std::array<float*, 3>& row) {
  HWY_DYNAMIC_DISPATCH(LightRow)(curve, width, row);
}

void PuPsnrStrips(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words,
                  HdrBuffers& buffers) {
  HWY_DYNAMIC_DISPATCH(PsnrStrips)(pair, weights, strips, words, buffers);
}

void DeltaEStrips(const HdrPair& pair, bool is_bt2020, RowBand strips, std::span<int64_t> words, const DeltaEMap& map,
                  HdrBuffers& buffers) {
  HWY_DYNAMIC_DISPATCH(ItpStrips)(pair, is_bt2020, strips, words, map, buffers);
}

}  // namespace acutance
#endif  // HWY_ONCE
