// The reference implementation: plain loops.
#include <algorithm>
#include <cmath>

#include "metric/blocks/float_plane.h"
#include "metric/blocks/pairwise_sum.h"
#include "metric/blocks/words.h"
#include "metric/hdr/hdr.h"

namespace acutance {
namespace {

using namespace hdr;

HdrColor ColorAt(const FloatColors& colors, int x, int y) {
  return {colors.Row(0, y)[x], colors.Row(1, y)[x], colors.Row(2, y)[x]};
}

float Luminance(const HdrColor& light, const HdrWeights& weights) {
  return hdr_weighted(light, weights.red, weights.green, weights.blue);
}

/// The sum of `term(x, y)` over a strip, in the order of docs/spec/beyond.md 5.3.
template <class Term>
int64_t SumOfStrip(const FloatColors& picture, int strip, const Term& term) {
  std::vector<double> columns(picture.width);
  const int end = std::min((strip + 1) * kHdrStrip, picture.height);
  for (int y = strip * kHdrStrip; y < end; ++y)
    for (int x = 0; x < picture.width; ++x) columns[x] += term(x, y);
  return WordFromDouble(FoldBy32(columns));
}

double SquaredPu(float reference, float distorted) {
  const double difference = static_cast<double>(pu_encoded(reference) - pu_encoded(distorted));
  return difference * difference;
}

FloatPlane PuPlane(const FloatColors& light, const HdrWeights& weights) {
  FloatPlane plane(light.width, light.height);
  for (int y = 0; y < light.height; ++y)
    for (int x = 0; x < light.width; ++x) plane.at(x, y) = pu_encoded(Luminance(ColorAt(light, x, y), weights));
  return plane;
}

/// `at(i)`: the i-th of `count` numbers; the nearest one stands for those beyond.
template <class At>
float BlurredAt(const At& at, int centre, int count) {
  const auto near = [&](int i) { return at(std::clamp(i, 0, count - 1)); };
  float sum = near(centre) * bits_float(kPuBlur[0]);
  for (int k = 1; k <= PU_BLUR_RADIUS; ++k) sum = sum + (near(centre - k) + near(centre + k)) * bits_float(kPuBlur[k]);
  return sum;
}

FloatPlane Blurred(const FloatPlane& plane) {
  FloatPlane across = plane, down = plane;
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      across.at(x, y) = BlurredAt([&](int i) { return plane.at(i, y); }, x, plane.width);
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      down.at(x, y) = BlurredAt([&](int i) { return across.at(x, i); }, y, plane.height);
  return down;
}

template <class Combine>
FloatPlane Combined(const FloatPlane& a, const FloatPlane& b, const Combine& combine) {
  FloatPlane result = a;
  for (size_t i = 0; i < a.samples.size(); ++i) result.samples[i] = combine(a.samples[i], b.samples[i]);
  return result;
}

}  // namespace

void PuPsnrStripsRef(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words) {
  const auto& [reference, distorted] = pair;
  for (int s = strips.begin; s < strips.end; ++s) {
    words[kPuPsnrWords * s] = SumOfStrip(reference, s, [&](int x, int y) {
      return SquaredPu(Luminance(ColorAt(reference, x, y), weights), Luminance(ColorAt(distorted, x, y), weights));
    });
    for (int p = 0; p < 3; ++p)
      words[kPuPsnrWords * s + 1 + p] = SumOfStrip(
          reference, s, [&](int x, int y) { return SquaredPu(reference.Row(p, y)[x], distorted.Row(p, y)[x]); });
  }
}

void DeltaEStripsRef(const HdrPair& pair, bool is_bt2020, RowBand strips, std::span<int64_t> words,
                     const DeltaEMap& map) {
  const auto& [reference, distorted] = pair;
  for (int s = strips.begin; s < strips.end; ++s) {
    float most = 0;
    words[kDeltaEWords * s] = SumOfStrip(reference, s, [&](int x, int y) {
      const HdrColor r = hdr_cones(ColorAt(reference, x, y), is_bt2020),
                     t = hdr_cones(ColorAt(distorted, x, y), is_bt2020);
      const float difference = std::sqrt(hdr_squared_difference(r, t));
      most = std::max(most, difference);
      if (map.picture) map.Row(y)[x] = 720.0f * difference;
      return static_cast<double>(difference);
    });
    words[kDeltaEWords * s + 1] = WordFromDouble(static_cast<double>(most));
  }
}

void PuSsimStripsRef(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words) {
  const FloatPlane reference = PuPlane(pair.reference, weights), distorted = PuPlane(pair.distorted, weights);
  const FloatPlane difference = Combined(reference, distorted, [](float r, float t) { return r - t; });
  const FloatPlane blurs[] = {Blurred(reference), Blurred(difference),
                              Blurred(Combined(difference, difference, [](float d, float) { return d * d; })),
                              Blurred(Combined(reference, distorted, [](float r, float t) { return r * r + t * t; }))};
  for (int s = strips.begin; s < strips.end; ++s)
    words[s] = SumOfStrip(pair.reference, s, [&](int x, int y) {
      return static_cast<double>(
          pu_dissimilarity({blurs[0].at(x, y), blurs[1].at(x, y), blurs[2].at(x, y), blurs[3].at(x, y)}));
    });
}

}  // namespace acutance
