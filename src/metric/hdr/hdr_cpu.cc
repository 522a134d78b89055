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

void LightRow(const hdr::HdrCurve& curve, int width, const std::array<float*, 3>& encoded,
              const std::array<float*, 3>& light) {
  for (int c = 0; c < 3; ++c)
    if (encoded[c] != light[c]) std::copy_n(encoded[c], width, light[c]);
  HdrLightRowRef(curve, width, light);
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

template <int n>
HWY_INLINE Many<n> HlgScene(const Many<n>& encoded) {
  Many<n> v;
  for (int c = 0; c < n; ++c)
    v[c] = hn::Mul(hn::Sub(hn::Max(encoded[c], Number(0.5f)), Bits(0x3f0f564fu)), Bits(0x4101139au));
  v = Exp2(v);
  for (int c = 0; c < n; ++c) {
    const VF high = hn::Mul(hn::Add(v[c], Bits(0x3e91c020u)), Bits(0x3daaaaabu));
    const VF low = hn::Mul(hn::Mul(encoded[c], encoded[c]), Bits(0x3eaaaaabu));
    v[c] = hn::IfThenElse(hn::Le(encoded[c], Number(0.5f)), low, high);
  }
  return v;
}

/// What multiplies the scene's light.
template <int n>
HWY_INLINE Many<n> HlgFactors(const HdrCurve& curve, const Many<n>& luminance) {
  Many<n> v;
  for (int c = 0; c < n; ++c) v[c] = hn::IfThenElse(hn::Lt(luminance[c], Number(0x1p-60f)), Number(1.0f), luminance[c]);
  v = Power(v, Same{curve.gamma});
  for (int c = 0; c < n; ++c)
    v[c] = hn::Mul(hn::IfThenZeroElse(hn::Lt(luminance[c], Number(0x1p-60f)), v[c]), Number(curve.scale));
  return v;
}

// Curves of vectors, which stay in registers.
struct OfPq {
  template <int n>
  HWY_INLINE Many<n> operator()(const Many<n>& encoded) const {
    return PqLight(encoded);
  }
};

struct OfHlg {
  template <int n>
  HWY_INLINE Many<n> operator()(const Many<n>& encoded) const {
    return HlgScene(encoded);
  }
};

struct OfScale {
  float scale;

  template <int n>
  HWY_INLINE Many<n> operator()(Many<n> values) const {
    for (VF& value : values.at) value = hn::Mul(value, Number(scale));
    return values;
  }
};

/// Applies `curve` to each number of a row.
template <class Curve>
void ApplyCurve(const Curve& curve, int width, const float* from, float* to) {
  ForVectors<kTogether>(width, [&](auto count, int x) HWY_ATTR {
    constexpr int kCount = count;
    Many<kCount> values;
    for (int i = 0; i < kCount; ++i) values[i] = ReadVector<kCount>(from, x + i * Lanes(), width);
    values = curve(values);
    for (int i = 0; i < kCount; ++i) WriteVector<kCount>(values[i], to, x + i * Lanes(), width);
  });
}

void ShowHlg(const HdrCurve& curve, int width, const std::array<float*, 3>& row) {
  ForVectors<kTogether>(width, [&](auto count, int x) HWY_ATTR {
    constexpr int kCount = count;
    Many<kCount> factors;
    for (int i = 0; i < kCount; ++i) {
      const int at = x + i * Lanes();
      factors[i] = Weighted(ReadVector<kCount>(row[0], at, width), ReadVector<kCount>(row[1], at, width),
                            ReadVector<kCount>(row[2], at, width), 0.2627f, 0.6780f, 0.0593f);
    }
    factors = HlgFactors(curve, factors);
    for (float* to : row)
      for (int i = 0; i < kCount; ++i) {
        const int at = x + i * Lanes();
        WriteVector<kCount>(hn::Mul(factors[i], ReadVector<kCount>(to, at, width)), to, at, width);
      }
  });
}

void LightRow(const HdrCurve& curve, int width, const std::array<float*, 3>& encoded,
              const std::array<float*, 3>& light) {
  for (int c = 0; c < 3; ++c) {
    if (curve.transfer == HDR_PQ) ApplyCurve(OfPq(), width, encoded[c], light[c]);
    else if (curve.transfer == HDR_HLG) ApplyCurve(OfHlg(), width, encoded[c], light[c]);
    else ApplyCurve(OfScale{curve.scale}, width, encoded[c], light[c]);
  }
  if (curve.transfer == HDR_HLG) ShowHlg(curve, width, light);
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
      if (AreEqual(r, t)) continue;
      const Many<2 * kPuPsnrWords> pu = PuEncoded(Many<2 * kPuPsnrWords>{
          {r.Luminance(weights), r.red, r.green, r.blue, t.Luminance(weights), t.red, t.green, t.blue}});
      for (int i = 0; i < kPuPsnrWords; ++i) AddTo(columns.Row(i) + x, hn::Sub(pu[i], pu[kPuPsnrWords + i]), true);
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

/// Differences of one kind of cone between `n` vectors of both videos.
template <int n>
HWY_INLINE Many<n> ConeDifferences(const Pixels (&r)[n], const Pixels (&t)[n], float of_red, float of_green,
                                   float of_blue) {
  Many<2 * n> cones;
  for (int i = 0; i < n; ++i) {
    cones[i] = Weighted(r[i].red, r[i].green, r[i].blue, of_red, of_green, of_blue);
    cones[n + i] = Weighted(t[i].red, t[i].green, t[i].blue, of_red, of_green, of_blue);
  }
  cones = PqEncoded(cones);
  Many<n> differences;
  for (int i = 0; i < n; ++i) differences[i] = hn::Sub(cones[i], cones[n + i]);
  return differences;
}

HWY_INLINE VF Difference(VF l, VF m, VF s) {
  const VF intensity = hn::Mul(hn::Add(l, m), Number(0.5f));
  const VF tritan = Weighted(l, m, s, 0.806884765625f, -1.6617431640625f, 0.8548583984375f);
  const VF protan = Weighted(l, m, s, 4.378173828125f, -4.24560546875f, -0.132568359375f);
  return hn::Sqrt(hn::Add(hn::Add(hn::Mul(intensity, intensity), hn::Mul(tritan, tritan)), hn::Mul(protan, protan)));
}

template <int n>
HWY_INLINE Many<n> Differences(const HdrPair& pair, bool is_bt2020, int x, int y) {
  Pixels r[n], t[n];
  bool are_equal = true;
  for (int i = 0; i < n; ++i) {
    r[i] = Pixels::Read(pair.reference, x + i * Lanes(), y);
    t[i] = Pixels::Read(pair.distorted, x + i * Lanes(), y);
    are_equal = are_equal && AreEqual(r[i], t[i]);
  }
  Many<n> differences;
  for (VF& difference : differences.at) difference = hn::Zero(DF());
  if (are_equal) return differences;
  for (int i = 0; i < n && !is_bt2020; ++i) r[i] = WithBt2020(r[i]), t[i] = WithBt2020(t[i]);
  const Many<n> l = ConeDifferences(r, t, 0.412109375f, 0.52392578125f, 0.06396484375f);
  const Many<n> m = ConeDifferences(r, t, 0.166748046875f, 0.720458984375f, 0.11279296875f);
  const Many<n> s = ConeDifferences(r, t, 0.024169921875f, 0.075439453125f, 0.900390625f);
  for (int i = 0; i < n; ++i) differences[i] = Difference(l[i], m[i], s[i]);
  return differences;
}

void ItpStrips(const HdrPair& pair, bool is_bt2020, RowBand strips, std::span<int64_t> words, const DeltaEMap& map,
               HdrBuffers& buffers) {
  const int width = pair.reference.width;
  VF most = hn::Zero(DF());
  const auto add_row = [&](int y) HWY_ATTR {
    float* const drawn = map.Row(y);
    ForVectors<kTogether / 2>(width, [&](auto count, int x) HWY_ATTR {
      constexpr int kCount = count;
      const Many<kCount> differences = Differences<kCount>(pair, is_bt2020, x, y);
      for (int i = 0; i < kCount; ++i) {
        const int at = x + i * Lanes();
        most = hn::Max(most, differences[i]);
        AddTo(buffers.columns.Row(0) + at, differences[i], false);
        if (drawn) WriteVector<kCount>(hn::Mul(Number(720.0f), differences[i]), drawn, at, width);
      }
    });
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

void HdrLightRow(const hdr::HdrCurve& curve, int width, const std::array<float*, 3>& encoded,
                 const std::array<float*, 3>& light) {
  HWY_DYNAMIC_DISPATCH(LightRow)(curve, width, encoded, light);
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
