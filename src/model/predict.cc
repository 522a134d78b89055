#include "model/predict.h"

#include <algorithm>

#include "math/exact_math.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

void ApplyChromaRule(const Model& model, std::span<double> x) {
  if (!model.chroma) return;
  const auto [adm3, chroma, parameter] = *model.chroma;
  const auto denormalized = [&](int i) { return (x[i] - model.intercepts[i + 1]) / model.slopes[i + 1]; };
  if (denormalized(chroma) != 0.0) return;
  const double implied = (-parameter * denormalized(adm3)) + parameter;
  x[chroma] = model.slopes[chroma + 1] * implied + model.intercepts[chroma + 1];
}

std::vector<double> Normalize(const Model& model, std::span<const double> values) {
  std::vector<double> x(model.features.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = model.slopes[i + 1] * values[i] + model.intercepts[i + 1];
  ApplyChromaRule(model, x);
  return x;
}

/// Sums over features in parallel for a block of vectors, each in its own order of additions.
double EvaluateSvm(const Svm& svm, std::span<const double> x) {
  constexpr size_t kBlock = 64;
  const size_t count = svm.coefficients.size();
  double sum = 0;
  for (size_t begin = 0; begin < count; begin += kBlock) {
    const size_t width = std::min(kBlock, count - begin);
    double distance[kBlock] = {};
    for (size_t i = 0; i < x.size(); ++i) {
      const double* entries = &svm.vectors[i * count + begin];
      for (size_t k = 0; k < width; ++k) {
        const double d = x[i] - entries[k];
        distance[k] += d * d;
      }
    }
    for (size_t k = 0; k < width; ++k) distance[k] = -svm.gamma * distance[k];
    ExpAll({distance, width});
    for (size_t k = 0; k < width; ++k) sum += svm.coefficients[begin + k] * distance[k];
  }
  return sum - svm.rho;
}

double RawScore(const Model& model, std::span<const double> values) {
  return (EvaluateSvm(model.svm, Normalize(model, values)) - model.intercepts[0]) / model.slopes[0];
}

double OnSegment(Knot from, Knot to, double x) {
  if (from.y == to.y) return from.y;
  if (from.x == 0) {
    const double slope = (to.y - from.y) / to.x;
    return slope * x + from.y;
  }
  const double slope = (to.y - from.y) / (to.x - from.x);
  const double offset = from.y - from.x * slope;
  return slope * x + offset;
}

/// The first and the last segment reach to infinity; at a shared knot the later segment counts.
double PiecewiseLinear(const std::vector<Knot>& knots, double x) {
  size_t segment = 0;
  while (segment + 2 < knots.size() && x >= knots[segment + 1].x) ++segment;
  return OnSegment(knots[segment], knots[segment + 1], x);
}

double Transform(const ScoreTransform& transform, double t) {
  double y = t;
  if (transform.p0 || transform.p1 || transform.p2) {
    y = 0;
    if (transform.p0) y += *transform.p0;
    if (transform.p1) y += *transform.p1 * t;
    if (transform.p2) y += *transform.p2 * t * t;
  }
  if (!transform.knots.empty()) y = PiecewiseLinear(transform.knots, y);
  if (transform.out_lte_in && y > t) y = t;
  if (transform.out_gte_in && y < t) y = t;
  return y;
}

double TransformAndClip(const Model& model, double y, ModelFlags flags) {
  if (model.transform && !flags.disable_transform && (model.transform->enabled || flags.enable_transform))
    y = Transform(*model.transform, y);
  if (model.clip && !flags.disable_clip) {
    if (y < model.clip->min) y = model.clip->min;
    if (y > model.clip->max) y = model.clip->max;
  }
  return y;
}

}  // namespace

double Predict(const Model& model, std::span<const double> values, ModelFlags flags) {
  if (model.own) return values[0];
  return TransformAndClip(model, RawScore(model, values), flags);
}

BootstrapScores PredictBootstrap(const Model& collection, std::span<const double> values, ModelFlags flags) {
  BootstrapScores scores;
  std::vector<double> raw;
  for (const Model& member : collection.members) {
    raw.push_back(RawScore(member, values));
    scores.members.push_back(TransformAndClip(member, raw.back(), flags));
  }
  const auto final_score = [&](double y) { return TransformAndClip(collection.members.front(), y, flags); };
  const double mean = Mean(raw);
  constexpr double kDelta = 0.01;  // the step of the slope that scales the deviation
  const double slope = (final_score(mean + kDelta) - final_score(mean - kDelta)) / (2 * kDelta);
  scores.bagging = final_score(mean);
  scores.stddev = StandardDeviation(raw) * slope;
  const std::vector<double> sorted = Sorted(raw);
  scores.ci_p95_lo = final_score(Percentile(sorted, 2.5));
  scores.ci_p95_hi = final_score(Percentile(sorted, 97.5));
  return scores;
}

std::vector<std::string> ScoreColumns(const Model& model) {
  if (!model.is_collection()) return {model.name};
  std::vector<std::string> names;
  for (const Model& member : model.members) names.push_back(member.name);
  for (const char* suffix : {"_bagging", "_stddev", "_ci_p95_lo", "_ci_p95_hi"}) names.push_back(model.name + suffix);
  return names;
}

ScoreTraits ColumnTraits(const Model& model, std::string_view first_key) {
  if (!model.own) return {};
  ScoreTraits traits = *model.own;
  if (!traits.clip.empty()) traits.clip += first_key.substr(model.features[0].name.size());  // the options
  return traits;
}

std::vector<double> PredictColumns(const Model& model, std::span<const double> values, ModelFlags flags) {
  if (!model.is_collection()) return {Predict(model, values, flags)};
  BootstrapScores scores = PredictBootstrap(model, values, flags);
  std::vector<double> columns = std::move(scores.members);
  columns.insert(columns.end(), {scores.bagging, scores.stddev, scores.ci_p95_lo, scores.ci_p95_hi});
  return columns;
}

}  // namespace acutance
