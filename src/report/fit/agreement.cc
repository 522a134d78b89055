#include "report/fit/agreement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "stats/bootstrap.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr int kDraws = 2000;
constexpr int kCurveParameters = 4;
constexpr size_t kLeastEncodes = 5;  // more than the curve has parameters

using Encodes = std::vector<size_t>;

std::vector<double> Pick(const std::vector<double>& values, const Encodes& encodes) {
  std::vector<double> picked;
  for (const size_t i : encodes) picked.push_back(values[i]);
  return picked;
}

/// Encodes of contents that are drawn with replacement, the same draws for all scores.
std::vector<Encodes> Draws(const std::vector<std::string>& contents) {
  std::map<std::string, Encodes> groups;
  for (size_t i = 0; i < contents.size(); ++i) groups[contents[i]].push_back(i);
  std::vector<const Encodes*> all;
  for (const auto& [content, encodes] : groups) all.push_back(&encodes);
  Random random(1);
  std::vector<Encodes> draws(all.size() > 1 ? kDraws : 0);  // one content says nothing of others
  for (Encodes& draw : draws)
    for (size_t k = 0; k < all.size(); ++k) {
      const Encodes& drawn = *all[random.Below(all.size())];
      draw.insert(draw.end(), drawn.begin(), drawn.end());
    }
  return draws;
}

Statistic WithInterval(double value, const std::vector<Encodes>& draws,
                       const std::function<double(const Encodes&)>& of) {
  std::vector<double> found;
  for (const Encodes& draw : draws)
    if (const double one = of(draw); !std::isnan(one)) found.push_back(one);
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (found.empty()) return {value, kNone, kNone};
  const std::vector<double> sorted = Sorted(found);
  // Draws hold encodes twice, which raises rank correlations.
  return {value, std::min(value, Percentile(sorted, 2.5)), std::max(value, Percentile(sorted, 97.5))};
}

double RootMeanSquare(const std::vector<double>& errors) {
  double sum = 0;
  for (const double error : errors) sum += error * error;
  return std::sqrt(sum / static_cast<double>(errors.size()));
}

Agreement AgreementOf(const ScoredColumn& column, const OpinionTable& table, const std::vector<Encodes>& draws) {
  const std::vector<double>&scores = column.scores, &opinions = table.opinions;
  Agreement found{
      .score = column.name, .curve = FitLogistic(scores, opinions), .srcc = {}, .krcc = {}, .plcc = {}, .rmse = {}};
  std::vector<double> fitted, errors, outliers;
  for (size_t i = 0; i < scores.size(); ++i) {
    fitted.push_back(found.curve(scores[i]));
    errors.push_back(opinions[i] - fitted[i]);
    found.squared_errors += errors[i] * errors[i];
    if (!table.half_widths.empty()) outliers.push_back(std::abs(errors[i]) > table.half_widths[i] ? 1 : 0);
  }
  const auto of_both = [&](double (*statistic)(std::span<const double>, std::span<const double>),
                           const std::vector<double>& of) {
    return WithInterval(statistic(of, opinions), draws,
                        [&](const Encodes& draw) { return statistic(Pick(of, draw), Pick(opinions, draw)); });
  };
  found.srcc = of_both(Spearman, scores);
  found.krcc = of_both(Kendall, scores);
  found.plcc = of_both(Pearson, fitted);
  found.linear = Pearson(scores, opinions);
  found.rmse = WithInterval(RootMeanSquare(errors), draws,
                            [&](const Encodes& draw) { return RootMeanSquare(Pick(errors, draw)); });
  if (!outliers.empty())
    found.outlier_ratio =
        WithInterval(Mean(outliers), draws, [&](const Encodes& draw) { return Mean(Pick(outliers, draw)); });
  return found;
}

AgreementDifference DifferenceOf(const Agreement& one, const Agreement& other, const OpinionTable& table,
                                 const std::vector<Encodes>& draws) {
  const auto count = static_cast<double>(table.opinions.size());
  const std::vector<double>&a = table.Find(one.score)->scores, &b = table.Find(other.score)->scores;
  const auto difference = [&](const Encodes& draw) {
    const std::vector<double> opinions = Pick(table.opinions, draw);
    return std::abs(Spearman(Pick(a, draw), opinions)) - std::abs(Spearman(Pick(b, draw), opinions));
  };
  return {.one = one.score,
          .other = other.score,
          .srcc = WithInterval(std::abs(one.srcc.value) - std::abs(other.srcc.value), draws, difference),
          .srcc_p = EqualCorrelationsP(std::abs(one.srcc.value), std::abs(other.srcc.value), count),
          .plcc_p = EqualCorrelationsP(one.plcc.value, other.plcc.value, count),
          .rmse_p = EqualErrorsP(one.squared_errors, other.squared_errors, count - kCurveParameters)};
}

Json NumberJson(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json StatisticJson(const Statistic& statistic) {
  return {
      {"value", NumberJson(statistic.value)}, {"low", NumberJson(statistic.low)}, {"high", NumberJson(statistic.high)}};
}

std::string ProbabilityText(double p) { return std::isnan(p) ? "-" : fmt::format("{:.3g}", p); }

std::string Cell(const Statistic& statistic, int digits) {
  if (std::isnan(statistic.low)) return fmt::format("{:.{}f}", statistic.value, digits);
  return fmt::format("{:.{}f} [{:.{}f}, {:.{}f}]", statistic.value, digits, statistic.low, digits, statistic.high,
                     digits);
}

}  // namespace

Result<Agreements> CompareWithOpinions(const OpinionTable& table) {
  if (table.columns.empty())
    return Error(StatusCode::kInvalidArgument, "there are no scores: give columns of them, or --scores FOLDER");
  if (table.opinions.size() < kLeastEncodes)
    return Error(StatusCode::kInvalidArgument, "{} encodes are too few: the curve between scores and opinions needs {}",
                 table.opinions.size(), kLeastEncodes);
  if (Minimum(table.opinions) == Maximum(table.opinions))
    return Error(StatusCode::kInvalidArgument, "all opinions are the same");
  const std::vector<Encodes> draws = Draws(table.contents);
  Agreements found{.encodes = table.opinions.size(), .contents = 0, .scores = {}, .differences = {}};
  std::vector<std::string> contents = table.contents;
  std::ranges::sort(contents);
  found.contents = static_cast<size_t>(std::ranges::unique(contents).begin() - contents.begin());
  for (const ScoredColumn& column : table.columns) {
    if (Minimum(column.scores) == Maximum(column.scores)) continue;  // it says nothing of these encodes
    found.scores.push_back(AgreementOf(column, table, draws));
  }
  if (found.scores.empty()) return Error(StatusCode::kInvalidArgument, "all scores are constant");
  for (size_t i = 1; i < found.scores.size(); ++i)
    found.differences.push_back(DifferenceOf(found.scores[i], found.scores[0], table, draws));
  return found;
}

Json AgreementsJson(const Agreements& agreements) {
  Json scores = Json::Array(), differences = Json::Array();
  for (const Agreement& one : agreements.scores)
    scores.Append(
        {{"score", one.score},
         {"srcc", StatisticJson(one.srcc)},
         {"krcc", StatisticJson(one.krcc)},
         {"plcc", StatisticJson(one.plcc)},
         {"plcc_linear", one.linear},
         {"rmse", StatisticJson(one.rmse)},
         {"rmse_p1401", std::sqrt(one.squared_errors / static_cast<double>(agreements.encodes - kCurveParameters))},
         {"outlier_ratio", one.outlier_ratio ? StatisticJson(*one.outlier_ratio) : Json()},
         {"curve",
          {{"bottom", one.curve.bottom},
           {"top", one.curve.top},
           {"middle", one.curve.middle},
           {"width", one.curve.width}}}});
  for (const AgreementDifference& one : agreements.differences)
    differences.Append({{"one", one.one},
                        {"other", one.other},
                        {"srcc", StatisticJson(one.srcc)},
                        {"srcc_p", NumberJson(one.srcc_p)},
                        {"plcc_p", NumberJson(one.plcc_p)},
                        {"rmse_p", NumberJson(one.rmse_p)}});
  return {{"encodes", static_cast<int64_t>(agreements.encodes)},
          {"contents", static_cast<int64_t>(agreements.contents)},
          {"scores", std::move(scores)},
          {"differences", std::move(differences)}};
}

std::string AgreementsText(const Agreements& agreements) {
  size_t width = 5;
  for (const Agreement& one : agreements.scores) width = std::max(width, one.score.size());
  std::string text =
      fmt::format("{} encodes of {} contents, 95 % intervals\n{:<{}}  {:<24}  {:<24}  {:<24}  {:<24}  {}\n",
                  agreements.encodes, agreements.contents, "score", width, "SRCC", "KRCC", "PLCC", "RMSE", "outliers");
  for (const Agreement& one : agreements.scores)
    text += fmt::format("{:<{}}  {:<24}  {:<24}  {:<24}  {:<24}  {}\n", one.score, width, Cell(one.srcc, 4),
                        Cell(one.krcc, 4), Cell(one.plcc, 4), Cell(one.rmse, 3),
                        one.outlier_ratio ? Cell(*one.outlier_ratio, 3) : "");
  for (const AgreementDifference& one : agreements.differences)
    text += fmt::format("{} against {}: |SRCC| {}; p of no difference: {} (SRCC), {} (PLCC), {} (RMSE)\n", one.one,
                        one.other, Cell(one.srcc, 4), ProbabilityText(one.srcc_p), ProbabilityText(one.plcc_p),
                        ProbabilityText(one.rmse_p));
  return text;
}

}  // namespace acutance
