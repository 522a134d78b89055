#include <algorithm>

#include "metric/blocks/float_plane.h"
#include "metric/blocks/pairwise_sum.h"
#include "metric/blocks/words.h"
#include "metric/cvvdp/cvvdp.h"

namespace acutance {
namespace {

using namespace cvvdp;

/// The sample at distance -2 to 2 of `centre`, an even position, of `count` that begin with `read(0)`. What the last
/// centre has beyond itself follows the parity of the plane's rows, along rows as well (docs/spec/cvvdp.md 4.1).
template <class Read>
float AroundEven(const Read& read, int centre, int distance, int count, bool odd_rows) {
  const int i = centre + distance;
  if (i < 0) return read(-1 - i);
  if (distance <= 0 || centre + 2 < count) return read(i);
  const float last = read(count - 1), before = read(count - 2);
  if (distance == 2) return odd_rows ? before : last;
  if (count % 2 == 0) return odd_rows ? last + last : last;
  return odd_rows ? last : 0.0f;
}

template <class Read>
float ReducedAt(const Read& read, int centre, int count, bool odd_rows) {
  const auto at = [&](int distance) { return AroundEven(read, centre, distance, count, odd_rows); };
  return cvvdp_reduced(at(-2), at(-1), at(0), at(1), at(2));
}

/// Position i of twice as many samples as there are.
template <class Read>
float ExpandedAt(const Read& read, int i, int count) {
  const auto at = [&](int j) { return read(std::clamp(j, 0, count - 1)); };
  const int j = i / 2;
  return i % 2 != 0 ? cvvdp_expanded_between(at(j), at(j + 1)) : cvvdp_expanded(at(j - 1), at(j), at(j + 1));
}

FloatPlane Expanded(const CvvdpPlane& from, int width, int height) {
  FloatPlane rows(from.width, height), to(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < from.width; ++x)
      rows.at(x, y) = ExpandedAt([&](int i) { return from.Row(i)[x]; }, y, from.height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) to.at(x, y) = ExpandedAt([&](int i) { return rows.at(i, y); }, x, from.width);
  return to;
}

/// Beyond the borders lie the samples within, without those at the edge.
float BlurredAt(const FloatPlane& plane, int x, int y, bool across) {
  const uint32_t* taps = across ? kCvvdpBlurAcross : kCvvdpBlurDown;
  const int count = across ? plane.width : plane.height, centre = across ? x : y;
  const auto at = [&](int i) {
    i = i < 0 ? -i : i >= count ? 2 * (count - 1) - i : i;
    return across ? plane.at(i, y) : plane.at(x, i);
  };
  float sum = at(centre) * bits_float(taps[0]);
  for (int k = 1; k <= CVVDP_BLUR_RADIUS; ++k) sum = sum + (at(centre - k) + at(centre + k)) * bits_float(taps[k]);
  return sum;
}

/// Masking by one channel before its power.
FloatPlane Blurred(FloatPlane plane) {
  if (std::min(plane.width, plane.height) <= CVVDP_BLUR_BEYOND) {
    for (float& sample : plane.samples) sample = sample * bits_float(kCvvdpUnblurred);
    return plane;
  }
  FloatPlane across = plane;
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) across.at(x, y) = BlurredAt(plane, x, y, true);
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) plane.at(x, y) = BlurredAt(across, x, y, false);
  return plane;
}

double SumOfStrip(const FloatPlane& plane, int begin, int end) {
  std::vector<double> columns(plane.width);
  for (int y = begin; y < end; ++y)
    for (int x = 0; x < plane.width; ++x) columns[x] += static_cast<double>(plane.at(x, y));
  return FoldBy32(columns);
}

using Channels = std::vector<FloatPlane>;

/// What eyes see of each video's contrasts.
std::array<Channels, 2> SeenContrasts(const CvvdpBand& band) {
  const int width = band.scale[0][0].width, height = band.scale[0][0].height;
  std::array<Channels, 2> seen;
  const FloatPlane reference_background = Expanded(band.next[0][0], width, height);
  for (int v = 0; v < 2; ++v) {
    const FloatPlane background = Expanded(band.next[v][0], width, height);
    for (int c = 0; c < band.channels; ++c) {
      FloatPlane& plane = seen[v].emplace_back(Expanded(band.next[v][c], width, height));
      for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
          const float contrast = cvvdp_contrast(band.scale[v][c].Row(y)[x], plane.at(x, y), background.at(x, y));
          const float node = cvvdp_node(reference_background.at(x, y));
          plane.at(x, y) = contrast * float_exp2(CvvdpSensitivityAt(*band.sensitivity, c, node));
        }
    }
  }
  return seen;
}

/// What masks, by the channel that does it.
Channels Maskers(const std::array<Channels, 2>& seen) {
  Channels maskers;
  for (size_t c = 0; c < seen[0].size(); ++c) {
    FloatPlane least = seen[0][c];
    for (size_t i = 0; i < least.samples.size(); ++i)
      least.samples[i] = cvvdp_masker(seen[1][c].samples[i], seen[0][c].samples[i]);
    FloatPlane& masker = maskers.emplace_back(Blurred(least));
    const CvvdpExponent exponent = cvvdp_masking_exponent(static_cast<int>(c));
    for (float& sample : masker.samples) sample = cvvdp_soft_pow(sample, exponent);
  }
  return maskers;
}

Channels Differences(const CvvdpBand& band) {
  const std::array<Channels, 2> seen = SeenContrasts(band);
  const Channels maskers = Maskers(seen);
  const CvvdpExponent exponent = cvvdp_difference_exponent();
  Channels differences;
  for (int c = 0; c < band.channels; ++c) {
    FloatPlane& difference = differences.emplace_back(seen[0][c]);
    for (size_t i = 0; i < difference.samples.size(); ++i) {
      float masking = maskers[0].samples[i] * bits_float(kCvvdpCrossMasking[c]);
      for (int j = 1; j < band.channels; ++j)
        masking = masking + maskers[j].samples[i] * bits_float(kCvvdpCrossMasking[4 * j + c]);
      difference.samples[i] = cvvdp_difference(seen[1][c].samples[i], seen[0][c].samples[i], masking, exponent);
    }
  }
  return differences;
}

void DrawHeat(const CvvdpBand& band, const Channels& differences) {
  if (!band.heat) return;
  for (int y = 0; y < band.heat->height; ++y)
    for (int x = 0; x < band.heat->width; ++x) {
      float sum = 0.0f;
      for (int c = 0; c < band.channels; ++c)
        sum = sum + cvvdp_fourth_power(differences[c].at(x, y) * band.heat_weights[c]);
      band.heat->Row(y)[x] = cvvdp_fourth_root(sum);
    }
}

double SumOfSquares(FloatPlane difference, int begin, int end) {
  for (float& sample : difference.samples) sample = cvvdp_square(sample);
  return SumOfStrip(difference, begin, end);
}

/// The mean light of a plane.
float MeanLight(const CvvdpPlane& light) {
  FloatPlane plane(light.width, light.height);
  for (int y = 0; y < light.height; ++y)
    for (int x = 0; x < light.width; ++x) plane.at(x, y) = std::max(light.Row(y)[x], bits_float(kCvvdpLeastLight));
  double sum = 0.0;
  for (int y = 0; y < light.height; y += kCvvdpStrip)
    sum += SumOfStrip(plane, y, std::min(y + kCvvdpStrip, light.height));
  return static_cast<float>(sum / static_cast<double>(plane.samples.size()));
}

}  // namespace

float CvvdpSensitivityAt(const CvvdpSensitivity& sensitivity, int channel, float node) {
  const int i = std::min(static_cast<int>(node), CVVDP_NODES - 2);
  const auto& nodes = sensitivity.nodes[channel];
  return cvvdp_between(nodes[i], nodes[i + 1], node - static_cast<float>(i));
}

void CvvdpFilterRowRef(const CvvdpFilter& filter, std::span<const std::array<const float*, 3>> rows, int width,
                       const std::array<float*, kCvvdpChannels>& to) {
  for (int c = 0; c < filter.channels; ++c)
    for (int x = 0; x < width; ++x) {
      float sum = rows[0][c % 3][x] * filter.taps[c][0];
      for (size_t k = 1; k < rows.size(); ++k) sum = sum + rows[k][c % 3][x] * filter.taps[c][k];
      to[c][x] = sum;
    }
}

void CvvdpReduceRowRef(const CvvdpPlane& from, int y, const CvvdpPlane& to) {
  const bool odd_rows = from.height % 2 != 0;
  std::vector<float> column(from.width);
  for (int x = 0; x < from.width; ++x)
    column[x] = ReducedAt([&](int i) { return from.Row(i)[x]; }, 2 * y, from.height, odd_rows);
  for (int x = 0; x < to.width; ++x)
    to.Row(y)[x] = ReducedAt([&](int i) { return column[i]; }, 2 * x, from.width, odd_rows);
}

void CvvdpStripsRef(const CvvdpBand& band, std::span<int64_t> words) {
  const Channels differences = Differences(band);
  DrawHeat(band, differences);
  const int height = band.scale[0][0].height;
  for (int c = 0; c < band.channels; ++c)
    for (int y = 0; y < height; y += kCvvdpStrip)
      words[static_cast<size_t>(y / kCvvdpStrip) * kCvvdpChannels + c] =
          WordFromDouble(SumOfSquares(differences[c], y, std::min(y + kCvvdpStrip, height)));
}

void CvvdpBase(const CvvdpBand& base, std::span<int64_t> words) {
  const CvvdpPlane& light = base.scale[0][0];
  const float means[2] = {MeanLight(base.scale[0][0]), MeanLight(base.scale[1][0])};
  const auto contrast = [&](int v, int c, int x, int y) {
    return std::min(base.scale[v][c].Row(y)[x] / means[v], 1000.0f);
  };
  Channels differences;
  for (int c = 0; c < base.channels; ++c) {
    const float sensitivity = float_exp2(CvvdpSensitivityAt(*base.sensitivity, c, cvvdp_node(means[0])));
    FloatPlane& difference = differences.emplace_back(light.width, light.height);
    for (int y = 0; y < light.height; ++y)
      for (int x = 0; x < light.width; ++x) {
        const float reference = contrast(0, c, x, y), distorted = contrast(1, c, x, y);
        difference.at(x, y) = (distorted < reference ? reference - distorted : distorted - reference) * sensitivity;
      }
    double sum = 0.0;
    for (int y = 0; y < light.height; y += kCvvdpStrip)
      sum += SumOfSquares(difference, y, std::min(y + kCvvdpStrip, light.height));
    words[c] = WordFromDouble(sum);
  }
  DrawHeat(base, differences);
}

void CvvdpExpandOnto(const CvvdpPlane& smaller, const CvvdpPlane& larger, float share) {
  const FloatPlane expanded = Expanded(smaller, larger.width, larger.height);
  for (int y = 0; y < larger.height; ++y)
    for (int x = 0; x < larger.width; ++x) larger.Row(y)[x] = expanded.at(x, y) + larger.Row(y)[x] * share;
}

}  // namespace acutance
