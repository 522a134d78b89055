#include "metric/registry.h"

#include <algorithm>
#include <iterator>

#include "base/did_you_mean.h"

namespace acutance {

#define ACU_METRIC(metric) extern const Metric metric;
#define ACU_INTERNAL_METRIC(metric) ACU_METRIC(metric)
#include "metric/metrics.inc"
#undef ACU_METRIC

std::span<const Metric* const> AllMetrics() {
  static constexpr const Metric* kMetrics[] = {
#define ACU_METRIC(metric) &metric,
#include "metric/metrics.inc"
#undef ACU_METRIC
#undef ACU_INTERNAL_METRIC
  };
  return kMetrics;
}

bool IsInternal(const Metric& metric) {
  static constexpr const Metric* kInternal[] = {
#define ACU_METRIC(metric)
#define ACU_INTERNAL_METRIC(metric) &metric,
#include "metric/metrics.inc"
#undef ACU_METRIC
#undef ACU_INTERNAL_METRIC
      nullptr};
  return std::ranges::find(kInternal, &metric) != std::end(kInternal);
}

const Metric* FindMetric(std::string_view name) {
  const auto has_name = [&](const Metric* metric) {
    return metric->name == name || std::ranges::find(metric->other_names, name) != metric->other_names.end();
  };
  const auto found = std::ranges::find_if(AllMetrics(), has_name);
  return found == AllMetrics().end() ? nullptr : *found;
}

std::vector<std::string_view> MetricNames(bool (*is_wanted)(const Metric&)) {
  std::vector<std::string_view> names;
  for (const Metric* metric : AllMetrics())
    if (!IsInternal(*metric) && (!is_wanted || is_wanted(*metric))) names.push_back(metric->name);
  return names;
}

namespace {

/// What a name that is no feature was probably meant as.
std::string Advice(std::string_view name) {
  if (name.starts_with("vmaf")) return "; VMAF is a model: --model NAME, and `acutance models` lists them";
  if (const std::string exact = fmt::format("float_{}", name); FindMetric(exact))
    return fmt::format("; did you mean '{}'?", exact);
  return DidYouMean(name, MetricNames());
}

}  // namespace

Result<const Metric*> NamedMetric(std::string_view name) {
  if (const Metric* metric = FindMetric(name); metric && !IsInternal(*metric)) return metric;
  return Error(StatusCode::kInvalidArgument, "no such feature '{}'{} (`acutance features` lists them)", name,
               Advice(name));
}

std::string_view MetricName(std::string_view name) {
  const Metric* metric = FindMetric(name);
  return metric ? metric->name : name;
}

const Metric* FindMetricByOutput(std::string_view stored_name) {
  for (const Metric* metric : AllMetrics())
    for (const OutputSpec& output : metric->outputs)
      if (output.name == stored_name) return metric;
  return nullptr;
}

std::string_view MetricNameOfOutput(std::string_view stored_name) {
  const Metric* metric = FindMetricByOutput(stored_name);
  return metric ? metric->name : std::string_view();
}

}  // namespace acutance
