#include "model/builtin_models.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/nearest.h"
#include "model/builtin_model_data.h"
#include "model/model_parser.h"

namespace acutance {
namespace {

constexpr std::string_view kHd = "1080p on a television, 3 picture heights away";
constexpr std::string_view k4k = "2160p on a television, 1.5 picture heights away";

}  // namespace

// A function's static variable exists whenever it is used, even before main.
std::span<const BuiltinModel> BuiltinModels() {
  static const BuiltinModel models[] = {
      {"vmaf_v0.6.1", kHd, "VMAF, the default", kVmafV061},
      {"vmaf_v0.6.1neg", kHd, "VMAF NEG: gives no credit for sharpening and other enhancement", kVmafV061neg},
      {"vmaf_4k_v0.6.1", k4k, "VMAF for 4K", kVmaf4kV061},
      {"vmaf_4k_v0.6.1neg", k4k, "VMAF NEG for 4K: gives no credit for enhancement", kVmaf4kV061neg},
  };
  return models;
}

const BuiltinModel* FindBuiltinModel(std::string_view name) {
  const std::span<const BuiltinModel> models = BuiltinModels();
  const auto found = std::find_if(models.begin(), models.end(), [&](const auto& model) { return model.name == name; });
  return found == models.end() ? nullptr : &*found;
}

Result<Model> LoadBuiltinModel(std::string_view version, std::string_view name) {
  const BuiltinModel* model = FindBuiltinModel(version);
  if (model != nullptr) return ParseModel(model->json, version, name);
  std::vector<std::string_view> names;
  for (const BuiltinModel& known : BuiltinModels()) names.push_back(known.name);
  return Error(
      StatusCode::kNotFound,
      "no such built-in model: \"{}\"{} (built in: {}; a model file is named by its path, in commands as path=...)",
      version, Suggestion(version, names), fmt::join(names, ", "));
}

}  // namespace acutance
