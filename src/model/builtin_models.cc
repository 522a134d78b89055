#include "model/builtin_models.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/did_you_mean.h"
#include "model/model_parser.h"

namespace acutance {
std::string BuiltinModel::Json() const {
  std::string text;
  for (const uint16_t line : lines) text.append(kText + kBegins[line], kText + kBegins[line + 1]);
  return text;
}

const BuiltinModel* FindBuiltinModel(std::string_view name) {
  const std::span<const BuiltinModel> models = BuiltinModels();
  const auto found = std::ranges::find(models, name, &BuiltinModel::name);
  return found == models.end() ? nullptr : &*found;
}

Result<Model> LoadBuiltinModel(std::string_view version, std::string_view name) {
  const BuiltinModel* model = FindBuiltinModel(version);
  if (model != nullptr) return ParseModel(model->Json(), version, name);
  std::vector<std::string_view> names;
  for (const BuiltinModel& known : BuiltinModels()) names.push_back(known.name);
  return Error(
      StatusCode::kNotFound,
      "no such built-in model: \"{}\"{} (built in: {}; a model file is named by its path, in commands as path=...)",
      version, DidYouMean(version, names), fmt::join(names, ", "));
}

}  // namespace acutance
