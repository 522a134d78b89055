#include "run/auto_model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "metric/registry.h"
#include "model/builtin_models.h"

namespace acutance {
namespace {

/// Netflix recommends 10 bits for VMAF v1, also for videos of 8. All of its features have the same value for samples of
/// 8 bits and for these times 4, CAMBI where it is told the encode's own depth: so none is multiplied.
constexpr int kV1Depth = 10;
constexpr double kHighRate = 48;  // frames/s from which on the hfr models serve

int LongSide(const PictureFormat& pictures) { return std::max(pictures.width, pictures.height); }
int ShortSide(const PictureFormat& pictures) { return std::min(pictures.width, pictures.height); }

/// Portrait video has the class of the same video in landscape.
bool Is4k(const PictureFormat& pictures) { return LongSide(pictures) > 2560 || ShortSide(pictures) > 1440; }

/// The largest size of the pictures' shape that fits a screen of 1080p or 2160p.
std::string FullScreen(const PictureFormat& pictures, bool is_4k) {
  const double width = pictures.width, height = pictures.height;
  const double screen_width = is_4k ? 3840 : 1920, screen_height = is_4k ? 2160 : 1080;
  const double factor = std::min(screen_width / std::max(width, height), screen_height / std::min(width, height));
  const auto even = [&](double side) { return 2 * static_cast<int>(std::floor(side * factor / 2 + 0.5)); };
  return fmt::format("{}x{}", even(width), even(height));
}

struct Names {
  std::string v1;  // without "vmaf_v1.0.16_"
  std::string v0;
  bool is_phone = false;
};

Names NamesFor(Viewing viewing) {
  if (viewing == Viewing::kPhone) return {"5d0h", "vmaf_v0.6.1", true};
  if (viewing == Viewing::k4k) return {"1d5h_2160", "vmaf_4k_v0.6.1"};
  if (viewing == Viewing::k4kFrom3Heights) return {"3d0h_2160", "vmaf_4k_v0.6.1"};
  return {"3d0h", "vmaf_v0.6.1"};
}

/// Whether all features take such pictures.
Status CheckPictures(const ModelRequest& request, const PictureFormat& pictures) {
  FeatureSet features;
  ACU_RETURN_IF_ERROR(ModelRun::Create(request, features).status());
  return features.MakeExtractors(pictures);
}

ModelRequest RequestV1(Model model) { return {.model = std::make_shared<const Model>(std::move(model))}; }

/// Sets options of the model's features that have them, unless these refuse the values. Returns their metrics' names.
std::vector<std::string_view> SetOptions(Model& model, const OptionTexts& options, const PictureFormat& pictures) {
  Model changed = model;
  std::vector<std::string_view> names;
  for (const Metric* metric : AllMetrics()) {
    int features = 0;
    for (const auto& [name, value] : options)
      if (std::ranges::find(metric->options, name, &OptionSpec::name) != metric->options.end())
        features += OverloadFeature(changed, metric->name, name, value, MetricNameOfOutput);
    if (features > 0) names.push_back(metric->name);
  }
  if (!CheckPictures(RequestV1(changed), pictures).ok()) return {};
  model = std::move(changed);
  return names;
}

/// Passes the encode's own size and bit depth, which conversions hide, to features that have options for them. Returns
/// what it passed.
std::string DescribeEncode(const PictureFormat& encode, const PictureFormat& pictures, Model& model) {
  std::vector<std::string_view> names;
  std::string text;
  const auto give = [&](const OptionTexts& options, const std::string& what) {
    const auto found = SetOptions(model, options, pictures);
    if (found.empty()) return;
    names = found;
    text += (text.empty() ? "" : " and ") + what;
  };
  if (encode.width != pictures.width || encode.height != pictures.height)
    give({{"enc_width", std::to_string(encode.width)}, {"enc_height", std::to_string(encode.height)}},
         fmt::format("{}x{}", encode.width, encode.height));
  if (encode.bit_depth < kV1Depth)
    give({{"enc_bitdepth", std::to_string(encode.bit_depth)}}, fmt::format("{} bits", encode.bit_depth));
  return text.empty() ? "" : fmt::format("{} measured at the encode's {}", fmt::join(names, ", "), text);
}

/// The model for each encode, with options of its own where they differ.
std::string SetEncodes(const ModelFacts& facts, const Model& model, ModelRequest& request) {
  std::vector<std::shared_ptr<const Model>> models;
  std::string text;
  for (const PictureFormat& encode : facts.encodes) {
    Model own = model;
    const std::string words = DescribeEncode(encode, facts.pictures, own);
    if (models.empty()) text = words;
    else if (words != text) text = "each encode measured at its own size and bit depth";
    models.push_back(std::make_shared<const Model>(std::move(own)));
  }
  request.model = models.front();
  const auto is_same = [&](const auto& other) { return other->features == models.front()->features; };
  if (!std::ranges::all_of(models, is_same)) request.of_videos = std::move(models);
  return text.empty() ? text : "; " + text;
}

std::string DescribeRate(const std::optional<double>& rate) {
  if (!rate) return "undeclared frame rate, taken as below 48";
  return fmt::format("{:.6g} frames/s", *rate);
}

/// An error says why VMAF v1 cannot score these pictures.
Result<ModelRequest> MakeV1(const ModelFacts& facts, const Names& names, std::string& reason) {
  const bool is_fast = facts.frame_rate.value_or(0) >= kHighRate;
  const std::string name = fmt::format("vmaf_v1.0.16_{}{}", is_fast ? "hfr_" : "", names.v1);
  ACU_ASSIGN_OR_RETURN(const Model model, LoadBuiltinModel(name, name));
  ModelRequest request = RequestV1(model);
  const std::string encode = SetEncodes(facts, model, request);
  ACU_RETURN_IF_ERROR(CheckPictures(request, facts.pictures));
  const PictureFormat& pictures = facts.pictures;
  reason = fmt::format("{}, for {}x{}, {}{}{}", name, pictures.width, pictures.height, DescribeRate(facts.frame_rate),
                       pictures.bit_depth < kV1Depth ? fmt::format(", at {} bits", kV1Depth) : "", encode);
  return request;
}

}  // namespace

std::optional<Viewing> FindViewing(std::string_view name) {
  const auto* found = std::ranges::find(kViewingNames, name);
  if (found == std::end(kViewingNames)) return std::nullopt;
  return static_cast<Viewing>(found - std::begin(kViewingNames));
}

Result<ChosenModels> ChooseModels(const ModelFacts& facts, Viewing viewing) {
  if (viewing == Viewing::kBySize) viewing = Is4k(facts.pictures) ? Viewing::k4k : Viewing::kTv;
  const Names names = NamesFor(viewing);
  ChosenModels chosen;
  std::string reason;
  Result<ModelRequest> v1 = MakeV1(facts, names, reason);
  const bool has_v1 = v1.ok();
  if (has_v1) {
    chosen.models.push_back(std::move(v1).value());
    chosen.reasons.push_back(reason);
  } else {
    chosen.reasons.push_back(fmt::format("no VMAF v1: {}", v1.status().message()));
  }
  const std::string name = names.is_phone ? names.v0 + "_phone" : names.v0;
  ACU_ASSIGN_OR_RETURN(Model model, LoadBuiltinModel(names.v0, name));
  chosen.models.push_back(
      {.model = std::make_shared<const Model>(std::move(model)),
       .flags = {.disable_clip = false, .enable_transform = names.is_phone, .disable_transform = false}});
  chosen.reasons.push_back(has_v1 ? name + ", for comparison with older scores" : name);
  return chosen;
}

std::optional<std::string> SizeMismatch(const Model& model, const PictureFormat& pictures) {
  // Up to a tenth smaller counts as the size that the model was made for: black bars were cropped.
  constexpr int kLeast1080Long = 1728, kLeast1080Short = 972, kLeast4kLong = 3456, kLeast4kShort = 1944;
  if (!FindBuiltinModel(model.source)) return std::nullopt;
  const auto reaches = [&](int longer, int shorter) {
    return LongSide(pictures) >= longer || ShortSide(pictures) >= shorter;
  };
  const bool is_for_4k = model.source.find("2160") != model.source.npos || model.source.find("4k") != model.source.npos;
  const bool fits =
      is_for_4k ? reaches(kLeast4kLong, kLeast4kShort) : reaches(kLeast1080Long, kLeast1080Short) && !Is4k(pictures);
  if (fits) return std::nullopt;
  return fmt::format("{} is made for {}p, and the pictures are {}x{}: the score is that of a {} screen; {}", model.name,
                     is_for_4k ? 2160 : 1080, pictures.width, pictures.height,
                     !is_for_4k && Is4k(pictures) ? "larger" : "smaller",
                     !is_for_4k && Is4k(pictures)
                         ? "--viewing 4k has a model for it"
                         : fmt::format("--scale {} scores them in full screen", FullScreen(pictures, is_for_4k)));
}

std::optional<std::string> RateMismatch(const Model& model, std::optional<double> frame_rate) {
  if (!frame_rate || !FindBuiltinModel(model.source) || model.source.find("_v1.") == model.source.npos)
    return std::nullopt;
  const bool is_for_fast = model.source.find("_hfr_") != model.source.npos;
  if (is_for_fast == (*frame_rate >= kHighRate)) return std::nullopt;
  return fmt::format("{} is made for {}, and the video has {:.6g}; --model auto chooses one for its rate", model.name,
                     is_for_fast ? "48 frames/s and more" : "less than 48 frames/s", *frame_rate);
}

std::optional<std::string> ViewingMismatch(const Model& model, Viewing viewing) {
  if (viewing == Viewing::kBySize || !FindBuiltinModel(model.source)) return std::nullopt;
  const Names names = NamesFor(viewing);
  const bool is_v1 = model.source.find("_v1.") != model.source.npos;
  const bool is_4k = model.source.find("4k") != model.source.npos;
  const bool fits = is_v1 ? model.source.ends_with("_" + names.v1) : is_4k == (names.v0.find("4k") != names.v0.npos);
  if (fits) return std::nullopt;
  return fmt::format("{} is made for {}; --viewing {} without --model chooses one for that", model.name,
                     FindBuiltinModel(model.source)->viewing, kViewingNames[static_cast<int>(viewing)]);
}

}  // namespace acutance
