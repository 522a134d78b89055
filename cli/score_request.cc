#include "cli/score_request.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>
#include <utility>

#include "devices/backends.h"
#include "log/log_writer.h"
#include "metric/registry.h"
#include "report/map_films.h"
#include "report/run_page.h"
#include "report/score_rows.h"

namespace acutance::cli {
namespace {

bool ParseReal(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Status ReadBound(std::string_view text, std::optional<double>& bound) {
  if (ParseReal(text, bound.emplace())) return {};
  return Error(StatusCode::kInvalidArgument, "expected a number");
}

Status ReadConfidence(std::string_view text, ScoreRequest& request) {
  constexpr double kLeast = 50, kMost = 99.999999;
  double percent = 0;
  if (ParseReal(text, percent) && percent >= kLeast && percent <= kMost)
    return Store(percent / 100, request.gate.confidence);
  return Error(StatusCode::kInvalidArgument, "expected a number from {} to {}", kLeast, kMost);
}

Status ReadSeed(std::string_view text, ScoreRequest& request) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), request.gate.seed);
  if (error == std::errc() && end == text.data() + text.size()) return {};
  return Error(StatusCode::kInvalidArgument, "expected a whole number");
}

Status ReadOutput(std::string_view text, ScoreRequest& request) {
  if (text == "-")
    return Error(StatusCode::kInvalidArgument, "a log is a file; --json prints the summary to standard output");
  return ReadPath(text, request.output);
}

Status ReadPrecision(std::string_view text, ScoreRequest& request) {
  Result<NumberFormat> numbers = NumberFormat::Parse(std::string(text));
  if (!numbers.ok()) return Error(StatusCode::kInvalidArgument, "expected 1 to 17 digits, or max");
  return Store(std::move(numbers).value(), request.numbers);
}

Status ReadRequirements(std::string_view text, ScoreRequest& request) {
  ACU_ASSIGN_OR_RETURN(const std::vector<Requirement> requirements, ParseRequirements(text));
  request.requirements.insert(request.requirements.end(), requirements.begin(), requirements.end());
  return {};
}

Status ReadPools(std::string_view text, ScoreRequest& request) {
  ACU_ASSIGN_OR_RETURN(request.pools, ParsePools(text));
  return {};
}

Status ReadSegments(std::string_view text, ScoreRequest& request) {
  ACU_ASSIGN_OR_RETURN(request.segments, ParseParts(std::string(text)));
  return {};
}

constexpr ScoreOption kOptions[] = {
#include "base/system/file.h"
#include "cli/score_options.inc"
};

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
    path.replace(at, placeholder.size(), SystemPath(video).stem().string());
    if (std::ranges::find(paths, path) != paths.end())
      return Error(StatusCode::kInvalidArgument, "{} {}: two distorted videos would write {}", option, text, path);
    paths.push_back(std::move(path));
  }
  return paths;
}

std::string FormatOf(const std::string& output) {
  std::string extension = SystemPath(output).extension().string();
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  if (extension.empty()) return "xml";
  extension.erase(0, 1);
  return FindLogFormat(extension) || FindTableFormat(extension) ? extension : "xml";
}

Status CheckGate(const ScoreRequest& request) {
  const RunRequest& run = request.run;
  if (request.at_least && request.at_most)
    return Error(StatusCode::kInvalidArgument, "--at-least and --at-most ask different things: leave one out");
  const bool writes = !request.output.empty() || !request.pairs_out.empty() || !request.report.empty() ||
                      !run.maps.empty() || !run.journal.empty() || !request.requirements.empty() ||
                      request.stream_frames || request.segments;
  if (run.distorted.size() > 1 || run.subsample > 1 || writes)
    return Error(StatusCode::kInvalidArgument,
                 "--at-least and --at-most read a part of one distorted video: there are no logs, reports, maps, "
                 "journals, segments or other requirements of it");
  if (run.choice.specs.empty() && !run.choose_models)
    return Error(StatusCode::kInvalidArgument, "--at-least and --at-most need a model");
  if (run.reference == "-" || run.distorted.front() == "-")
    return Error(StatusCode::kInvalidArgument, "--at-least and --at-most read frames out of order: name files");
  return {};
}

Status CheckJournal(const ScoreRequest& request) {
  const RunRequest& run = request.run;
  if (request.maps_video && !run.journal.empty())
    return Error(StatusCode::kInvalidArgument,
                 "--maps-video needs the pictures of all frames, and --journal skips some");
  if (!run.journal.empty() && std::ranges::count(request.outputs, run.journal) > 0)
    return Error(StatusCode::kInvalidArgument, "--journal {}: the log would replace it; name another file",
                 run.journal);
  const bool is_part = !run.journal.empty() && run.skip_reference > 0;
  if (is_part && (!request.output.empty() || request.json || !request.report.empty()))
    return Error(StatusCode::kInvalidArgument,
                 "--frames {}:{} with a journal is a part of a run, and has no log of its own: leave out --output, "
                 "--json and --report, and let `acutance join` write the log of all parts",
                 run.skip_reference,
                 run.frame_limit > 0 ? fmt::format("{}", run.skip_reference + run.frame_limit) : "");
  return {};
}

/// Sets what the run must retain or compute for the outputs.
void CompleteRun(ScoreRequest& request) {
  RunRequest& run = request.run;
  run.check_model_sizes = true;
  request.shots = run.find_shots;
  const bool writes_rows = FindTableFormat(request.format.empty() ? FormatOf(request.output) : request.format);
  run.find_shots = request.shots || request.json || request.stream_frames || !request.report.empty() || writes_rows;
  if (!request.report.empty()) run.measure_information = true;
  request.maps = run.maps;
  request.worst = run.worst_frames;
  if (!request.report.empty() || request.worst_seconds > 0)
    run.worst_frames = std::max({request.worst, request.worst_seconds, FramesShownOf(run.distorted.size())});
  if (request.maps_video) run.pairs = MakeMapFilms(request.maps, run.threads);
  if (request.maps_video || request.worst > 0) run.maps.clear();
}

}  // namespace

std::span<const ScoreOption> ScoreOptions() { return kOptions; }

void AddFeatureOf(const std::string& score, RunRequest& run) {
  const auto is_named = [&](const OutputSpec& output) { return output.name == score || output.alias == score; };
  const auto metric = std::ranges::find_if(
      AllMetrics(), [&](const Metric* each) { return std::ranges::any_of(each->outputs, is_named); });
  if (metric == AllMetrics().end()) return;
  const auto is_it = [&](const FeatureRequest& request) { return MetricName(request.metric) == (*metric)->name; };
  if (std::ranges::any_of(run.features, is_it)) return;
  run.features.push_back({std::string((*metric)->name), {}});
  run.given.emplace_back("feature", (*metric)->name);
}

std::string AsPath(const std::string& path) { return path.starts_with('-') ? "./" + path : path; }

Status CompleteLogs(ScoreRequest& request) {
  const std::vector<std::string>& distorted = request.run.distorted;
  if (!request.pairs_out.empty()) {
    ACU_ASSIGN_OR_RETURN(request.pairs_outputs, PathsOf("--pairs-out", request.pairs_out, distorted));
  }
  if (!request.output.empty()) {
    ACU_ASSIGN_OR_RETURN(request.outputs, PathsOf("--output", request.output, distorted));
  }
  if (request.format.empty()) request.format = FormatOf(request.output);
  if (request.requirements.empty() && (!request.junit.empty() || request.fail_fast))
    return Error(StatusCode::kInvalidArgument, "--junit and --fail-fast are for --require, which is missing");
  return {};
}

Status Complete(ScoreRequest& request) {
  RunRequest& run = request.run;
  ACU_RETURN_IF_ERROR(CompleteRequest(run));
  ACU_RETURN_IF_ERROR(CheckDeviceChoice(run.device));
  if (std::ranges::count(run.distorted, "-") + (run.reference == "-") > 1)
    return Error(StatusCode::kInvalidArgument, "standard input (-) can be only one of the videos");
  ACU_RETURN_IF_ERROR(CompleteLogs(request));
  for (const Requirement& requirement : request.requirements)
    if (requirement.pool) AddFeatureOf(requirement.score, run);
  if (request.stream_frames && request.json)
    return Error(StatusCode::kInvalidArgument,
                 "--progress ndjson prints the summary as its last line: leave out --json");
  ACU_RETURN_IF_ERROR(CheckJournal(request));
  request.has_gate = request.at_least || request.at_most;
  if (request.has_gate) {
    ACU_RETURN_IF_ERROR(CheckGate(request));
    request.gate.at_least = request.at_least.has_value();
    request.gate.bound = request.at_least ? *request.at_least : *request.at_most;
  }
  CompleteRun(request);
  return {};
}

}  // namespace acutance::cli
