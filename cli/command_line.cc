#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/did_you_mean.h"
#include "cli/batch_worker.h"
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

/// Prints a usage error and returns its exit status. command: empty where the user named none.
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

int Look(const LookTexts& texts, ScoreRequest& request) {
  Status status = PrepareLook(texts, request);
  if (status.ok()) status = Complete(request);
  return status.ok() ? RunLookCommand(request) : UsageError("look", status.message());
}

int PrintText(const std::string& text) {
  fmt::print("{}", text);
  return kOk;
}

int Features(const std::string& name) {
  const Result<std::string> text = DescribeFeatures(name);
  return text.ok() ? PrintText(*text) : Fail("features", text.status(), kUsage);
}

struct DeviceTexts {
  std::string backend = "auto";
  int index = -1;

  DeviceChoice Choice() const { return {backend, index < 0 ? std::nullopt : std::optional<int>(index), {}}; }
};

/// An option or operand; `type` is what the help calls its value.
template <class T>
CLI::Option* Add(CLI::App& command, const char* name, T& target, const char* type, const std::string& help) {
  return command.add_option(name, target, help)->type_name(type);
}

void AddDeviceOptions(CLI::App& command, const char* otherwise, DeviceTexts& texts) {
  Add(command, "--backend", texts.backend, "NAME", fmt::format("{} (default: {})", BackendNames(), otherwise));
  command.add_option("--device", texts.index, "Device of the backend")->check(CLI::Range(0, 1023));
}

void AddByOption(CLI::App& command, EncodesTexts& texts) {
  Add(command, "--by", texts.by, "NAME",
      "Score to compare by; the feature that it needs is computed, too (default: the first model's)");
}

void AddAnchorOption(CLI::App& command, EncodesTexts& texts) {
  Add(command, "--anchor", texts.anchor, "NAME", "Curve that the others are compared with (default: the first)");
}

void AddCompareOptions(CLI::App& command, EncodesTexts& texts) {
  AddScoreOptions(command, texts.score);
  AddByOption(command, texts);
  command.footer("\nExample: acutance compare ref.mp4 a.mp4 b.mp4 c.mp4");
}

void AddLookOptions(CLI::App& command, LookTexts& texts, ScoreRequest& score) {
  AddScoreOptions(command, score);
  Add(command, "--at", texts.at, "FRAME", "The frame to show, counted from 0 (default: the worst ones)")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  command.get_option("--report")->description("The page (default: a file in the folder for temporary ones)");
  command.footer("\nExample: acutance look ref.mp4 encode.mp4 --at 312");
}

void AddLadderOptions(CLI::App& command, EncodesTexts& texts) {
  AddScoreOptions(command, texts.score);
  command.get_option("distorted")
      ->description("Curves: a folder of encodes, NAME=FILE,FILE,..., or files of one curve");
  AddByOption(command, texts);
  AddAnchorOption(command, texts);
  Add(command, "--ctc-csv", texts.ctc, "FILE", "Write the points in the columns of the AOM's common test conditions")
      ->check(NamesAFile());
  command.footer("\nExample: acutance ladder ref.mp4 x264/ svt-av1/ --anchor x264");
}

void AddBdOptions(CLI::App& command, EncodesTexts& texts) {
  Add(command, "points", texts.points, "FILE", "CSV: curve,rate,quality; rates in any unit")->required();
  AddAnchorOption(command, texts);
  CLI::Option* const method =
      Add(command, "--method", texts.method, "avm", "Only the BD-rate as AVM's common test conditions define it")
          ->check(CLI::IsMember({"avm"}));
  Add(command, "--by", texts.by, "NAME", "With --method avm: what the qualities are, as vmaf, which saturates")
      ->needs(method);  // by its name, CLI11 ends the process where memory runs out
  command.add_flag("--json", texts.json, "Print the curves and differences as JSON");
}

/// "auto" is 0.
CLI::Validator JobCount() {
  return {[](std::string& text) {
            if (text != "auto") return CLI::Range(1, 1024)(text);
            text = "0";
            return std::string();
          },
          ""};
}

void AddCtcOptions(CLI::App& command, CtcTexts& texts) {
  Add(command, "releases", texts.releases, "TAG=DIR",
      "Folders of releases: with RDResults_*.csv, or with encodes, which are scored")
      ->required();
  Add(command, "--anchor", texts.anchors, "DIR",
      "The folder of the release to compare with; TAG=DIR: of that release alone. Without it there are no tables");
  Add(command, "--references", texts.references, "DIR", "Folder of the videos that the encodes are made of");
  Add(command, "--ctc-version", texts.version, "V", "Version of AOM's test conditions for the scores (default: v7.0)")
      ->check(CLI::IsMember({"v3.0", "v4.0", "v5.0", "v6.0", "v7.0"}));
  Add(command, "-j,--jobs", texts.jobs, "N", "Encodes at a time, or auto (default)")->transform(JobCount());
  Add(command, "--output", texts.output, "DIR",
      "Where all goes that is made (default: here); encodes that are scored "
      "there already are not scored again");
  command.add_flag("-q,--quiet", texts.quiet, "Show no progress");
  Add(command, "--name", texts.name, "NAME", "End of the tables' names (default: AV1-vs-AV2)");
  Add(command, "--refused", texts.refused, "empty|zero", "What stands for a BD-rate that is refused (default: empty)")
      ->check(CLI::IsMember({"empty", "zero"}));
  command.footer(
      "\nOptions after -- are those of `acutance score`, as --backend.\n"
      "Example: acutance ctc v13.0.0=new/ --anchor anchor/ --references clips/ --output tables");
}

void AddFitOptions(CLI::App& command, FitTexts& texts) {
  Add(command, "opinions", texts.opinions, "FILE",
      "CSV: mos; name, content, ci (or std and votes) where known; other columns of numbers are scores")
      ->required();
  Add(command, "--scores", texts.scores, "DIR", "Also the scores of `acutance batch --out DIR`, by the encodes' names");
  CLI::Option* const train =
      Add(command, "--train", texts.train, "FILE", "Train a model on --features, and write it for libvmaf and --model");
  Add(command, "--features", texts.training.features, "NAMES", "Features to train on, separated by commas")
      ->delimiter(',')
      ->needs(train);
  Add(command, "--c", texts.training.c, "N", "C of the regression (default: 4)")
      ->check(CLI::PositiveNumber)
      ->needs(train);
  Add(command, "--gamma", texts.training.gamma, "N", "Gamma of its kernel (default: 0.04)")
      ->check(CLI::PositiveNumber)
      ->needs(train);
  Add(command, "--nu", texts.training.nu, "N", "Its nu (default: 0.9)")->check(CLI::Range(0.001, 1.0))->needs(train);
  command.add_flag("--search", texts.training.searches, "Try 60 sets of these three, and take the best one")
      ->needs(train);
  Add(command, "--folds", texts.training.folds, "N", "Parts of the cross-validation, by content (default: 5)")
      ->check(CLI::Range(2, 100))
      ->needs(train);
  command.add_flag("--json", texts.json, "Print the results as JSON");
  command.footer("\nExample: acutance fit opinions.csv --scores results/");
}

void AddBatchOptions(CLI::App& command, BatchTexts& texts) {
  Add(command, "list", texts.list, "LIST", "CSV with the columns reference, distorted and, optionally, name")
      ->required();
  Add(command, "-o,--out", texts.out, "DIR", "Folder for the results; run the same command again to resume")
      ->required();
  Add(command, "-j,--jobs", texts.jobs, "N",
      "Pairs at a time, or auto: as many as fill the cores and devices (default)")
      ->transform(JobCount());
  Add(command, "--scores", texts.scores, "FILE", "Write all frames' scores as rows, to FILE.parquet or FILE.arrow");
  Add(command, "--report", texts.report, "FILE",
      "Write a self-contained HTML page: which clips are worst, in which seconds, and what is wrong there");
  command.add_flag("--retry", texts.retry, "Score pairs again that failed their requirements");
  command.add_flag("-q,--quiet", texts.quiet, "Show no progress");
  command.footer(
      "\nOptions after -- are those of `acutance score`; {name} in them is the pair's.\n"
      "Example: acutance batch list.csv --out results -- --model vmaf_v0.6.1");
}

void AddServeOptions(CLI::App& command, ServeTexts& texts) {
  Add(command, "socket", texts.socket, "SOCKET", "The Unix socket to listen on")->required();
  Add(command, "--max-memory", texts.max_memory, "BYTES",
      "Limit on host memory for the references' pictures: bytes, or 800M, 2G (default: half of what is free)")
      ->transform(ByteCount());
  Add(command, "--max-vram", texts.max_vram, "BYTES",
      "Limit on memory per device for the references' pictures: bytes, or 800M, 2G (default: half of what is free)")
      ->transform(ByteCount());
  command.add_flag("-q,--quiet", texts.quiet, "Print nothing at the start");
  command.footer(
      "\nA line is a request: {\"reference\": \"ref.mp4\", \"distorted\": \"a.mp4\", \"options\": [\"-m\", "
      "\"vmaf_v0.6.1\"]}");
}

void AddVerifyOptions(CLI::App& command, VerifyTexts& texts) {
  Add(command, "file", texts.file, "FILE",
      "Receipt (score --receipt), summary (score --json) or log of acutance, libvmaf's tool, FFmpeg's filter or VMAFx")
      ->required();
  Add(command, "--ref", texts.run.reference, "REF", "Reference video (default: where the receipt says)");
  Add(command, "--dis", texts.run.distorted, "DIS", "Distorted videos (default: where the receipt says)")
      ->allow_extra_args(false);
  command.add_flag("--full", texts.full, "Score all frames again, and check the hashes of samples and scores");
  Add(command, "--touched", texts.touched, "PERCENT", "Share of wrong frames that a sample must find")
      ->check(CLI::Range(0.001, 100.0))
      ->capture_default_str();
  Add(command, "--confidence", texts.confidence, "PERCENT", "Probability with which it finds them")
      ->check(CLI::Range(1.0, 99.999999))
      ->capture_default_str();
  Add(command, "--seed", texts.seed, "N", "Seed of the sample (default: random)");
  command.add_flag("--json", texts.json, "Print the result as JSON");
  AddRunOptions(command, texts.run);
  command.footer(
      "\nA receipt holds the options of its run; a log needs them. Without --model, the built-in model whose scores a "
      "log"
      "\nhas is found. Exit status: 0 the videos give these scores, 1 they do not, 2 it, or a part of it, cannot"
      "\nbe checked."
      "\nExamples:\n  acutance verify receipt.json\n  acutance verify log.xml --ref ref.y4m --dis dis.mp4 --full");
}

void AddDiffOptions(CLI::App& command, DiffTexts& texts) {
  Add(command, "old", texts.before, "OLD", "Summary (score --json), log or journal of before")->required();
  Add(command, "new", texts.after, "NEW", "The same of after")->required();
  Add(command, "--by", texts.by, "NAME", "Score whose parts are compared (default: the first model's)");
  Add(command, "--segments", texts.segments, "HOW", "Parts to compare, as in score (default: a summary's shots)");
  Add(command, "--fps", texts.fps, "RATE", "Frames per second, where the files do not have it")
      ->check(CLI::PositiveNumber);
  Add(command, "--worse-than", texts.worse_than, "X",
      "Exit with status 1 where a mean, of the whole or of a part, is worse by more than X");
  CLI::Option* const json = command.add_flag("--json", texts.json, "Print the differences as JSON");
  command.add_flag("--markdown", texts.markdown, "Print tables for a pull request")->excludes(json);
  command.footer("\nExample: acutance diff main.json branch.json --worse-than 0.5 --markdown");
}

void AddDoctorOptions(CLI::App& command, DoctorTexts& texts) {
  Add(command, "reference", texts.reference, "REF", "Reference video, a file")->required();
  Add(command, "distorted", texts.distorted, "DIS", "Distorted video, a file")->required();
  Add(command, "-m,--model", texts.model, "MODEL", "Built-in model to check: does it suit these videos?");
  command.add_option("--viewing", texts.viewing, "Viewing condition, as in score: does the model suit it?")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kViewingNames), std::end(kViewingNames))));
  command.add_flag("--json", texts.json, "Print the findings as JSON");
  AddRawOptions(command, texts.run);
}

void AddParityOptions(CLI::App& command, ParityArgs& args) {
  Add(command, "reference", args.reference, "REF", "Reference video, as in score")->required();
  Add(command, "distorted", args.distorted, "DIS", "Distorted video")->required();
  Add(command, "-f,--feature", args.features, "FEATURE", "A feature, as in score (default: all with a device plan)")
      ->allow_extra_args(false);
  Add(command, "--backends", args.backends, "NAMES", "Backends, separated by commas (default: all that have a device)")
      ->allow_extra_args(false)
      ->delimiter(',');
  Add(command, "--places", args.places, "N", "Decimal places that must agree (default: every bit)")
      ->check(CLI::Range(0, 17));
  Add(command, "--frames", args.frames, "N", "Compare the first N frames (default: all)")->check(CLI::PositiveNumber);
  command.add_option("-t,--threads", args.threads, "Worker threads")->check(CLI::Range(1, 1024))->capture_default_str();
  AddRawOptions(command, args.run);
}

void AddConformOptions(CLI::App& command, ConformTexts& texts) {
  Add(command, "--library", texts.library, "FILE", "Test a libvmaf shared library, through its C API");
  Add(command, "--cpumask", texts.cpumask, "MASK", "Instruction sets that the library shall not use (libvmaf's mask)")
      ->check(CLI::NonNegativeNumber);
  Add(command, "--backend", texts.backend, "NAME", "Test a backend of this installation");
  Add(command, "--only", texts.only, "NAME", "Only this clip, metric, feature with options or model (repeatable)")
      ->allow_extra_args(false);
  Add(command, "--tolerance", texts.tolerance, "X", "Difference that counts as equal (default: none in six decimals)")
      ->check(CLI::NonNegativeNumber);
  Add(command, "-j,--jobs", texts.jobs, "N", "Runs at a time (default: as many as there are cores)")
      ->check(CLI::Range(1, 1024));
  command.add_flag("--json", texts.json, "Print the results as JSON");
  Add(command, "--junit", texts.junit, "FILE", "Write the results as JUnit XML, a test for each clip and feature");
  Add(command, "--clips", texts.clips, "DIR", "Write the clips into this folder and stop");
  Add(command, "--record", texts.record, "FILE", "Write the program's scores as golden values and stop");
  command.add_flag("-q,--quiet", texts.quiet, "Show no progress");
  command.footer(
      "\nWhat follows -- is a program with libvmaf's options, or an ffmpeg with the filter libvmaf.\n"
      "Example: acutance conform -- /usr/bin/vmaf --threads 2");
}

void AddExplainOptions(CLI::App& command, ExplainTexts& texts) {
  Add(command, "log", texts.log, "LOG", "Log of libvmaf's tool, FFmpeg's filter or another program, with frames")
      ->required();
  Add(command, "reference", texts.reference, "REF", "Reference video, a file")->required();
  Add(command, "distorted", texts.distorted, "DIS", "Distorted video, a file")->required();
  Add(command, "--score", texts.score, "X", "Name the pooling that gives this score of the whole clip, such as 93.41");
  command.add_flag("--json", texts.json, "Print the explanation as JSON");
  AddRawOptions(command, texts.run);
}

void AddPlanOptions(CLI::App& command, PlanRequest& request) {
  Add(command, "-f,--feature", request.feature, "FEATURE", "A feature, as in score")->required();
  AddRawOptions(command, request.run)->description("Size of the pictures")->required();
  command.add_option("--batch", request.batch, "Frames per launch (default: by the tuning table)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--backend", request.backend, "Tuned for the first device of this backend")->capture_default_str();
  Add(command, "--dump", request.dump, "DIR", "Write the kernels' PTX, SPIR-V and register counts into this folder");
}

int PrintPlan(const PlanRequest& request) {
  const Result<std::string> text = DescribePlan(request);
  return text.ok() ? PrintText(*text) : UsageError("plan", text.status().message());
}

int OnDevices(const char* command, const DeviceTexts& texts, const std::function<int(const DeviceChoice&)>& run) {
  Status status = CheckDeviceChoice(texts.Choice());
  if (texts.backend == "cpu")
    status = Error(StatusCode::kInvalidArgument, "the CPU is no device: name another backend");
  return status.ok() ? run(texts.Choice()) : UsageError(command, status.message());
}

int RunCommandLine(int argc, char** argv) {
  if (argc == 2 && argv[1] == kWorkerCommand) return RunBatchWorker();
  if (argc > 2 && argv[1] == kLibraryToolCommand) return RunLibraryToolCommand(argc, argv);
  CLI::App app("acutance: perceptual video quality metrics", "acutance");
  app.formatter(std::make_shared<WrappedHelp>());  // before the commands, which inherit it
  app.allow_windows_style_options(false);          // /name is a file
  app.set_version_flag("--version",
                       fmt::format("acutance {} (scores and logs of libvmaf {})", kVersion, kLibvmafVersion));
  app.require_subcommand(1);

  std::vector<std::pair<CLI::App*, std::function<int()>>> commands;
  const auto add = [&](const char* name, const char* help, std::function<int()> run) -> CLI::App& {
    return *commands.emplace_back(app.add_subcommand(name, help), std::move(run)).first;
  };
  // Options of a command that is not named are not needed, and those of `score` take a millisecond to add.
  const auto is_named = [&](const CLI::App& command) { return argc > 1 && command.get_name() == argv[1]; };
  EncodesTexts texts;
  CLI::App& score = add("score", "Score distorted videos against their reference", [&] { return Score(texts.score); });
  if (is_named(score)) AddScoreOptions(score, texts.score);
  LookTexts look_texts;
  CLI::App& look = add("look", "Compare frames by eye, in a browser", [&] { return Look(look_texts, texts.score); });
  if (is_named(look)) AddLookOptions(look, look_texts, texts.score);
  CLI::App& compare = add("compare", "Compare encodes of one reference", [&] { return RunCompareCommand(texts); });
  if (is_named(compare)) AddCompareOptions(compare, texts);
  CLI::App& ladder = add("ladder", "Rate-quality curves, hulls and BD-rates", [&] { return RunLadderCommand(texts); });
  if (is_named(ladder)) AddLadderOptions(ladder, texts);
  AddBdOptions(add("bd", "Hulls and BD-rates of known points", [&] { return RunBdCommand(texts); }), texts);
  CtcTexts ctc_texts;
  AddCtcOptions(add("ctc", "Score releases, and compare them, as AVM does", [&] { return RunCtcCommand(ctc_texts); }),
                ctc_texts);
  FitTexts fit_texts;
  AddFitOptions(add("fit", "Compare scores with opinions, and train models", [&] { return RunFitCommand(fit_texts); }),
                fit_texts);
  BatchTexts batch_texts;
  AddBatchOptions(
      add("batch", "Score the pairs of a list, several at a time", [&] { return RunBatchCommand(batch_texts); }),
      batch_texts);
  ServeTexts serve_texts;
  AddServeOptions(
      add("serve", "Score on request, with references cached in memory", [&] { return RunServeCommand(serve_texts); }),
      serve_texts);
  std::vector<std::string> journals;
  CLI::App& join = add("join", "Make a run's scores from the journals of its parts",
                       [&] { return RunJoinCommand(journals, texts.score); });
  Add(join, "journals", journals, "JOURNAL",
      "Files of `acutance score --frames FIRST:END --journal FILE`, in any order")
      ->required();
  AddLogOptions(join, texts.score);
  VerifyTexts verify_texts;
  CLI::App& verify =
      add("verify", "Check a receipt or a log by scoring frames again", [&] { return RunVerifyCommand(verify_texts); });
  if (is_named(verify)) AddVerifyOptions(verify, verify_texts);
  DiffTexts diff_texts;
  AddDiffOptions(add("diff", "What got worse between two results", [&] { return RunDiffCommand(diff_texts); }),
                 diff_texts);
  DoctorTexts doctor_texts;
  AddDoctorOptions(add("doctor", "Diagnose mismatched videos", [&] { return RunDoctorCommand(doctor_texts); }),
                   doctor_texts);
  std::string feature;
  Add(add("features", "List the features, or one's outputs and options", [&] { return Features(feature); }), "name",
      feature, "NAME", "A feature");
  add("models", "List the built-in models", [] { return PrintText(DescribeModels()); });
  add("devices", "List the GPUs, and why a backend has none", [] { return PrintText(DescribeDevices()); });
  DeviceTexts device;
  std::string report;
  CLI::App& selftest = add("selftest", "Run known-answer tests on every device", [&] {
    return OnDevices("selftest", device,
                     [&](const DeviceChoice& choice) { return RunSelfTestCommand(choice, report); });
  });
  AddDeviceOptions(selftest, "all", device);
  Add(selftest, "--report", report, "FILE", "Also time every feature, and write results and times to FILE as JSON");
  std::vector<std::string> tuned;
  CLI::App& tune = add("tune", "Time every block shape and batch on a device", [&] {
    return OnDevices("tune", device, [&](const DeviceChoice& choice) { return RunTuneCommand(choice, tuned); });
  });
  AddDeviceOptions(tune, "the first with a GPU", device);
  Add(tune, "-f,--feature", tuned, "FEATURE", "A feature to time (default: all with a device plan)")
      ->allow_extra_args(false);
  ParityArgs parity_args;
  AddParityOptions(
      add("parity", "Compare every backend with the CPU on a pair", [&] { return RunParityCommand(parity_args); }),
      parity_args);
  ConformTexts conform_texts;
  AddConformOptions(
      add("conform", "Compare a program's scores with golden values", [&] { return RunConformCommand(conform_texts); }),
      conform_texts);
  ExplainTexts explain_texts;
  AddExplainOptions(
      add("explain", "Find out how another tool's log was made", [&] { return RunExplainCommand(explain_texts); }),
      explain_texts);
  PlanRequest plan_request;
  AddPlanOptions(add("plan", "Print the launches and buffers of a feature", [&] { return PrintPlan(plan_request); }),
                 plan_request);
  // This follows the commands, which would inherit it.
  app.footer("\nExample: acutance score reference.mp4 encode.mkv\n`acutance COMMAND --help` describes a command.");

  // What follows -- is for another command: `acutance score`, or a program under test.
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "batch" || first == "conform" || first == "ctc") {
    char** const end = std::find(argv, argv + argc, std::string_view("--"));
    std::vector<std::string>& rest = first == "batch" ? batch_texts.options
                                     : first == "ctc" ? ctc_texts.options
                                                      : conform_texts.tool;
    for (char** option = end; option + 1 < argv + argc; ++option) rest.emplace_back(option[1]);
    argc = static_cast<int>(end - argv);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return error.get_exit_code() == 0 ? app.exit(error) : ParseFailure(app, error, argc > 1 ? argv[1] : "");
  }
  for (const auto& [command, run] : commands)
    if (command->parsed()) return run();
  return kOk;
}

}  // namespace

int RunProgram(int argc, char** argv) {
  try {
    const int status = RunCommandLine(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    fmt::print(stderr, "acutance: could not write the results to standard output\n");
  } catch (const std::system_error& error) {
    const bool is_output = std::ferror(stdout) != 0;  // fmt::print says "file"
    std::fprintf(stderr, "acutance: %s\n",
                 is_output ? ("could not write the results to standard output: " + error.code().message()).c_str()
                           : error.what());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "acutance: %s\n", error.what());
  }
  return kFailed;
}

}  // namespace acutance::cli
