#include "run/model_spec.h"

#include <vector>

namespace acutance {
namespace {

std::vector<std::string> Split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
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

}  // namespace

Result<ModelSpec> ParseModelSpec(const std::string& text) {
  ModelSpec spec;
  for (const std::string& part : Split(text, ':')) ACU_RETURN_IF_ERROR(ApplyModelKey(spec, part));
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
  for (const std::string& part : Split(text.substr(equals + 1), ':')) {
    std::string key, value;
    if (!SplitAssignment(part, key, value))
      return Error(StatusCode::kInvalidArgument, "Problem parsing feature \"{}\", bad option string \"{}\".",
                   request.metric, part);
    request.options[key] = value;
  }
  return request;
}

}  // namespace acutance
