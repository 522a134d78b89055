// SSIM of PU21 planes with SIMD: each lane has a column. Of the rows blurred across only those exist that a blur down
// still reads.
#include <algorithm>

#include "metric/blocks/words.h"
#include "metric/hdr/hdr.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/hdr/pu_ssim_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/hdr/hdr_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

void SsimStrips(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words,
                PuSsimBuffers&) {
  PuSsimStripsRef(pair, weights, strips, words);
}

#else

using namespace hdr_vector;

constexpr int kRadius = PU_BLUR_RADIUS;

class Strips {
 public:
  Strips(const HdrPair& pair, const HdrWeights& weights, PuSsimBuffers& buffers)
      : pair_(pair),
        weights_(weights),
        width_(pair.reference.width),
        height_(pair.reference.height),
        buffers_(buffers) {}

  HWY_ATTR void Run(RowBand strips, std::span<int64_t> words) {
    int blurred = std::max(strips.begin * kHdrStrip - kRadius, 0);  // rows up to it are
    for (int s = strips.begin; s < strips.end; ++s) {
      const int end = std::min((s + 1) * kHdrStrip, height_);
      for (int y = s * kHdrStrip; y < end; ++y) {
        for (const int last = std::min(y + kRadius, height_ - 1); blurred <= last; ++blurred) BlurAcross(blurred);
        AddRow(y);
      }
      words[s] = WordFromDouble(buffers_.columns.Fold(0));
    }
  }

 private:
  float* Blurred(int field, int y) {
    return buffers_.ring.Row(field * PuSsimBuffers::kRing + y % PuSsimBuffers::kRing);
  }

  HWY_ATTR void ReadRow(int y) {
    float* to[kPuFields];
    for (int f = 0; f < kPuFields; ++f) to[f] = buffers_.fields.Row(f);
    ForVectors<kTogether / 2>(width_, [&](auto count, int x) HWY_ATTR {
      constexpr int kCount = count;
      Many<2 * kCount> pu;
      for (int i = 0; i < kCount; ++i) {
        pu[i] = Pixels::Read(pair_.reference, x + i * Lanes(), y).Luminance(weights_);
        pu[kCount + i] = Pixels::Read(pair_.distorted, x + i * Lanes(), y).Luminance(weights_);
      }
      pu = PuEncoded(pu);
      for (int i = 0; i < kCount; ++i) {
        const VF r = pu[i], t = pu[kCount + i], difference = hn::Sub(r, t);
        const int at = x + i * Lanes();
        Store(r, to[0] + at);
        Store(difference, to[1] + at);
        Store(hn::Mul(difference, difference), to[2] + at);
        Store(hn::Add(hn::Mul(r, r), hn::Mul(t, t)), to[3] + at);
      }
    });
    for (float* row : to) {
      std::fill_n(row - kRadius, kRadius, row[0]);
      std::fill_n(row + width_, kRadius, row[width_ - 1]);
    }
  }

  HWY_ATTR void BlurAcross(int y) {
    ReadRow(y);
    for (int f = 0; f < kPuFields; ++f) {
      const float* from = buffers_.fields.Row(f);
      float* to = Blurred(f, y);
      for (int x = 0; x < width_; x += Lanes()) {
        VF sum = hn::Mul(Load(from + x), Bits(kPuBlur[0]));
        HWY_UNROLL(kRadius)
        for (int k = 1; k <= kRadius; ++k)
          sum = hn::Add(sum, hn::Mul(hn::Add(Load(from + x - k), Load(from + x + k)), Bits(kPuBlur[k])));
        Store(sum, to + x);
      }
    }
  }

  HWY_ATTR void AddRow(int y) {
    const float* rows[kPuFields][2 * kRadius + 1];
    for (int f = 0; f < kPuFields; ++f)
      for (int k = -kRadius; k <= kRadius; ++k) rows[f][k + kRadius] = Blurred(f, std::clamp(y + k, 0, height_ - 1));
    const auto blurred = [&](int f, int x) HWY_ATTR {
      VF sum = hn::Mul(Load(rows[f][kRadius] + x), Bits(kPuBlur[0]));
      HWY_UNROLL(kRadius)
      for (int k = 1; k <= kRadius; ++k) {
        const VF both = hn::Add(Load(rows[f][kRadius - k] + x), Load(rows[f][kRadius + k] + x));
        sum = hn::Add(sum, hn::Mul(both, Bits(kPuBlur[k])));
      }
      return sum;
    };
    for (int x = 0; x < width_; x += Lanes()) {
      const VF value = Dissimilarity(blurred(0, x), blurred(1, x), blurred(2, x), blurred(3, x));
      AddTo(buffers_.columns.Row(0) + x, value, false);
    }
  }

  HWY_INLINE static VF Dissimilarity(VF reference, VF difference, VF square, VF power) {
    const VF zero = hn::Zero(DF()), distorted = hn::Sub(reference, difference);
    const VF mean = hn::Add(hn::Mul(reference, reference), hn::Mul(distorted, distorted));
    const VF squared = hn::Mul(difference, difference);
    const VF a = hn::Div(squared, hn::Add(mean, Number(6.5536f)));
    const VF c = hn::Div(hn::Max(hn::Sub(square, squared), zero),
                         hn::Add(hn::Max(hn::Sub(power, mean), zero), Number(58.9824f)));
    return hn::Sub(hn::Add(a, c), hn::Mul(a, c));
  }

  const HdrPair& pair_;
  const HdrWeights& weights_;
  const int width_, height_;
  PuSsimBuffers& buffers_;
};

void SsimStrips(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words,
                PuSsimBuffers& buffers) {
  Strips(pair, weights, buffers).Run(strips, words);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(SsimStrips);

void PuSsimStrips(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words,
                  PuSsimBuffers& buffers) {
  HWY_DYNAMIC_DISPATCH(SsimStrips)(pair, weights, strips, words, buffers);
}

}  // namespace acutance
#endif  // HWY_ONCE
