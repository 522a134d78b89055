// Rows are blurred eight at a time, a row in each lane; columns a column in each lane, as soon as the rows below are
// there. Maps and sums of a pixel follow at once, so that no blurred plane is ever kept whole.
#include <algorithm>
#include <vector>

#include "metric/blocks/fold_by_32.h"
#include "metric/blocks/words.h"
#include "metric/ssimulacra2/ssimulacra2.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ssimulacra2/ssimulacra2_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if !HWY_NATIVE_FMA || HWY_TARGET > HWY_AVX2  // the blur is made of fused operations on eight lanes

void Scale(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales,
           std::span<const std::span<int64_t>> words) {
  for (size_t d = 0; d < distorted.size(); ++d) Ssimulacra2ScaleRef(reference, distorted[d], scale, scales, words[d]);
}

#else

using namespace ssimulacra2;
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kLanes = 8, kRadius = 5, kStrip = 64;
constexpr int kRing = 3 * kLanes;  // blurred rows that columns still need

using DF = hn::CappedTag<float, kLanes>;
using DI = hn::RebindToSigned<DF>;
using DD = hn::CappedTag<double, kLanes / 2>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using VD = hn::Vec<DD>;

HWY_INLINE VF Number(float value) { return hn::Set(DF(), value); }
HWY_INLINE VF Bits(uint32_t bits) { return hn::BitCast(DF(), hn::Set(DI(), static_cast<int32_t>(bits))); }

HWY_INLINE VF ConeResponse(VF red, VF green, VF blue, uint32_t of_red, uint32_t of_green, uint32_t of_blue) {
  const VF light = hn::MulAdd(Bits(of_red), red,
                              hn::MulAdd(Bits(of_green), green, hn::MulAdd(Bits(of_blue), blue, Bits(0x3b789536u))));
  const VF v = hn::IfThenElseZero(hn::Gt(light, hn::Zero(DF())), light);
  const VI bits = hn::BitCast(DI(), v);
  const VI start = hn::Sub(hn::Set(DI(), 0x54800000), hn::Mul(hn::ShiftRight<23>(bits), hn::Set(DI(), 0x002aaaaa)));
  VF r = hn::IfThenZeroElse(hn::Eq(v, hn::Zero(DF())), hn::BitCast(DF(), start));
  const VF third = Bits(0x3eaaaaabu), x3 = hn::Mul(v, third);
  for (int i = 0; i < 3; ++i) {
    const VF r2 = hn::Mul(r, r);
    r = hn::NegMulAdd(x3, hn::Mul(r2, r2), hn::Mul(r, Bits(0x3faaaaabu)));
  }
  const VF r2 = hn::Mul(r, r);
  r = hn::MulAdd(hn::NegMulAdd(v, hn::Mul(r2, r2), r), third, r);
  return hn::MulAdd(hn::Mul(r, r), v, Bits(0xbe1fb275u));
}

HWY_INLINE void PerceivedColors(VF red, VF green, VF blue, VF (&out)[3]) {
  const VF l = ConeResponse(red, green, blue, 0x3e99999au, 0x3f1f3b64u, 0x3d9fbe77u);
  const VF m = ConeResponse(red, green, blue, 0x3e6b851fu, 0x3f3126e9u, 0x3d9fbe77u);
  const VF s = ConeResponse(red, green, blue, 0x3e7943ccu, 0x3e51ae8fu, 0x3f0d4369u);
  const VF y = hn::Mul(Number(0.5f), hn::Add(l, m));
  out[0] = hn::Add(hn::Mul(hn::Mul(Number(0.5f), hn::Sub(l, m)), Number(14.0f)), Number(0.42f));
  out[1] = hn::Add(y, Number(0.01f));
  out[2] = hn::Add(hn::Sub(s, y), Number(0.55f));
}

/// Eight rows of eight columns, turned.
HWY_INLINE void Transpose(VF (&v)[kLanes]) {
  const DF d;
  VF pairs[kLanes], fours[kLanes];
  for (int i = 0; i < 4; ++i) {  // rows i and i + 4, then the halves of 128 bits
    pairs[2 * i] = hn::InterleaveLower(d, v[2 * i], v[2 * i + 1]);
    pairs[2 * i + 1] = hn::InterleaveUpper(d, v[2 * i], v[2 * i + 1]);
  }
  const hn::RepartitionToWide<DF> wide;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const auto a = hn::BitCast(wide, pairs[4 * i + j]), b = hn::BitCast(wide, pairs[4 * i + 2 + j]);
      fours[4 * i + 2 * j] = hn::BitCast(d, hn::InterleaveLower(wide, a, b));
      fours[4 * i + 2 * j + 1] = hn::BitCast(d, hn::InterleaveUpper(wide, a, b));
    }
  for (int i = 0; i < 4; ++i) {
    v[i] = hn::ConcatLowerLower(d, fours[4 + i], fours[i]);
    v[4 + i] = hn::ConcatUpperUpper(d, fours[4 + i], fours[i]);
  }
}

/// The state of a row's blur: of eight rows.
struct Sections {
  VF before[3], before_that[3];
};

/// What is blurred: a video's values, their squares, and their products with the reference's.
enum Blurred { kMean, kSquare, kProduct, kBlurred };

class ScaleSums {
 public:
  ScaleSums(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales)
      : videos_(1 + distorted.size()),
        width_(reference.width),
        height_(reference.height),
        padded_((width_ + kLanes - 1) / kLanes * kLanes) {
    for (int c = 0; c < 3; ++c) needs_[c] = NeedsOf(scale, c, scales);
    turned_out_.resize(static_cast<size_t>(kLanes) * padded_);
    for (size_t v = 0; v < videos_.size(); ++v) {
      videos_[v].colors = v == 0 ? &reference : &distorted[v - 1];
      for (Component& component : videos_[v].components) {
        component.turned.resize(static_cast<size_t>(kLanes) * (padded_ + 2 * kMargin));
        for (auto& ring : component.ring) ring.resize(static_cast<size_t>(kRing) * padded_);
        component.values.resize(static_cast<size_t>(2 * kLanes) * padded_);
        component.states.resize(static_cast<size_t>(kBlurred) * 6 * padded_);
        for (auto& column : component.columns) column.resize(padded_);
      }
    }
  }

  void Run(std::span<const std::span<int64_t>> words) {
    constexpr int kAhead = kRadius - 1;
    for (int y = 0; y < height_ + kAhead; y += kLanes) {
      ReadRows(y);
      for (int c = 0; c < 3; ++c) {
        BlurRows(c, y);
        for (int begin = y - kAhead, end = y - kAhead + kLanes; begin < end;) {
          const int stop = std::min(end, begin < 0 ? end : begin / kStrip * kStrip + kStrip);
          BlurColumns(c, begin, std::min(stop, height_));
          if (stop > 0 && stop <= height_ && stop % kStrip == 0) FoldStrip(c);
          begin = stop;
        }
      }
    }
    for (int c = 0; c < 3; ++c) {
      if (height_ % kStrip != 0) FoldStrip(c);
      for (size_t v = 1; v < videos_.size(); ++v)
        for (int i = 0; i < kSsimulacra2Sums; ++i)
          words[v - 1][kSsimulacra2Sums * c + i] =
              WordFromDouble(needs_[c].sums[i] ? videos_[v].components[c].totals[i] : 0.0);
    }
  }

 private:
  static constexpr int kMargin = 8;  // columns of zeros beside the turned rows

  struct Component {
    std::vector<float> turned;                      // [column][row], margins beside
    std::array<std::vector<float>, kBlurred> ring;  // blurred rows, row y at y % kRing
    std::vector<float> values;                      // row y at y % (2 * kLanes)
    std::vector<float> states;                      // of columns: [what is blurred][state][column]
    // Of a distorted video:
    std::array<std::vector<double>, kSsimulacra2Sums> columns;
    std::array<double, kSsimulacra2Sums> totals = {};
  };

  /// The reference, or a distorted one.
  struct Video {
    const FloatColors* colors;
    std::array<Component, 3> components;
  };

  /// Colors of rows [y, y + 8), in rows and turned; zeros below the picture.
  void ReadRows(int y) {
    const DF d;
    for (Video& video : videos_)
      for (int x = 0; x < padded_; x += kLanes) {
        VF tiles[3][kLanes];
        for (int r = 0; r < kLanes; ++r) {
          VF out[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
          if (y + r < height_) {
            VF in[3];
            for (int p = 0; p < 3; ++p) in[p] = Load(video.colors->Row(p, y + r), x);
            PerceivedColors(in[0], in[1], in[2], out);
            if (x + kLanes > width_)
              for (VF& value : out) value = hn::IfThenElseZero(hn::FirstN(d, width_ - x), value);
          }
          for (int c = 0; c < 3; ++c) {
            tiles[c][r] = out[c];
            hn::StoreU(out[c], d, ValueRow(video.components[c], y + r) + x);
          }
        }
        for (int c = 0; c < 3; ++c) {
          Transpose(tiles[c]);
          for (int i = 0; i < kLanes; ++i)
            hn::StoreU(tiles[c][i], d,
                       video.components[c].turned.data() + static_cast<size_t>(kLanes) * (x + i + kMargin));
        }
      }
  }

  VF Load(const float* row, int x) const {
    const DF d;
    if (x + kLanes <= width_) return hn::LoadU(d, row + x);
    HWY_ALIGN float last[kLanes] = {};
    std::copy_n(row + x, width_ - x, last);
    return hn::Load(d, last);
  }

  float* ValueRow(Component& component, int y) {
    return component.values.data() + static_cast<size_t>(y % (2 * kLanes)) * padded_;
  }
  float* RingRow(Component& component, int what, int y) {
    return component.ring[what].data() + static_cast<size_t>(y % kRing) * padded_;
  }

  /// A component of a video and of the reference.
  struct Pair {
    Component &own, &reference;
  };

  template <int what>
  VF Turned(const Pair& pair, int x) const {
    const DF d;
    const size_t at = static_cast<size_t>(kLanes) * (x + kMargin);
    const VF own = hn::LoadU(d, pair.own.turned.data() + at);
    if (what == kMean) return own;
    return hn::Mul(what == kSquare ? own : hn::LoadU(d, pair.reference.turned.data() + at), own);
  }

  template <int what>
  VF Input(const Pair& pair, int n) const {
    return hn::Add(Turned<what>(pair, n - kRadius - 1), Turned<what>(pair, n + kRadius - 1));
  }

  void BlurRows(int c, int y) {
    for (size_t v = 0; v < videos_.size(); ++v) {
      const Pair pair = {videos_[v].components[c], videos_[0].components[c]};
      BlurRows<kMean>(pair, y);
      if (!needs_[c].structure()) continue;
      BlurRows<kSquare>(pair, y);
      if (v > 0) BlurRows<kProduct>(pair, y);
    }
  }

  template <int what>
  void BlurRows(const Pair& pair, int y) {
    const DF d;
    constexpr int kAlone = 8;
    Sections state;
    for (int k = 0; k < 3; ++k) state.before[k] = state.before_that[k] = hn::Zero(d);
    int n = 1 - kRadius;
    for (; n < std::min(kAlone, width_); ++n) MakeOne<what>(pair, n, state);
    for (; n < width_ - kRadius - 2; n += 4) MakeFour<what>(pair, n, state);
    for (; n < width_; ++n) MakeOne<what>(pair, n, state);
    for (int x = 0; x < padded_; x += kLanes) {
      VF tile[kLanes];
      for (int i = 0; i < kLanes; ++i)
        tile[i] = hn::LoadU(d, turned_out_.data() + static_cast<size_t>(kLanes) * (x + i));
      Transpose(tile);
      for (int r = 0; r < kLanes; ++r) hn::StoreU(tile[r], d, RingRow(pair.own, what, y + r) + x);
    }
  }

  template <int what>
  void MakeOne(const Pair& pair, int n, Sections& state) {
    const VF input = InputNear<what>(pair, n);
    for (int k = 0; k < 3; ++k) {
      const VF weighted = hn::Mul(input, Number(section_input(k, 0)));
      const VF output = hn::MulAdd(state.before_that[k], Number(section_before_that(k, 0)), weighted);
      state.before_that[k] = state.before[k];
      state.before[k] = hn::MulAdd(state.before[k], Number(section_before(k, 0)), output);
    }
    if (n >= 0) StoreOutput(n, state.before[0], state.before[1], state.before[2]);
  }

  /// Where columns outside of the picture are read: those are zeros within the margins.
  template <int what>
  VF InputNear(const Pair& pair, int n) const {
    const DF d;
    const int left = n - kRadius - 1, right = n + kRadius - 1;
    const VF a = left >= 0 ? Turned<what>(pair, left) : hn::Zero(d);
    const VF b = right < width_ ? Turned<what>(pair, right) : hn::Zero(d);
    return hn::Add(a, b);
  }

  template <int what>
  void MakeFour(const Pair& pair, int n, Sections& state) {
    VF input[4], outputs[3][4];
    for (int j = 0; j < 4; ++j) input[j] = Input<what>(pair, n + j);
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 4; ++i) {
        VF output = hn::Mul(input[0], Number(section_input(k, i)));
        for (int j = 1; j <= i; ++j) output = hn::MulAdd(input[j], Number(section_input(k, i - j)), output);
        output = hn::MulAdd(state.before_that[k], Number(section_before_that(k, i)), output);
        outputs[k][i] = hn::MulAdd(state.before[k], Number(section_before(k, i)), output);
      }
      state.before_that[k] = outputs[k][2];
      state.before[k] = outputs[k][3];
    }
    for (int i = 0; i < 4; ++i) StoreOutput(n + i, outputs[0][i], outputs[1][i], outputs[2][i]);
  }

  void StoreOutput(int n, VF a, VF b, VF c) {
    hn::StoreU(hn::Add(a, hn::Add(b, c)), DF(), turned_out_.data() + static_cast<size_t>(kLanes) * n);
  }

  /// Outputs of rows [begin, end) and their maps; rows above the picture only set the state.
  void BlurColumns(int c, int begin, int end) {
    if (begin >= end) return;
    if (needs_[c].structure()) BlurColumnsOf<kSquare + 1>(c, begin, end);
    else BlurColumnsOf<kMean + 1>(c, begin, end);
  }

  /// Of the reference `count` are blurred; of the others their product, too, where there are squares.
  template <int count>
  void BlurColumnsOf(int c, int begin, int end) {
    constexpr int kOthers = count == kSquare + 1 ? kBlurred : count;
    for (int x = 0; x < padded_; x += kLanes) {
      VF reference[kLanes][count], other[kLanes][kOthers];
      BlurColumn(videos_[0].components[c], x, begin, end, reference);
      for (size_t v = 1; v < videos_.size(); ++v) {
        BlurColumn(videos_[v].components[c], x, begin, end, other);
        for (int n = std::max(begin, 0); n < end; ++n)
          AddMaps(c, videos_[v].components[c], n, x, reference[n - begin], other[n - begin]);
      }
    }
  }

  template <int count>
  HWY_INLINE void BlurColumn(Component& component, int x, int begin, int end, VF (&blurred)[kLanes][count]) {
    const DF d;
    for (int f = 0; f < count; ++f) {
      float* states = component.states.data() + static_cast<size_t>(6 * f) * padded_ + x;
      VF before[3], before_that[3];
      for (int k = 0; k < 3; ++k) {
        before[k] = hn::LoadU(d, states + static_cast<size_t>(k) * padded_);
        before_that[k] = hn::LoadU(d, states + static_cast<size_t>(k + 3) * padded_);
      }
      for (int n = begin; n < end; ++n) {
        const int below = n + kRadius - 1, above = n - kRadius - 1;
        VF input = below < height_ ? hn::LoadU(d, RingRow(component, f, below) + x) : hn::Zero(d);
        if (above >= 0) input = hn::Add(hn::LoadU(d, RingRow(component, f, above) + x), input);
        for (int k = 0; k < 3; ++k) {
          const VF old = hn::NegMulSub(Number(bits_float(kSectionDownBefore[k])), before[k], before_that[k]);
          before_that[k] = before[k];
          before[k] = hn::MulAdd(Number(bits_float(kSectionDownInput[k])), input, old);
        }
        blurred[n - begin][f] = hn::Add(before[0], hn::Add(before[1], before[2]));
      }
      for (int k = 0; k < 3; ++k) {
        hn::StoreU(before[k], d, states + static_cast<size_t>(k) * padded_);
        hn::StoreU(before_that[k], d, states + static_cast<size_t>(k + 3) * padded_);
      }
    }
  }

  template <int count, int others>
  HWY_INLINE void AddMaps(int c, Component& own, int n, int x, const VF (&p)[count], const VF (&q)[others]) {
    const DF d;
    const VF zero = hn::Zero(d), one = Number(1.0f);
    const auto inside = hn::FirstN(d, static_cast<size_t>(std::max(width_ - x, 0)));
    if constexpr (others == kBlurred) {
      const VF difference = hn::Sub(p[kMean], q[kMean]), means = hn::Sub(one, hn::Mul(difference, difference));
      const VF above =
          hn::Add(hn::Mul(Number(2.0f), hn::Sub(q[kProduct], hn::Mul(p[kMean], q[kMean]))), Number(0.0009f));
      const VF below = hn::Add(
          hn::Add(hn::Sub(p[kSquare], hn::Mul(p[kMean], p[kMean])), hn::Sub(q[kSquare], hn::Mul(q[kMean], q[kMean]))),
          Number(0.0009f));
      const VF loss = hn::Sub(one, hn::Div(hn::Mul(means, above), below));
      AddMap(c, own, 0, x, hn::IfThenElseZero(hn::And(inside, hn::Gt(loss, zero)), loss));
    }
    if (!needs_[c].edges()) return;
    const VF edge1 = hn::Abs(hn::Sub(hn::LoadU(d, ValueRow(videos_[0].components[c], n) + x), p[kMean]));
    const VF edge2 = hn::Abs(hn::Sub(hn::LoadU(d, ValueRow(own, n) + x), q[kMean]));
    const VF change = hn::Div(hn::Sub(edge2, edge1), hn::Add(one, edge1));
    AddMap(c, own, 1, x, hn::IfThenElseZero(hn::And(inside, hn::Gt(change, zero)), change));
    AddMap(c, own, 2, x, hn::IfThenElseZero(hn::And(inside, hn::Lt(change, zero)), hn::Neg(change)));
  }

  HWY_INLINE void AddMap(int c, Component& own, int map, int x, VF value) {
    const DD d;
    const hn::Half<DF> half;
    const VD halves[2] = {hn::PromoteTo(d, hn::LowerHalf(half, value)), hn::PromoteTo(d, hn::UpperHalf(half, value))};
    for (int i = 0; i < 2; ++i) {
      const int column = x + i * kLanes / 2;
      if (needs_[c].sums[map]) Add(own.columns[map].data() + column, halves[i]);
      if (!needs_[c].sums[map + kSsimulacra2Maps]) continue;
      const VD square = hn::Mul(halves[i], halves[i]);
      Add(own.columns[map + kSsimulacra2Maps].data() + column, hn::Mul(square, square));
    }
  }

  static void Add(double* sums, VD value) { hn::StoreU(hn::Add(hn::LoadU(DD(), sums), value), DD(), sums); }

  void FoldStrip(int c) {
    for (size_t v = 1; v < videos_.size(); ++v) {
      Component& own = videos_[v].components[c];
      for (int i = 0; i < kSsimulacra2Sums; ++i) {
        if (!needs_[c].sums[i]) continue;
        folded_.assign(own.columns[i].begin(), own.columns[i].begin() + width_);
        own.totals[i] += FoldBy32(folded_);
        std::ranges::fill(own.columns[i], 0.0);
      }
    }
  }

  std::vector<Video> videos_;  // the reference first
  const int width_, height_, padded_;
  Ssimulacra2Needs needs_[3];
  std::vector<float> turned_out_;
  std::vector<double> folded_;
};

void Scale(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales,
           std::span<const std::span<int64_t>> words) {
  ScaleSums(reference, distorted, scale, scales).Run(words);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Scale);

void Ssimulacra2Scale(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales,
                      std::span<const std::span<int64_t>> words) {
  HWY_DYNAMIC_DISPATCH(Scale)(reference, distorted, scale, scales, words);
}

}  // namespace acutance
#endif  // HWY_ONCE
