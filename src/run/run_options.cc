#include "run/run_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>

#include "base/environment.h"
#include "base/files.h"
#include "base/usable_cpus.h"

namespace acutance {
namespace {

template <class T>
bool ParseWhole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

PictureFormat& RawFormatOf(RunRequest& run) { return run.open.raw ? *run.open.raw : run.open.raw.emplace(); }

Status ReadRawSize(std::string_view text, RunRequest& run) {
  PictureFormat& format = RawFormatOf(run);
  const size_t x = std::min(text.find('x'), text.size());
  if (x < text.size() && ParseWhole(text.substr(0, x), format.width) && ParseWhole(text.substr(x + 1), format.height))
    return {};
  return Error(StatusCode::kInvalidArgument, "expected WIDTHxHEIGHT, such as 1920x1080");
}

std::string ShowRawSize(const RunRequest& run) {
  return run.open.raw ? fmt::format("{}x{}", run.open.raw->width, run.open.raw->height) : "";
}

/// A depth of 8 is the default, and gives way to that of p010.
Status ReadRawPixelFormat(std::string_view text, RunRequest& run) {
  PictureFormat& format = RawFormatOf(run);
  run.open.raw_is_semi_planar = text == "nv12" || text == "p010";
  if (run.open.raw_is_semi_planar) {
    const int bit_depth = text == "nv12" ? 8 : 10;
    if (format.bit_depth != 8 && format.bit_depth != bit_depth)
      return Error(StatusCode::kInvalidArgument, "it has {} bits, not {}", bit_depth, format.bit_depth);
    format.pixel_format = PixelFormat::k420;
    format.bit_depth = bit_depth;
  }
  for (const PixelFormat each : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    if (text == PixelFormatName(each)) format.pixel_format = each;
  return {};
}

std::string ShowRawPixelFormat(const RunRequest& run) {
  if (!run.open.raw) return "";
  if (run.open.raw_is_semi_planar) return run.open.raw->bit_depth == 8 ? "nv12" : "p010";
  return std::string(PixelFormatName(run.open.raw->pixel_format));
}

Status ReadDecoder(std::string_view text, RunRequest& run) {
  constexpr std::pair<std::string_view, Decoder> kDecoders[] = {{"auto", Decoder::kAuto},
                                                                {"cpu", Decoder::kCpu},
                                                                {"nvdec", Decoder::kNvdec},
                                                                {OptionNameOf(Hardware::kVulkan), Decoder::kVulkan},
                                                                {OptionNameOf(Hardware::kVaapi), Decoder::kVaapi}};
  for (const auto& [name, decoder] : kDecoders)
    if (text == name) run.decoder = decoder;
  return {};
}

/// vmaf_v0.6.1, model.json, or the long form version=...:name=...
Result<ModelSpec> ParseModel(const std::string& text) {
  if (text.find('=') != std::string::npos && !Exists(text)) return ParseModelSpec(text);
  ModelSpec spec;
  const std::filesystem::path path = SystemPath(text);
  if (path.extension() == ".json" || Exists(text)) {
    spec.path = text;
    spec.name = path.stem().string();
  } else {
    spec.version = text;
    spec.name = text;
  }
  return spec;
}

Status ReadModel(std::string_view text, RunRequest& run) {
  if (text == "auto") return Store(true, run.choice.is_auto);
  ACU_ASSIGN_OR_RETURN(ModelSpec spec, ParseModel(std::string(text)));
  if (std::ranges::find(run.choice.specs, spec.name, &ModelSpec::name) != run.choice.specs.end())
    return Error(StatusCode::kInvalidArgument,
                 "two models are named '{}': give one another name (version=...:name=...)", spec.name);
  run.choice.specs.push_back(std::move(spec));
  return {};
}

Status ReadFeature(std::string_view text, RunRequest& run) {
  ACU_ASSIGN_OR_RETURN(FeatureRequest request, ParseFeatureSpec(std::string(text)));
  run.features.push_back(std::move(request));
  return {};
}

Status ReadFrames(std::string_view text, RunRequest& run) {
  const size_t colon = text.find(':');
  int64_t first = 0, end = 0;
  const bool open_end = colon != text.npos && colon + 1 == text.size();
  if (colon == text.npos || (colon > 0 && !ParseWhole(text.substr(0, colon), first)) ||
      (!open_end && !ParseWhole(text.substr(colon + 1), end)) || first < 0)
    return Error(StatusCode::kInvalidArgument,
                 "expected FIRST:END, such as 100:300 (frames 100 to 299); either side may be empty");
  if (!open_end && end <= first)
    return Error(StatusCode::kInvalidArgument, "the range is empty; END is the first frame left out");
  run.skip_reference = run.skip_distorted = first;
  run.frame_limit = open_end ? 0 : end - first;
  return {};
}

Status ReadScale(std::string_view text, RunRequest& run) {
  if (!run.fit.size) run.fit.size.emplace();
  const auto common = ParseCommonSize(text, kScaleFilterNames[static_cast<int>(run.fit.size->filter)]);
  if (!common) return Error(StatusCode::kInvalidArgument, "expected ref, dis or WIDTHxHEIGHT, such as 1920x1080");
  run.fit.size = common;
  return {};
}

Status ReadRectangle(std::string_view text, std::optional<Rectangle>& to) {
  Rectangle rectangle;
  int* const sides[] = {&rectangle.width, &rectangle.height, &rectangle.x, &rectangle.y};
  for (int* const side : sides) {
    const size_t colon = std::min(text.find(':'), text.size());
    const bool is_last = side == sides[3];
    if (!ParseWhole(text.substr(0, colon), *side) || *side < 0 || is_last != (colon == text.size()))
      return Error(
          StatusCode::kInvalidArgument,
          "expected auto, none, or WIDTH:HEIGHT:X:Y, such as 1920:800:0:140 (of both videos; REF,DIS gives one "
          "each)");
    text.remove_prefix(std::min(colon + 1, text.size()));
  }
  to = rectangle;
  return {};
}

Status ReadCrop(std::string_view text, RunRequest& run) {
  run.crop = {.find_bars = text == "auto"};
  if (run.crop.find_bars || text == "none") return {};
  const size_t comma = std::min(text.find(','), text.size());
  ACU_RETURN_IF_ERROR(ReadRectangle(text.substr(0, comma), run.crop.reference));
  return comma < text.size() ? ReadRectangle(text.substr(comma + 1), run.crop.distorted) : Status();
}

Status ReadAlignment(std::string_view text, RunRequest& run) {
  ACU_ASSIGN_OR_RETURN(run.pairing, ParsePairing(std::string(text)));
  return {};
}

/// "0", "0,2"; empty: no choice.
Status ReadDevices(std::string_view text, RunRequest& run) {
  run.device.index.reset();
  run.device.further.clear();
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(','));
    int index = -1;
    if (!ParseWhole(word, index) || index < 0)
      return Error(StatusCode::kInvalidArgument, "expected numbers of devices, such as 0 or 0,1");
    if (run.device.index) run.device.further.push_back(index);
    else run.device.index = index;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return {};
}

constexpr RunOption kOptions[] = {
#include "base/system/file.h"
#include "run/options.inc"
};

/// Decides whether models are chosen by the videos.
Status CompleteModels(RunRequest& request) {
  const ModelChoice& choice = request.choice;
  const bool names_none = choice.specs.empty() && request.models.empty();
  if (choice.is_auto || (names_none && !choice.none)) request.choose_models = choice.viewing;
  if (choice.viewing == Viewing::kBySize || request.choose_models) return {};
  return Error(StatusCode::kInvalidArgument, "viewing {} helps to choose a model, and a model is named: leave one out",
               kViewingNames[static_cast<int>(choice.viewing)]);
}

Status CheckRaw(const PictureFormat& format) {
  if (format.width == 0 && format.height == 0)
    return Error(StatusCode::kInvalidArgument, "bit_depth and pixel_format are of raw yuv: give its size");
  return CheckPictureFormat(format);
}

}  // namespace

std::span<const RunOption> RunOptions() { return kOptions; }

const RunOption* FindRunOption(std::string_view name) {
  const auto is_it = [&](const RunOption& option) { return option.name == name || ApiNameOf(option) == name; };
  const auto* found = std::ranges::find_if(kOptions, is_it);
  return found == std::end(kOptions) ? nullptr : found;
}

Status CheckChoice(std::string_view choices, std::string_view text) {
  if (choices.empty()) return {};
  for (std::string_view rest = choices; !rest.empty();) {
    const std::string_view choice = rest.substr(0, rest.find(','));
    if (choice == text) return {};
    rest.remove_prefix(std::min(rest.size(), choice.size() + 2));
  }
  return Error(StatusCode::kInvalidArgument, "expected one of {}", choices);
}

/// A message that quotes the whole text does so once.
Status NamedError(const Status& status, std::string_view shown, std::string_view text, OptionStyle style) {
  std::string_view message = status.message();
  if (const std::string quoted = fmt::format("'{}': ", text); message.starts_with(quoted))
    message.remove_prefix(quoted.size());
  if (style == OptionStyle::kApi) return Error(status.code(), "{} \"{}\": {}", shown, text, message);
  return Error(status.code(), "--{}{}{}: {}", shown, text.empty() ? "" : " ", text, message);
}

Status ReadFlag(std::string_view text, bool& value) {
  value = text == "true";
  return value || text == "false" ? Status() : Error(StatusCode::kInvalidArgument, "expected true or false");
}

Status ReadShots(std::string_view text, RunRequest& run) {
  ACU_RETURN_IF_ERROR(ReadFlag(text, run.find_shots));
  run.measure_information = run.find_shots;
  return {};
}

Status ReadNumber(std::string_view text, int64_t least, int64_t most, int64_t& value) {
  if (ParseWhole(text, value) && value >= least && value <= most) return {};
  return Error(StatusCode::kInvalidArgument, "expected a whole number from {} to {}", least, most);
}

Status ReadNumber(std::string_view text, int64_t least, int64_t most, int& value) {
  int64_t number = value;
  ACU_RETURN_IF_ERROR(ReadNumber(text, least, std::min<int64_t>(most, std::numeric_limits<int>::max()), number));
  value = static_cast<int>(number);
  return {};
}

Status ReadMemory(std::string_view text, std::optional<size_t>& bytes) {
  const Result<size_t> read = ParseBytes(text);
  if (!read.ok()) return Error(StatusCode::kInvalidArgument, "expected bytes, such as 800M or 2GiB");
  bytes = *read;
  return {};
}

Status ReadPath(std::string_view text, std::string& path) {
  path = text;
  return text.empty() ? Error(StatusCode::kInvalidArgument, "the path is empty") : Status();
}

RunRequest DefaultRequest() {
  RunRequest request;
  for (const RunOption& option : kOptions)
    if (!option.fallback.empty() && option.needs.empty()) static_cast<void>(option.read(option.fallback, request));
  request.threads = 0;  // all cores: CompleteRequest counts them
  request.open.take_all = true;
  request.hash_samples = true;
  return request;
}

size_t DecodingMemory(const RunRequest& request) {
  constexpr size_t kLeastLimit = size_t{1} << 30;  // below, the session needs all
  if (request.max_memory) return *request.max_memory < kLeastLimit ? 0 : *request.max_memory / 4;
  return AvailableMemory().value_or(kLeastLimit) / 8;
}

Status CompleteRequest(RunRequest& request) {
  if (request.threads == 0) request.threads = std::min(UsableCpus(), kMaxThreads);
  request.open.decoder_threads = request.threads > 1 ? 0 : 1;
  const bool copies = CopiesFromHardware(request.decoder);
  if (!copies && !request.decoder_device.empty())
    return Error(StatusCode::kInvalidArgument,
                 "--decoder-device {} needs --decoder vulkan or vaapi; --device names the device of nvdec",
                 request.decoder_device);
  request.open.may_use_device = copies || (request.decoder != Decoder::kCpu && !RunsOnCpu(request.device));
  request.open.segments.most_bytes = DecodingMemory(request) / (1 + std::max<size_t>(request.distorted.size(), 1));
  if (request.open.raw) ACU_RETURN_IF_ERROR(CheckRaw(*request.open.raw));
  return CompleteModels(request);
}

}  // namespace acutance
