#include "model/model_parser.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/number.h"
#include "base/system/file.h"

namespace acutance {
namespace {

using Kind = Json::Kind;

/// All members together may hold this many support vector entries (128 MB); the largest shipped file has 35 000.
constexpr size_t kMaxVectorEntries = size_t{1} << 24;

constexpr std::string_view kSingleType = "LIBSVMNUSVR";
constexpr std::array<std::string_view, 2> kBootstrapTypes = {"BOOTSTRAP_LIBSVMNUSVR", "RESIDUEBOOTSTRAP_LIBSVMNUSVR"};

bool IsBootstrapType(std::string_view type) {
  return std::find(kBootstrapTypes.begin(), kBootstrapTypes.end(), type) != kBootstrapTypes.end();
}

/// Reads one model_dict object.
class DictReader {
 public:
  DictReader(const Json& dict, std::string_view source, std::string path)
      : dict_(dict), source_(source), path_(std::move(path)) {}

  Result<Model> Read(std::string_view name) {
    Model model;
    model.name = name;
    model.source = source_;
    ACU_RETURN_IF_ERROR(CheckNoRepeats());
    ACU_RETURN_IF_ERROR(CheckType());
    ACU_RETURN_IF_ERROR(ReadFeatures(model));
    ACU_RETURN_IF_ERROR(ReadOptions(model));
    ACU_RETURN_IF_ERROR(ReadRescale(model));
    ACU_RETURN_IF_ERROR(ReadClip(model));
    ACU_RETURN_IF_ERROR(ReadTransform(model));
    ACU_RETURN_IF_ERROR(ReadChromaRule(model));
    ACU_RETURN_IF_ERROR(ReadSvm(model));
    return model;
  }

  std::string_view type() const { return type_; }

 private:
  template <class... Args>
  Status Fail(std::string_view key, fmt::format_string<Args...> format, Args&&... args) const {
    return Error(StatusCode::kBadData, "model '{}': {}.{}: {}", source_, path_, key,
                 fmt::format(format, std::forward<Args>(args)...));
  }

  Status CheckNoRepeats() const {
    for (const std::string_view key :
         {"model_type", "norm_type", "feature_names", "slopes", "intercepts", "model", "feature_opts_dicts",
          "score_clip", "score_transform", "chroma_correction_parameter"}) {
      if (dict_.Count(key) > 1) return Fail(key, "appears twice");
    }
    return {};
  }

  Status CheckKind(std::string_view key, const Json& value, Kind wanted) const {
    if (value.kind == wanted) return {};
    return Fail(key, "expected {}, got {}", JsonKindName(wanted), JsonKindName(value.kind));
  }

  /// The value of a key that must be there and be of that kind.
  Result<const Json*> Require(std::string_view key, Kind wanted) const {
    const Json* value = dict_.Find(key);
    if (value == nullptr) return Fail(key, "is missing");
    ACU_RETURN_IF_ERROR(CheckKind(key, *value, wanted));
    return value;
  }

  Result<double> Number(std::string_view key, const Json& value) const {
    ACU_RETURN_IF_ERROR(CheckKind(key, value, Kind::kNumber));
    const std::optional<double> number = ParseFiniteDouble(value.text);
    if (!number) return Fail(key, "{} is out of the range of a double", value.text);
    return *number;
  }

  Result<std::vector<double>> Numbers(std::string_view key, const Json& array) const {
    ACU_RETURN_IF_ERROR(CheckKind(key, array, Kind::kArray));
    std::vector<double> numbers;
    for (const Json& item : array.items) {
      ACU_ASSIGN_OR_RETURN(const double number, Number(key, item));
      numbers.push_back(number);
    }
    return numbers;
  }

  Status CheckType() {
    const Json* value = dict_.Find("model_type");
    if (value == nullptr) return Fail("model_type", "is missing");
    ACU_RETURN_IF_ERROR(CheckKind("model_type", *value, Kind::kString));
    if (value->text != kSingleType && !IsBootstrapType(value->text))
      return Fail("model_type", "'{}' is not supported; known: {}, {}, {}", value->text, kSingleType,
                  kBootstrapTypes[0], kBootstrapTypes[1]);
    type_ = value->text;
    return {};
  }

  Status ReadFeatures(Model& model) const {
    ACU_ASSIGN_OR_RETURN(const Json* names, Require("feature_names", Kind::kArray));
    const size_t count = names->items.size();
    if (count < 1 || count > kMaxModelFeatures)
      return Fail("feature_names", "{} names, expected 1..{}", count, kMaxModelFeatures);
    for (const Json& name : names->items) {
      ACU_RETURN_IF_ERROR(CheckKind("feature_names", name, Kind::kString));
      if (name.text.empty()) return Fail("feature_names", "a name is empty");
      model.features.push_back({name.text, {}});
    }
    return {};
  }

  Status ReadOptions(Model& model) const {
    constexpr std::string_view kKey = "feature_opts_dicts";
    const Json* dicts = dict_.Find(kKey);
    if (dicts == nullptr) return {};
    ACU_RETURN_IF_ERROR(CheckKind(kKey, *dicts, Kind::kArray));
    if (dicts->items.size() > model.features.size())
      return Fail(kKey, "{} objects for {} features", dicts->items.size(), model.features.size());
    for (size_t i = 0; i < dicts->items.size(); ++i) {
      const Json& dict = dicts->items[i];
      ACU_RETURN_IF_ERROR(CheckKind(kKey, dict, Kind::kObject));
      for (size_t k = 0; k < dict.items.size(); ++k) {
        ACU_ASSIGN_OR_RETURN(std::string text, OptionText(dict.keys[k], dict.items[k]));
        const auto [entry, added] = model.features[i].options.emplace(dict.keys[k], text);
        if (!added && entry->second != text)
          return Fail(kKey, "option '{}' has two values, {} and {}", dict.keys[k], entry->second, text);
      }
    }
    return {};
  }

  Result<std::string> OptionText(std::string_view option, const Json& value) const {
    if (value.IsString()) return value.text;
    if (value.kind == Kind::kBool) return std::string(value.boolean ? "true" : "false");
    if (value.kind != Kind::kNumber)
      return Fail("feature_opts_dicts", "option '{}' is {}; expected a number, true, false or a string", option,
                  JsonKindName(value.kind));
    const std::optional<std::string> text = OptionTextOfNumber(value.text);
    if (!text) return Fail("feature_opts_dicts", "option '{}': {} is out of range", option, value.text);
    return *text;
  }

  Status ReadRescale(Model& model) const {
    ACU_ASSIGN_OR_RETURN(const Json* norm, Require("norm_type", Kind::kString));
    const size_t count = model.features.size() + 1;
    if (norm->text == "none") {
      model.slopes.assign(count, 1.0);
      model.intercepts.assign(count, 0.0);
      return {};
    }
    if (norm->text != "linear_rescale")
      return Fail("norm_type", "'{}' is not supported; known: linear_rescale, none", norm->text);
    ACU_ASSIGN_OR_RETURN(model.slopes, RescaleNumbers("slopes", count));
    ACU_ASSIGN_OR_RETURN(model.intercepts, RescaleNumbers("intercepts", count));
    if (model.slopes[0] == 0) return Fail("slopes", "the first, which divides the score, is 0");
    return {};
  }

  Result<std::vector<double>> RescaleNumbers(std::string_view key, size_t count) const {
    ACU_ASSIGN_OR_RETURN(const Json* array, Require(key, Kind::kArray));
    ACU_ASSIGN_OR_RETURN(std::vector<double> numbers, Numbers(key, *array));
    if (numbers.size() != count)
      return Fail(key, "{} numbers, expected {}: one for the score and one per feature", numbers.size(), count);
    return numbers;
  }

  Status ReadClip(Model& model) const {
    const Json* value = dict_.Find("score_clip");
    if (value == nullptr) return {};
    ACU_ASSIGN_OR_RETURN(const std::vector<double> range, Numbers("score_clip", *value));
    if (range.size() != 2) return Fail("score_clip", "{} numbers, expected [min, max]", range.size());
    if (range[0] > range[1]) return Fail("score_clip", "min {} is above max {}", range[0], range[1]);
    model.clip = {range[0], range[1]};
    return {};
  }

  Status ReadTransform(Model& model) const {
    const Json* value = dict_.Find("score_transform");
    if (value == nullptr) return {};
    ACU_RETURN_IF_ERROR(CheckKind("score_transform", *value, Kind::kObject));
    ScoreTransform transform;
    for (size_t i = 0; i < value->items.size(); ++i)
      ACU_RETURN_IF_ERROR(ReadTransformKey(value->keys[i], value->items[i], transform));
    model.transform = std::move(transform);
    return {};
  }

  Status ReadTransformKey(const std::string& name, const Json& value, ScoreTransform& transform) const {
    if (value.IsNull()) return {};  // means absent
    const std::string key = "score_transform." + name;
    if (name == "enabled") {
      ACU_RETURN_IF_ERROR(CheckKind(key, value, Kind::kBool));
      transform.enabled = value.boolean;
    } else if (name == "p0") {
      ACU_ASSIGN_OR_RETURN(transform.p0, Number(key, value));
    } else if (name == "p1") {
      ACU_ASSIGN_OR_RETURN(transform.p1, Number(key, value));
    } else if (name == "p2") {
      ACU_ASSIGN_OR_RETURN(transform.p2, Number(key, value));
    } else if (name == "knots") {
      ACU_ASSIGN_OR_RETURN(transform.knots, Knots(key, value));
    } else if (name == "out_lte_in") {
      ACU_ASSIGN_OR_RETURN(transform.out_lte_in, BoolInString(key, value));
    } else if (name == "out_gte_in") {
      ACU_ASSIGN_OR_RETURN(transform.out_gte_in, BoolInString(key, value));
    }
    return {};
  }

  Result<bool> BoolInString(std::string_view key, const Json& value) const {
    if (value.IsString() && (value.text == "true" || value.text == "false")) return value.text == "true";
    return Fail(key, "expected the string \"true\" or \"false\", got {}{}", JsonKindName(value.kind),
                value.IsString() ? " '" + value.text + "'" : "");
  }

  Result<std::vector<Knot>> Knots(std::string_view key, const Json& value) const {
    ACU_RETURN_IF_ERROR(CheckKind(key, value, Kind::kArray));
    if (value.items.size() < 2 || value.items.size() > kMaxKnots)
      return Fail(key, "{} points, expected 2..{}", value.items.size(), kMaxKnots);
    std::vector<Knot> knots;
    for (const Json& item : value.items) {
      ACU_ASSIGN_OR_RETURN(const std::vector<double> point, Numbers(key, item));
      if (point.size() != 2) return Fail(key, "a point has {} numbers, expected [x, y]", point.size());
      if (!knots.empty() && !(point[0] > knots.back().x && point[1] >= knots.back().y))
        return Fail(key, "[{}, {}] after [{}, {}]; x must rise and y must not fall", point[0], point[1], knots.back().x,
                    knots.back().y);
      knots.push_back({point[0], point[1]});
    }
    return knots;
  }

  Status ReadChromaRule(Model& model) const {
    constexpr std::string_view kKey = "chroma_correction_parameter";
    const Json* value = dict_.Find(kKey);
    if (value == nullptr) return {};
    ChromaRule rule;
    ACU_ASSIGN_OR_RETURN(rule.parameter, Number(kKey, *value));
    ACU_ASSIGN_OR_RETURN(rule.adm3, OnlyFeature(kKey, model, "adm3"));
    ACU_ASSIGN_OR_RETURN(rule.speed_chroma, OnlyFeature(kKey, model, "speed_chroma"));
    model.chroma = rule;
    return {};
  }

  /// Index of the one feature whose name contains `part`; the chroma rule divides by its slope.
  Result<int> OnlyFeature(std::string_view key, const Model& model, std::string_view part) const {
    std::optional<int> found;
    for (size_t i = 0; i < model.features.size(); ++i) {
      if (model.features[i].name.find(part) == std::string::npos) continue;
      if (found) return Fail(key, "two features contain '{}', expected one", part);
      found = static_cast<int>(i);
    }
    if (!found) return Fail(key, "needs a feature whose name contains '{}'", part);
    if (model.slopes[*found + 1] == 0) return Fail(key, "the slope of '{}' is 0", model.features[*found].name);
    return *found;
  }

  Status ReadSvm(Model& model) const {
    ACU_ASSIGN_OR_RETURN(const Json* text, Require("model", Kind::kString));
    if (text->text.empty()) return Fail("model", "is empty");
    Result<Svm> svm = ParseSvm(text->text, static_cast<int>(model.features.size()));
    if (!svm.ok()) return Fail("model", "{}", svm.status().message());
    model.svm = std::move(svm).value();
    return {};
  }

  const Json& dict_;
  std::string_view source_;
  std::string path_;
  std::string type_;
};

template <class... Args>
Status FailAt(std::string_view source, fmt::format_string<Args...> format, Args&&... args) {
  return Error(StatusCode::kBadData, "model '{}': {}", source, fmt::format(format, std::forward<Args>(args)...));
}

struct TypedModel {
  Model model;
  std::string type;
};

Result<TypedModel> ReadSingle(const Json& object, std::string_view source, std::string_view prefix,
                              std::string_view name) {
  const std::string path = fmt::format("{}model_dict", prefix);
  const Json* dict = object.Find("model_dict");
  if (dict == nullptr) return FailAt(source, "{} is missing", path);
  if (!dict->IsObject()) return FailAt(source, "{}: expected an object, got {}", path, JsonKindName(dict->kind));
  DictReader reader(*dict, source, path);
  ACU_ASSIGN_OR_RETURN(Model model, reader.Read(name));
  return TypedModel{std::move(model), std::string(reader.type())};
}

Status CheckMember(const TypedModel& member, const TypedModel& main, const TypedModel* first, std::string_view source,
                   std::string_view key) {
  if (!IsBootstrapType(member.type))
    return FailAt(source, "{}.model_dict.model_type is '{}'; a collection's members are {} or {}", key, member.type,
                  kBootstrapTypes[0], kBootstrapTypes[1]);
  if (first != nullptr && member.type != first->type)
    return FailAt(source, "{}.model_dict.model_type is '{}', but that of member 1 is '{}'", key, member.type,
                  first->type);
  if (member.model.features != main.model.features)
    return FailAt(source,
                  "{}.model_dict.feature_names or feature_opts_dicts differ from model 0's; the members of a "
                  "collection read the same features",
                  key);
  return {};
}

/// Keys "0", "1", "2", ... in that order; any other key is skipped. "0" is the main model.
Result<Model> ReadCollection(const Json& top, std::string_view source, std::string_view name) {
  std::optional<TypedModel> main;
  std::optional<TypedModel> first;
  std::vector<Model> members;
  size_t entries = 0;
  for (size_t i = 0; i < top.items.size(); ++i) {
    const std::string key = std::to_string(main ? members.size() + 1 : 0);
    if (top.keys[i] != key) continue;
    if (members.size() >= kMaxMembers) return FailAt(source, "more than {} members", kMaxMembers);
    if (!top.items[i].IsObject())
      return FailAt(source, "{}: expected an object, got {}", key, JsonKindName(top.items[i].kind));
    const std::string member_name = main ? fmt::format("{}_{:04}", name, members.size() + 1) : std::string(name);
    ACU_ASSIGN_OR_RETURN(TypedModel model, ReadSingle(top.items[i], source, key + ".", member_name));
    entries += model.model.svm.vectors.size();
    if (entries > kMaxVectorEntries)
      return FailAt(source, "{}.model_dict.model: the collection's support vectors hold more than {} numbers", key,
                    kMaxVectorEntries);
    if (!main) {
      main = std::move(model);
      continue;
    }
    ACU_RETURN_IF_ERROR(CheckMember(model, *main, first ? &*first : nullptr, source, key));
    members.push_back(model.model);
    if (!first) first = std::move(model);
  }
  if (!main) return FailAt(source, "has neither 'model_dict' (a model) nor '0' (a collection)");
  if (members.empty()) return FailAt(source, "the collection has no member '1'");
  main->model.members = std::move(members);
  return std::move(main->model);
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string Reason(int error) { return std::generic_category().message(error); }

Result<std::string> ReadWholeFile(const std::string& path) {
  const std::unique_ptr<std::FILE, CloseFile> file(OpenStream(path, "rb"));
  if (!file) {
    const StatusCode code = errno == ENOENT ? StatusCode::kNotFound : StatusCode::kIo;
    return Error(code, "could not read model from path: \"{}\": {}", path, Reason(errno));
  }
  std::string text;
  std::vector<char> chunk(size_t{1} << 16);
  while (const size_t count = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
    text.append(chunk.data(), count);
    if (text.size() > JsonLimits().bytes)
      return Error(StatusCode::kBadData, "model '{}': larger than {} MB", path, JsonLimits().bytes >> 20);
  }
  if (std::ferror(file.get()))
    return Error(StatusCode::kIo, "could not read model from path: \"{}\": {}", path, Reason(errno));
  return text;
}

}  // namespace

Result<Model> ParseModel(std::string_view text, std::string_view source, std::string_view name) {
  const Result<Json> top = ParseJson(text);
  if (!top.ok()) return FailAt(source, "is not a JSON model: {}", top.status().message());
  if (!top->IsObject()) return FailAt(source, "is not a model: expected an object, got {}", JsonKindName(top->kind));
  if (top->Find("model_dict") == nullptr) return ReadCollection(*top, source, name);
  ACU_ASSIGN_OR_RETURN(TypedModel single, ReadSingle(*top, source, "", name));
  return std::move(single.model);
}

Result<Model> LoadModelFile(const std::string& path, std::string_view name) {
  if (path.ends_with(".pkl"))
    return Error(StatusCode::kUnsupported,
                 "could not read model from path: \"{}\": support for pkl model files has been removed, use json",
                 path);
  ACU_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  return ParseModel(text, path, name);
}

}  // namespace acutance
