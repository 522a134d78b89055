#include "run/model_spec.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "engine/named_model.h"
#include "metric/registry.h"
#include "model/model_parser.h"
#include "run/score_run.h"

namespace acutance {
namespace {

/// Whether the colon at `place` follows the letter of a Windows drive: "path=C:\model.json", "path=C:/model.json".
bool IsOfDrive(std::string_view text, size_t place) {
  constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return place >= 2 && place + 1 < text.size() && text[place - 2] == '=' &&
         kLetters.find(text[place - 1]) != kLetters.npos && (text[place + 1] == '\\' || text[place + 1] == '/');
}

/// The parts between colons.
std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    size_t end = std::min(text.find(':', begin), text.size());
    if (IsOfDrive(text, end)) end = std::min(text.find(':', end + 1), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// "key=value" -> both; no '=': the key alone and false.
bool SplitAssignment(const std::string& text, std::string& key, std::string& value) {
  const size_t equals = text.find('=');
  key = text.substr(0, equals);
  value = equals == std::string::npos ? "" : text.substr(equals + 1);
  return equals != std::string::npos;
}

bool* FlagOf(ModelSpec& spec, const std::string& key) {
  if (key == "disable_clip") return &spec.disable_clip;
  if (key == "enable_transform") return &spec.enable_transform;
  if (key == "disable_transform") return &spec.disable_transform;
  return nullptr;
}

Status ApplyModelKey(ModelSpec& spec, const std::string& part) {
  std::string key, value;
  const bool has_value = SplitAssignment(part, key, value);
  if (bool* flag = FlagOf(spec, key)) {
    if (has_value && value != "true" && value != "false")
      return Error(StatusCode::kInvalidArgument, "Problem parsing model: {} is true or false, not \"{}\"", key, value);
    *flag = value != "false";
    return {};
  }
  if (!has_value) return Error(StatusCode::kInvalidArgument, "Problem parsing model, bad option string \"{}\".", part);
  if (key == "version") {
    spec.version = value;
  } else if (key == "path") {
    spec.path = value;
  } else if (key == "name") {
    spec.name = value;
  } else if (const size_t dot = key.find('.'); dot != std::string::npos) {
    spec.overloads[key.substr(0, dot)][key.substr(dot + 1)] = value;
  } else {
    return Error(StatusCode::kInvalidArgument, "Problem parsing model: \"{}\"", key);
  }
  return {};
}

using Warnings = std::vector<std::string>;

/// Sets the options that a spec gives. One that no feature of the model has is ignored: libvmaf's Python runner gives
/// every model the options of cambi.
Status ApplyOverloads(const ModelSpec& spec, UnknownOptions unknown, Model& model, Warnings& warnings) {
  for (const auto& [metric, options] : spec.overloads) {
    for (const auto& [option, value] : options) {
      if (unknown == UnknownOptions::kRefused && !FindMetric(metric))
        return Error(StatusCode::kInvalidArgument, "model {}: no such feature '{}' in {}.{}={}", spec.label(), metric,
                     metric, option, value);
      if (OverloadFeature(model, MetricName(metric), option, value, MetricNameOfOutput) == 0)
        warnings.push_back(fmt::format("model {}: {}.{}={} is ignored, for the model reads no feature of '{}'",
                                       spec.label(), metric, option, value, metric));
    }
  }
  return {};
}

void DropUnknownOptions(Model& model, Warnings& warnings) {
  for (ModelFeature& feature : model.features)
    feature.options = KnownOptions({std::string(MetricNameOfOutput(feature.name)), feature.options}, warnings);
}

Result<ModelRequest> LoadModel(const ModelSpec& spec, UnknownOptions unknown, bool predict, Warnings& warnings) {
  Result<Model> loaded =
      spec.version.empty() ? LoadModelFile(spec.path, spec.name) : LoadNamedModel(spec.version, spec.name);
  if (!loaded.ok()) return loaded.status();
  Model model = std::move(loaded).value();
  ACU_RETURN_IF_ERROR(ApplyOverloads(spec, unknown, model, warnings));
  if (unknown == UnknownOptions::kIgnored) DropUnknownOptions(model, warnings);
  return ModelRequest{std::make_shared<const Model>(std::move(model)),
                      {spec.disable_clip, spec.enable_transform, spec.disable_transform},
                      predict};
}

/// libvmaf's tool scores a collection's main model by itself, too. The single scores come first.
void AddMainModels(std::vector<ModelRequest>& models) {
  std::vector<ModelRequest> collections;
  for (ModelRequest& request : models) {
    if (!request.model->is_collection()) continue;
    collections.push_back(request);
    Model main = *request.model;
    main.members.clear();
    request.model = std::make_shared<const Model>(std::move(main));
  }
  models.insert(models.end(), collections.begin(), collections.end());
}

}  // namespace

Result<ModelSpec> ParseModelSpec(const std::string& text) {
  ModelSpec spec;
  for (const std::string& part : Split(text)) ACU_RETURN_IF_ERROR(ApplyModelKey(spec, part));
  if (spec.version.empty() && spec.path.empty())
    return Error(StatusCode::kInvalidArgument,
                 "Problem parsing model \"{}\": it names neither version=NAME nor path=FILE", text);
  return spec;
}

Result<FeatureRequest> ParseFeatureSpec(const std::string& text) {
  FeatureRequest request;
  const size_t equals = text.find('=');
  request.metric = text.substr(0, equals);
  if (request.metric.empty()) return Error(StatusCode::kInvalidArgument, "Problem parsing feature \"{}\"", text);
  if (equals == std::string::npos) return request;
  for (const std::string& part : Split(text.substr(equals + 1))) {
    std::string key, value;
    if (!SplitAssignment(part, key, value))
      return Error(StatusCode::kInvalidArgument, "Problem parsing feature \"{}\", bad option string \"{}\".",
                   request.metric, part);
    request.options[key] = value;
  }
  return request;
}

Status LoadModels(RunRequest& request, Warnings& warnings, UnknownOptions unknown, bool predict) {
  for (const ModelSpec& spec : request.choice.specs) {
    ACU_ASSIGN_OR_RETURN(ModelRequest model, LoadModel(spec, unknown, predict, warnings));
    request.models.push_back(std::move(model));
  }
  if (unknown == UnknownOptions::kIgnored) {
    AddMainModels(request.models);
    for (FeatureRequest& feature : request.features) feature.options = KnownOptions(feature, warnings);
  }
  std::set<std::string> seen;  // features of one metric have the same options
  std::erase_if(warnings, [&](const std::string& warning) { return !seen.insert(warning).second; });
  return {};
}

}  // namespace acutance
