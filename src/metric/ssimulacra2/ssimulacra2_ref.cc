#include <algorithm>

#include "metric/blocks/float_plane.h"
#include "metric/blocks/pairwise_sum.h"
#include "metric/blocks/words.h"
#include "metric/ssimulacra2/ssimulacra2.h"

namespace acutance {
namespace {

using namespace ssimulacra2;

constexpr int kRadius = 5;  // of the blur

using ColorPlanes = std::array<FloatPlane, 3>;

ColorPlanes PerceivedColors(const FloatColors& colors) {
  const FloatPlane empty(colors.width, colors.height);
  ColorPlanes planes = {empty, empty, empty};
  for (int y = 0; y < colors.height; ++y)
    for (int x = 0; x < colors.width; ++x) {
      const PerceivedColor color = perceived_color(colors.Row(0, y)[x], colors.Row(1, y)[x], colors.Row(2, y)[x]);
      planes[0].Row(y)[x] = color.x;
      planes[1].Row(y)[x] = color.y;
      planes[2].Row(y)[x] = color.b;
    }
  return planes;
}

/// Along a row, four outputs at a time where there is room.
class RowBlur {
 public:
  RowBlur(const float* from, int width, float* to) : from_(from), to_(to), width_(width) {}

  void Run() {
    constexpr int kAlone = 8;  // outputs before the first four
    int n = 1 - kRadius;
    for (; n < std::min(kAlone, width_); ++n) MakeOne(n);
    for (; n < width_ - kRadius - 2; n += 4) MakeFour(n);
    for (; n < width_; ++n) MakeOne(n);
  }

 private:
  float at(int x) const { return x >= 0 && x < width_ ? from_[x] : 0.0f; }
  float Input(int n) const { return at(n - kRadius - 1) + at(n + kRadius - 1); }

  void MakeOne(int n) {
    for (int k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
      float output = Input(n) * section_input(k, 0);
      output = fused(before_that_[k], section_before_that(k, 0), output);
      before_that_[k] = before_[k];
      before_[k] = fused(before_[k], section_before(k, 0), output);
    }
    if (n >= 0) to_[n] = before_[0] + (before_[1] + before_[2]);
  }

  void MakeFour(int n) {
    float outputs[SSIMULACRA2_SECTIONS][4];
    for (int k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
      for (int i = 0; i < 4; ++i) {
        float output = Input(n) * section_input(k, i);
        for (int j = 1; j <= i; ++j) output = fused(Input(n + j), section_input(k, i - j), output);
        output = fused(before_that_[k], section_before_that(k, i), output);
        outputs[k][i] = fused(before_[k], section_before(k, i), output);
      }
      before_that_[k] = outputs[k][2];
      before_[k] = outputs[k][3];
    }
    for (int i = 0; i < 4; ++i) to_[n + i] = outputs[0][i] + (outputs[1][i] + outputs[2][i]);
  }

  const float* from_;
  float* to_;
  int width_;
  float before_[SSIMULACRA2_SECTIONS] = {}, before_that_[SSIMULACRA2_SECTIONS] = {};
};

void BlurColumn(const FloatPlane& from, int x, FloatPlane& to) {
  float before[SSIMULACRA2_SECTIONS] = {}, before_that[SSIMULACRA2_SECTIONS] = {};
  for (int n = 1 - kRadius; n < from.height; ++n) {
    const int below = n + kRadius - 1, above = n - kRadius - 1;
    float input = below < from.height ? from.at(x, below) : 0.0f;
    if (above >= 0) input = from.at(x, above) + input;
    for (int k = 0; k < SSIMULACRA2_SECTIONS; ++k) {
      const float old = fused(-bits_float(kSectionDownBefore[k]), before[k], -before_that[k]);
      before_that[k] = before[k];
      before[k] = fused(bits_float(kSectionDownInput[k]), input, old);
    }
    if (n >= 0) to.Row(n)[x] = before[0] + (before[1] + before[2]);
  }
}

FloatPlane Blurred(FloatPlane plane) {
  FloatPlane rows(plane.width, plane.height);
  for (int y = 0; y < plane.height; ++y) RowBlur(plane.Row(y), plane.width, rows.Row(y)).Run();
  for (int x = 0; x < plane.width; ++x) BlurColumn(rows, x, plane);
  return plane;
}

FloatPlane ProductOf(const FloatPlane& a, const FloatPlane& b) {
  FloatPlane product(a.width, a.height);
  for (size_t i = 0; i < a.samples.size(); ++i) product.samples[i] = a.samples[i] * b.samples[i];
  return product;
}

double PlaneSum(const FloatPlane& plane, bool fourth_power) {
  double total = 0.0;
  for (int y = 0; y < plane.height; y += kSsimulacra2Strip) {
    std::vector<double> columns(plane.width);
    for (int row = y; row < std::min(y + kSsimulacra2Strip, plane.height); ++row)
      for (int x = 0; x < plane.width; ++x) {
        const double value = plane.at(x, row);
        columns[x] += fourth_power ? (value * value) * (value * value) : value;
      }
    total += FoldBy32(columns);
  }
  return total;
}

void AddSums(const FloatPlane& map, const Ssimulacra2Needs& needs, int which, std::span<int64_t> words) {
  for (const int i : {which, which + kSsimulacra2Maps})
    words[i] = WordFromDouble(needs.sums[i] ? PlaneSum(map, i != which) : 0.0);
}

void ScoreComponent(const FloatPlane& reference, const FloatPlane& distorted, const Ssimulacra2Needs& needs,
                    std::span<int64_t> words) {
  const FloatPlane mean1 = Blurred(reference), mean2 = Blurred(distorted);
  const FloatPlane square1 = Blurred(ProductOf(reference, reference)),
                   square2 = Blurred(ProductOf(distorted, distorted));
  const FloatPlane product = Blurred(ProductOf(reference, distorted));
  FloatPlane structure = mean1, ringing = mean1, blur = mean1;
  for (size_t i = 0; i < mean1.samples.size(); ++i) {
    structure.samples[i] = structure_loss(
        {mean1.samples[i], mean2.samples[i], square1.samples[i], square2.samples[i], product.samples[i]});
    const float change = edge_change(reference.samples[i], distorted.samples[i], mean1.samples[i], mean2.samples[i]);
    ringing.samples[i] = change > 0.0f ? change : 0.0f;
    blur.samples[i] = change < 0.0f ? -change : 0.0f;
  }
  AddSums(structure, needs, 0, words);
  AddSums(ringing, needs, 1, words);
  AddSums(blur, needs, 2, words);
}

}  // namespace

void Ssimulacra2StartScaleRef(const LinearRgbConversion& conversion, const Ssimulacra2Start& reference,
                              const Ssimulacra2Start& distorted, int scales, std::span<int64_t> words) {
  const auto [width, height] = std::pair(conversion.source.width, conversion.source.height);
  const FloatPlane empty(width, height);
  ColorPlanes light[2] = {{empty, empty, empty}, {empty, empty, empty}};
  FloatColors colors[2];
  for (int v = 0; v < 2; ++v) {
    const Ssimulacra2Start& start = v == 0 ? reference : distorted;
    ColorPlanes& planes = light[v];
    for (int y = 0; y < height; ++y)
      LinearRgbRow(conversion, *start.picture, y, {0, width}, {planes[0].Row(y), planes[1].Row(y), planes[2].Row(y)});
    colors[v] = {.width = width,
                 .height = height,
                 .planes = {planes[0].Row(0), planes[1].Row(0), planes[2].Row(0)},
                 .strides = {width, width, width}};
    for (int p = 0; p < 3; ++p) HalveSsimulacra2Ref(colors[v], p, (width + 1) / 2, (height + 1) / 2, start.half[p]);
  }
  Ssimulacra2ScaleRef(colors[0], colors[1], 0, scales, words);
}

void Ssimulacra2ScaleRef(const FloatColors& reference, const FloatColors& distorted, int scale, int scales,
                         std::span<int64_t> words) {
  const ColorPlanes one = PerceivedColors(reference), other = PerceivedColors(distorted);
  for (int c = 0; c < kSsimulacra2Components; ++c)
    ScoreComponent(one[c], other[c], NeedsOf(scale, c, scales),
                   words.subspan(size_t{kSsimulacra2Sums} * c, kSsimulacra2Sums));
}

void HalveSsimulacra2Row(const float* above, const float* below, int from_width, RowBand columns, float* to) {
  for (int x = columns.begin; x < columns.end; ++x) {
    const int left = 2 * x, right = std::min(2 * x + 1, from_width - 1);
    to[x] = (((above[left] + above[right]) + below[left]) + below[right]) * 0.25f;
  }
}

void HalveSsimulacra2Ref(const FloatColors& from, int plane, int width, int height, float* to) {
  for (int y = 0; y < height; ++y)
    HalveSsimulacra2Row(from.Row(plane, 2 * y), from.Row(plane, std::min(2 * y + 1, from.height - 1)), from.width,
                        {0, width}, to + static_cast<size_t>(y) * width);
}

}  // namespace acutance
