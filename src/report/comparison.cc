#include "report/comparison.h"

#include <algorithm>
#include <cmath>

#include "report/common_frames.h"
#include "report/summary_json.h"
#include "stats/bd_rate.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr BootstrapOptions kBootstrap;

void MarkBest(Comparison& comparison) {
  std::vector<RatePoint> points;
  for (const ComparedEncode& encode : comparison.encodes) {
    if (!encode.bit_rate || !(*encode.bit_rate > 0)) return;
    points.push_back({*encode.bit_rate, comparison.better == ScoreDirection::kLower ? -encode.mean : encode.mean});
  }
  for (const size_t best : ConvexHull(points)) comparison.encodes[best].is_best = true;
}

}  // namespace

std::string BitRateText(double bits_per_second) {
  return bits_per_second < 1e6 ? fmt::format("{:.1f} kbit/s", bits_per_second / 1e3)
                               : fmt::format("{:.3f} Mbit/s", bits_per_second / 1e6);
}

std::string IntervalText(const std::optional<Interval>& interval) {
  const bool is_known = interval && !std::isnan(interval->low) && !std::isnan(interval->high);
  return is_known ? fmt::format("[{:.2f}, {:.2f}]", interval->low, interval->high) : "-";
}

Result<Comparison> CompareEncodes(const Summary& summary, const std::string& score) {
  ACU_ASSIGN_OR_RETURN(const CommonScores common, FindCommonScores(summary, score));
  const std::vector<std::vector<double>>& scores = common.scores;
  Comparison comparison{common.column->shown, common.column->better, common.frames, {}, {}};
  const size_t block = BlockLength(scores[0].size(), ContextOf(summary, *common.column).scores_per_second);
  for (size_t d = 0; d < scores.size(); ++d) {
    const SummaryVideo& video = summary.videos[d];
    ComparedEncode encode{video.distorted, video.bytes, video.bit_rate, Mean(scores[d]), {}, 0};
    encode.interval = MeanInterval(scores[d], block, kBootstrap);
    encode.p5 = Percentile(Sorted(scores[d]), 5);
    encode.own_mean = common.own_means[d];
    encode.own_frames = FramesOf(summary, video);
    comparison.encodes.push_back(std::move(encode));
  }
  MarkBest(comparison);
  for (size_t a = 0; a < scores.size(); ++a)
    for (size_t b = a + 1; b < scores.size(); ++b) {
      const bool swapped = IsWorse(comparison.encodes[a].mean, comparison.encodes[b].mean, comparison.better);
      const size_t better = swapped ? b : a, worse = swapped ? a : b;
      comparison.differences.push_back({better, worse, comparison.encodes[better].mean - comparison.encodes[worse].mean,
                                        DifferenceInterval(scores[better], scores[worse], block, kBootstrap)});
    }
  return comparison;
}

Json ComparisonJson(const Comparison& comparison) {
  Json encodes = Json::Array(), differences = Json::Array();
  for (const ComparedEncode& encode : comparison.encodes)
    encodes.Append({{"distorted", encode.name},
                    {"bytes", encode.bytes},
                    {"bit_rate", encode.bit_rate},
                    {"mean", encode.mean},
                    {"mean_interval", IntervalJson(encode.interval, kBootstrap.confidence)},
                    {"p5", encode.p5},
                    {"best", encode.is_best},
                    {"own_mean", encode.own_mean},
                    {"own_frames", encode.own_frames}});
  for (const EncodeDifference& difference : comparison.differences)
    differences.Append({{"a", comparison.encodes[difference.a].name},
                        {"b", comparison.encodes[difference.b].name},
                        {"mean", difference.mean},
                        {"mean_interval", IntervalJson(difference.interval, kBootstrap.confidence)},
                        {"sure", difference.is_sure()}});
  return {{"score", comparison.score},
          {"common_frames", comparison.common_frames},
          {"encodes", std::move(encodes)},
          {"differences", std::move(differences)}};
}

std::string ComparisonText(const Comparison& comparison) {
  size_t width = 8;
  for (const ComparedEncode& encode : comparison.encodes) width = std::max(width, encode.name.size());
  const bool has_own = comparison.common_frames.has_value();
  std::string text =
      fmt::format("{:<{}}{:>12}{:>15}{:>10}{:>18}{:>10}{}  best\n", comparison.score, width, "bytes", "bit rate",
                  "mean", "95 % interval", "p5", has_own ? fmt::format("{:>10}{:>8}", "own mean", "frames") : "");
  for (const ComparedEncode& encode : comparison.encodes)
    text += fmt::format(
        "{:<{}}{:>12}{:>15}{:>10.4f}{:>18}{:>10.4f}{}{}\n", encode.name, width,
        encode.bytes ? fmt::format("{}", *encode.bytes) : "-", encode.bit_rate ? BitRateText(*encode.bit_rate) : "-",
        encode.mean, IntervalText(encode.interval), encode.p5,
        has_own ? fmt::format("{:>10.4f}{:>8}", encode.own_mean, encode.own_frames) : "", encode.is_best ? "  *" : "");
  if (has_own) text += DescribeCommonFrames(*comparison.common_frames) + "\n";
  text += "\n";
  for (const EncodeDifference& difference : comparison.differences)
    text += DifferenceText(comparison, difference, 4) + "\n";
  return text;
}

std::string DifferenceText(const Comparison& comparison, const EncodeDifference& difference, int digits) {
  if (std::isnan(difference.mean))
    return fmt::format("{} and {} both have an infinite mean, as lossless encodes do",
                       comparison.encodes[difference.a].name, comparison.encodes[difference.b].name);
  // "below" tells the sign, of the interval, too.
  std::optional<Interval> distance = difference.interval;
  if (distance && difference.mean < 0) distance = Interval{0 - distance->high, 0 - distance->low};
  return fmt::format("{} is {:.{}f} {} {} {}{}", comparison.encodes[difference.a].name, std::abs(difference.mean),
                     digits, IntervalText(distance), difference.mean < 0 ? "below" : "above",
                     comparison.encodes[difference.b].name, difference.is_sure() ? "" : ", which may be chance");
}

}  // namespace acutance
