// Registry of all metrics: look-up by name and by output.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "metric/metric.h"

namespace acutance {

std::span<const Metric* const> AllMetrics();

/// Whether the engine alone adds it to sessions: users neither see nor name it.
bool IsInternal(const Metric& metric);

const Metric* FindMetric(std::string_view name);     // "adm", or another name of it; null when there is none
std::string_view MetricName(std::string_view name);  // Metric::name, or `name` where there is none

/// Names of the metrics that users see, or of those that `is_wanted`.
std::vector<std::string_view> MetricNames(bool (*is_wanted)(const Metric&) = nullptr);

/// The metric that a user names; otherwise an error that names the nearest.
Result<const Metric*> NamedMetric(std::string_view name);

/// The metric that writes a stored output name such as "VMAF_integer_feature_adm2_score"; null when there is none.
const Metric* FindMetricByOutput(std::string_view stored_name);
std::string_view MetricNameOfOutput(std::string_view stored_name);  // "" when there is none

}  // namespace acutance
