#include "metric/registry.h"

namespace acutance {

#define ACU_METRIC(metric) extern const Metric metric;
#include "metric/metrics.inc"
#undef ACU_METRIC

std::span<const Metric* const> AllMetrics() {
  static constexpr const Metric* kMetrics[] = {
#define ACU_METRIC(metric) &metric,
#include "metric/metrics.inc"
#undef ACU_METRIC
  };
  return kMetrics;
}

const Metric* FindMetric(std::string_view name) {
  for (const Metric* metric : AllMetrics())
    if (metric->name == name) return metric;
  return nullptr;
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
