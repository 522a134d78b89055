#include "run/hdr_defaults.h"

#include <fmt/ranges.h>

#include "metric/registry.h"

namespace acutance {

std::vector<std::string_view> HdrMetrics() {
  return MetricNames([](const Metric& metric) { return metric.for_hdr != nullptr; });
}

HdrFeatures ChooseHdrFeatures(const Input& reference) {
  HdrFacts facts = {.is_pq = reference.color.transfer == Transfer::kPq};
  if (reference.facts.mastering && reference.facts.mastering->max_luminance > 0)
    facts.mastering_peak = reference.facts.mastering->max_luminance;
  HdrFeatures chosen;
  chosen.reasons.push_back(fmt::format("no VMAF: the videos are {}, and its models know SDR alone; {} instead",
                                       NameOf(reference.color.transfer), fmt::join(HdrMetrics(), ", ")));
  for (const std::string_view name : HdrMetrics()) {
    HdrDefaults defaults = FindMetric(name)->for_hdr(facts);
    chosen.features.push_back({std::string(name), std::move(defaults.options)});
    if (!defaults.note.empty()) chosen.reasons.push_back(std::move(defaults.note));
  }
  return chosen;
}

}  // namespace acutance
