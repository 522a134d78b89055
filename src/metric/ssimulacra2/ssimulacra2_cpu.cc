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

void Scale(const FloatColors& reference, const FloatColors& distorted, int scale, int scales,
           std::span<int64_t> words) {
  Ssimulacra2ScaleRef(reference, distorted, scale, scales, words);
}

#else

using namespace ssimulacra2;
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kLanes = 8, kRadius = 5, kFilters = 5, kStrip = 64;
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

class ScaleSums {
 public:
  ScaleSums(const FloatColors& reference, const FloatColors& distorted, int scale, int scales)
      : colors_{&reference, &distorted},
        width_(reference.width),
        height_(reference.height),
        padded_((width_ + kLanes - 1) / kLanes * kLanes) {
    for (int c = 0; c < 3; ++c) needs_[c] = NeedsOf(scale, c, scales);
    for (auto& plane : turned_)
      for (auto& video : plane) video.resize(static_cast<size_t>(kLanes) * (padded_ + 2 * kMargin));
    turned_out_.resize(static_cast<size_t>(kLanes) * padded_);
    for (auto& component : components_) {
      for (auto& ring : component.ring) ring.resize(static_cast<size_t>(kRing) * padded_);
      for (auto& video : component.values) video.resize(static_cast<size_t>(2 * kLanes) * padded_);
      component.states.resize(static_cast<size_t>(kFilters) * 6 * padded_);
      for (auto& column : component.columns) column.resize(padded_);
    }
  }

  void Run(std::span<int64_t> words) {
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
      for (int i = 0; i < kSsimulacra2Sums; ++i)
        words[kSsimulacra2Sums * c + i] = WordFromDouble(needs_[c].sums[i] ? components_[c].totals[i] : 0.0);
    }
  }

 private:
  static constexpr int kMargin = 8;  // columns of zeros beside the turned rows

  struct Component {
    std::array<std::vector<float>, kFilters> ring;  // blurred rows, row y at y % kRing
    std::array<std::vector<float>, 2> values;       // of both videos, row y at y % (2 * kLanes)
    std::vector<float> states;                      // of columns: [filter][state][column]
    std::array<std::vector<double>, kSsimulacra2Sums> columns;
    std::array<double, kSsimulacra2Sums> totals = {};
  };

  int FiltersOf(int c) const { return needs_[c].structure() ? kFilters : 2; }

  /// Colors of rows [y, y + 8), in rows and turned; zeros below the picture.
  void ReadRows(int y) {
    const DF d;
    for (int v = 0; v < 2; ++v)
      for (int x = 0; x < padded_; x += kLanes) {
        VF tiles[3][kLanes];
        for (int r = 0; r < kLanes; ++r) {
          VF out[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
          if (y + r < height_) {
            VF in[3];
            for (int p = 0; p < 3; ++p) in[p] = Load(colors_[v]->Row(p, y + r), x);
            PerceivedColors(in[0], in[1], in[2], out);
            if (x + kLanes > width_)
              for (VF& value : out) value = hn::IfThenElseZero(hn::FirstN(d, width_ - x), value);
          }
          for (int c = 0; c < 3; ++c) {
            tiles[c][r] = out[c];
            hn::StoreU(out[c], d, ValueRow(c, v, y + r) + x);
          }
        }
        for (int c = 0; c < 3; ++c) {
          Transpose(tiles[c]);
          for (int i = 0; i < kLanes; ++i)
            hn::StoreU(tiles[c][i], d, turned_[c][v].data() + static_cast<size_t>(kLanes) * (x + i + kMargin));
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

  float* ValueRow(int c, int video, int y) {
    return components_[c].values[video].data() + static_cast<size_t>(y % (2 * kLanes)) * padded_;
  }
  float* RingRow(int c, int filter, int y) {
    return components_[c].ring[filter].data() + static_cast<size_t>(y % kRing) * padded_;
  }

  template <int filter>
  VF Turned(int c, int x) const {
    const DF d;
    const size_t at = static_cast<size_t>(kLanes) * (x + kMargin);
    const float *one = turned_[c][0].data() + at, *other = turned_[c][1].data() + at;
    if (filter == 0) return hn::LoadU(d, one);
    if (filter == 1) return hn::LoadU(d, other);
    const VF a = hn::LoadU(d, filter == 3 ? other : one), b = hn::LoadU(d, filter == 2 ? one : other);
    return hn::Mul(a, b);
  }

  template <int filter>
  VF Input(int c, int n) const {
    return hn::Add(Turned<filter>(c, n - kRadius - 1), Turned<filter>(c, n + kRadius - 1));
  }

  void BlurRows(int c, int y) {
    BlurRows<0>(c, y);
    BlurRows<1>(c, y);
    if (!needs_[c].structure()) return;
    BlurRows<2>(c, y);
    BlurRows<3>(c, y);
    BlurRows<4>(c, y);
  }

  template <int filter>
  void BlurRows(int c, int y) {
    const DF d;
    constexpr int kAlone = 8;
    Sections state;
    for (int k = 0; k < 3; ++k) state.before[k] = state.before_that[k] = hn::Zero(d);
    int n = 1 - kRadius;
    for (; n < std::min(kAlone, width_); ++n) MakeOne<filter>(c, n, state);
    for (; n < width_ - kRadius - 2; n += 4) MakeFour<filter>(c, n, state);
    for (; n < width_; ++n) MakeOne<filter>(c, n, state);
    for (int x = 0; x < padded_; x += kLanes) {
      VF tile[kLanes];
      for (int i = 0; i < kLanes; ++i)
        tile[i] = hn::LoadU(d, turned_out_.data() + static_cast<size_t>(kLanes) * (x + i));
      Transpose(tile);
      for (int r = 0; r < kLanes; ++r) hn::StoreU(tile[r], d, RingRow(c, filter, y + r) + x);
    }
  }

  template <int filter>
  void MakeOne(int c, int n, Sections& state) {
    const VF input = InputNear<filter>(c, n);
    for (int k = 0; k < 3; ++k) {
      const VF weighted = hn::Mul(input, Number(section_input(k, 0)));
      const VF output = hn::MulAdd(state.before_that[k], Number(section_before_that(k, 0)), weighted);
      state.before_that[k] = state.before[k];
      state.before[k] = hn::MulAdd(state.before[k], Number(section_before(k, 0)), output);
    }
    if (n >= 0) StoreOutput(n, state.before[0], state.before[1], state.before[2]);
  }

  /// Where columns outside of the picture are read: those are zeros within the margins.
  template <int filter>
  VF InputNear(int c, int n) const {
    const DF d;
    const int left = n - kRadius - 1, right = n + kRadius - 1;
    const VF a = left >= 0 ? Turned<filter>(c, left) : hn::Zero(d);
    const VF b = right < width_ ? Turned<filter>(c, right) : hn::Zero(d);
    return hn::Add(a, b);
  }

  template <int filter>
  void MakeFour(int c, int n, Sections& state) {
    VF input[4], outputs[3][4];
    for (int j = 0; j < 4; ++j) input[j] = Input<filter>(c, n + j);
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
    if (needs_[c].structure()) BlurColumnsOf<kFilters>(c, begin, end);
    else BlurColumnsOf<2>(c, begin, end);
  }

  template <int filters>
  void BlurColumnsOf(int c, int begin, int end) {
    const DF d;
    for (int x = 0; x < padded_; x += kLanes) {
      VF blurred[kLanes][filters];
      for (int f = 0; f < filters; ++f) {
        float* states = components_[c].states.data() + static_cast<size_t>(6 * f) * padded_ + x;
        VF before[3], before_that[3];
        for (int k = 0; k < 3; ++k) {
          before[k] = hn::LoadU(d, states + static_cast<size_t>(k) * padded_);
          before_that[k] = hn::LoadU(d, states + static_cast<size_t>(k + 3) * padded_);
        }
        for (int n = begin; n < end; ++n) {
          const int below = n + kRadius - 1, above = n - kRadius - 1;
          VF input = below < height_ ? hn::LoadU(d, RingRow(c, f, below) + x) : hn::Zero(d);
          if (above >= 0) input = hn::Add(hn::LoadU(d, RingRow(c, f, above) + x), input);
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
      for (int n = std::max(begin, 0); n < end; ++n) AddMaps<filters>(c, n, x, blurred[n - begin]);
    }
  }

  template <int filters>
  void AddMaps(int c, int n, int x, const VF (&m)[filters]) {
    const DF d;
    const VF zero = hn::Zero(d), one = Number(1.0f);
    const auto inside = hn::FirstN(d, static_cast<size_t>(std::max(width_ - x, 0)));
    if constexpr (filters == kFilters) {
      const VF difference = hn::Sub(m[0], m[1]), means = hn::Sub(one, hn::Mul(difference, difference));
      const VF above = hn::Add(hn::Mul(Number(2.0f), hn::Sub(m[4], hn::Mul(m[0], m[1]))), Number(0.0009f));
      const VF below =
          hn::Add(hn::Add(hn::Sub(m[2], hn::Mul(m[0], m[0])), hn::Sub(m[3], hn::Mul(m[1], m[1]))), Number(0.0009f));
      const VF loss = hn::Sub(one, hn::Div(hn::Mul(means, above), below));
      AddMap(c, 0, x, hn::IfThenElseZero(hn::And(inside, hn::Gt(loss, zero)), loss));
    }
    if (!needs_[c].edges()) return;
    const VF edge1 = hn::Abs(hn::Sub(hn::LoadU(d, ValueRow(c, 0, n) + x), m[0]));
    const VF edge2 = hn::Abs(hn::Sub(hn::LoadU(d, ValueRow(c, 1, n) + x), m[1]));
    const VF change = hn::Div(hn::Sub(edge2, edge1), hn::Add(one, edge1));
    AddMap(c, 1, x, hn::IfThenElseZero(hn::And(inside, hn::Gt(change, zero)), change));
    AddMap(c, 2, x, hn::IfThenElseZero(hn::And(inside, hn::Lt(change, zero)), hn::Neg(change)));
  }

  void AddMap(int c, int map, int x, VF value) {
    const DD d;
    const hn::Half<DF> half;
    const VD halves[2] = {hn::PromoteTo(d, hn::LowerHalf(half, value)), hn::PromoteTo(d, hn::UpperHalf(half, value))};
    for (int i = 0; i < 2; ++i) {
      const int column = x + i * kLanes / 2;
      if (needs_[c].sums[map]) Add(components_[c].columns[map].data() + column, halves[i]);
      if (!needs_[c].sums[map + kSsimulacra2Maps]) continue;
      const VD square = hn::Mul(halves[i], halves[i]);
      Add(components_[c].columns[map + kSsimulacra2Maps].data() + column, hn::Mul(square, square));
    }
  }

  static void Add(double* sums, VD value) { hn::StoreU(hn::Add(hn::LoadU(DD(), sums), value), DD(), sums); }

  void FoldStrip(int c) {
    for (int i = 0; i < kSsimulacra2Sums; ++i) {
      if (!needs_[c].sums[i]) continue;
      std::vector<double>& columns = components_[c].columns[i];
      folded_.assign(columns.begin(), columns.begin() + width_);
      components_[c].totals[i] += FoldBy32(folded_);
      std::ranges::fill(columns, 0.0);
    }
  }

  const FloatColors* colors_[2];
  const int width_, height_, padded_;
  Ssimulacra2Needs needs_[3];
  std::array<std::array<std::vector<float>, 2>, 3> turned_;  // by component and video: [column][row]
  std::vector<float> turned_out_;
  std::array<Component, 3> components_;
  std::vector<double> folded_;
};

void Scale(const FloatColors& reference, const FloatColors& distorted, int scale, int scales,
           std::span<int64_t> words) {
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

void Ssimulacra2Scale(const FloatColors& reference, const FloatColors& distorted, int scale, int scales,
                      std::span<int64_t> words) {
  HWY_DYNAMIC_DISPATCH(Scale)(reference, distorted, scale, scales, words);
}

}  // namespace acutance
#endif  // HWY_ONCE
