// THE list of metrics: a new room adds one include and one entry.
#include "metric/registry.h"

#include <array>

#include "metric/adm/adm.h"
#include "metric/float_motion/float_motion.h"
#include "metric/motion/motion.h"
#include "metric/psnr/psnr.h"
#include "metric/vif/vif.h"

namespace acutance {

std::span<const Metric* const> AllMetrics() {
  static constexpr std::array kMetrics = {&kPsnrMetric, &kAdmMetric, &kMotionMetric, &kVifMetric, &kFloatMotionMetric};
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
