// Pictures are swept in stripes of columns, so that the results of a step still lie in a cache when the next one reads
// them. Rows are blurred eight or sixteen at a time, a row in each lane, and continue where the stripe to the left
// ended. Columns are blurred with a column in each lane, as soon as the rows below are there. Maps and sums of a pixel
// follow at once.
#include <algorithm>
#include <vector>

#include "metric/blocks/pairwise_sum.h"
#include "metric/blocks/words.h"
#include "metric/ssimulacra2/ssimulacra2.h"
#include "simd/aligned_memory.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ssimulacra2/ssimulacra2_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/ssimulacra2/ssimulacra2_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if !HWY_NATIVE_FMA || HWY_TARGET > HWY_AVX2

void Scale(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales,
           std::span<const std::span<int64_t>> words) {
  for (size_t d = 0; d < distorted.size(); ++d) Ssimulacra2ScaleRef(reference, distorted[d], scale, scales, words[d]);
}

void StartScale(const LinearRgbConversion& conversion, const Ssimulacra2Start& reference,
                std::span<const Ssimulacra2Start> distorted, int scales, std::span<const std::span<int64_t>> words) {
  for (size_t d = 0; d < distorted.size(); ++d)
    Ssimulacra2StartScaleRef(conversion, reference, distorted[d], scales, words[d]);
}

void Halve(const FloatColors& from, int plane, int width, int height, float* to) {
  HalveSsimulacra2Ref(from, plane, width, height, to);
}

#else

constexpr int kGroup = 32;
constexpr int kAhead = kRadius - 1;  // rows below that a row of the blur needs
constexpr int kRing = 32;            // blurred rows that columns still need: kLanes + 2 * kRadius and more
constexpr int kStripe = 384, kMargin = kLanes, kPitch = kStripe + 2 * kMargin;
static_assert(kRing >= kLanes + 2 * kRadius && kMargin > kRadius && kStripe % kGroup == 0);

using Floats = hwy::AlignedFreeUniquePtr<float[]>;

Floats Zeros(size_t count) {
  Floats floats = AllocateVectors<float>(count);
  std::fill_n(floats.get(), count, 0.0f);
  return floats;
}

class ScaleSums {
 public:
  ScaleSums(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales)
      : ScaleSums(1 + distorted.size(), reference.width, reference.height, scale, scales) {
    for (size_t v = 0; v < videos_.size(); ++v) videos_[v].colors = v == 0 ? &reference : &distorted[v - 1];
  }

  /// The largest scale.
  ScaleSums(const LinearRgbConversion& conversion, const Ssimulacra2Start& reference,
            std::span<const Ssimulacra2Start> distorted, int scales)
      : ScaleSums(1 + distorted.size(), conversion.source.width, conversion.source.height, 0, scales) {
    conversion_ = &conversion;
    for (size_t v = 0; v < videos_.size(); ++v) {
      videos_[v].start = v == 0 ? &reference : &distorted[v - 1];
      videos_[v].light = Zeros(size_t{3} * 2 * kPitch);
    }
  }

  void Run(std::span<const std::span<int64_t>> words) {
    for (begin_ = 0; begin_ < width_; begin_ += kStripe) RunStripe();
    for (size_t v = 1; v < videos_.size(); ++v)
      for (int c = 0; c < 3; ++c)
        for (int i = 0; i < kSsimulacra2Sums; ++i)
          words[v - 1][kSsimulacra2Sums * c + i] =
              WordFromDouble(needs_[c].sums[i] ? Total(videos_[v].components[c].groups[i]) : 0.0);
  }

 private:
  struct Component {
    size_t blurred = 0;                 // how many of Blurred
    Floats transposed, values;          // [column][row], with margins; row y at y % (2 * kLanes)
    std::array<Floats, kBlurred> ring;  // blurred rows, row y at y % kRing; then a row of zeros
    Floats rows, columns;               // Sections: [Blurred][batch of rows], [Blurred][vector of columns]
    // A distorted video alone has sums:
    std::array<std::vector<double>, kSsimulacra2Sums> sums;    // a strip's columns
    std::array<std::vector<double>, kSsimulacra2Sums> groups;  // groups of 32 columns: [strip][group]
  };

  /// The reference or a distorted video.
  struct Video {
    const FloatColors* colors = nullptr;
    const Ssimulacra2Start* start = nullptr;  // of the largest scale, which has no colors
    Floats light;                             // of two rows: [plane][row % 2]
    std::array<Component, 3> components;
  };

  /// A component of a video and of the reference.
  struct Pair {
    Component &own, &reference;
  };

  ScaleSums(size_t videos, int width, int height, int scale, int scales)
      : videos_(videos),
        width_(width),
        height_(height),
        batches_((height_ + kAhead + kLanes - 1) / kLanes),
        strips_((height_ + kSsimulacra2Strip - 1) / kSsimulacra2Strip),
        groups_((width_ + kGroup - 1) / kGroup) {
    transposed_out_ = Zeros(size_t{kLanes} * kStripe);
    for (int c = 0; c < 3; ++c) needs_[c] = NeedsOf(scale, c, scales);
    for (size_t v = 0; v < videos_.size(); ++v)
      for (int c = 0; c < 3; ++c) Prepare(videos_[v].components[c], BlurredOf(c, v > 0));
  }

  size_t BlurredOf(int c, bool is_distorted) const {
    if (!needs_[c].structure()) return kMean + 1;
    return is_distorted ? kBlurred : kSquare + 1;
  }

  void Prepare(Component& component, size_t blurred) const {
    component.blurred = blurred;
    component.transposed = Zeros(size_t{kLanes} * kPitch);
    component.values = Zeros(size_t{2 * kLanes} * kPitch);
    for (size_t i = 0; i < blurred; ++i) component.ring[i] = Zeros(size_t{kRing + 1} * kPitch);
    component.rows = Zeros(blurred * batches_ * Sections::kFloats);
    component.columns = Zeros(blurred * kStripe / kLanes * Sections::kFloats);
    for (auto& sums : component.sums) sums.resize(kStripe);
    for (auto& groups : component.groups) groups.resize(static_cast<size_t>(strips_) * groups_);
  }

  int end() const { return std::min(width_, begin_ + kStripe); }

  void RunStripe() {
    for (Video& video : videos_)
      for (Component& component : video.components)
        std::fill_n(component.columns.get(), component.blurred * kStripe / kLanes * Sections::kFloats, 0.0f);
    for (int batch = 0; batch < batches_; ++batch) {
      ReadRows(batch * kLanes);
      for (int c = 0; c < 3; ++c) {
        for (Video& video : videos_) BlurRows({video.components[c], videos_[0].components[c]}, batch);
        const int stop = std::min(height_, (batch + 1) * kLanes - kAhead);
        for (int y = batch * kLanes - kAhead; y < stop;) {
          const int strip = std::max(0, y / kSsimulacra2Strip), last = std::min(stop, (strip + 1) * kSsimulacra2Strip);
          BlurColumns(c, y, last);
          if (last == std::min(height_, (strip + 1) * kSsimulacra2Strip)) FoldStrips(c, strip);
          y = last;
        }
      }
    }
  }

  /// Colors of rows [y, y + kLanes), in rows and transposed; zeros right of the picture and below it.
  void ReadRows(int y) {
    for (Video& video : videos_) {
      for (int r = 0; r < kLanes; ++r) ReadRow(video, y + r);
      for (Component& component : video.components)
        for (int x = 0; x < kPitch; x += kTile)
          for (int r = 0; r < kLanes; r += kTile)
            TransposeTile(Values(component, y + r) - kMargin + x, kPitch,
                          component.transposed.get() + ptrdiff_t{kLanes} * x + r, kLanes);
    }
  }

  void ReadRow(Video& video, int y) const {
    float* to[3];
    for (int c = 0; c < 3; ++c) to[c] = Values(video.components[c], y);
    if (y >= height_) {
      for (float* row : to) std::fill_n(row - kMargin, kPitch, 0.0f);
      return;
    }
    const float* from[3];
    const int first = begin_ == 0 ? 0 : -kMargin;  // left of the first stripe are zeros already
    if (video.start) MakeLight(video, y, first);
    for (int p = 0; p < 3; ++p) from[p] = video.start ? Light(video, p, y) : video.colors->Row(p, y) + begin_;
    PerceivedRow(from, first, kStripe + kMargin, width_ - begin_, to);
  }

  /// Makes light of row y, from the stripe's column `first` on, and of the next scale's row when both of its rows are
  /// there.
  void MakeLight(const Video& video, int y, int first) const {
    const int last = std::min(width_, begin_ + kStripe + kMargin);
    LinearRgbRow(*conversion_, *video.start->picture, y, {begin_ + first, last},
                 {Light(video, 0, y) + first, Light(video, 1, y) + first, Light(video, 2, y) + first});
    if (y % 2 == 0 && y + 1 < height_) return;
    const RowBand columns = {begin_ / 2, (end() + 1) / 2};
    for (int p = 0; p < 3; ++p)
      HalveRow(Light(video, p, 0) - begin_, Light(video, p, y) - begin_, width_, columns,
               video.start->half[p] + ptrdiff_t{y / 2} * ((width_ + 1) / 2));
  }

  /// Light of row y, from the stripe's first column on.
  static float* Light(const Video& video, int plane, int y) {
    return video.light.get() + ptrdiff_t{2 * plane + y % 2} * kPitch + kMargin;
  }

  /// The values of row y, from the stripe's first column on.
  static float* Values(const Component& component, int y) {
    return component.values.get() + ptrdiff_t{y % (2 * kLanes)} * kPitch + kMargin;
  }

  void BlurRows(const Pair& pair, int batch) {
    BlurRows<kMean>(pair, batch);
    if (pair.own.blurred > kSquare) BlurRows<kSquare>(pair, batch);
    if (pair.own.blurred > kProduct) BlurRows<kProduct>(pair, batch);
  }

  template <int what>
  void BlurRows(const Pair& pair, int batch) {
    const float* own = pair.own.transposed.get() + kLanes * ptrdiff_t{kMargin - begin_};
    const float* reference = pair.reference.transposed.get() + kLanes * ptrdiff_t{kMargin - begin_};
    float* state = pair.own.rows.get() + (ptrdiff_t{what} * batches_ + batch) * Sections::kFloats;
    Sections sections;
    sections.Load(state);
    HWY_NAMESPACE::BlurRows<what>({own, reference, width_}, begin_, end(), sections, transposed_out_.get());
    sections.Store(state);
    float* rows = pair.own.ring[what].get() + ptrdiff_t{batch * kLanes % kRing} * kPitch;
    for (int x = 0; x < end() - begin_; x += kTile)
      for (int r = 0; r < kLanes; r += kTile)
        TransposeTile(transposed_out_.get() + ptrdiff_t{kLanes} * x + r, kLanes, rows + ptrdiff_t{r} * kPitch + x,
                      kPitch);
  }

  /// Outputs of rows [begin, end) and their maps; rows above the picture only set the state.
  void BlurColumns(int c, int begin, int end) {
    if (needs_[c].structure()) BlurColumnsOf<kSquare + 1, kBlurred>(c, begin, end);
    else BlurColumnsOf<kMean + 1, kMean + 1>(c, begin, end);
  }

  template <int of_reference, int of_others>
  void BlurColumnsOf(int c, int begin, int end) {
    const int count = end - begin;
    RingRows rows;
    for (int i = 0; i < count; ++i) {
      const int from = begin + i - kRadius - 1, to = begin + i + kRadius - 1;
      rows.above[i] = ptrdiff_t{from >= 0 ? from % kRing : kRing} * kPitch;
      rows.below[i] = ptrdiff_t{to < height_ ? to % kRing : kRing} * kPitch;
    }
    Component& reference = videos_[0].components[c];
    for (int x = 0; x < this->end() - begin_; x += kLanes) {
      VF means[of_reference][kLanes], others[of_others][kLanes];
      BlurColumn(RingsOf(reference), rows, count, x, means);
      for (size_t v = 1; v < videos_.size(); ++v) {
        BlurColumn(RingsOf(videos_[v].components[c]), rows, count, x, others);
        AddMaps(c, {videos_[v].components[c], reference}, begin, std::max(0, -begin), count, x, means, others);
      }
    }
  }

  static BlurRings RingsOf(Component& component) {
    return {{component.ring[kMean].get(), component.ring[kSquare].get(), component.ring[kProduct].get()},
            component.columns.get(),
            kStripe / kLanes};
  }

  /// Adds the maps of rows begin + first to begin + count - 1. `r` and `m` are the blurs of the reference and of the
  /// other video.
  template <int of_reference, int of_others>
  HWY_INLINE void AddMaps(int c, const Pair& pair, int begin, int first, int count, int x,
                          const VF (&r)[of_reference][kLanes], const VF (&m)[of_others][kLanes]) {
    const DF d;
    const VF zero = hn::Zero(d);
    const auto inside = hn::FirstN(d, static_cast<size_t>(width_ - begin_ - x));
    if constexpr (of_others == kBlurred) {
      VF losses[kLanes];
      for (int i = first; i < count; ++i) {
        const VF loss = StructureLoss({r[kMean][i], r[kSquare][i]}, {m[kMean][i], m[kSquare][i]}, m[kProduct][i]);
        losses[i] = hn::IfThenElseZero(hn::And(inside, hn::Gt(loss, zero)), loss);
      }
      AddMap(c, pair.own, 0, x, losses + first, count - first);
    }
    if (!needs_[c].edges()) return;
    VF ringing[kLanes], blur[kLanes];
    for (int i = first; i < count; ++i) {
      const VF edge = EdgeOf(hn::Load(d, Values(pair.reference, begin + i) + x), r[kMean][i]);
      const VF own_edge = EdgeOf(hn::Load(d, Values(pair.own, begin + i) + x), m[kMean][i]);
      const VF change = hn::IfThenElseZero(inside, EdgeChange(edge, own_edge));
      ringing[i] = hn::Max(change, zero);
      blur[i] = hn::Max(hn::Neg(change), zero);
    }
    AddMap(c, pair.own, 1, x, ringing + first, count - first);
    AddMap(c, pair.own, 2, x, blur + first, count - first);
  }

  /// Adds the values of a map in columns from x on.
  HWY_INLINE void AddMap(int c, Component& component, int map, int x, const VF* values, int count) {
    if (needs_[c].sums[map]) AddValues(values, count, component.sums[map].data() + x);
    if (needs_[c].sums[map + kSsimulacra2Maps])
      AddFourthPowers(values, count, component.sums[map + kSsimulacra2Maps].data() + x);
  }

  /// Columns next to the picture have added zeros.
  void FoldStrips(int c, int strip) {
    for (size_t v = 1; v < videos_.size(); ++v)
      for (int i = 0; i < kSsimulacra2Sums; ++i) {
        if (!needs_[c].sums[i]) continue;
        double* sums = videos_[v].components[c].sums[i].data();
        double* groups = videos_[v].components[c].groups[i].data() + static_cast<size_t>(strip) * groups_;
        for (int x = begin_; x < end(); x += kGroup) {
          folded_.assign(sums + (x - begin_), sums + (x - begin_) + kGroup);
          groups[x / kGroup] = FoldBy32(folded_);
        }
        std::fill_n(sums, kStripe, 0.0);
      }
  }

  double Total(const std::vector<double>& groups) {
    double total = 0.0;
    for (auto strip = groups.begin(); strip != groups.end(); strip += groups_) {
      folded_.assign(strip, strip + groups_);
      total += FoldBy32(folded_);
    }
    return total;
  }

  std::vector<Video> videos_;  // the reference first
  const LinearRgbConversion* conversion_ = nullptr;
  const int width_, height_, batches_, strips_, groups_;
  int begin_ = 0;  // the stripe's first column
  Ssimulacra2Needs needs_[3];
  Floats transposed_out_;
  std::vector<double> folded_;
};

void Scale(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales,
           std::span<const std::span<int64_t>> words) {
  ScaleSums(reference, distorted, scale, scales).Run(words);
}

void StartScale(const LinearRgbConversion& conversion, const Ssimulacra2Start& reference,
                std::span<const Ssimulacra2Start> distorted, int scales, std::span<const std::span<int64_t>> words) {
  ScaleSums(conversion, reference, distorted, scales).Run(words);
}

#endif

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Scale);
HWY_EXPORT(StartScale);
HWY_EXPORT(Halve);

void Ssimulacra2Scale(const FloatColors& reference, std::span<const FloatColors> distorted, int scale, int scales,
                      std::span<const std::span<int64_t>> words) {
  HWY_DYNAMIC_DISPATCH(Scale)(reference, distorted, scale, scales, words);
}

void Ssimulacra2StartScale(const LinearRgbConversion& conversion, const Ssimulacra2Start& reference,
                           std::span<const Ssimulacra2Start> distorted, int scales,
                           std::span<const std::span<int64_t>> words) {
  HWY_DYNAMIC_DISPATCH(StartScale)(conversion, reference, distorted, scales, words);
}

void HalveSsimulacra2(const FloatColors& from, int plane, int width, int height, float* to) {
  HWY_DYNAMIC_DISPATCH(Halve)(from, plane, width, height, to);
}

}  // namespace acutance
#endif  // HWY_ONCE
