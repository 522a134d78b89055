#include "cli/score_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <utility>

#include "base/environment.h"

namespace acutance::cli {
namespace {

using Texts = std::vector<std::string>;

/// A row as an option of the command line; parsing reads its values into the target.
template <class Target>
CLI::Option* AddOption(CLI::App& command, const Option<Target>& row, Target& target) {
  const auto read = [&row, &target](std::string_view text) {
    const Status status = ReadOption(row, text, OptionStyle::kCommand, target);
    if (!status.ok()) throw CLI::ValidationError(status.message(), CLI::ExitCodes::ValidationError);
  };
  const std::string flags = (row.letter.empty() ? "" : fmt::format("-{},", row.letter)) + fmt::format("--{}", row.name);
  const std::string help(row.help), group(kOptionGroupNames[static_cast<int>(row.group)]);
  if (row.value.empty())
    return command
        .add_flag_callback(
            flags, [read] { read("true"); }, help)
        ->group(group);
  const auto read_all = [read](const Texts& texts) { std::ranges::for_each(texts, read); };
  CLI::Option* const option = command.add_option_function<Texts>(flags, read_all, help);
  // A value belongs to its option alone: operands may follow.
  option->expected(1)->allow_extra_args(false)->group(group)->default_str(std::string(row.fallback));
  if (row.repeats) option->take_all();
  return option->type_name(row.choices.empty() ? std::string(row.value)
                                               : fmt::format("{}:{{{}}}", row.value, row.choices));
}

/// Options by the names of their rows. CLI11's own search ends the program where memory runs out.
using AddedOptions = std::map<std::string_view, CLI::Option*>;

template <class Target>
void AddGroup(CLI::App& command, std::span<const Option<Target>> rows, OptionGroup group, Target& target,
              AddedOptions& added) {
  for (const Option<Target>& row : rows)
    if (row.group == group) added[row.name] = AddOption(command, row, target);
}

template <class Target>
void AddNeeds(std::span<const Option<Target>> rows, const AddedOptions& added) {
  for (const Option<Target>& row : rows)
    if (!row.needs.empty()) added.at(row.name)->needs(added.at(row.needs));
}

}  // namespace

CLI::Validator ByteCount() {
  return {[](std::string& text) {
            const Result<size_t> bytes = ParseBytes(text);
            if (!bytes.ok()) return bytes.status().message();
            text = fmt::format("{}", *bytes);
            return std::string();
          },
          ""};
}

CLI::Validator NamesAFile() {
  return {[](std::string& path) { return std::string(path.empty() ? "the path is empty" : ""); }, ""};
}

void AddLogOptions(CLI::App& command, ScoreRequest& request) {
  constexpr std::string_view kNames[] = {"output", "format",   "precision", "json", "all-features",
                                         "pool",   "segments", "require",   "junit"};
  for (const ScoreOption& row : ScoreOptions())
    if (std::ranges::find(kNames, row.name) != std::end(kNames)) AddOption(command, row, request);
}

void AddScoreOptions(CLI::App& command, ScoreRequest& request) {
  command
      .add_option(
          "reference", request.run.reference,
          "Reference video: y4m, any container that FFmpeg decodes, raw yuv with --size, - for y4m on standard input")
      ->required()
      ->type_name("REF");
  command
      .add_option("distorted", request.run.distorted, "Distorted videos; several share one decoding of the reference")
      ->required()
      ->type_name("DIS");
  AddedOptions added;
  for (int i = 0; i < static_cast<int>(std::size(kOptionGroupNames)); ++i) {
    const auto group = static_cast<OptionGroup>(i);
    AddGroup(command, ScoreOptions(), group, request, added);
    AddGroup(command, RunOptions(), group, request.run, added);
  }
  AddNeeds(ScoreOptions(), added);
  AddNeeds(RunOptions(), added);
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

`acutance features` and `acutance models` list the available names.
Exit status: 0 when every frame was scored, 1 when the run failed, 2 for a wrong
command line, 3 when --require or --at-least does not hold, 130 after Ctrl-C.)");
}

void AddRunOptions(CLI::App& command, RunRequest& run) {
  AddedOptions added;
  for (const RunOption& row : RunOptions()) {
    const bool is_of_devices = row.name == "threads" || row.name == "backend" || row.name == "device";
    if (!row.journal.empty() || is_of_devices) added[row.name] = AddOption(command, row, run);
  }
  for (const RunOption& row : RunOptions())
    if (!row.needs.empty() && added.contains(row.name)) added.at(row.name)->needs(added.at(row.needs));
}

CLI::Option* AddRawOptions(CLI::App& command, RunRequest& run) {
  CLI::Option* const size = AddOption(command, *FindRunOption("size"), run);
  for (const char* name : {"bit-depth", "pixel-format"}) AddOption(command, *FindRunOption(name), run)->needs(size);
  return size;
}

Status ParseScoreOptions(std::vector<std::string> words, ScoreRequest& request) {
  CLI::App app;
  app.allow_windows_style_options(false);
  AddScoreOptions(app, request);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success&) {
    return Error(StatusCode::kInvalidArgument, "--help is for `acutance score`");
  } catch (const CLI::ParseError& error) {
    return Error(StatusCode::kInvalidArgument, "{}", error.what());
  }
  return {};
}

}  // namespace acutance::cli
