// Every model run of the golden vectors: libvmaf's features in, libvmaf's scores out, to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "model/builtin_models.h"
#include "model/model_parser.h"
#include "model/predict.h"
#include "model/test_model.h"
#include "stats/pooling.h"

namespace acutance {
namespace {

using nlohmann::json;

/// Log key of a stored name (docs/spec/core.md 0.3), without options.
std::string Alias(std::string_view stored) {
  constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {{"VMAF_integer_feature_", "integer_"},
                                                                         {"VMAF_feature_", ""},
                                                                         {"Cambi_feature_", ""},
                                                                         {"Speed_chroma_feature_", ""}};
  constexpr std::string_view kSuffix = "_score";
  for (const auto& [prefix, replacement] : kPrefixes) {
    if (!stored.starts_with(prefix) || !stored.ends_with(kSuffix)) continue;
    stored.remove_prefix(prefix.size());
    stored.remove_suffix(kSuffix.size());
    return std::string(replacement) + std::string(stored);
  }
  return std::string(stored);
}

/// The column of a run that holds a feature, with any options in its key.
const json* FindFeature(const json& features, const std::string& stored) {
  const std::string alias = Alias(stored);
  for (const auto& [key, scores] : features.items()) {
    if (key == alias || key.starts_with(alias + "_")) return &scores;
  }
  return nullptr;
}

Result<Model> Load(const std::filesystem::path& shared, const std::string& version) {
  if (FindBuiltinModel(version) != nullptr) return LoadBuiltinModel(version, "vmaf");
  for (const char* folder : {"wheel", "repo"}) {
    const std::filesystem::path path = shared / "models" / folder / (version + ".json");
    if (std::filesystem::exists(path)) return LoadModelFile(path.string(), "vmaf");
  }
  return Error(StatusCode::kNotFound, "no file of model {}", version);
}

/// A score of the vectors: a number, or "nan", "inf", "-inf".
double Value(const json& score) {
  return score.is_number() ? score.get<double>() : std::strtod(score.get<std::string>().c_str(), nullptr);
}

bool SameScore(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Compares the scores of a run's frames and returns how many frames were compared.
int CheckRun(const std::string& id, const json& run, const Model& model, ModelFlags flags) {
  const json& features = run.at("features");
  std::vector<const json*> inputs;
  for (const ModelFeature& feature : model.features) inputs.push_back(FindFeature(features, feature.name));
  const std::vector<std::string> columns = ScoreColumns(model);
  if (!features.contains(columns[0])) return 0;
  int compared = 0;
  for (size_t frame = 0; frame < features.at(columns[0]).size(); ++frame) {
    if (features.at(columns[0])[frame].is_null()) continue;
    std::vector<double> values;
    for (const json* input : inputs) values.push_back(Value(input->at(frame)));
    const std::vector<double> scores = PredictColumns(model, values, flags);
    for (size_t i = 0; i < columns.size(); ++i) {
      const double expected = Value(features.at(columns[i])[frame]);
      EXPECT_TRUE(SameScore(scores[i], expected))
          << id << " " << columns[i] << " " << frame << ": " << scores[i] << ", expected " << expected;
    }
    ++compared;
  }
  return compared;
}

/// Compares the pooled values of a run and returns how many were compared. A collection's have
/// the keys "<method>.<column>".
int CheckPooled(const std::string& id, const json& run) {
  const json pooled_models = run.value("pooled_models", json::object());
  int compared = 0;
  for (const auto& [model, pooled] : pooled_models.items()) {
    for (const auto& [key, expected] : pooled.items()) {
      const size_t dot = key.find('.');
      const std::string method_name = key.substr(0, dot);
      const json& scores = run.at("features").at(dot == std::string::npos ? model : key.substr(dot + 1));
      ScoreTable::Column column;
      for (const json& score : scores)
        column.scores.push_back(score.is_null() ? std::nullopt : std::optional(Value(score)));
      const FrameRange range{0, static_cast<int64_t>(scores.size()) - 1, run.value("n_subsample", 1)};
      for (const auto& [name, method, pool] : PoolingMethods()) {
        if (name != method_name) continue;
        const std::optional<double> value = Pool(column, range, method);
        EXPECT_TRUE(value && SameScore(*value, Value(expected))) << id << " " << key;
        ++compared;
      }
    }
  }
  return compared;
}

TEST(GoldenModels, EqualToTheBit) {
  const std::filesystem::path shared = SharedVectors();
  if (shared.empty()) GTEST_SKIP() << "the shared vectors are absent; set ACUTANCE_VECTORS";
  std::map<std::string, Model> models;
  int compared = 0;
  int pooled = 0;
  for (const auto& entry : std::filesystem::directory_iterator(shared / "golden")) {
    const json golden = json::parse(std::ifstream(entry.path()));
    for (const auto& [id, run] : golden.at("runs").items()) {
      // "[subsampleN:]model:<version>[:flag or option]..."
      constexpr std::string_view kModel = "model:";
      const size_t at = id.find(kModel);
      if (at == std::string::npos || !run.contains("features")) continue;
      const std::string rest = id.substr(at + kModel.size());
      const std::string version = rest.substr(0, rest.find(':'));
      if (!models.contains(version)) {
        Result<Model> model = Load(shared, version);
        ASSERT_TRUE(model.ok()) << model.status().message();
        models.emplace(version, std::move(model).value());
      }
      if (!run.contains("errors")) pooled += CheckPooled(entry.path().stem().string() + " " + id, run);
      compared += CheckRun(entry.path().stem().string() + " " + id, run, models.at(version),
                           {.disable_clip = rest.find(":disable_clip") != std::string::npos,
                            .enable_transform = rest.find(":enable_transform") != std::string::npos});
    }
  }
  RecordProperty("frames", compared);
  RecordProperty("pooled", pooled);
  EXPECT_GT(compared, 1000);
  EXPECT_GT(pooled, 1000);
}

}  // namespace
}  // namespace acutance
