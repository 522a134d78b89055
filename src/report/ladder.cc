#include "report/ladder.h"

#include <algorithm>
#include <fstream>
#include <string_view>
#include <utility>

#include "base/csv.h"
#include "base/number.h"
#include "base/system/file.h"
#include "log/escape.h"
#include "report/comparison.h"
#include "report/summary_json.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr BootstrapOptions kBootstrapOfBd{.resamples = 400};

/// Turns qualities of which lower ones are better, and back again: the arithmetic of curves takes higher ones as
/// better.
void Turn(LadderCurve& curve) {
  if (curve.better != ScoreDirection::kLower) return;
  for (RatePoint& point : curve.points) {
    point.quality = -point.quality;
    for (double& score : point.scores) score = -score;
  }
}

void Turn(BdResult& result) {
  result.quality = -result.quality;
  if (auto& interval = result.quality_interval) *interval = {-interval->high, -interval->low};
}

LadderDifference DifferenceOf(const LadderCurve& anchor, const LadderCurve& test, size_t block) {
  LadderDifference difference{anchor.name, test.name, {}, {}, {}};
  for (const CurveMethod method : kCurveMethods) {
    const auto bd = BdWithIntervals(anchor.name, anchor.points, test.name, test.points, method, block, kBootstrapOfBd);
    if (!bd.ok()) {
      difference.refusal = bd.status().message();
      difference.by.clear();
      return difference;
    }
    difference.by.push_back(*bd);
  }
  difference.overlap = OverlapOf(anchor.points, test.points);
  return difference;
}

/// The points by rate, with their encodes.
void Sort(LadderCurve& curve) {
  std::vector<size_t> order(curve.points.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](size_t i) { return curve.points[i].rate; });
  const auto sort = [&](std::vector<std::string>& texts) {
    std::vector<std::string> sorted;
    for (const size_t i : order)
      if (!texts.empty()) sorted.push_back(texts[i]);
    texts = std::move(sorted);
  };
  sort(curve.encodes);
  sort(curve.sizes);
  SortByRate(curve.points);
}

std::string SizeText(const PictureFormat& format) { return fmt::format("{}x{}", format.width, format.height); }

std::string PercentText(const std::optional<Interval>& interval) {
  return interval ? fmt::format(" [{:+.2f}, {:+.2f}]", interval->low, interval->high) : "";
}

/// A finite number with blanks around it.
bool ReadNumber(std::string_view text, double& value) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return false;
  const auto number = ParseFiniteDouble(text.substr(begin, text.find_last_not_of(' ') + 1 - begin));
  value = number.value_or(0);
  return number.has_value();
}

bool IsInfinite(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  text.erase(0, text.find_first_not_of(" +"));
  return text.starts_with("inf");
}

constexpr const char* kIsInfinite =
    "is infinite, as that of a lossless encode: no curve goes through such a point, so leave it out";

}  // namespace

bool LadderDifference::is_outlier(size_t method) const {
  constexpr double kAgreed = 4, kLeast = 1;  // times what the others differ by; percentage points
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (size_t m = 0; m < by.size(); ++m) {
    if (m == method) continue;
    low = std::min(low, by[m].rate_percent);
    high = std::max(high, by[m].rate_percent);
  }
  const double rate = by[method].rate_percent;
  return std::max(low - rate, rate - high) > kAgreed * (high - low) + kLeast;
}

Result<std::vector<LadderCurve>> CurvesOf(const Summary& summary, const std::string& score, CommonScores common,
                                          std::vector<LadderCurve> curves) {
  size_t next = 0;
  for (LadderCurve& curve : curves) {
    for (size_t i = 0; i < curve.encodes.size(); ++i, ++next) {
      const SummaryVideo& video = summary.videos[next];
      if (!video.bit_rate)
        return Error(StatusCode::kInvalidArgument,
                     "{} has no bit rate: a curve needs files that are scored as a whole and declare a frame rate",
                     video.distorted);
      const double mean = Mean(common.scores[next]);
      if (!std::isfinite(mean))
        return Error(StatusCode::kBadData, "{}: its {} {}", video.distorted, score, kIsInfinite);
      curve.better = common.column->better;
      curve.points.push_back({*video.bit_rate, mean, std::move(common.scores[next])});
      if (common.frames) curve.points.back().own = common.own_means[next];
      if (next + 1 < summary.inputs.size()) curve.sizes.push_back(SizeText(summary.inputs[next + 1].format));
    }
  }
  return curves;
}

Ladder MakeLadder(std::string score, std::vector<LadderCurve> curves, size_t block) {
  Ladder ladder{std::move(score), std::move(curves), {}};
  for (LadderCurve& curve : ladder.curves) {
    Sort(curve);
    Turn(curve);
    const bool has_rates = std::ranges::all_of(curve.points, [](const RatePoint& point) { return point.rate > 0; });
    if (has_rates) curve.hull = ConvexHull(curve.points);
  }
  for (size_t i = 1; i < ladder.curves.size(); ++i)
    ladder.differences.push_back(DifferenceOf(ladder.curves[0], ladder.curves[i], block));
  for (LadderCurve& curve : ladder.curves) Turn(curve);
  if (!ladder.curves.empty() && ladder.curves[0].better == ScoreDirection::kLower)
    for (LadderDifference& difference : ladder.differences)
      for (BdResult& result : difference.by) Turn(result);
  return ladder;
}

Result<Ladder> LadderOf(const Summary& summary, const std::string& score, std::vector<LadderCurve> curves) {
  ACU_ASSIGN_OR_RETURN(CommonScores common, FindCommonScores(summary, score));
  const std::optional<int64_t> common_frames = common.frames;
  ACU_ASSIGN_OR_RETURN(std::vector<LadderCurve> points, CurvesOf(summary, score, std::move(common), std::move(curves)));
  const auto rate = summary.frame_rate ? std::optional(*summary.frame_rate / summary.n_subsample) : std::nullopt;
  const size_t scores = points.front().points.front().scores.size();
  Ladder ladder = MakeLadder(score, std::move(points), BlockLength(scores, rate));
  ladder.common_frames = common_frames;
  return ladder;
}

Result<std::vector<LadderCurve>> ReadPoints(const std::string& path, PointCells cells) {
  std::ifstream file(SystemPath(path));
  if (!file) return Error(StatusCode::kIo, "could not open {}", path);
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  std::vector<LadderCurve> curves;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (number == 1 && line.starts_with(kByteOrderMark)) line.erase(0, kByteOrderMark.size());  // spreadsheets write it
    if (line.empty()) continue;
    const auto fields = SplitCsv(line);
    if (number == 1 && fields.ok() && *fields == std::vector<std::string>{"curve", "rate", "quality"}) continue;
    RatePoint point;
    const bool has_cells = fields.ok() && fields->size() == 3 && !(*fields)[0].empty();
    const bool is_infinite = has_cells && IsInfinite((*fields)[2]);
    if (is_infinite && cells == PointCells::kNumbers)
      return Error(StatusCode::kBadData, "{}, line {}: the quality {}", path, number, kIsInfinite);
    if (is_infinite) point.quality = std::numeric_limits<double>::infinity();
    const bool is_left_out = has_cells && cells == PointCells::kAvm && ((*fields)[1].empty() || (*fields)[2].empty());
    if (!is_left_out && (!has_cells || !ReadNumber((*fields)[1], point.rate) ||
                         (!is_infinite && !ReadNumber((*fields)[2], point.quality))))
      return Error(StatusCode::kBadData, "{}, line {}: expected curve,rate,quality, such as x264,1250,91.5", path,
                   number);
    const std::string& name = (*fields)[0];
    auto curve = std::ranges::find(curves, name, &LadderCurve::name);
    if (curve == curves.end()) curve = curves.insert(curves.end(), {name, {}, {}, {}});
    if (!is_left_out) curve->points.push_back(std::move(point));
  }
  if (curves.empty()) return Error(StatusCode::kBadData, "{} has no points", path);
  return curves;
}

Json LadderJson(const Ladder& ladder) {
  Json curves = Json::Array(), differences = Json::Array();
  for (const LadderCurve& curve : ladder.curves) {
    Json points = Json::Array();
    for (size_t i = 0; i < curve.points.size(); ++i)
      points.Append({{"distorted", curve.encodes.empty() ? Json() : Json(curve.encodes[i])},
                     {"size", curve.SizeOf(i).empty() ? Json() : Json(curve.SizeOf(i))},
                     {"bit_rate", curve.points[i].rate},
                     {"quality", curve.points[i].quality},
                     {"own_quality", curve.points[i].own.value_or(curve.points[i].quality)},
                     {"on_hull", std::ranges::count(curve.hull, i) > 0}});
    curves.Append({{"name", curve.name}, {"points", std::move(points)}});
  }
  for (const LadderDifference& difference : ladder.differences) {
    Json by = Json::Object();
    for (size_t m = 0; m < difference.by.size(); ++m)
      by[kCurveMethodNames[m]] = {
          {"bd_rate", difference.by[m].rate_percent},
          {"bd_rate_interval", IntervalJson(difference.by[m].rate_interval, kBootstrapOfBd.confidence)},
          {"bd_quality", difference.by[m].quality},
          {"bd_quality_interval", IntervalJson(difference.by[m].quality_interval, kBootstrapOfBd.confidence)},
          {"doubtful", difference.is_outlier(m)}};
    const bool refused = !difference.refusal.empty();
    differences.Append({{"anchor", difference.anchor},
                        {"test", difference.test},
                        {"refusal", refused ? Json(difference.refusal) : Json()},
                        {"quality_overlap", refused ? Json() : Json(difference.overlap.quality)},
                        {"rate_overlap", refused ? Json() : Json(difference.overlap.rate)},
                        {"doubtful", !refused && difference.is_doubtful()},
                        {"by", std::move(by)}});
  }
  return {{"score", ladder.score},
          {"common_frames", ladder.common_frames},
          {"curves", std::move(curves)},
          {"differences", std::move(differences)}};
}

std::string LadderText(const Ladder& ladder) {
  std::string text;
  for (const LadderCurve& curve : ladder.curves) {
    const size_t width = std::max<size_t>(12, ladder.score.size() + 2);
    const bool is_known = curve.encodes.empty();
    const bool has_own = ladder.common_frames.has_value();
    text += fmt::format("{}\n{:>16}{:>{}}{}  hull\n", curve.name, is_known ? "rate" : "bit rate", ladder.score, width,
                        has_own ? fmt::format("{:>{}}", "own mean", width) : "");
    for (size_t i = 0; i < curve.points.size(); ++i) {
      const double rate = curve.points[i].rate;
      const std::string size = curve.SizeOf(i).empty() ? "" : fmt::format("{:<11}", curve.SizeOf(i));
      text += fmt::format("{:>16}{:>{}.4f}{}  {:<4}  {}{}\n", is_known ? fmt::format("{}", rate) : BitRateText(rate),
                          curve.points[i].quality, width,
                          has_own ? fmt::format("{:>{}.4f}", *curve.points[i].own, width) : "",
                          std::ranges::count(curve.hull, i) > 0 ? "*" : "", size, is_known ? "" : curve.encodes[i]);
    }
    text += "\n";
  }
  if (ladder.common_frames) text += DescribeCommonFrames(*ladder.common_frames) + "\n\n";
  for (const LadderDifference& difference : ladder.differences) {
    text += fmt::format("{} against {}: ", difference.test, difference.anchor);
    if (!difference.refusal.empty()) {
      text += fmt::format("not computed, because {}\n", difference.refusal);
      continue;
    }
    text += fmt::format("{:.0f} % of the qualities and {:.0f} % of the rates in common{}\n",
                        100 * difference.overlap.quality, 100 * difference.overlap.rate,
                        difference.is_doubtful() ? ", so little that the numbers are doubtful" : "");
    for (size_t m = 0; m < difference.by.size(); ++m)
      text += fmt::format("  {:<8} BD-rate {:+.3f} %{}  BD-quality {:+.4f}{}{}\n", kCurveMethodNames[m],
                          difference.by[m].rate_percent, PercentText(difference.by[m].rate_interval),
                          difference.by[m].quality, PercentText(difference.by[m].quality_interval),
                          difference.is_outlier(m) ? "  doubtful: the other methods agree on another" : "");
  }
  return text;
}

}  // namespace acutance
