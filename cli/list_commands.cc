#include "cli/list_commands.h"

#include <fmt/format.h>

#include <limits>
#include <variant>
#include <vector>

#include "base/did_you_mean.h"
#include "base/json.h"
#include "devices/backends.h"
#include "log/json_text.h"
#include "metric/registry.h"
#include "model/builtin_models.h"

namespace acutance::cli {
namespace {

constexpr PictureFormat kCommonFormat{1920, 1080, 8, PixelFormat::k420};

std::string RangeText(const OptionSpec& option) {
  if (std::holds_alternative<bool>(option.default_value)) return "true or false";
  if (std::holds_alternative<std::string>(option.default_value)) return "text";
  const bool whole = std::holds_alternative<int>(option.default_value);
  const char* kind = whole ? "whole number" : "number";
  if (option.max == std::numeric_limits<double>::max()) return fmt::format("{}, {:g} or more", kind, option.min);
  return fmt::format("{} {:g} to {:g}", kind, option.min, option.max);
}

std::string DescribeOption(const OptionSpec& option) {
  std::string text = fmt::format("  {}", option.name);
  if (!option.alias.empty()) text += fmt::format(" ({})", option.alias);
  text += fmt::format("\n      {}; default {}\n      {}\n", RangeText(option), OptionText(option.default_value),
                      option.help);
  return text;
}

std::string DescribeMetric(const Metric& metric) {
  std::string text = fmt::format("{}: {}\n", metric.name, metric.summary);
  if (!metric.other_names.empty()) text += fmt::format("also called {}\n", fmt::join(metric.other_names, ", "));
  text += "\noutputs, as logs name them\n";
  const Result<OptionValues> defaults = OptionValues::Parse(metric.options, {});
  for (const OutputSpec& output : metric.outputs)
    text +=
        fmt::format("  {}{}{}{}\n", output.alias.empty() ? output.name : output.alias,
                    output.unit.empty() ? "" : fmt::format("  ({})", output.unit),
                    output.better == ScoreDirection::kLower ? "  (lower is better)" : "",
                    output.enabled && !output.enabled(*defaults, kCommonFormat) ? "  (only with some options)" : "");
  text += metric.options.empty() ? "\nno options\n" : "\noptions (and short names, as output keys show them)\n";
  for (const OptionSpec& option : metric.options) text += DescribeOption(option);
  return text + fmt::format("\nexample: acutance score ref.mp4 dis.mp4 --feature {}{}\n", metric.name,
                            metric.options.empty() ? ""
                                                   : fmt::format("={}={}", metric.options[0].name,
                                                                 OptionText(metric.options[0].default_value)));
}

}  // namespace

Result<std::string> DescribeFeatures(const std::string& name) {
  if (!name.empty()) {
    ACU_ASSIGN_OR_RETURN(const Metric* const metric, NamedMetric(name));
    return DescribeMetric(*metric);
  }
  std::string text;
  for (const Metric* metric : AllMetrics())
    if (!IsInternal(*metric)) text += fmt::format("{:<16}{}\n", metric->name, metric->summary);
  return text + "\n`acutance features NAME` lists a feature's outputs and options.\n";
}

std::string DescribeModels() {
  std::string text;
  for (const BuiltinModel& model : BuiltinModels()) text += fmt::format("{:<28}{}\n", model.name, model.description);
  return text + "\nAny other model: --model path=FILE.json\n";
}

std::string ListBackendsJson() {
  Json backends = Json::Array();
  backends.Append({{"name", "cpu"}, {"usable", true}});
  for (const Backend* backend : Backends()) {
    const BackendProbe probe = backend->probe();
    Json devices = Json::Array();
    for (const DeviceInfo& device : probe.devices) devices.Append(device.name);
    backends.Append({{"name", backend->name}, {"usable", !probe.devices.empty()}, {"devices", std::move(devices)}});
  }
  return JsonLine({{"backends", std::move(backends)}});
}

}  // namespace acutance::cli
