#include "cli/score_args.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <set>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/usable_cpus.h"
#include "metric/registry.h"
#include "report/log_writer.h"

namespace acutance::cli {
namespace {

constexpr int kMaxThreads = 1024;
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
  args.mean_gate = MeanGateChoice{texts.at_least.has_value(), texts.at_least ? *texts.at_least : *texts.at_most,
                                  texts.certain, texts.confidence / 100, texts.seed};
  return {};
}

std::string FormatOf(const ScoreTexts& texts) {
  if (!texts.format.empty()) return texts.format;
  std::string extension = std::filesystem::path(texts.output).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return extension.empty() || !FindLogFormat(extension.substr(1)) ? "xml" : extension.substr(1);
}

/// Features that --require names, so that `--require 'psnr_y.mean>38'` needs no --feature.
void AddRequiredFeatures(ScoreArgs& args) {
  for (const Requirement& requirement : args.requirements) {
    const auto is_named = [&](const OutputSpec& output) {
      return output.name == requirement.score || output.alias == requirement.score;
    };
    const auto metric = std::ranges::find_if(
        AllMetrics(), [&](const Metric* each) { return std::ranges::any_of(each->outputs, is_named); });
    if (metric == AllMetrics().end() || !requirement.pool) continue;
    const auto is_it = [&](const FeatureRequest& request) { return MetricName(request.metric) == (*metric)->name; };
    if (std::ranges::none_of(args.features, is_it)) args.features.push_back({std::string((*metric)->name), {}});
  }
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

void AddSizeOptions(CLI::App& command, ScoreTexts& texts) {
  command
      .add_option("--scale", texts.scale,
                  "Size that videos of different sizes are brought to: ref (the reference's), dis, or WIDTHxHEIGHT")
      ->type_name("SIZE")
      ->capture_default_str();
  command
      .add_option(
          "--crop", texts.crop,
          "Compare a part of the pictures: W:H:X:Y of both videos, REF,DIS with one each, or auto: without black "
          "bars")
      ->type_name("PART")
      ->capture_default_str();
  command.add_option("--scale-filter", texts.scale_filter, "How")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kScaleFilterNames), std::end(kScaleFilterNames))))
      ->capture_default_str();
}

void AddPairingOptions(CLI::App& command, ScoreTexts& texts) {
  command
      .add_option("--align", texts.align,
                  "Which frames belong together: auto (by signatures and times), time, index, the number of frames "
                  "that the distorted video is late (+12) or early (-3), or a file of pairs")
      ->type_name("HOW")
      ->capture_default_str();
  command
      .add_option("--pairs-out", texts.pairs_out,
                  "Write reference_frame,distorted_frame of each scored pair; {name} as in --output")
      ->type_name("CSV")
      ->check(NamesAFile());
}

void AddDeviceOptions(CLI::App& command, ScoreTexts& texts) {
  command.add_option("-t,--threads", texts.threads, "Worker threads (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, kMaxThreads));
  command.add_option("--backend", texts.backend, "Where to run: auto, cpu, cuda, hip, vulkan, sycl or emu")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option(
          "--device", texts.devices,
          "Which of the backend's devices; several, such as 0,1, share the work (`acutance devices` lists them)")
      ->type_name("N");
  command
      .add_option(
          "--decoder", texts.decoder,
          "Who decodes containers: cpu, nvdec (NVIDIA's decoder, with --backend cuda) or auto: nvdec where it can")
      ->check(CLI::IsMember({"auto", "cpu", "nvdec"}))
      ->capture_default_str();
  command
      .add_option("--max-vram", texts.max_vram,
                  "Memory to take of each device at most: bytes, or 800M, 2G (default: 1 GB up to 4K)")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  command
      .add_option("--max-memory", texts.max_memory,
                  "The host's memory for pictures and features at most (default: half of what is free)")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(/*kb_is_1000=*/false));
  command
      .add_option("--verify", texts.verify,
                  "Compute one frame in N of a device again on the CPU, and stop at the first difference")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

}  // namespace

CLI::Validator NamesAFile() {
  return {[](std::string& path) { return std::string(path.empty() ? "the path is empty" : ""); }, ""};
}

void AddLogOptions(CLI::App& command, ScoreTexts& texts) {
  command
      .add_option("-o,--output", texts.output,
                  "Write a log of every frame; {name} stands for the distorted video's name")
      ->type_name("LOG")
      ->check(NamesAFile());
  command.add_option("--format", texts.format, "Format of the log (default: by its extension, else xml)")
      ->check(CLI::IsMember({"xml", "json", "csv", "sub"}));
  command
      .add_option("--precision", texts.precision,
                  "Significant digits of the log's scores: 1 to 17, or max (default: as libvmaf)")
      ->type_name("N");
  command.add_flag("--all-features", texts.all_features,
                   "Show the features that serve models in the printed table, too");
  command.add_flag("--json", texts.json, "Print the summary as JSON (docs/schema/acutance-1.json)");
  command
      .add_option("--pool", texts.pool,
                  "Poolings, separated by commas: mean, harmonic_mean, min, max, median, stddev, p0 to p100, "
                  "worst_percent, worst_second")
      ->type_name("NAMES");
  command
      .add_option("--segments", texts.segments,
                  "Pool segments on their own: a length (4s, 100f), starts (0s,12.5s,300f), or a file of starts and "
                  "names")
      ->type_name("HOW");
  command
      .add_option("--require", texts.require,
                  "Exit with status 3 unless this holds: 'vmaf_v0.6.1.p5>=90, psnr_y.mean>38' (what follows the last "
                  "dot is a pooling)")
      ->type_name("WHAT")
      ->expected(1)
      ->take_all();
  command.add_option("--junit", texts.junit, "Write what --require found as JUnit XML")
      ->type_name("FILE")
      ->check(NamesAFile());
}

std::string AsPath(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

void AddScoreOptions(CLI::App& command, ScoreTexts& texts) {
  command
      .add_option(
          "reference", texts.reference,
          "Reference video: y4m, any container that FFmpeg decodes, raw yuv with --size, - for y4m on standard input")
      ->required()
      ->type_name("REF");
  command.add_option("distorted", texts.distorted, "Distorted videos; several share one decoding of the reference")
      ->required()
      ->type_name("DIS");
  command
      .add_option(
          "-m,--model", texts.models,
          "Model by name or .json file (may be repeated); auto: VMAF v1 and v0.6.1 for the size, frame rate and "
          "--viewing (default)")
      ->type_name("MODEL")
      ->expected(1)
      ->take_all();
  command
      .add_option(
          "--viewing", texts.viewing,
          "Where the video is watched: tv (1080p, 3 heights away), phone, 4k (1.5 heights), 4k-3h, or auto: by its "
          "size")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kViewingNames), std::end(kViewingNames))))
      ->capture_default_str();
  command
      .add_option("-f,--feature", texts.features, "One more feature: NAME or NAME=OPTION=VALUE:... (may be repeated)")
      ->type_name("FEATURE")
      ->expected(1)
      ->take_all();
  command.add_flag("--no-model", texts.no_model, "Compute only the features that --feature names");
  AddLogOptions(command, texts);
  command.add_option("--frames", texts.frames, "Score frames FIRST to END-1 only, counted from 0")
      ->type_name("FIRST:END");
  command
      .add_option("--journal", texts.journal,
                  "Keep results in FILE: the same command goes on from there after it was stopped, and `acutance join` "
                  "joins the journals of several --frames")
      ->type_name("FILE")
      ->check(NamesAFile());
  CLI::Option* const maps =
      command
          .add_option("--maps", texts.maps,
                      "Write the features' maps, such as cambi's heatmaps, as TIFF files into DIR: NAME_FRAME.tif")
          ->type_name("DIR")
          ->check(NamesAFile());
  command
      .add_option(
          "--worst", texts.worst,
          "With --maps: write the N worst frames alone, with where each feature lost points in them, as PNG and "
          "NPY files")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->needs(maps);
  command
      .add_flag("--maps-video", texts.maps_video,
                "With --maps: write where each feature lost points in all frames, as a film (NAME.mkv) and an array of "
                "frames x rows x columns (NAME.npy); takes three to four times as long as the scores")
      ->needs(maps);
  command
      .add_option("--report", texts.report,
                  "Write a page of HTML: what it comes to, curves, the worst seconds and frames with their pictures")
      ->type_name("FILE")
      ->check(NamesAFile());
  command
      .add_option("--at-least", texts.at_least,
                  "Tell whether the first model's mean reaches N, from as few frames as settle it; status 3 where not")
      ->type_name("N");
  command.add_option("--at-most", texts.at_most, "The same for a mean of N at most")->type_name("N");
  command.add_option("--confidence", texts.confidence, "Percent of --at-least's verdicts that are right, at least")
      ->check(CLI::Range(50.0, 99.999999))
      ->capture_default_str();
  command.add_flag("--certain", texts.certain, "Let --at-least settle what holds whatever the other frames may be");
  command.add_option("--seed", texts.seed, "Which frames --at-least draws")->capture_default_str();
  command.add_flag("--shots", texts.shots, "Pool the reference's shots on their own");
  command.add_flag("--fail-fast", texts.fail_fast,
                   "Stop at the first frame that fails a requirement of all frames: SCORE.min>=N, SCORE.max<=N");
  command
      .add_option("--progress", texts.progress, "ndjson: print each frame's scores as a line of JSON, then the summary")
      ->check(CLI::IsMember({"auto", "ndjson"}))
      ->capture_default_str();
  command.add_option("--subsample", texts.subsample, "Score one frame of N")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 30));
  AddPairingOptions(command, texts);
  AddSizeOptions(command, texts);
  command.add_option("--film-grain", texts.film_grain, "off: decode AV1 without the film grain that is added to it")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command
      .add_option(
          "--deinterlace", texts.deinterlace,
          "Interlaced videos that become progressive: auto (beside progressive ones), on (all), ref, dis or both "
          "(where the stream does not tell it), off")
      ->check(CLI::IsMember({"auto", "on", "off", "ref", "dis", "both"}))
      ->capture_default_str();
  command.add_flag("--force", texts.force, "Score what would be refused: HDR, HDR against SDR, other shapes or colors");
  AddDeviceOptions(command, texts);
  AddRawOptions(command, texts.raw, "Size of the videos that are raw planar yuv");
  command.add_flag("-q,--quiet", texts.quiet, "No progress");
  command.footer(R"(
Examples:
  acutance score ref.mp4 encode.mkv
  acutance score ref.y4m a.mp4 b.mp4 c.mp4 --output 'logs/{name}.json'
  acutance score ref.yuv encode.mp4 --size 1920x1080 --bit-depth 10
  acutance score ref.mp4 dis.mp4 -m vmaf_4k_v0.6.1 -f psnr --frames 100:300
  acutance score ref.mkv dis.mkv --journal run.journal --output scores.xml
  acutance score ref.mp4 dis.mp4 --at-least 93
  acutance score ref.mp4 dis.mp4 --require 'vmaf_v0.6.1.p5>=90' --junit gate.xml
  ffmpeg -v error -i dis.mp4 -f yuv4mpegpipe - | acutance score ref.y4m -

`acutance features` and `acutance models` list what can be asked for.
Exit status: 0 when every frame was scored, 1 when the run failed, 2 for a wrong
command line, 3 when --require or --at-least does not hold, 130 after Ctrl-C.)");
}

CLI::Option* AddRawOptions(CLI::App& command, RawTexts& texts, const std::string& size_help) {
  CLI::Option* size = command.add_option("--size", texts.size, size_help)->type_name("WIDTHxHEIGHT");
  command.add_option("--pixel-format", texts.pixel_format, "Chroma format; nv12, p010: Cb and Cr alternate")
      ->check(CLI::IsMember({"400", "420", "422", "444", "nv12", "p010"}))
      ->needs(size)
      ->capture_default_str();
  command.add_option("--bit-depth", texts.bit_depth, "Bits of a sample")
      ->check(CLI::IsMember({8, 10, 12, 16}))
      ->needs(size)
      ->capture_default_str();
  return size;
}

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
  Result<PairingRequest> pairing = ParsePairing(texts.align);
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
  AddRequiredFeatures(args);
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
