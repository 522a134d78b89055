#include <algorithm>

#include "metric/blocks/float_plane.h"
#include "metric/butteraugli/butteraugli.h"

namespace acutance {
namespace {

using namespace butteraugli;

/// Calls `f(position)` of each sample of planes that are as large as `plane`.
template <class F>
void ForEachSample(const FloatPlane& plane, F f) {
  for (size_t i = 0; i < plane.samples.size(); ++i) f(i);
}

// --- Blurs, of `size` samples `step` apart.

int Mirrored(int i, int size) { return i < 0 ? -1 - i : i >= size ? 2 * size - 1 - i : i; }

void BlurAround(const ButteraugliBlur& blur, const float* from, int size, ptrdiff_t step, float* to) {
  const std::vector<float>& w = blur.inside;
  for (int i = 0; i < size; ++i) {
    const auto at = [&](int d) { return from[Mirrored(i + d, size) * step]; };
    to[i * step] = fused(at(-2) + at(2), w[0], fused(at(-1) + at(1), w[1], at(0) * w[2]));
  }
}

float BlurredInside(const ButteraugliBlur& blur, const float* centre, ptrdiff_t step) {
  const int lanes = blur.radius == 3 ? 3 : 4;
  float parts[4] = {};
  for (int j = 0; j < blur.radius; ++j) {
    const ptrdiff_t d = (blur.radius - j) * step;
    const float pair = (centre[-d] + centre[d]) * blur.inside[j];
    parts[j % lanes] = j < lanes ? pair : parts[j % lanes] + pair;
  }
  float sum = centre[0] * blur.inside[blur.radius];
  for (int j = 0; j < lanes; ++j) sum += parts[j];
  return sum;
}

float BlurredAtBorder(const ButteraugliBlur& blur, const float* from, int size, ptrdiff_t step, int i) {
  float sum = 0.0f;
  for (int j = std::max(0, i - blur.radius); j <= std::min(size - 1, i + blur.radius); ++j)
    sum += from[j * step] * blur.whole[j - i + blur.radius];
  return sum * blur.Share(i, size);
}

void BlurLine(const ButteraugliBlur& blur, const float* from, int size, ptrdiff_t step, float* to) {
  for (int i = 0; i < size; ++i)
    to[i * step] = i >= blur.radius && i < size - blur.radius ? BlurredInside(blur, from + i * step, step)
                                                              : BlurredAtBorder(blur, from, size, step, i);
}

FloatPlane Blurred(const ButteraugliBlur& blur, FloatPlane plane) {
  const auto line = blur.radius == 2 ? BlurAround : BlurLine;
  FloatPlane rows(plane.width, plane.height);
  for (int y = 0; y < plane.height; ++y) line(blur, plane.Row(y), plane.width, 1, rows.Row(y));
  for (int x = 0; x < plane.width; ++x)
    line(blur, rows.samples.data() + x, plane.height, plane.width, plane.samples.data() + x);
  return plane;
}

// --- A picture's frequencies.

struct Bands {
  explicit Bands(const FloatPlane& empty)
      : low{empty, empty, empty}, middle{empty, empty, empty}, high{empty, empty}, highest{empty, empty}, mask(empty) {}
  std::array<FloatPlane, 3> low, middle;
  std::array<FloatPlane, 2> high, highest;
  FloatPlane mask;
};

std::array<FloatPlane, 3> PerceivedColors(const std::array<FloatPlane, 3>& light, float nits) {
  std::array<FloatPlane, 3> around = light, colors = light;
  for (FloatPlane& plane : around) plane = Blurred(GetButteraugliConstants().around, plane);
  ForEachSample(light[0], [&](size_t i) {
    const ButteraugliColor color =
        butteraugli_color(light[0].samples[i] * nits, light[1].samples[i] * nits, light[2].samples[i] * nits,
                          around[0].samples[i] * nits, around[1].samples[i] * nits, around[2].samples[i] * nits);
    colors[0].samples[i] = color.x;
    colors[1].samples[i] = color.y;
    colors[2].samples[i] = color.b;
  });
  return colors;
}

/// Takes `blurred` off `plane`.
void Subtract(FloatPlane& plane, const FloatPlane& blurred) {
  ForEachSample(plane, [&](size_t i) { plane.samples[i] -= blurred.samples[i]; });
}

Bands BandsOf(std::array<FloatPlane, 3> planes) {
  const ButteraugliConstants& constants = GetButteraugliConstants();
  Bands bands(planes[0]);
  for (int c = 0; c < 3; ++c) {
    bands.low[c] = Blurred(constants.low, planes[c]);
    Subtract(planes[c], bands.low[c]);
    bands.middle[c] = Blurred(constants.high, planes[c]);
    Subtract(planes[c], bands.middle[c]);
  }
  ForEachSample(planes[0], [&](size_t i) {
    const ButteraugliColor low =
        weighed_low({bands.low[0].samples[i], bands.low[1].samples[i], bands.low[2].samples[i]});
    bands.low[0].samples[i] = low.x;
    bands.low[1].samples[i] = low.y;
    bands.low[2].samples[i] = low.b;
    bands.middle[0].samples[i] = shrunk(0.29f, bands.middle[0].samples[i]);
    bands.middle[1].samples[i] = expanded(0.1f, bands.middle[1].samples[i]);
    planes[0].samples[i] = suppressed_by_y(planes[0].samples[i], planes[1].samples[i]);
  });
  const FloatPlane x = Blurred(constants.highest, planes[0]), y = Blurred(constants.highest, planes[1]);
  ForEachSample(x, [&](size_t i) {
    const ButteraugliHigh of_x = high_of_x(planes[0].samples[i], x.samples[i]);
    const ButteraugliHigh of_y = high_of_y(planes[1].samples[i], y.samples[i]);
    bands.high[0].samples[i] = of_x.high;
    bands.high[1].samples[i] = of_y.high;
    bands.highest[0].samples[i] = of_x.highest;
    bands.highest[1].samples[i] = of_y.highest;
    bands.mask.samples[i] = mask_source(of_x.highest, of_x.high, of_y.highest, of_y.high);
  });
  bands.mask = Blurred(constants.mask, bands.mask);
  return bands;
}

// --- Differences along 16 lines. A line is symmetric: here are the offsets before its centre, from the outside.

struct Offset {
  int y, x;
};

constexpr Offset kSparse[16][2] = {
    {{0, -4}, {0, -2}},   {{-4, 0}, {-2, 0}},   {{-3, -3}, {-2, -2}}, {{-3, 3}, {-2, 2}},
    {{-4, 1}, {-2, 1}},   {{-4, -1}, {-2, -1}}, {{-1, -4}, {-1, -2}}, {{1, -4}, {1, -2}},
    {{-3, -2}, {-2, -1}}, {{-3, 2}, {-2, 1}},   {{-2, -3}, {-1, -2}}, {{-2, 3}, {-1, 2}},
    {{2, -4}, {1, -2}},   {{-2, -4}, {-1, -2}}, {{-4, -2}, {-2, -1}}, {{-4, 2}, {-2, 1}}};

float SparseLine(const FloatPlane& d, const Offset (&half)[2], int x, int y) {
  const auto before = [&](int i) { return d.near(x + half[i].x, y + half[i].y); };
  const auto after = [&](int i) { return d.near(x - half[i].x, y - half[i].y); };
  return (before(0) + before(1)) + (d.at(x, y) + (after(1) + after(0)));
}

struct DenseLine {
  int count;  // of offsets: 3 or 4
  Offset half[4];
};

/// The last four come twice.
constexpr DenseLine kDense[16] = {
    {4, {{0, -4}, {0, -3}, {0, -2}, {0, -1}}},    {4, {{-4, 0}, {-3, 0}, {-2, 0}, {-1, 0}}},
    {3, {{-3, -3}, {-2, -2}, {-1, -1}}},          {3, {{-3, 3}, {-2, 2}, {-1, 1}}},
    {4, {{-4, 1}, {-3, 1}, {-2, 1}, {-1, 0}}},    {4, {{-4, -1}, {-3, -1}, {-2, -1}, {-1, 0}}},
    {4, {{-1, -4}, {-1, -3}, {-1, -2}, {0, -1}}}, {4, {{1, -4}, {1, -3}, {1, -2}, {0, -1}}},
    {3, {{-3, -2}, {-2, -1}, {-1, -1}}},          {3, {{-3, 2}, {-2, 1}, {-1, 1}}},
    {3, {{-2, -3}, {-1, -2}, {-1, -1}}},          {3, {{-2, 3}, {-1, 2}, {-1, 1}}},
    {4, {{1, -4}, {1, -3}, {1, -2}, {0, -1}}},    {4, {{-1, -4}, {-1, -3}, {-1, -2}, {0, -1}}},
    {4, {{-4, -1}, {-3, -1}, {-2, -1}, {-1, 0}}}, {4, {{-4, 1}, {-3, 1}, {-2, 1}, {-1, 0}}}};

float DenseLineSum(const FloatPlane& d, const DenseLine& line, int x, int y) {
  const auto before = [&](int i) { return d.near(x + line.half[i].x, y + line.half[i].y); };
  const auto after = [&](int i) { return d.near(x - line.half[i].x, y - line.half[i].y); };
  const float centre = d.at(x, y);
  if (line.count == 3) return (before(0) + before(1)) + (before(2) + ((centre + after(2)) + (after(1) + after(0))));
  return (((before(0) + before(1)) + (before(2) + before(3))) + ((centre + after(3)) + (after(2) + after(1)))) +
         after(0);
}

/// The squared sums of all lines.
float LineSquares(const FloatPlane& d, bool dense, int x, int y) {
  WIDE_FLOAT total = 0;
  for (int i = 0; i < 16; ++i) {
    const float sum = dense ? DenseLineSum(d, kDense[i], x, y) : SparseLine(d, kSparse[i], x, y);
    total = i == 0 ? squared_line(sum) : with_line(sum, total);
  }
  return static_cast<float>(total);
}

/// Adds those of the difference of two bands to `total`.
void AddMalta(const FloatPlane& a, const FloatPlane& b, const ButteraugliBand& band, bool dense, FloatPlane& total) {
  FloatPlane difference = a;
  ForEachSample(a, [&](size_t i) { difference.samples[i] = malta_difference(a.samples[i], b.samples[i], band.malta); });
  for (int y = 0; y < a.height; ++y)
    for (int x = 0; x < a.width; ++x) total.Row(y)[x] += LineSquares(difference, dense, x, y);
}

float Mask(const FloatPlane& mask, int x, int y) {
  const float value = mask.at(x, y);
  SmallestThree smallest = {value, 2.0f * value, 2.0f * value};
  for (int dy = -3; dy <= 3; dy += 3)
    for (int dx = -3; dx <= 3; dx += 3)
      if ((dx != 0 || dy != 0) && x + dx >= 0 && x + dx < mask.width && y + dy >= 0 && y + dy < mask.height)
        smallest = with_value(smallest, mask.at(x + dx, y + dy));
  return eroded(smallest);
}

FloatPlane MapOf(const Bands& reference, const Bands& distorted) {
  const ButteraugliConstants& constants = GetButteraugliConstants();
  const FloatPlane empty(reference.mask.width, reference.mask.height);
  std::array<FloatPlane, 2> other = {empty, empty};
  for (int c = 0; c < 2; ++c) {
    AddMalta(reference.highest[c], distorted.highest[c], constants.highest_band[c], true, other[c]);
    AddMalta(reference.high[c], distorted.high[c], constants.high_band[c], false, other[c]);
    AddMalta(reference.middle[c], distorted.middle[c], constants.middle_band[c], false, other[c]);
  }
  const auto square = [](const FloatPlane& a, const FloatPlane& b, size_t i) {
    return (a.samples[i] - b.samples[i]) * (a.samples[i] - b.samples[i]);
  };
  FloatPlane map = empty;
  for (int y = 0; y < empty.height; ++y)
    for (int x = 0; x < empty.width; ++x) {
      const size_t i = static_cast<size_t>(y) * empty.width + x;
      float differences[3], low[3];
      for (int c = 0; c < 3; ++c) {
        const float middle = square(reference.middle[c], distorted.middle[c], i);
        differences[c] = middle * constants.middle_squares[c];
        if (c < 2) {
          const ButteraugliBand& band = constants.high_band[c];
          const float sum = asymmetric_square(reference.high[c].samples[i], distorted.high[c].samples[i], band.square,
                                              band.square_of_side, other[c].samples[i]);
          differences[c] = fused(middle, constants.middle_squares[c], sum);
        }
        low[c] = square(reference.low[c], distorted.low[c], i) * constants.low_squares[c];
      }
      const float masks = reference.mask.samples[i] - distorted.mask.samples[i];
      differences[1] += 10.0f * masks * masks;
      map.samples[i] = butteraugli_difference(
          {low[0], low[1], low[2]}, {differences[0], differences[1], differences[2]}, Mask(reference.mask, x, y));
    }
  return map;
}

std::array<FloatPlane, 3> LightOf(const FloatColors& colors, bool halved) {
  const FloatPlane empty(halved ? (colors.width + 1) / 2 : colors.width,
                         halved ? (colors.height + 1) / 2 : colors.height);
  std::array<FloatPlane, 3> planes = {empty, empty, empty};
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < empty.height; ++y) {
      if (halved) HalveButteraugliRow(colors, p, y, 0, planes[p].Row(y));
      else std::copy_n(colors.Row(p, y), empty.width, planes[p].Row(y));
    }
  return planes;
}

class SweepRef : public ButteraugliSweep {
 public:
  void Run(const FloatColors& reference, std::span<const FloatColors> distorted, bool halved, float nits, RowBand band,
           std::span<ButteraugliRows* const> to) override {
    const Bands one = BandsOf(PerceivedColors(LightOf(reference, halved), nits));
    for (size_t i = 0; i < distorted.size(); ++i) {
      FloatPlane map = MapOf(one, BandsOf(PerceivedColors(LightOf(distorted[i], halved), nits)));
      for (int y = band.begin; y < band.end; ++y) to[i]->Take(y, map.Row(y));
    }
  }
};

}  // namespace

void AddButteraugliRowRef(const float* own, const float* half, int begin, int end, float* row, ButteraugliSums& sums) {
  for (int x = begin; x < end; ++x) {
    row[x] = half ? with_half_map(own[x], half[x / 2]) : own[x];
    sums.largest = std::max(sums.largest, row[x]);
    const double v = row[x], v3 = v * (v * v), v6 = v3 * v3;
    sums.columns[0][x] += v3;
    sums.columns[1][x] += v6;
    sums.columns[2][x] += v6 * v6;
    double power = v;
    for (int i = 1; i < sums.q; ++i) power *= v;
    sums.columns[3][x] += power;
  }
}

std::unique_ptr<ButteraugliSweep> MakeButteraugliSweepRef() { return std::make_unique<SweepRef>(); }

}  // namespace acutance
