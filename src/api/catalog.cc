#include <acutance/catalog.h>
#include <fmt/format.h>

#include "devices/backends.h"
#include "metric/registry.h"
#include "model/builtin_models.h"

namespace acutance::api {

std::vector<ModelInfo> ListModels() {
  std::vector<ModelInfo> models;
  for (const BuiltinModel& model : BuiltinModels())
    models.push_back({std::string(model.name), std::string(model.viewing), std::string(model.description)});
  return models;
}

std::vector<FeatureInfo> ListFeatures() {
  std::vector<FeatureInfo> features;
  for (const Metric* metric : AllMetrics()) {
    if (IsInternal(*metric)) continue;
    FeatureInfo feature{std::string(metric->name), std::string(metric->summary), {}, {}, {}};
    for (const OutputSpec& output : metric->outputs) {
      feature.outputs.emplace_back(output.alias.empty() ? output.name : output.alias);
      if (output.better == ScoreDirection::kLower) feature.lower_is_better.push_back(feature.outputs.back());
    }
    for (const OptionSpec& option : metric->options)
      feature.options.push_back({std::string(option.name), std::string(option.help), OptionText(option.default_value),
                                 option.min, option.max});
    features.push_back(std::move(feature));
  }
  return features;
}

std::vector<BackendInfo> ListBackends() {
  std::vector<BackendInfo> backends;
  for (const Backend* backend : Backends()) {
    const BackendProbe probe = backend->probe();
    BackendInfo info{std::string(backend->name), std::string(backend->summary), {}, probe.missing};
    for (const acutance::DeviceInfo& device : probe.devices)
      info.devices.push_back({device.backend, device.index, device.name, device.driver});
    backends.push_back(std::move(info));
  }
  return backends;
}

std::string_view Version() { return ACUTANCE_VERSION; }

}  // namespace acutance::api
