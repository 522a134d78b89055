#include "cli/score_args.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/usable_cpus.h"
#include "log/log_writer.h"
#include "metric/registry.h"

namespace acutance::cli {
namespace {

constexpr const char* kAutoModel = "auto";

template <class T>
bool ParseWhole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Status ReadFrameRange(const std::string& text, ScoreArgs& args) {
  const size_t colon = text.find(':');
  const std::string_view view = text;
  int64_t first = 0;
  int64_t end = 0;
  const bool open_end = colon != std::string::npos && colon + 1 == text.size();
  if (colon == std::string::npos || (colon > 0 && !ParseWhole(view.substr(0, colon), first)) ||
      (!open_end && !ParseWhole(view.substr(colon + 1), end)) || first < 0)
    return Error(StatusCode::kInvalidArgument,
                 "--frames {}: expected FIRST:END, such as 100:300 (frames 100 to 299); either side may be empty",
                 text);
  if (!open_end && end <= first)
    return Error(StatusCode::kInvalidArgument, "--frames {}: the range is empty; END is the first frame left out",
                 text);
  args.first_frame = first;
  args.frame_count = open_end ? 0 : end - first;
  return {};
}

/// vmaf_v0.6.1, model.json, or the long form version=...:name=...
Result<ModelSpec> ReadModel(const std::string& text) {
  if (text.find('=') != std::string::npos && !Exists(text)) return ParseModelSpec(text);
  ModelSpec spec;
  const std::filesystem::path path(text);
  if (path.extension() == ".json" || Exists(path)) {
    spec.path = text;
    spec.name = path.stem().string();
  } else {
    spec.version = text;
    spec.name = text;
  }
  return spec;
}

Status ReadModels(const ScoreTexts& texts, ScoreArgs& args) {
  std::vector<std::string> names = texts.models;
  if (names.empty() && !texts.no_model) names = {kAutoModel};
  std::set<std::string> taken;
  for (const std::string& text : names) {
    if (text == kAutoModel) {
      args.choose_models = FindViewing(texts.viewing);
      continue;
    }
    ACU_ASSIGN_OR_RETURN(ModelSpec spec, ReadModel(text));
    if (!taken.insert(spec.name).second)
      return Error(StatusCode::kInvalidArgument,
                   "two models are named '{}': give one another name (--model version=...:name=...)", spec.name);
    args.models.push_back(std::move(spec));
  }
  if (texts.viewing != kViewingNames[0] && !args.choose_models)
    return Error(StatusCode::kInvalidArgument,
                 "--viewing {} helps to choose a model, and --model names one: leave one out", texts.viewing);
  return {};
}

/// A path for each distorted video, whose name stands in for {name}.
Result<std::vector<std::string>> PathsOf(const std::string& option, const std::string& text,
                                         const std::vector<std::string>& distorted) {
  const std::string_view placeholder = "{name}";
  const size_t at = text.find(placeholder);
  if (at == std::string::npos) {
    if (distorted.size() > 1)
      return Error(StatusCode::kInvalidArgument,
                   "{} {}: {} distorted videos need a file each; put {{name}} into the path, such as out/{{name}}.{}",
                   option, text, distorted.size(), option == "--output" ? "xml" : "csv");
    return std::vector<std::string>{text};
  }
  std::vector<std::string> paths;
  for (const std::string& video : distorted) {
    std::string path = text;
    path.replace(at, placeholder.size(), std::filesystem::path(video).stem().string());
    if (std::ranges::find(paths, path) != paths.end())
      return Error(StatusCode::kInvalidArgument, "{} {}: two distorted videos would write {}", option, text, path);
    paths.push_back(std::move(path));
  }
  return paths;
}

Status ReadOutputs(const ScoreTexts& texts, ScoreArgs& args) {
  if (!texts.pairs_out.empty()) {
    ACU_ASSIGN_OR_RETURN(args.pairs_out, PathsOf("--pairs-out", texts.pairs_out, args.distorted));
  }
  if (texts.output.empty()) return {};
  if (texts.output == "-")
    return Error(StatusCode::kInvalidArgument,
                 "--output -: a log is a file; --json prints the summary to standard output");
  ACU_ASSIGN_OR_RETURN(args.outputs, PathsOf("--output", texts.output, args.distorted));
  return {};
}

/// An error of an option's text, with the option's name.
template <class T>
Result<T> Named(std::string_view option, Result<T> result) {
  if (result.ok()) return result;
  return Error(result.status().code(), "{} {}", option, result.status().message());
}

Status ReadMeanGate(const ScoreTexts& texts, ScoreArgs& args) {
  if (!texts.at_least && !texts.at_most) return {};
  if (texts.at_least && texts.at_most)
    return Error(StatusCode::kInvalidArgument, "--at-least and --at-most ask different things: leave one out");
  const bool writes = !args.outputs.empty() || !args.pairs_out.empty() || !args.report.empty() || !args.maps.empty() ||
                      !args.journal.empty() || !args.requirements.empty() || args.stream_frames || args.segments;
  if (args.distorted.size() > 1 || args.subsample > 1 || writes)
    return Error(StatusCode::kInvalidArgument,
                 "--at-least and --at-most read a part of one distorted video: there are no logs, reports, maps, "
                 "journals, segments or other requirements of it");
  if (args.models.empty() && !args.choose_models)
    return Error(StatusCode::kInvalidArgument, "--at-least and --at-most need a model");
  if (args.reference == "-" || args.distorted.front() == "-")
    return Error(StatusCode::kInvalidArgument, "--at-least and --at-most read frames out of order: name files");
  args.mean_gate = MeanGate{texts.at_least.has_value(), texts.at_least ? *texts.at_least : *texts.at_most,
                            texts.confidence / 100, texts.certain, texts.seed};
  return {};
}

std::string FormatOf(const ScoreTexts& texts) {
  if (!texts.format.empty()) return texts.format;
  std::string extension = std::filesystem::path(texts.output).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension.empty() || !FindLogFormat(extension.substr(1)) ? "xml" : extension.substr(1);
}

/// "0", "0,2"; empty: no choice.
Status ReadDevices(std::string_view text, DeviceChoice& choice) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    int index = -1;
    if (!ParseWhole(word, index) || index < 0)
      return Error(StatusCode::kInvalidArgument, "--device {}: expected numbers of devices, such as 0 or 0,1", text);
    if (choice.index) choice.further.push_back(index);
    else choice.index = index;
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return {};
}

}  // namespace

void AddFeatureOf(const std::string& score, ScoreArgs& args) {
  const auto is_named = [&](const OutputSpec& output) { return output.name == score || output.alias == score; };
  const auto metric = std::ranges::find_if(
      AllMetrics(), [&](const Metric* each) { return std::ranges::any_of(each->outputs, is_named); });
  if (metric == AllMetrics().end()) return;
  const auto is_it = [&](const FeatureRequest& request) { return MetricName(request.metric) == (*metric)->name; };
  if (std::ranges::none_of(args.features, is_it)) args.features.push_back({std::string((*metric)->name), {}});
}

std::string AsPath(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

Result<ScoreArgs> ReadScoreArgs(const ScoreTexts& texts) {
  ScoreArgs args;
  args.reference = texts.reference;
  args.distorted = texts.distorted;
  args.subsample = texts.subsample;
  args.quiet = texts.quiet;
  args.threads = texts.threads > 0 ? texts.threads : std::min(UsableCpus(), kMaxThreads);
  args.device.backend = texts.backend;
  ACU_RETURN_IF_ERROR(ReadDevices(texts.devices, args.device));
  args.decoder = texts.decoder == "cpu" ? Decoder::kCpu : texts.decoder == "nvdec" ? Decoder::kNvdec : Decoder::kAuto;
  const std::optional<CommonSize> common = ParseCommonSize(texts.scale, texts.scale_filter);
  if (!common)
    return Error(StatusCode::kInvalidArgument, "--scale {}: expected ref, dis or WIDTHxHEIGHT, such as 1920x1080",
                 texts.scale);
  args.size = *common;
  Result<CropChoice> crop = ParseCrop(texts.crop);
  if (!crop.ok()) return Error(crop.status().code(), "--{}", crop.status().message());
  args.crop = *crop;
  Result<AlignmentRequest> pairing = ParsePairing(texts.align);
  if (!pairing.ok()) return Error(pairing.status().code(), "--{}", pairing.status().message());
  args.pairing = *pairing;
  args.force = texts.force;
  args.deinterlace = FindDeinterlacing(texts.deinterlace).value_or(Deinterlacing::kAuto);
  args.film_grain = texts.film_grain == "on";
  if (texts.max_vram > 0) args.max_vram = texts.max_vram;
  if (texts.max_memory > 0) args.max_memory = texts.max_memory;
  args.verify = texts.verify;
  ACU_RETURN_IF_ERROR(CheckDeviceChoice(args.device));
  if (std::ranges::count(args.distorted, "-") + (args.reference == "-") > 1)
    return Error(StatusCode::kInvalidArgument, "standard input (-) can be only one of the videos");
  if (!texts.raw.size.empty()) {
    ACU_ASSIGN_OR_RETURN(args.raw, ParseRawFormat(texts.raw));
    args.raw_is_semi_planar = IsSemiPlanar(texts.raw);
  }
  if (!texts.frames.empty()) ACU_RETURN_IF_ERROR(ReadFrameRange(texts.frames, args));
  for (const std::string& text : texts.features) {
    ACU_ASSIGN_OR_RETURN(FeatureRequest request, ParseFeatureSpec(text));
    args.features.push_back(std::move(request));
  }
  ACU_RETURN_IF_ERROR(ReadModels(texts, args));
  ACU_RETURN_IF_ERROR(ReadLogArgs(texts, args));
  for (const Requirement& requirement : args.requirements)
    if (requirement.pool) AddFeatureOf(requirement.score, args);
  args.journal = texts.journal;
  args.maps = texts.maps;
  args.report = texts.report;
  args.worst = texts.worst;
  args.maps_video = texts.maps_video;
  if (args.maps_video && !args.journal.empty())
    return Error(StatusCode::kInvalidArgument,
                 "--maps-video needs the pictures of all frames, and --journal skips some");
  if (!args.journal.empty() && std::ranges::count(args.outputs, args.journal) > 0)
    return Error(StatusCode::kInvalidArgument, "--journal {}: the log would replace it; name another file",
                 args.journal);
  args.shots = texts.shots;
  args.fail_fast = texts.fail_fast;
  args.stream_frames = texts.progress == "ndjson";
  if (args.stream_frames && args.json)
    return Error(StatusCode::kInvalidArgument,
                 "--progress ndjson prints the summary as its last line: leave out --json");
  const bool is_part = !args.journal.empty() && args.first_frame > 0;
  if (is_part && (!args.outputs.empty() || args.json || !args.report.empty()))
    return Error(StatusCode::kInvalidArgument,
                 "--frames {} with a journal is a part of a run, and has no log of its own: leave out --output, "
                 "--json and --report, and let `acutance join` write the log of all parts",
                 texts.frames);
  ACU_RETURN_IF_ERROR(ReadMeanGate(texts, args));
  return args;
}

Status ReadLogArgs(const ScoreTexts& texts, ScoreArgs& args) {
  ACU_RETURN_IF_ERROR(ReadOutputs(texts, args));
  args.format = FormatOf(texts);
  args.precision = texts.precision;
  args.json = texts.json;
  args.all_features = texts.all_features;
  args.junit = texts.junit;
  ACU_ASSIGN_OR_RETURN(args.pools, Named("--pool:", ParsePools(texts.pool)));
  if (!texts.segments.empty()) {
    ACU_ASSIGN_OR_RETURN(args.segments, Named("--segments", ParseParts(texts.segments)));
  }
  for (const std::string& text : texts.require) {
    ACU_ASSIGN_OR_RETURN(const std::vector<Requirement> requirements, Named("--require", ParseRequirements(text)));
    args.requirements.insert(args.requirements.end(), requirements.begin(), requirements.end());
  }
  if (args.requirements.empty() && (!args.junit.empty() || texts.fail_fast))
    return Error(StatusCode::kInvalidArgument, "--junit and --fail-fast are for --require, which is missing");
  return {};
}

}  // namespace acutance::cli
