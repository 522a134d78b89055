#include "model/model.h"

#include <utility>

#include "api/access.h"
#include "engine/named_model.h"
#include "metric/registry.h"
#include "model/model_parser.h"

namespace acutance::api {

struct Model::Content {
  acutance::Model model;
  ModelFlags flags;
};

namespace {

ModelFlags FlagsOf(const ModelOptions& options) {
  return {options.disable_clip, options.enable_transform, options.disable_transform};
}

}  // namespace

Expected<Model> Model::Load(std::string_view version, const ModelOptions& options) {
  ACU_ASSIGN_OR_RETURN(acutance::Model loaded, LoadNamedModel(version, options.name));
  return Model(std::make_shared<Content>(Content{std::move(loaded), FlagsOf(options)}));
}

Expected<Model> Model::LoadFile(const std::string& path, const ModelOptions& options) {
  ACU_ASSIGN_OR_RETURN(acutance::Model loaded, LoadModelFile(path, options.name));
  return Model(std::make_shared<Content>(Content{std::move(loaded), FlagsOf(options)}));
}

Status Model::SetOption(const std::string& feature, const std::string& option, const std::string& value) {
  const Metric* metric = FindMetric(feature);
  if (!metric)
    return Error(StatusCode::kInvalidArgument, "model {}: no such feature '{}' in {}.{}={}", source(), feature, feature,
                 option, value);
  if (const auto parsed = OptionValues::Parse(metric->options, {{option, value}}); !parsed.ok()) return parsed.status();
  auto changed = std::make_shared<Content>(*content_);
  if (OverloadFeature(changed->model, metric->name, option, value, MetricNameOfOutput) == 0)
    return Error(StatusCode::kInvalidArgument, "model {} reads nothing of the feature '{}'", source(), feature);
  content_ = std::move(changed);
  return {};
}

const std::string& Model::name() const { return content_->model.name; }
const std::string& Model::source() const { return content_->model.source; }
std::vector<std::string> Model::score_names() const { return ScoreColumns(content_->model); }

ModelRequest ModelAccess::Request(const Model& model) {
  return {std::shared_ptr<const acutance::Model>(model.content_, &model.content_->model), model.content_->flags, true};
}

}  // namespace acutance::api
