#include "report/damage_classifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "engine/feature_set.h"
#include "engine/frame_maps.h"
#include "metric/offline_frames.h"
#include "metric/registry.h"

namespace acutance {
namespace {

constexpr int kColumns = 32, kRows = 18, kTile = 16;

/// Calls use(row) with a function that gives the row's samples as ints.
template <class Use>
auto WithSamples(const Picture& picture, Use use) {
  if (picture.format.bit_depth == 8) return use([](const Plane& plane, int y) { return plane.Row<uint8_t>(y); });
  return use([](const Plane& plane, int y) { return plane.Row<uint16_t>(y); });
}

/// The means of a plane's cells, in steps of 8 bits.
std::vector<double> CellMeans(const Picture& picture, int number) {
  const Plane& plane = picture.planes[number];
  const double step = 1 << (picture.format.bit_depth - 8);
  const int columns = std::min(kColumns, plane.width), rows = std::min(kRows, plane.height);
  std::vector<int64_t> sums(columns * rows), counts(columns * rows);
  WithSamples(picture, [&](auto row_of) {
    for (int y = 0; y < plane.height; ++y) {
      const auto* row = row_of(plane, y);
      const int cell_row = static_cast<int>(int64_t{y} * rows / plane.height) * columns;
      for (int c = 0; c < columns; ++c) {
        const int begin = static_cast<int>((int64_t{c} * plane.width + columns - 1) / columns);
        const int end = static_cast<int>((int64_t{c + 1} * plane.width + columns - 1) / columns);
        int64_t sum = 0;
        for (int x = begin; x < end; ++x) sum += row[x];
        sums[cell_row + c] += sum;
        counts[cell_row + c] += end - begin;
      }
    }
  });
  std::vector<double> means;
  for (size_t i = 0; i < sums.size(); ++i)
    means.push_back(static_cast<double>(sums[i]) / (step * static_cast<double>(std::max<int64_t>(counts[i], 1))));
  return means;
}

double MeanSquare(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return a.empty() ? 0 : sum / static_cast<double>(a.size());
}

/// The values of the parabola of x that lies nearest to y. Numbers are from 0 to 256.
std::vector<double> NearestParabola(const std::vector<double>& x, const std::vector<double>& y) {
  constexpr double kScale = 1.0 / 128, kRidge = 1e-6;  // flat pictures have no slope
  double m[3][4] = {};
  for (size_t i = 0; i < x.size(); ++i) {
    const double u = (x[i] - 128) * kScale, basis[3] = {1, u, u * u};
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) m[r][c] += basis[r] * basis[c];
      m[r][3] += basis[r] * (y[i] - x[i]);
    }
  }
  for (int r = 0; r < 3; ++r) m[r][r] += kRidge * static_cast<double>(x.size());
  for (int p = 0; p < 3; ++p)  // the matrix is positive definite
    for (int r = 0; r < 3; ++r) {
      if (r == p) continue;
      const double factor = m[r][p] / m[p][p];
      for (int c = p; c < 4; ++c) m[r][c] -= factor * m[p][c];
    }
  std::vector<double> values;
  for (const double at : x) {
    const double u = (at - 128) * kScale;
    values.push_back(at + m[0][3] / m[0][0] + u * m[1][3] / m[1][1] + u * u * m[2][3] / m[2][2]);
  }
  return values;
}

/// Energies of what is finer than 3 samples: means over squares of kTile samples, in steps of 8 bits.
struct DetailSums {
  std::vector<double> reference, distorted, both;
  double error = 0;  // mean square difference of all samples but those at the borders
};

/// A sample less the binomial mean of its 3 x 3 neighbours, times 16.
template <class RowOf>
int64_t DetailAt(RowOf row_of, const Plane& plane, int x, int y) {
  const auto across = [&](int row) {
    const auto* at = row_of(plane, row) + x;
    return at[-1] + 2 * at[0] + at[1];
  };
  return 16 * row_of(plane, y)[x] - across(y - 1) - 2 * across(y) - across(y + 1);
}

DetailSums SumDetail(const Picture& reference, const Picture& distorted) {
  const Plane &a = reference.planes[0], &b = distorted.planes[0];
  const int columns = std::max(1, a.width / kTile), rows = std::max(1, a.height / kTile);
  const double step = 1 << (reference.format.bit_depth - 8);
  DetailSums sums;
  int64_t error = 0;
  WithSamples(reference, [&](auto row_of) {
    for (int tile = 0; tile < rows * columns; ++tile) {
      const int r = tile / columns, c = tile % columns;
      const int top = std::max(1, r * kTile), bottom = r + 1 == rows ? a.height - 1 : (r + 1) * kTile;
      const int left = std::max(1, c * kTile), right = c + 1 == columns ? a.width - 1 : (c + 1) * kTile;
      int64_t of_reference = 0, of_distorted = 0, of_both = 0;
      for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
          const int64_t one = DetailAt(row_of, a, x, y), other = DetailAt(row_of, b, x, y);
          const int64_t difference = row_of(b, y)[x] - row_of(a, y)[x];
          of_reference += one * one;
          of_distorted += other * other;
          of_both += one * other;
          error += difference * difference;
        }
      const double unit = 256 * step * step * std::max(1.0, double{1} * (right - left) * (bottom - top));
      sums.reference.push_back(static_cast<double>(of_reference) / unit);
      sums.distorted.push_back(static_cast<double>(of_distorted) / unit);
      sums.both.push_back(static_cast<double>(of_both) / unit);
    }
  });
  sums.error = static_cast<double>(error) / (step * step * std::max(1.0, (a.width - 2.0) * (a.height - 2.0)));
  return sums;
}

double Mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

/// How much detail the encode has lost in squares with more detail than three times the grain. A quarter of the squares
/// is taken to hold grain alone, of a standard deviation of 2.5 steps at most.
double StructureLost(const DetailSums& sums) {
  constexpr double kMostGrain = 4;
  std::vector<double> sorted = sums.reference;
  const auto quarter = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 4);
  std::ranges::nth_element(sorted, quarter);
  const double grain = std::min(*quarter, kMostGrain);
  double lost = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (sums.reference[i] <= 3 * grain + 1) continue;
    const double missing = 1 - sums.both[i] / sums.reference[i];
    lost += missing * std::abs(missing) * sums.reference[i];
  }
  return std::max(0.0, lost / static_cast<double>(sorted.size()));
}

/// The share of squares with some detail in the reference and next to none in the encode.
double Flattened(const DetailSums& sums) {
  constexpr double kSome = 0.1, kNextToNone = 0.15;
  int64_t flat = 0;
  for (size_t i = 0; i < sums.reference.size(); ++i)
    flat += sums.reference[i] >= kSome && sums.distorted[i] < kNextToNone * sums.reference[i];
  return static_cast<double>(flat) / static_cast<double>(sums.reference.size());
}

/// The metric that finds banding in a picture, as it declares; nullopt: there is none. The bounds below are in CAMBI's
/// scores.
std::optional<MetricRun> BandingDetector() {
  const auto found = std::ranges::find(AllMetrics(), std::optional(Damage::kBanding),
                                       [](const Metric* metric) { return metric->detects.kind; });
  if (found == AllMetrics().end()) return std::nullopt;
  const auto& [kind, option, value] = (*found)->detects;
  Result<OptionValues> options = OptionValues::Parse((*found)->options, {{std::string(option), std::string(value)}});
  return MetricRun{.metric = *found, .options = std::move(options).value(), .inputs = {}};
}

/// 0 where the picture is too small.
double Banding(const Picture& picture) {
  const auto score = [&]() -> Result<double> {
    const std::optional<MetricRun> run = BandingDetector();
    if (!run) return 0;
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Extractor> extractor,
                         MakeExtractor(*run->metric, run->options, picture.format));
    const OfflineFrames clip(*run->metric, run->options, {&picture, 1}, {&picture, 1});
    ACU_ASSIGN_OR_RETURN(const ComputedFrame frame,
                         ComputeFrame(*run->metric, *extractor, clip, 0, 1, WantedArtifacts::kNone));
    return frame.values[0];
  }();
  return score.ok() ? *score : 0;
}

/// The words for each Cause in order; kMoment's depend on the frame.
constexpr const char* kCauseWords[] = {"",
                                       "",
                                       "another picture than the reference's",
                                       "banding (smooth areas in visible steps)",
                                       "color error",
                                       "brightness error",
                                       "detail lost",
                                       "detail added (noise, edges or sharpening)"};

constexpr double kLeastBanding = 0.9, kVisibleBanding = 4, kBandingOfStructure = 15, kBandingOfShade = 1.5;

/// Shift of brightness and color that steps do not explain.
double PlainShade(const FrameEvidence& e) { return std::max(0.0, e.brightness + e.color / 2 - e.brightness_left); }

/// The least banding, above the reference's, that explains a bad frame on its own.
double LeastBanding(const FrameEvidence& e) {
  return std::max(
      {kLeastBanding, kBandingOfStructure * std::sqrt(e.structure_lost), kBandingOfShade * std::sqrt(PlainShade(e))});
}

}  // namespace

FrameEvidence FindEvidence(const Picture& reference, const Picture& distorted) {
  FrameEvidence evidence;
  const std::vector<double> r = CellMeans(reference, 0), d = CellMeans(distorted, 0);
  const std::vector<double> curve = NearestParabola(r, d);
  evidence.brightness = MeanSquare(r, curve);
  evidence.brightness_left = MeanSquare(d, curve);
  for (int p = 1; p < reference.format.PlaneCount(); ++p)
    if (reference.planes[p].data && distorted.planes[p].data)
      evidence.color += MeanSquare(CellMeans(reference, p), CellMeans(distorted, p));
  const DetailSums sums = SumDetail(reference, distorted);
  evidence.error = sums.error;
  evidence.reference_detail = Mean(sums.reference);
  evidence.distorted_detail = Mean(sums.distorted);
  const double most = std::sqrt(evidence.reference_detail * evidence.distorted_detail);
  evidence.likeness = most > 0 ? Mean(sums.both) / most : 0;
  evidence.flattened = Flattened(sums);
  evidence.structure_lost = StructureLost(sums);
  evidence.distorted_banding = Banding(distorted);
  // The reference can only take from what the encode has.
  if (evidence.distorted_banding >= std::min(kVisibleBanding, LeastBanding(evidence)))
    evidence.reference_banding = Banding(reference);
  return evidence;
}

FrameCause ClassifyDamage(const FrameEvidence& e, bool shows_other_moment) {
  constexpr double kOtherPicture = 30, kUnlike = 0.8;
  constexpr double kMuchFlat = 0.3, kNoStructure = 0.1, kOtherLevels = 3;
  const double banding = e.distorted_banding - e.reference_banding;
  const double color = e.color / 2, shade = e.brightness + color;
  const bool has_banding = banding >= kVisibleBanding;
  if (e.error == 0 && e.color == 0) return {};
  if (shows_other_moment) return {Cause::kMoment, false};
  if (e.brightness_left >= kOtherPicture && e.likeness < kUnlike && e.distorted_detail > 0.3 * e.reference_detail)
    return {Cause::kOtherPicture, false};
  if (banding >= LeastBanding(e) && e.reference_banding <= e.distorted_banding / 2) return {Cause::kBanding, true};
  if (shade > e.error - e.brightness) return {color > e.brightness ? Cause::kColor : Cause::kBrightness, has_banding};
  // Flat areas where grain was, on other levels than before: steps that are too large for CAMBI.
  if (e.flattened >= kMuchFlat && e.structure_lost < kNoStructure && e.brightness_left >= kOtherLevels)
    return {Cause::kBanding, true};
  return {e.distorted_detail > e.reference_detail ? Cause::kDetailAdded : Cause::kDetailLost, has_banding};
}

std::string DescribeDamage(const FrameCause& cause, const WorstFrame& frame) {
  if (cause.cause == Cause::kMoment) {
    const int64_t late = frame.frame - frame.shows.value_or(frame.frame);
    return fmt::format("a wrong frame (frame {} shows the reference's frame {}, {} frame{} too {})", frame.frame,
                       frame.shows.value_or(0), std::abs(late), std::abs(late) == 1 ? "" : "s",
                       late > 0 ? "old" : "new");
  }
  const std::string words = kCauseWords[static_cast<int>(cause.cause)];
  return cause.has_banding && cause.cause != Cause::kBanding ? words + ", and banding is visible" : words;
}

std::optional<FrameMap> BandingMap(const Picture& reference, const Picture& distorted) {
  const std::optional<MetricRun> run = BandingDetector();
  if (!run) return std::nullopt;
  Result<std::vector<FrameMap>> maps = MakeFrameMaps(*run, reference, distorted);
  if (!maps.ok() || maps->empty()) return std::nullopt;
  return std::move(maps->front());
}

}  // namespace acutance
