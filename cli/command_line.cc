#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/did_you_mean.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/list_commands.h"
#include "cli/score_options.h"
#include "cli/score_request.h"
#include "cli/version.h"
#include "devices/backends.h"
#include "log/log_writer.h"

namespace acutance::cli {
namespace {

/// Breaks the lines of the help between words, to fit a terminal of 80 columns.
class WrappedHelp : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    const size_t columns = 79 - get_column_width();
    std::string text = CLI::Formatter::make_option_desc(option);
    for (size_t start = 0; text.size() - start > columns;) {
      const size_t space = text.rfind(' ', start + columns);
      if (space == text.npos || space <= start) break;
      text[space] = '\n';
      start = space + 1;
    }
    return text;
  }
};

/// Prints a usage error and returns its exit status. `command` is empty where the user named
/// none.
int UsageError(const std::string& command, std::string_view message) {
  const std::string name = command.empty() ? "acutance" : "acutance " + command;
  fmt::print(stderr, "{}: {}\nRun `{} --help` for the options.\n", name, message, name);
  return kUsage;
}

/// CLI11 calls a misspelt command a missing one.
int ParseFailure(const CLI::App& app, const CLI::ParseError& error, std::string_view first) {
  const std::vector<CLI::App*> named = app.get_subcommands();
  if (!named.empty()) return UsageError(named.front()->get_name(), error.what());
  if (first.empty()) return UsageError("", "name a command");
  if (first.starts_with("-")) return UsageError("", fmt::format("name a command before '{}'", first));
  std::vector<std::string_view> commands;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(command->get_name());
  return UsageError("", fmt::format("no such command '{}'{} (there are {})", first, DidYouMean(first, commands),
                                    fmt::join(commands, ", ")));
}

int Score(ScoreRequest& request) {
  const Status status = Complete(request);
  return status.ok() ? RunScoreCommand(request) : UsageError("score", status.message());
}

int Features(const std::string& name) {
  const Result<std::string> text = DescribeFeatures(name);
  if (!text.ok()) {
    fmt::print(stderr, "acutance features: {}\n", text.status().message());
    return kUsage;
  }
  fmt::print("{}", *text);
  return 0;
}

struct DeviceTexts {
  std::string backend = "auto";
  int index = -1;

  DeviceChoice Choice() const { return {backend, index < 0 ? std::nullopt : std::optional<int>(index), {}}; }
};

CLI::App* AddDeviceCommand(CLI::App& app, const char* name, const char* text, const char* otherwise,
                           DeviceTexts& texts) {
  CLI::App* command = app.add_subcommand(name, text);
  command->add_option("--backend", texts.backend, fmt::format("{} (default: {})", BackendNames(), otherwise))
      ->type_name("NAME");
  command->add_option("--device", texts.index, "Device of the backend")->check(CLI::Range(0, 1023));
  return command;
}

void AddByOption(CLI::App& command, EncodesTexts& texts) {
  command
      .add_option("--by", texts.by,
                  "Score to compare by; the feature that it needs is computed, too (default: the first model's)")
      ->type_name("NAME");
}

void AddAnchorOption(CLI::App& command, EncodesTexts& texts) {
  command.add_option("--anchor", texts.anchor, "Curve that the others are compared with (default: the first)")
      ->type_name("NAME");
}

void AddCompareOptions(CLI::App& command, EncodesTexts& texts) {
  AddScoreOptions(command, texts.score);
  AddByOption(command, texts);
  command.footer("\nExample: acutance compare ref.mp4 a.mp4 b.mp4 c.mp4");
}

void AddLadderOptions(CLI::App& command, EncodesTexts& texts) {
  AddScoreOptions(command, texts.score);
  command.get_option("distorted")
      ->description("Curves: a folder of encodes, NAME=FILE,FILE,..., or files of one curve");
  AddByOption(command, texts);
  AddAnchorOption(command, texts);
  command.add_option("--ctc-csv", texts.ctc, "Write the points in the columns of the AOM's common test conditions")
      ->type_name("FILE")
      ->check(NamesAFile());
  command.footer("\nExample: acutance ladder ref.mp4 x264/ svt-av1/ --anchor x264");
}

CLI::App* AddBdCommand(CLI::App& app, EncodesTexts& texts) {
  CLI::App* command = app.add_subcommand("bd", "Hulls and BD-rates of known points");
  command->add_option("points", texts.points, "CSV: curve,rate,quality; rates in any unit")
      ->required()
      ->type_name("FILE");
  AddAnchorOption(*command, texts);
  command->add_flag("--json", texts.json, "Print the curves and differences as JSON");
  return command;
}

CLI::App* AddBatchCommand(CLI::App& app, BatchTexts& texts) {
  CLI::App* command = app.add_subcommand("batch", "Score the pairs of a list, several at a time");
  command->add_option("list", texts.list, "CSV with the columns reference, distorted and, where wanted, name")
      ->required()
      ->type_name("LIST");
  command->add_option("-o,--out", texts.out, "Folder for the results; run the same command again to resume")
      ->required()
      ->type_name("DIR");
  command->add_option("-j,--jobs", texts.jobs, "Pairs at a time")->check(CLI::Range(1, 1024))->capture_default_str();
  command->add_flag("--retry", texts.retry, "Score pairs again that failed their requirements");
  command->add_flag("-q,--quiet", texts.quiet, "Show no progress");
  command->footer(
      "\nOptions after -- are those of `acutance score`; {name} in them is the pair's.\n"
      "Example: acutance batch list.csv --out results --jobs 4 -- --model vmaf_v0.6.1");
  return command;
}

CLI::App* AddServeCommand(CLI::App& app, ServeTexts& texts) {
  CLI::App* command = app.add_subcommand("serve", "Score on request, with references cached in memory");
  command->add_option("socket", texts.socket, "The Unix socket to listen on")->required()->type_name("SOCKET");
  command
      ->add_option(
          "--max-memory", texts.max_memory,
          "Limit on host memory for the references' pictures: bytes, or 800M, 2G (default: half of what is free)")
      ->type_name("BYTES")
      ->transform(ByteCount());
  command
      ->add_option(
          "--max-vram", texts.max_vram,
          "Limit on memory per device for the references' pictures: bytes, or 800M, 2G (default: half of what is free)")
      ->type_name("BYTES")
      ->transform(ByteCount());
  command->add_flag("-q,--quiet", texts.quiet, "Print nothing at the start");
  command->footer(
      "\nA line is a request: {\"reference\": \"ref.mp4\", \"distorted\": \"a.mp4\", \"options\": [\"-m\", "
      "\"vmaf_v0.6.1\"]}");
  return command;
}

CLI::App* AddJoinCommand(CLI::App& app, std::vector<std::string>& journals, ScoreRequest& request) {
  CLI::App* command = app.add_subcommand("join", "Make a run's scores from the journals of its parts");
  command->add_option("journals", journals, "Files of `acutance score --frames FIRST:END --journal FILE`, in any order")
      ->required()
      ->type_name("JOURNAL");
  AddLogOptions(*command, request);
  return command;
}

CLI::App* AddDoctorCommand(CLI::App& app, DoctorTexts& texts) {
  CLI::App* command = app.add_subcommand("doctor", "Diagnose mismatched videos");
  command->add_option("reference", texts.reference, "Reference video, a file")->required()->type_name("REF");
  command->add_option("distorted", texts.distorted, "Distorted video, a file")->required()->type_name("DIS");
  command->add_option("-m,--model", texts.model, "Built-in model to check: does it suit these videos?")
      ->type_name("MODEL");
  command->add_option("--viewing", texts.viewing, "Where the video is watched, as in score: does the model suit that?")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kViewingNames), std::end(kViewingNames))));
  command->add_flag("--json", texts.json, "Print the findings as JSON");
  AddRawOptions(*command, texts.run);
  return command;
}

CLI::App* AddParityCommand(CLI::App& app, ParityArgs& args) {
  CLI::App* command = app.add_subcommand("parity", "Compare every backend with the CPU on a pair");
  command->add_option("reference", args.reference, "Reference video, as in score")->required()->type_name("REF");
  command->add_option("distorted", args.distorted, "Distorted video")->required()->type_name("DIS");
  command->add_option("-f,--feature", args.features, "A feature, as in score (default: all with a device plan)")
      ->type_name("FEATURE")
      ->allow_extra_args(false);
  command->add_option("--backends", args.backends, "Backends, separated by commas (default: all that have a device)")
      ->type_name("NAMES")
      ->allow_extra_args(false)
      ->delimiter(',');
  command->add_option("--places", args.places, "Decimal places that must agree (default: every bit)")
      ->type_name("N")
      ->check(CLI::Range(0, 17));
  command->add_option("--frames", args.frames, "Compare the first N frames (default: all)")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command->add_option("-t,--threads", args.threads, "Worker threads")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  AddRawOptions(*command, args.run);
  return command;
}

CLI::App* AddPlanCommand(CLI::App& app, PlanRequest& request) {
  CLI::App* command = app.add_subcommand("plan", "Print the launches and buffers of a feature");
  command->add_option("-f,--feature", request.feature, "A feature, as in score")->required()->type_name("FEATURE");
  AddRawOptions(*command, request.run)->description("Size of the pictures")->required();
  command->add_option("--batch", request.batch, "Frames a launch (default: by the tuning table)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--backend", request.backend, "Tuned for the first device of this backend")
      ->capture_default_str();
  command->add_option("--dump", request.dump, "Write the kernels' PTX, SPIR-V and register counts into this folder")
      ->type_name("DIR");
  return command;
}

int PrintPlan(const PlanRequest& request) {
  const Result<std::string> text = DescribePlan(request);
  if (!text.ok()) return UsageError("plan", text.status().message());
  fmt::print("{}", *text);
  return 0;
}

int OnDevices(const char* command, const DeviceTexts& texts, const std::function<int(const DeviceChoice&)>& run) {
  Status status = CheckDeviceChoice(texts.Choice());
  if (texts.backend == "cpu")
    status = Error(StatusCode::kInvalidArgument, "the CPU is no device: name another backend");
  return status.ok() ? run(texts.Choice()) : UsageError(command, status.message());
}

}  // namespace

int RunCommandLine(int argc, char** argv) {
  CLI::App app("acutance: perceptual video quality metrics", "acutance");
  app.formatter(std::make_shared<WrappedHelp>());  // before the commands, which inherit it
  app.set_version_flag("--version",
                       fmt::format("acutance {} (scores and logs of libvmaf {})", kVersion, kLibvmafVersion));
  app.require_subcommand(1);

  // Options of a command that is not named are not needed, and those of `score` take a millisecond to add.
  const auto is_named = [&](const CLI::App* command) { return argc > 1 && command->get_name() == argv[1]; };
  EncodesTexts texts;
  CLI::App* score = app.add_subcommand("score", "Score distorted videos against their reference");
  if (is_named(score)) AddScoreOptions(*score, texts.score);
  CLI::App* compare = app.add_subcommand("compare", "Compare encodes of one reference");
  if (is_named(compare)) AddCompareOptions(*compare, texts);
  CLI::App* ladder = app.add_subcommand("ladder", "Rate-quality curves, hulls and BD-rates");
  if (is_named(ladder)) AddLadderOptions(*ladder, texts);
  CLI::App* bd = AddBdCommand(app, texts);
  BatchTexts batch_texts;
  CLI::App* batch = AddBatchCommand(app, batch_texts);
  ServeTexts serve_texts;
  CLI::App* serve = AddServeCommand(app, serve_texts);
  std::vector<std::string> journals;
  CLI::App* join = AddJoinCommand(app, journals, texts.score);
  DoctorTexts doctor_texts;
  CLI::App* doctor = AddDoctorCommand(app, doctor_texts);
  std::string feature;
  CLI::App* features = app.add_subcommand("features", "List the features, or one's outputs and options");
  features->add_option("name", feature, "A feature")->type_name("NAME");
  CLI::App* models = app.add_subcommand("models", "List the built-in models");
  CLI::App* devices = app.add_subcommand("devices", "List the GPUs, and why a backend has none");
  DeviceTexts device;
  CLI::App* selftest = AddDeviceCommand(app, "selftest", "Run known-answer tests on every device", "all", device);
  std::string report;
  selftest->add_option("--report", report, "Also time every feature, and write all of it to FILE, as JSON")
      ->type_name("FILE");
  CLI::App* tune =
      AddDeviceCommand(app, "tune", "Time every block shape and batch on a device", "the first with a GPU", device);
  std::vector<std::string> tuned;
  tune->add_option("-f,--feature", tuned, "A feature to time (default: all with a device plan)")
      ->type_name("FEATURE")
      ->allow_extra_args(false);
  ParityArgs parity_args;
  CLI::App* parity = AddParityCommand(app, parity_args);
  PlanRequest plan_request;
  CLI::App* plan = AddPlanCommand(app, plan_request);
  // This follows the commands, which would inherit it.
  app.footer("\nExample: acutance score reference.mp4 encode.mkv\n`acutance COMMAND --help` describes a command.");

  // What follows -- are options of `acutance score`, which this command line does not read.
  if (argc > 1 && argv[1] == std::string_view("batch")) {
    char** const end = std::find(argv, argv + argc, std::string_view("--"));
    for (char** option = end; option + 1 < argv + argc; ++option) batch_texts.options.emplace_back(option[1]);
    argc = static_cast<int>(end - argv);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : ParseFailure(app, error, argc > 1 ? argv[1] : "");
  }
  if (score->parsed()) return Score(texts.score);
  if (compare->parsed()) return RunCompareCommand(texts);
  if (ladder->parsed()) return RunLadderCommand(texts);
  if (bd->parsed()) return RunBdCommand(texts);
  if (batch->parsed()) return RunBatchCommand(batch_texts);
  if (serve->parsed()) return RunServeCommand(serve_texts);
  if (join->parsed()) return RunJoinCommand(journals, texts.score);
  if (doctor->parsed()) return RunDoctorCommand(doctor_texts);
  if (features->parsed()) return Features(feature);
  if (models->parsed()) fmt::print("{}", DescribeModels());
  if (devices->parsed()) fmt::print("{}", DescribeDevices());
  if (selftest->parsed())
    return OnDevices("selftest", device,
                     [&](const DeviceChoice& choice) { return RunSelfTestCommand(choice, report); });
  if (tune->parsed())
    return OnDevices("tune", device, [&](const DeviceChoice& choice) { return RunTuneCommand(choice, tuned); });
  if (parity->parsed()) return RunParityCommand(parity_args);
  if (plan->parsed()) return PrintPlan(plan_request);
  return 0;
}

}  // namespace acutance::cli
