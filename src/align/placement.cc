#include "align/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace acutance {
namespace {

constexpr float kQuarterSteps = 32.0F / 256;  // a detail's step in a quarter, in steps of 8 bits
constexpr int kQuarterColumns = 2 * FrameFingerprint::kColumns, kQuarterRows = 2 * FrameFingerprint::kRows;

/// What makes a sample between four others, and how fast it changes there, by samples.
struct Taps {
  std::array<int, 4> at;
  std::array<float, 4> weights, slopes;
  bool is_inside = true;  // of the picture that is read
};

/// Catmull-Rom splines. `begin`, `length`: the part of the line that is read, of 1.
std::vector<Taps> TapsOf(int count, double begin, double length) {
  std::vector<Taps> line;
  for (int k = 0; k < count; ++k) {
    const double place = begin + length * (k + 0.5) / count, sample = place * count - 0.5;
    const double whole = std::floor(sample);
    const auto t = static_cast<float>(sample - whole);
    const int first = static_cast<int>(std::clamp(whole, -2.0 * count, 2.0 * count)) - 1;
    Taps& taps = line.emplace_back();
    for (int i = 0; i < 4; ++i) taps.at[i] = std::clamp(first + i, 0, count - 1);
    const float t2 = t * t, t3 = t2 * t;
    taps.weights = {0.5F * (-t + 2 * t2 - t3), 0.5F * (2 - 5 * t2 + 3 * t3), 0.5F * (t + 4 * t2 - 3 * t3),
                    0.5F * (t3 - t2)};
    taps.slopes = {0.5F * (-1 + 4 * t - 3 * t2), 0.5F * (-10 * t + 9 * t2), 0.5F * (1 + 8 * t - 9 * t2),
                   0.5F * (3 * t2 - 2 * t)};
    taps.is_inside = place >= 0 && place <= 1;
  }
  return line;
}

/// The lines of a placement of pictures of one size.
struct PlacedLines {
  PlacedLines(int width, int height, const Placement& placement)
      : columns(TapsOf(width, placement.left, placement.width)),
        rows(TapsOf(height, placement.top, placement.height)) {}

  std::vector<Taps> columns, rows;
};

using TapValues = std::array<float, 4> Taps::*;

std::vector<float> Across(const LumaGrid& grid, const std::vector<Taps>& columns, TapValues values) {
  std::vector<float> out(grid.samples.size());
  const auto width = static_cast<size_t>(grid.width);
  for (size_t begin = 0; begin < out.size(); begin += width)
    for (size_t x = 0; x < width; ++x) {
      const Taps& taps = columns[x];
      float sum = 0;
      for (size_t i = 0; i < 4; ++i) sum += (taps.*values)[i] * grid.samples[begin + static_cast<size_t>(taps.at[i])];
      out[begin + x] = sum;
    }
  return out;
}

std::vector<float> Down(const std::vector<float>& samples, int width, const std::vector<Taps>& rows, TapValues values) {
  std::vector<float> out(samples.size());
  const auto across = static_cast<size_t>(width);
  for (size_t y = 0; y < rows.size(); ++y) {
    const Taps& taps = rows[y];
    for (size_t i = 0; i < 4; ++i) {
      const float* from = samples.data() + static_cast<size_t>(taps.at[i]) * across;
      const float weight = (taps.*values)[i];
      for (size_t x = 0; x < across; ++x) out[y * across + x] += weight * from[x];
    }
  }
  return out;
}

LumaGrid Place(const LumaGrid& grid, const PlacedLines& lines) {
  const std::vector<float> across = Across(grid, lines.columns, &Taps::weights);
  return {grid.width, grid.height, Down(across, grid.width, lines.rows, &Taps::weights)};
}

/// Products, summed over samples, of 1, the placed reference, its changes by the four numbers of a placement, and the
/// distorted picture.
constexpr size_t kTerms = 7, kNumbers = 4, kReference = 1, kDistorted = 6;
using Products = std::array<std::array<double, kTerms>, kTerms>;

/// Takes out of all later terms what one has of them, as least squares do.
void TakeOut(size_t term, Products& products) {
  const double own = products[term][term];
  if (own <= 1e-9) return;
  for (size_t i = term + 1; i < kTerms; ++i) {
    const double part = products[term][i] / own;
    for (size_t j = i; j < kTerms; ++j) products[i][j] -= part * products[term][j];
  }
}

/// Sums over pairs: equations for a step of the four numbers, and what is left without one.
struct Equations {
  std::array<std::array<double, kNumbers>, kNumbers> left{};
  std::array<double, kNumbers> right{};
  double error = 0, energy = 0;
  Products sums{};  // of all pairs, as if all samples were placed

  double ErrorAlike() const {
    Products products = sums;
    TakeOut(0, products);
    TakeOut(kReference, products);
    return std::max(0.0, products[kDistorted][kDistorted]);
  }

  void Add(Products products, double samples, double all) {
    if (samples < 1) return;
    const double whole = all / samples;
    for (size_t i = 0; i < kTerms; ++i)
      for (size_t j = i; j < kTerms; ++j) sums[i][j] += whole * products[i][j];
    TakeOut(0, products);
    energy += whole * products[kDistorted][kDistorted];
    const double own = products[kReference][kReference];
    const double gain = own > 1e-9 ? products[kReference][kDistorted] / own : 0;
    TakeOut(kReference, products);
    error += whole * std::max(0.0, products[kDistorted][kDistorted]);
    for (size_t i = 0; i < kNumbers; ++i) {
      right[i] += whole * gain * products[i + 2][kDistorted];
      for (size_t j = i; j < kNumbers; ++j) left[i][j] += whole * gain * gain * products[i + 2][j + 2];
    }
  }

  /// The step by Gauss and Newton; none where the pictures do not determine it.
  std::array<double, kNumbers> Solve() const {
    std::array<std::array<double, kNumbers + 1>, kNumbers> rows{};
    double trace = 0;
    for (size_t i = 0; i < kNumbers; ++i) trace += left[i][i];
    for (size_t i = 0; i < kNumbers; ++i) {
      for (size_t j = 0; j < kNumbers; ++j) rows[i][j] = left[std::min(i, j)][std::max(i, j)];
      rows[i][i] += 1e-6 * trace + 1e-12;
      rows[i][kNumbers] = right[i];
    }
    for (size_t i = 0; i < kNumbers; ++i)
      for (size_t k = 0; k < kNumbers; ++k) {
        if (k == i) continue;
        const double part = rows[k][i] / rows[i][i];
        for (size_t j = i; j <= kNumbers; ++j) rows[k][j] -= part * rows[i][j];
      }
    std::array<double, kNumbers> step{};
    for (size_t i = 0; i < kNumbers; ++i) step[i] = rows[i][kNumbers] / rows[i][i];
    return step;
  }
};

/// `with_slopes`: false: the equations give what is left, and no step.
void AddPair(const LumaGrid& reference, const LumaGrid& distorted, const PlacedLines& lines, bool with_slopes,
             Equations& equations) {
  const int width = reference.width, height = reference.height;
  const std::vector<float> across = Across(reference, lines.columns, &Taps::weights);
  const std::vector<float> placed = Down(across, width, lines.rows, &Taps::weights);
  std::vector<float> by_x, by_y;
  if (with_slopes) {
    by_x = Down(Across(reference, lines.columns, &Taps::slopes), width, lines.rows, &Taps::weights);
    by_y = Down(across, width, lines.rows, &Taps::slopes);
  }
  Products products{};
  double count = 0;
  for (int y = 0; y < height; ++y) {
    if (!lines.rows[y].is_inside) continue;
    const float v = (static_cast<float>(y) + 0.5F) / static_cast<float>(height);
    std::array<std::array<float, kTerms>, kTerms> sums{};
    for (int x = 0; x < width; ++x) {
      if (!lines.columns[x].is_inside) continue;
      const auto at = static_cast<size_t>(y * width + x);
      std::array<float, kTerms> terms{1, placed[at]};
      terms[kDistorted] = distorted.samples[at];
      if (with_slopes) {
        const float u = (static_cast<float>(x) + 0.5F) / static_cast<float>(width);
        terms[2] = by_x[at] * static_cast<float>(width), terms[3] = by_y[at] * static_cast<float>(height);
        terms[4] = terms[2] * u, terms[5] = terms[3] * v;
      }
      for (size_t i = 0; i < kTerms; ++i)
        for (size_t j = i; j < kTerms; ++j) sums[i][j] += terms[i] * terms[j];
      ++count;
    }
    for (size_t i = 0; i < kTerms; ++i)
      for (size_t j = i; j < kTerms; ++j) products[i][j] += static_cast<double>(sums[i][j]);
  }
  equations.Add(products, count, static_cast<double>(width) * height);
}

Equations EquationsOf(GridPairs pairs, const Placement& placement, bool with_slopes) {
  Equations equations;
  if (pairs.empty()) return equations;
  const PlacedLines lines(pairs.front().first->width, pairs.front().first->height, placement);
  for (const auto& [reference, distorted] : pairs) AddPair(*reference, *distorted, lines, with_slopes, equations);
  return equations;
}

int8_t DetailOf(float twice) {
  return static_cast<int8_t>(std::clamp(std::floor(twice / (4 * kQuarterSteps) + 0.5F), -127.0F, 127.0F));
}

FrameFingerprint FingerprintOf(const LumaGrid& quarters) {
  FrameFingerprint fingerprint;
  for (int cell = 0; cell < FrameFingerprint::kCells; ++cell) {
    const float* upper = quarters.samples.data() +
                         static_cast<ptrdiff_t>(2 * (cell / FrameFingerprint::kColumns)) * kQuarterColumns +
                         static_cast<ptrdiff_t>(2 * (cell % FrameFingerprint::kColumns));
    const float* lower = upper + kQuarterColumns;
    const float mean = (upper[0] + upper[1] + lower[0] + lower[1]) / 4;
    fingerprint.cells[cell] = static_cast<uint16_t>(std::clamp(256 * mean, 0.0F, 65535.0F));
    int8_t* details = fingerprint.details.data() + static_cast<ptrdiff_t>(cell) * FrameFingerprint::kDetailsOfCell;
    details[0] = DetailOf(upper[0] - upper[1] + lower[0] - lower[1]);
    details[1] = DetailOf(upper[0] + upper[1] - lower[0] - lower[1]);
    details[2] = DetailOf(upper[0] - upper[1] - lower[0] + lower[1]);
  }
  return fingerprint;
}

/// The part of a line of samples, with edges on whole steps.
std::pair<int, int> Along(int begin, int length, double first, double part, int step) {
  const auto edge = [&](double place) {
    const auto steps = static_cast<int>(std::lround(place * length / step));
    return std::clamp(steps * step, 0, length);
  };
  const int left = edge(first), right = first + part >= 1 ? length : edge(first + part);
  return {begin + left, std::max(right - left, step)};
}

Rectangle RectangleOf(const Placement& part, const ShownPicture& video) {
  const Rectangle& all = video.part;
  const auto [x, width] = Along(all.x, all.width, part.left, part.width, ChromaStepX(video.pixel_format));
  const auto [y, height] = Along(all.y, all.height, part.top, part.height, ChromaStepY(video.pixel_format));
  return {width, height, x, y};
}

double ShapeOf(const Rectangle& part, const ShownPicture& video) {
  return part.width * video.pixel_aspect / part.height;
}

}  // namespace

double Placement::DistanceFrom(const Placement& other) const {
  return std::max({std::abs(left - other.left), std::abs(top - other.top),
                   std::abs(left + width - other.left - other.width),
                   std::abs(top + height - other.top - other.height)});
}

double Placement::OffCentre() const {
  return std::max(std::abs(left + width / 2 - 0.5), std::abs(top + height / 2 - 0.5));
}

LumaGrid QuartersOf(const FrameFingerprint& fingerprint) {
  LumaGrid grid{kQuarterColumns, kQuarterRows, std::vector<float>(size_t{kQuarterColumns} * kQuarterRows)};
  for (int cell = 0; cell < FrameFingerprint::kCells; ++cell) {
    const int8_t* details =
        fingerprint.details.data() + static_cast<ptrdiff_t>(cell) * FrameFingerprint::kDetailsOfCell;
    const float mean = static_cast<float>(fingerprint.cells[cell]) / 256;
    const auto a = static_cast<float>(details[0]), b = static_cast<float>(details[1]),
               c = static_cast<float>(details[2]);
    float* upper = grid.samples.data() +
                   static_cast<ptrdiff_t>(2 * (cell / FrameFingerprint::kColumns)) * kQuarterColumns +
                   static_cast<ptrdiff_t>(2 * (cell % FrameFingerprint::kColumns));
    upper[0] = mean + kQuarterSteps * (a + b + c);
    upper[1] = mean + kQuarterSteps * (b - a - c);
    upper[kQuarterColumns] = mean + kQuarterSteps * (a - b - c);
    upper[kQuarterColumns + 1] = mean + kQuarterSteps * (c - a - b);
  }
  return grid;
}

LumaGrid ShrinkBy(const LumaGrid& grid, int by) {
  LumaGrid small{grid.width / by, grid.height / by, {}};
  small.samples.assign(static_cast<size_t>(small.width) * static_cast<size_t>(small.height), 0);
  const float part = 1.0F / static_cast<float>(by * by);
  for (int y = 0; y < small.height * by; ++y)
    for (int x = 0; x < small.width * by; ++x)
      small.samples[y / by * small.width + x / by] += part * grid.samples[y * grid.width + x];
  return small;
}

LumaGrid Smooth(const LumaGrid& grid) {
  const auto width = static_cast<size_t>(grid.width), height = static_cast<size_t>(grid.height);
  LumaGrid across = grid, smooth = grid;
  for (size_t y = 0; y < height; ++y) {
    const float* row = grid.samples.data() + y * width;
    for (size_t x = 0; x < width; ++x)
      across.samples[y * width + x] =
          0.5F * row[x] + 0.25F * (row[x == 0 ? 0 : x - 1] + row[std::min(x + 1, width - 1)]);
  }
  for (size_t y = 0; y < height; ++y) {
    const float* row = across.samples.data() + y * width;
    const float* above = across.samples.data() + (y == 0 ? 0 : y - 1) * width;
    const float* below = across.samples.data() + std::min(y + 1, height - 1) * width;
    for (size_t x = 0; x < width; ++x) smooth.samples[y * width + x] = 0.5F * row[x] + 0.25F * (above[x] + below[x]);
  }
  return smooth;
}

PlacementFit FitOf(GridPairs pairs, const Placement& placement) {
  const Equations equations = EquationsOf(pairs, placement, false);
  return {placement, equations.error, equations.energy, equations.ErrorAlike()};
}

PlacementFit RefinePlacement(GridPairs pairs, const Placement& start, int rounds) {
  constexpr double kMostStep = 0.04;  // of the picture
  constexpr int kHalvings = 3;        // where a step leads beyond what is straight
  Equations equations = EquationsOf(pairs, start, true);
  PlacementFit best{start, equations.error, equations.energy, equations.ErrorAlike()};
  for (int round = 0; round < rounds; ++round) {
    std::array<double, kNumbers> step = equations.Solve();
    for (double& number : step) number = std::clamp(number, -kMostStep, kMostStep);
    bool is_better = false;
    for (int halving = 0; halving <= kHalvings && !is_better; ++halving) {
      const Placement& at = best.placement;
      const Placement next{at.left + step[0], at.top + step[1], at.width + step[2], at.height + step[3]};
      equations = EquationsOf(pairs, next, round + 1 < rounds);
      is_better = equations.error < best.error;
      if (is_better) best = {next, equations.error, equations.energy, equations.ErrorAlike()};
      for (double& number : step) number /= 2;
    }
    if (!is_better) break;
  }
  return best;
}

FrameTrack CropTo(const FrameTrack& track, const Placement& part) {
  FrameTrack cropped{{}, track.times, track.rate, track.is_whole};
  const PlacedLines lines(kQuarterColumns, kQuarterRows, part);
  cropped.fingerprints.reserve(track.fingerprints.size());
  for (const FrameFingerprint& fingerprint : track.fingerprints)
    cropped.fingerprints.push_back(FingerprintOf(Place(QuartersOf(fingerprint), lines)));
  return cropped;
}

std::pair<Placement, Placement> PartsInCommon(const Placement& placement) {
  const auto across = [](double begin, double length) {
    const double first = std::max(0.0, begin), last = std::min(1.0, begin + length);
    return std::array{first, last - first, (first - begin) / length, (last - first) / length};
  };
  const auto x = across(placement.left, placement.width), y = across(placement.top, placement.height);
  return {{x[0], y[0], x[1], y[1]}, {x[2], y[2], x[3], y[3]}};
}

PlacedParts PartsOf(const Placement& placement, const ShownPicture& reference, const ShownPicture& distorted) {
  constexpr double kSameShape = 0.03;  // what FitVideos accepts
  const auto [part, own] = PartsInCommon(placement);
  PlacedParts parts{RectangleOf(part, reference), RectangleOf(own, distorted), {}, {}};
  const auto shows_only = [](const ShownPicture& one, const Rectangle& shown, const ShownPicture& other) {
    return fmt::format("{} shows only the part {} of {}", one.name, ToText(shown), other.name);
  };
  if (parts.distorted == distorted.part) parts.sentence = shows_only(distorted, parts.reference, reference);
  else if (parts.reference == reference.part) parts.sentence = shows_only(reference, parts.distorted, distorted);
  else
    parts.sentence = fmt::format("{} shows in {} what {} does in {}", distorted.name, ToText(parts.distorted),
                                 reference.name, ToText(parts.reference));
  const double shape = ShapeOf(parts.reference, reference), other = ShapeOf(parts.distorted, distorted);
  const bool differ = std::abs(shape - other) > kSameShape * std::min(shape, other);
  parts.options =
      fmt::format("--crop {},{}{}", ToText(parts.reference), ToText(parts.distorted), differ ? " --force" : "");
  return parts;
}

}  // namespace acutance
