#include "model/predict.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>

#include "math/exact_math.h"
#include "model/builtin_models.h"
#include "model/model_parser.h"
#include "model/test_model.h"

namespace acutance {
namespace {

constexpr ModelFlags kPlain;
constexpr ModelFlags kNoClip{.disable_clip = true};
constexpr ModelFlags kTransform{.enable_transform = true};

Model Parse(std::string_view text) {
  Result<Model> model = ParseModel(text, "test", "vmaf");
  EXPECT_TRUE(model.ok()) << model.status().message();
  return std::move(model).value();
}

constexpr double kSixFeatures[3][6] = {
    {0.95, 5, 0.6, 0.88, 0.92, 0.95}, {0.5, 0, 0.2, 0.3, 0.4, 0.5}, {1, 12.5, 1, 1, 1, 1}};
constexpr double kFourFeatures[3][4] = {{0.5, 3, 0.92, 6}, {2, 0, 0.97, 10}, {0, 0, 1, 0}};

/// libvmaf's own numbers (docs/spec/system.md B). Models of v0.6.1 read kSixFeatures, those of v1 kFourFeatures.
struct KnownAnswer {
  const char* model;
  ModelFlags flags;
  std::array<double, 3> expected;
};
constexpr KnownAnswer kAnswers[] = {
    {"vmaf_v0.6.1", kPlain, {85.276616878683612, 0, 100}},
    {"vmaf_v0.6.1", kNoClip, {85.276616878683612, -11.440595078952397, 113.31994322474807}},
    {"vmaf_v0.6.1", kTransform, {97.641081650053877, 0, 100}},
    {"vmaf_4k_v0.6.1", kPlain, {89.471773097118913, 13.983312944070137, 100}},
    {"vmaf_4k_v0.6.1", kNoClip, {89.471773097118913, 13.983312944070137, 108.02831895820621}},
    {"vmaf_4k_v0.6.1", kTransform, {89.471773097118913, 13.983312944070137, 100}},
    {"vmaf_v1.0.16_3d0h", kPlain, {79.120247459523554, 93.998300016298828, 100}},
    {"vmaf_v1.0.16_3d0h", kNoClip, {79.120247459523554, 93.998300016298828, 100.54849808402878}},
    {"vmaf_v1.0.16_3d0h", kTransform, {79.120247459523554, 93.998300016298828, 100}},
    {"vmaf_v1.0.16_3d0h_2160", kPlain, {83.32968353834292, 99.939135406836314, 107.34910935976281}},
    {"vmaf_v1.0.16_5d0h", kPlain, {79.120247459523554, 93.998300016298828, 100}},
    {"vmaf_v1.0.16_5d0h", kNoClip, {79.120247459523554, 93.998300016298828, 100.54849808402878}},
    {"vmaf_v1.0.16_1d5h_2160", kPlain, {78.32968353834292, 94.939135406836314, 100}},
    {"vmaf_v1.0.16_1d5h_2160", kNoClip, {78.32968353834292, 94.939135406836314, 102.34910935976281}},
    {"vmaf_v1.0.16_hfr_3d0h", kPlain, {79.120247459523554, 93.998300016298828, 100}},
    {"vmaf_v1.0.16_hfr_1d5h_2160", kNoClip, {78.32968353834292, 94.939135406836314, 102.34910935976281}},
};

TEST(Predict, BuiltinModelsGiveLibvmafsNumbers) {
  for (const KnownAnswer& answer : kAnswers) {
    const std::string version = answer.model;
    const bool is_v1 = version.starts_with("vmaf_v1.");
    for (const std::string& name : {version, is_v1 ? version : version + "neg"}) {
      const Result<Model> model = LoadBuiltinModel(name, "vmaf");
      ASSERT_TRUE(model.ok()) << model.status().message();
      for (int i = 0; i < 3; ++i) {
        const auto values =
            is_v1 ? std::span<const double>(kFourFeatures[i]) : std::span<const double>(kSixFeatures[i]);
        EXPECT_EQ(Predict(*model, values, answer.flags), answer.expected[i]) << name << i;
      }
    }
  }
}

/// vmaf_float_b_v0.6.3 is the same machine on other features.
TEST(Predict, CollectionGivesLibvmafsNumbers) {
  // bagging, stddev, lo, hi
  constexpr double kExpected[3][4] = {{83.972894769588876, 1.9279662521686678, 79.586347714803566, 86.749437664970003},
                                      {0, 0, 0, 2.3812357169174803},
                                      {100, 0, 100, 100}};
  constexpr double kMain[3] = {84.308342070844134, 0, 100};
  for (const char* version : {"vmaf_b_v0.6.3", "vmaf_float_b_v0.6.3"}) {
    const Result<Model> model = LoadBuiltinModel(version, "vmaf");
    ASSERT_TRUE(model.ok()) << model.status().message();
    for (int i = 0; i < 3; ++i) {
      const BootstrapScores scores = PredictBootstrap(*model, kSixFeatures[i]);
      EXPECT_EQ(scores.bagging, kExpected[i][0]);
      EXPECT_EQ(scores.stddev, kExpected[i][1]);
      EXPECT_EQ(scores.ci_p95_lo, kExpected[i][2]);
      EXPECT_EQ(scores.ci_p95_hi, kExpected[i][3]);
      EXPECT_EQ(Predict(*model, kSixFeatures[i]), kMain[i]);
    }
    EXPECT_EQ(Predict(*model, kSixFeatures[1], kNoClip), -9.4330448364649246);
    EXPECT_EQ(Predict(*model, kSixFeatures[2], kNoClip), 112.56048437305822);
    EXPECT_EQ(Predict(*model, kSixFeatures[0], kTransform), 97.127559773041185);
  }
}

/// The prediction as its definition says, term by term, over the sparse text of a file.
double EvaluateText(std::string_view svm_text, double gamma, double rho, std::span<const double> x) {
  std::istringstream lines{std::string(svm_text)};
  double sum = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    double coefficient = 0;
    fields >> coefficient;
    std::vector<double> vector(x.size(), 0.0);
    size_t index = 0;
    char colon = 0;
    double value = 0;
    while (fields >> index >> colon >> value) vector[index - 1] = value;
    double distance = 0;
    for (size_t i = 0; i < x.size(); ++i) distance += (x[i] - vector[i]) * (x[i] - vector[i]);
    sum += coefficient * Exp(-gamma * distance);
  }
  return sum - rho;
}

TEST(Predict, FollowsTheDefinitionTermByTerm) {
  const Model model = Parse(kSmallModel);
  const double values[] = {0.83, 4.5};
  const double x[] = {2.5 * 0.83 + -1.5, 0.05 * 4.5 + -0.002};
  const double raw = EvaluateText("-4 1:0.5 2:0.25\n4 1:0.75\n2.5 2:-1.5e-1\n", 0.04, -1.25, x);
  const double y = (raw - -0.3) / 0.01;
  EXPECT_EQ(Predict(model, values, kNoClip), y);
  EXPECT_EQ(Predict(model, values), std::min(y, 100.0));
  const double transformed = std::max(1.5 + 1.25 * y, y);
  EXPECT_EQ(Predict(model, values, {.disable_clip = true, .enable_transform = true}), transformed);
  EXPECT_EQ(Predict(model, values, {.disable_clip = true, .enable_transform = true, .disable_transform = true}), y);
}

TEST(Predict, NormTypeNoneLeavesNumbersAlone) {
  std::string text = Replaced(kSmallModel, "linear_rescale", "none");
  text = Replaced(text, "\"score_clip\": [0.0, 100.0],", "");
  const double x[] = {0.83, 4.5};
  EXPECT_EQ(Predict(Parse(text), x), EvaluateText("-4 1:0.5 2:0.25\n4 1:0.75\n2.5 2:-1.5e-1\n", 0.04, -1.25, x));
}

TEST(Predict, BlocksOfManyVectorsKeepTheOrderOfAdditions) {
  std::string vectors, json_vectors;
  for (int i = 0; i < 151; ++i) {
    const std::string line = fmt::format("{} 1:{} 2:{}", i % 7 - 3.25, i / 149.0, (i * 37 % 151) / 83.0);
    vectors += line + "\n";
    json_vectors += line + "\\n";
  }
  std::string text = Replaced(kSmallModel, "total_sv 3", "total_sv 151");
  text = Replaced(text, "-4 1:0.5 2:0.25 \\n4 1:0.75 \\n2.5 2:-1.5e-1 \\n", json_vectors);
  text = Replaced(Replaced(text, "linear_rescale", "none"), "\"score_clip\": [0.0, 100.0],", "");
  const double x[] = {0.31, 0.77};
  EXPECT_EQ(Predict(Parse(text), x), EvaluateText(vectors, 0.04, -1.25, x));
}

/// Without the SVM's part: coef 0 and rho 0 give (0 - intercept_0) / slope_0 for every input.
Model ConstantModel(double score, std::string_view transform) {
  std::string text = Replaced(kSmallModel, "{\"p0\": 1.5, \"p1\": 1.25, \"out_gte_in\": \"true\"}", transform);
  text = Replaced(text, "\"score_clip\": [0.0, 100.0],", "");
  Model model = Parse(text);
  model.svm.rho = 0;
  for (double& coefficient : model.svm.coefficients) coefficient = 0;
  model.slopes[0] = 1;
  model.intercepts[0] = -score;
  return model;
}

TEST(Transform, PiecewiseLinear) {
  constexpr std::string_view kKnots = R"({"enabled": true, "knots": [[0, 10], [20, 30], [40, 30], [60, 90]]})";
  constexpr double kPairs[][2] = {{-5, 5},  {0, 10},  {10, 20}, {20, 30}, {30, 30},
                                  {40, 30}, {50, 60}, {60, 90}, {70, 120}};
  const double values[] = {0, 0};
  for (const auto& [in, out] : kPairs) EXPECT_DOUBLE_EQ(Predict(ConstantModel(in, kKnots), values), out) << in;
}

TEST(Transform, PolynomialThenKnotsThenBounds) {
  const double values[] = {0, 0};
  EXPECT_EQ(Predict(ConstantModel(3, R"({"enabled": true, "p0": 1, "p1": 2, "p2": 0.5})"), values), 1 + 6 + 4.5);
  EXPECT_EQ(Predict(ConstantModel(3, R"({"enabled": true, "p2": 2, "out_lte_in": "true"})"), values), 3);
  EXPECT_EQ(Predict(ConstantModel(3, R"({"enabled": true, "p1": 0.5, "out_gte_in": "true"})"), values), 3);
  EXPECT_EQ(Predict(ConstantModel(3, R"({"enabled": true, "p1": 0.5, "out_gte_in": "false"})"), values), 1.5);
  EXPECT_EQ(Predict(ConstantModel(3, R"({"enabled": true, "p1": 2, "knots": [[5, 0], [7, 10]]})"), values), 5);
  EXPECT_EQ(Predict(ConstantModel(3, R"({"enabled": true, "p0": null, "knots": null})"), values), 3);
  EXPECT_EQ(Predict(ConstantModel(3, R"({"p1": 2})"), values), 3);
  EXPECT_EQ(Predict(ConstantModel(3, R"({"p1": 2})"), values, kTransform), 6);
  EXPECT_EQ(Predict(ConstantModel(3, R"({"enabled": false, "p1": 2})"), values), 3);
}

std::string ChromaModel() {
  std::string text = Replaced(kSmallModel, "VMAF_integer_feature_adm2_score", "VMAF_integer_feature_adm3_score");
  text = Replaced(text, "VMAF_integer_feature_motion2_score", "Speed_chroma_feature_speed_chroma_uv_score");
  return Replaced(text, "\"score_clip\": [0.0, 100.0],", "\"chroma_correction_parameter\": 120.0,");
}

TEST(ChromaRule, ReplacesAnExactZeroOnly) {
  const Model model = Parse(ChromaModel());
  Model without = model;
  without.chroma.reset();
  const double zero[] = {0.97, 0.0};
  const double x = 2.5 * 0.97 + -1.5;
  const double adm3 = (x - -1.5) / 2.5;
  const double implied[] = {0.97, -120.0 * adm3 + 120.0};
  EXPECT_EQ(Predict(model, zero), Predict(without, implied));
  EXPECT_NE(Predict(model, zero), Predict(without, zero));
  const double not_zero[] = {0.97, 0.5};
  EXPECT_EQ(Predict(model, not_zero), Predict(without, not_zero));
}

TEST(Predict, ColumnsOfACollection) {
  Model model = Parse(kSmallModel);
  EXPECT_EQ(ScoreColumns(model), std::vector<std::string>{"vmaf"});
  const double values[] = {0.83, 4.5};
  EXPECT_EQ(PredictColumns(model, values), std::vector<double>{Predict(model, values)});

  const std::string member = Replaced(kSmallModel, "\"LIBSVMNUSVR\"", "\"BOOTSTRAP_LIBSVMNUSVR\"");
  const std::string other = Replaced(member, "rho -1.25", "rho -1.0");
  const Model collection =
      Parse("{\"0\":" + std::string(kSmallModel) + ",\"note\":1,\"1\":" + member + ",\"2\":" + other + "}");
  const std::vector<std::string> names = {"vmaf_0001",   "vmaf_0002",      "vmaf_bagging",
                                          "vmaf_stddev", "vmaf_ci_p95_lo", "vmaf_ci_p95_hi"};
  EXPECT_EQ(ScoreColumns(collection), names);
  EXPECT_EQ(PredictColumns(collection, values).size(), names.size());
  const BootstrapScores scores = PredictBootstrap(collection, values, kNoClip);
  const double a = Predict(collection.members[0], values, kNoClip), b = Predict(collection.members[1], values, kNoClip);
  EXPECT_EQ(scores.members, (std::vector<double>{a, b}));
  EXPECT_EQ(scores.bagging, (a + b) / 2);
  EXPECT_NEAR(scores.stddev, (a - b) / 2, 1e-9);
  EXPECT_NEAR(scores.ci_p95_lo, b + 0.025 * (a - b), 1e-9);
  EXPECT_NEAR(scores.ci_p95_hi, b + 0.975 * (a - b), 1e-9);
}

TEST(Predict, NanGivesNan) {
  const double values[] = {std::nan(""), 4.5};
  EXPECT_TRUE(std::isnan(Predict(Parse(kSmallModel), values)));
}

}  // namespace
}  // namespace acutance
