#include "model/model_parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "base/temp_dir.h"
#include "model/predict.h"
#include "model/test_model.h"

namespace acutance {
namespace {

using testing::HasSubstr;

Result<Model> Parse(std::string_view text) { return ParseModel(text, "file.json", "vmaf"); }

TEST(ModelParser, ReadsEveryField) {
  const Result<Model> model = Parse(kSmallModel);
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model->name, "vmaf");
  EXPECT_EQ(model->source, "file.json");
  ASSERT_EQ(model->features.size(), 2u);
  EXPECT_EQ(model->features[0].name, "VMAF_integer_feature_adm2_score");
  EXPECT_EQ(model->features[0].options, (std::map<std::string, std::string>{{"adm_enhn_gain_limit", "1"}}));
  EXPECT_TRUE(model->features[1].options.empty());
  EXPECT_EQ(model->slopes, (std::vector<double>{0.01, 2.5, 0.05}));
  EXPECT_EQ(model->intercepts, (std::vector<double>{-0.3, -1.5, -0.002}));
  ASSERT_TRUE(model->clip);
  EXPECT_EQ(model->clip->max, 100);
  ASSERT_TRUE(model->transform);
  EXPECT_FALSE(model->transform->enabled);
  EXPECT_EQ(model->transform->p0, 1.5);
  EXPECT_EQ(model->transform->p2, std::nullopt);
  EXPECT_TRUE(model->transform->out_gte_in);
  EXPECT_EQ(model->svm.gamma, 0.04);
  EXPECT_EQ(model->svm.rho, -1.25);
  EXPECT_EQ(model->svm.coefficients, (std::vector<double>{-4, 4, 2.5}));
  EXPECT_EQ(model->svm.vectors, (std::vector<double>{0.5, 0.75, 0, 0.25, 0, -0.15}));
}

struct Edit {
  const char* from;
  const char* to;
};

TEST(ModelParser, Accepts) {
  constexpr Edit kEdits[] = {
      {"\"LIBSVMNUSVR\"", "\"RESIDUEBOOTSTRAP_LIBSVMNUSVR\""},
      {"\"score_clip\": [0.0, 100.0],", ""},
      {"\"score_clip\"", "\"unknown\": {\"x\": [[], null]}, \"score_clip\""},
      {"\"feature_opts_dicts\": [{\"adm_enhn_gain_limit\": 1.0}, {}],", ""},
      {", {}],", "],"},                                                    // fewer objects than features
      {"{}]", "{\"a\": true, \"b\": \"text\", \"c\": -3, \"c\": -3.0}]"},  // the same value twice
      {"svm_type nu_svr\\nkernel_type rbf\\n", "svm_type nu_svr kernel_type rbf "},
      {"gamma 0.04", "degree 3\\ncoef0 0\\nlabel 1 2\\nprobA 0.1\\nprobB 0.2\\nnr_sv 1 2\\ngamma 0.04"},
      {"{\"p0\": 1.5,", "{\"p0\": null, \"knots\": null, \"p2\": null, \"enabled\": null,"},
      {"4 1:0.75 \\n", "4\\n"},
      {"-1.5e-1 \\n", "-1.5e-1"},
      {"{\n  \"model_dict\"", "{\"param_dict\": {\"C\": 4.0}, \"model_dict\""},
  };
  for (const auto& [from, to] : kEdits) {
    const Result<Model> model = Parse(Replaced(kSmallModel, from, to));
    EXPECT_TRUE(model.ok()) << from << " -> " << to << ": " << model.status().message();
  }
  EXPECT_TRUE(Parse(std::string(kSmallModel) + " trailing").ok());
}

TEST(ModelParser, CrlfReadsLikeLf) {
  std::string text(kSmallModel);
  for (size_t at = 0; (at = text.find("\\n", at)) != std::string::npos; at += 4) text.replace(at, 2, "\\r\\n");
  const Result<Model> crlf = Parse(text);
  ASSERT_TRUE(crlf.ok()) << crlf.status().message();
  EXPECT_EQ(crlf->svm.vectors, Parse(kSmallModel)->svm.vectors);
  EXPECT_EQ(crlf->svm.rho, -1.25);
}

TEST(ModelParser, OptionsBecomeText) {
  const Result<Model> model =
      Parse(Replaced(kSmallModel, "{}]", R"({"a": 1.23456789, "b": false, "c": "bilinear", "d": 1080}])"));
  ASSERT_TRUE(model.ok()) << model.status().message();
  const std::map<std::string, std::string> expected = {
      {"a", "1.23457"}, {"b", "false"}, {"c", "bilinear"}, {"d", "1080"}};
  EXPECT_EQ(model->features[1].options, expected);
}

struct Damage {
  const char* from;
  const char* to;
  const char* message;  // a part of it
};

constexpr Damage kDamages[] = {
    // the file
    {"{\n", "", "file.json"},
    {"{\n", "[", "is not a JSON model"},
    {"\"model_dict\"", "\"model_dic\"", "has neither 'model_dict' (a model) nor '0' (a collection)"},
    {"\"model_dict\": {", "\"model_dict\": [], \"x\": {", "model_dict: expected an object, got an array"},
    {"\"slopes\"", "\"norm_type\": \"none\", \"slopes\"", "model_dict.norm_type: appears twice"},
    // types
    {"\"LIBSVMNUSVR\"", "\"RANDOMFOREST\"", "model_dict.model_type: 'RANDOMFOREST' is not supported"},
    {"\"LIBSVMNUSVR\"", "3", "model_dict.model_type: expected a string, got a number"},
    {"\"model_type\": \"LIBSVMNUSVR\",", "", "model_dict.model_type: is missing"},
    {"\"linear_rescale\"", "\"clip_0to1\"", "model_dict.norm_type: 'clip_0to1' is not supported"},
    {"\"norm_type\": \"linear_rescale\",", "", "model_dict.norm_type: is missing"},
    // features
    {"\"feature_names\"", "\"names\"", "model_dict.feature_names: is missing"},
    {"[\"VMAF_integer_feature_adm2_score\", \"VMAF_integer_feature_motion2_score\"]", "[]",
     "model_dict.feature_names: 0 names, expected 1..64"},
    {"\"VMAF_integer_feature_adm2_score\",", "\"\",", "model_dict.feature_names: a name is empty"},
    {"\"VMAF_integer_feature_adm2_score\",", "7,", "model_dict.feature_names: expected a string, got a number"},
    {"[{\"adm_enhn_gain_limit\": 1.0}, {}]", "[{}, {}, {}]", "feature_opts_dicts: 3 objects for 2 features"},
    {"[{\"adm_enhn_gain_limit\": 1.0}, {}]", "{}", "feature_opts_dicts: expected an array, got an object"},
    {"{}]", "null]", "feature_opts_dicts: expected an object, got null"},
    {"1.0}", "null}", "option 'adm_enhn_gain_limit' is null"},
    {"1.0}", "[1]}", "option 'adm_enhn_gain_limit' is an array"},
    {"1.0}", "1e60}", "option 'adm_enhn_gain_limit': 1e60 is out of range"},
    {"1.0}", "1.0, \"adm_enhn_gain_limit\": 2}", "option 'adm_enhn_gain_limit' has two values, 1 and 2"},
    // rescaling
    {"\"slopes\": [0.01, 2.5, 0.05],", "", "model_dict.slopes: is missing"},
    {"[0.01, 2.5, 0.05]", "[0.01, 2.5]", "model_dict.slopes: 2 numbers, expected 3: one for the score and one per"},
    {"[0.01, 2.5, 0.05]", "[0, 2.5, 0.05]", "model_dict.slopes: the first, which divides the score, is 0"},
    {"[0.01, 2.5, 0.05]", "[0.01, \"2.5\", 0.05]", "model_dict.slopes: expected a number, got a string"},
    {"[0.01, 2.5, 0.05]", "[0.01, 1e999, 0.05]", "1e999"},
    {"[-0.3, -1.5, -0.002]", "[-0.3, -1.5, -0.002, 1]", "model_dict.intercepts: 4 numbers, expected 3"},
    {"\"intercepts\": [-0.3, -1.5, -0.002],", "", "model_dict.intercepts: is missing"},
    // clip and transform
    {"[0.0, 100.0]", "null", "model_dict.score_clip: expected an array, got null"},
    {"[0.0, 100.0]", "[0.0]", "model_dict.score_clip: 1 numbers, expected [min, max]"},
    {"[0.0, 100.0]", "[100, 0]", "model_dict.score_clip: min 100 is above max 0"},
    {"{\"p0\": 1.5, \"p1\": 1.25, \"out_gte_in\": \"true\"}", "null", "score_transform: expected an object, got null"},
    {"\"p0\": 1.5", "\"p0\": \"1.5\"", "score_transform.p0: expected a number, got a string"},
    {"\"p0\": 1.5", "\"enabled\": \"true\"", "score_transform.enabled: expected a boolean, got a string"},
    {"\"out_gte_in\": \"true\"", "\"out_gte_in\": true",
     "out_gte_in: expected the string \"true\" or \"false\", got a bo"},
    {"\"out_gte_in\": \"true\"", "\"out_lte_in\": \"yes\"", "score_transform.out_lte_in: expected the string"},
    {"\"p0\": 1.5", "\"knots\": [[0, 0]]", "score_transform.knots: 1 points, expected 2..10"},
    {"\"p0\": 1.5", "\"knots\": [[0, 0], [1]]", "knots: a point has 1 numbers, expected [x, y]"},
    {"\"p0\": 1.5", "\"knots\": [[0, 0], [0, 1]]", "x must rise and y must not fall"},
    {"\"p0\": 1.5", "\"knots\": [[0, 5], [1, 4]]", "x must rise and y must not fall"},
    {"\"p0\": 1.5", "\"knots\": [[0,0],[1,1],[2,2],[3,3],[4,4],[5,5],[6,6],[7,7],[8,8],[9,9],[10,10]]",
     "knots: 11 points, expected 2..10"},
    // chroma
    {"\"slopes\"", "\"chroma_correction_parameter\": 120, \"slopes\"",
     "chroma_correction_parameter: needs a feature whose name contains 'adm3'"},
    {"\"slopes\"", "\"chroma_correction_parameter\": \"120\", \"slopes\"", "expected a number, got a string"},
    // the SVM
    {"\"model\":", "\"modell\":", "model_dict.model: is missing"},
    {"\"model\":", "\"model\": 3, \"x\":", "model_dict.model: expected a string, got a number"},
    {"\"model\":", "\"model\": \"\", \"x\":", "model_dict.model: is empty"},
    {"\"model\":", "\"model\": \"svm_type nu_svr\", \"x\":", "model_dict.model: ends before 'SV'"},
    {"svm_type nu_svr\\n", "", "model_dict.model: 'svm_type' is missing"},
    {"svm_type nu_svr", "svm_type epsilon_svr", "svm_type is 'epsilon_svr'; only 'nu_svr' is supported"},
    {"kernel_type rbf", "kernel_type linear", "kernel_type is 'linear'; only 'rbf' is supported"},
    {"nr_class 2", "nr_class 3", "nr_class is '3'; only '2' is supported"},
    {"nr_class 2\\n", "", "'nr_class' is missing"},
    {"rho -1.25\\n", "", "'rho' is missing"},
    {"rho -1.25", "rho nan", "rho is 'nan', expected a finite number"},
    {"gamma 0.04\\n", "", "'gamma' is missing"},
    {"gamma 0.04", "gamma -1", "gamma is -1, expected at least 0"},
    {"gamma 0.04", "gamma 0,04", "gamma is '0,04', expected a finite number"},
    {"gamma 0.04", "gamma 0.04\\ngamma 0.05", "'gamma' appears twice"},
    {"gamma 0.04", "gama 0.04", "unknown word 'gama' in the header"},
    {"total_sv 3\\n", "", "'total_sv' is missing"},
    {"total_sv 3", "total_sv -1", "total_sv is '-1', expected 1..100000"},
    {"total_sv 3", "total_sv 0", "total_sv is '0', expected 1..100000"},
    {"total_sv 3", "total_sv 99999999999999999999", "total_sv is '99999999999999999999'"},
    {"total_sv 3", "total_sv 100000", "total_sv is 100000, more than the text can hold"},
    {"total_sv 3", "total_sv 4", "support vector 4 of 4 is missing"},
    {"total_sv 3", "total_sv 2", "more than total_sv = 2 support vectors"},
    {"SV\\n-4", "SV\\nx", "support vector 1: coefficient 'x' is not a finite number"},
    {"SV\\n-4", "SV\\ninf", "support vector 1: coefficient 'inf' is not a finite number"},
    {"1:0.75", "1;0.75", "support vector 2: '1;0.75' is not index:number"},
    {"1:0.75", "1:", "support vector 2: '1:' is not index:number"},
    {"1:0.75", "1:nan", "support vector 2: '1:nan' is not index:number"},
    {"1:0.75", "3:0.75", "support vector 2: index 3 after 0; indices rise from 1 to 2"},
    {"1:0.75", "0:0.75", "support vector 2: index 0 after 0"},
    {"1:0.5 2:0.25", "2:0.5 1:0.25", "support vector 1: index 1 after 2"},
    {"1:0.5 2:0.25", "1:0.5 1:0.25", "support vector 1: index 1 after 1"},
};

TEST(ModelParser, RefusesDamageAndSaysWhereAndWhat) {
  for (const Damage& damage : kDamages) {
    const Result<Model> model = Parse(Replaced(kSmallModel, damage.from, damage.to));
    ASSERT_FALSE(model.ok()) << damage.from << " -> " << damage.to;
    EXPECT_EQ(model.status().code(), StatusCode::kBadData);
    EXPECT_THAT(model.status().message(), HasSubstr("model 'file.json'"));
    EXPECT_THAT(model.status().message(), HasSubstr(damage.message))
        << model.status().message() << "\nexpected: " << damage.message;
  }
}

TEST(ModelParser, RefusesEveryTruncation) {
  const std::string_view text(kSmallModel);
  for (size_t size = 0; size + 1 < text.size(); ++size) EXPECT_FALSE(Parse(text.substr(0, size)).ok()) << size;
  EXPECT_TRUE(Parse(text).ok());
}

/// Any bytes give a model that predicts, or an error that names the file.
TEST(ModelParser, SurvivesRandomEdits) {
  constexpr std::string_view kPieces[] = {"\"",    "{",    "}",   "[",  "]", ",",  ":",    "0", "-",
                                          "1e308", "null", "\\n", "\\", " ", "SV", "\xff", "9", "."};
  std::mt19937 random(7);
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text(kSmallModel);
    for (uint32_t edits = 1 + random() % 3; edits > 0; --edits)
      text.replace(random() % text.size(), random() % 3, kPieces[random() % std::size(kPieces)]);
    const Result<Model> model = Parse(text);
    if (model.ok()) {
      const std::vector<double> values(model->features.size(), 0.5);
      PredictColumns(*model, values, {.enable_transform = true});
      ++accepted;
    } else {
      EXPECT_THAT(model.status().message(), HasSubstr("file.json"));
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_LT(accepted, 19000);
}

TEST(ModelParser, RefusesTooManyFeatures) {
  std::string names = "[\"a\"";
  for (int i = 0; i < 64; ++i) names += ",\"a\"";
  const Result<Model> model = Parse(Replaced(
      kSmallModel, "[\"VMAF_integer_feature_adm2_score\", \"VMAF_integer_feature_motion2_score\"]", names + "]"));
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.status().message(), HasSubstr("65 names, expected 1..64"));
}

TEST(ModelParser, RefusesAnAmbiguousChromaRule) {
  std::string text = Replaced(kSmallModel, "adm2_score", "adm3_score");
  text = Replaced(text, "motion2_score", "adm3_score");
  const Result<Model> model = Parse(Replaced(text, "\"slopes\"", "\"chroma_correction_parameter\": 120, \"slopes\""));
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.status().message(), HasSubstr("two features contain 'adm3'"));
}

std::string Member(std::string_view type) {
  return Replaced(kSmallModel, "\"LIBSVMNUSVR\"", fmt::format("\"{}\"", type));
}

TEST(Collection, NamesItsMembers) {
  const std::string member = Member("BOOTSTRAP_LIBSVMNUSVR");
  const Result<Model> model =
      ParseModel("{\"0\":" + member + ",\"x\":[],\"1\":" + member + ",\"3\":0,\"2\":" + member + "}", "file.json", "q");
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_TRUE(model->is_collection());
  ASSERT_EQ(model->members.size(), 2u);
  EXPECT_EQ(model->name, "q");
  EXPECT_EQ(model->members[0].name, "q_0001");
  EXPECT_EQ(model->members[1].name, "q_0002");
}

TEST(Collection, RefusesDamage) {
  const std::string good = Member("BOOTSTRAP_LIBSVMNUSVR");
  const std::string residue = Member("RESIDUEBOOTSTRAP_LIBSVMNUSVR");
  const std::string no_type = Replaced(kSmallModel, "\"model_type\": \"LIBSVMNUSVR\",", "");
  const std::pair<std::string, const char*> kCases[] = {
      {"{\"0\":" + good + "}", "the collection has no member '1'"},
      {"{\"1\":" + good + "}", "has neither 'model_dict'"},
      {"{\"1\":" + good + ",\"0\":" + good + "}", "the collection has no member '1'"},
      {"{\"0\":" + good + ",\"1\":3}", "1: expected an object, got a number"},
      {"{\"0\":" + good + ",\"1\":{}}", "1.model_dict is missing"},
      {"{\"0\":" + good + ",\"1\":" + std::string(kSmallModel) + "}", "1.model_dict.model_type is 'LIBSVMNUSVR'"},
      {"{\"0\":" + good + ",\"1\":" + no_type + "}", "1.model_dict.model_type: is missing"},
      {"{\"0\":" + good + ",\"1\":" + good + ",\"2\":" + residue + "}",
       "but that of member 1 is 'BOOTSTRAP_LIBSVMNUSVR'"},
      {"{\"0\":" + good + ",\"1\":" + Replaced(good, "motion2", "motion3") + "}",
       "members of a collection read the same"},
      {"{\"0\":" + good + ",\"1\":" + Replaced(good, "rho -1.25", "rho x") + "}", "1.model_dict.model: rho is 'x'"},
  };
  for (const auto& [text, message] : kCases) {
    const Result<Model> model = Parse(text);
    ASSERT_FALSE(model.ok()) << message;
    EXPECT_THAT(model.status().message(), HasSubstr(message));
  }
}

TEST(LoadModelFile, NamesTheFile) {
  const test::TempDir temporary;
  const std::string folder = temporary.path().string();
  const Result<Model> absent = LoadModelFile(folder + "/no_such_model.json", "vmaf");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.status().code(), StatusCode::kNotFound);
  EXPECT_THAT(absent.status().message(), HasSubstr("could not read model from path: \"" + folder + "/no_such"));

  EXPECT_THAT(LoadModelFile("old.pkl", "vmaf").status().message(),
              HasSubstr("support for pkl model files has been removed"));
  EXPECT_EQ(LoadModelFile(folder, "vmaf").status().code(), StatusCode::kIo);

  const std::string path = folder + "/small_model.json";
  std::ofstream(path, std::ios::binary) << kSmallModel;
  const Result<Model> model = LoadModelFile(path, "vmaf");
  EXPECT_TRUE(model.ok()) << model.status().message();
  std::ofstream(path, std::ios::binary) << "";
  EXPECT_THAT(LoadModelFile(path, "vmaf").status().message(), HasSubstr(path));
}

TEST(LoadModelFile, StopsReadingAtTheLimit) {
  const Result<Model> endless = LoadModelFile("/dev/zero", "vmaf");
  ASSERT_FALSE(endless.ok());
  EXPECT_THAT(endless.status().message(), HasSubstr("larger than 64 MB"));
}

}  // namespace
}  // namespace acutance
