// `vmaf`: libvmaf's command with its flags (docs/spec/system.md 5), on acutance's engine.
#include "cli/vmaf_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "cli/list_commands.h"
#include "cli/spec_run.h"
#include "cli/terminal.h"
#include "cli/vmaf_args.h"
#include "log/log_writer.h"
#include "log/output_file.h"
#include "stats/pooling.h"

namespace acutance::cli {
namespace {

enum ExitStatus { kOk = 0, kUsage = 1, kBackend = 100, kRunFailed = 234, kSetupFailed = 255 };

int UsageError(const Status& status) {
  fmt::print(stderr, "{}\n\n{}", status.message(), VmafUsage());
  return kUsage;
}

/// Prints libvmaf's message for the failed step, then acutance's reason.
int ReportError(const VmafArgs& args, const RunError& error) {
  const std::string& reason = error.status.message();
  const auto fail = [&](const std::string& message, int status) {
    fmt::print(stderr, "{}{}\n", message, reason);
    return status;
  };
  switch (error.stage) {
    case RunStage::kModel:
      return fail("problem loading model: ", kSetupFailed);
    case RunStage::kReference:
      return fail(fmt::format("problem with reference file: {}\n", args.run.reference), kSetupFailed);
    case RunStage::kDistorted:
      return fail(fmt::format("problem with distorted file: {}\n", args.run.distorted.front()), kSetupFailed);
    case RunStage::kPair:
      if (error.tool_words.empty()) return fail("", kSetupFailed);  // not a mismatch, such as too little memory
      fmt::print(stderr, "{}\nvideos are incompatible, {} problem(s).\n", error.tool_words,
                 1 + std::ranges::count(error.tool_words, '\n'));
      return kSetupFailed;
    case RunStage::kBackend:
      return fail("", kBackend);
    case RunStage::kSession:
      return fail("problem loading feature extractor: ", kSetupFailed);
    case RunStage::kRead:
      return fail("problem while reading pictures: ", kRunFailed);
    case RunStage::kStart:  // libvmaf's extractors meet the pictures with the first frame
    case RunStage::kScore:
      return fail("problem reading pictures: ", kRunFailed);
  }
  return kSetupFailed;
}

/// Prints the scores on a terminal, and nothing on a pipe: scripts read the log
/// (docs/spec/system.md 5.2).
void PrintScores(const VmafArgs& args, const ScoredRun& result, const NumberFormat& numbers) {
  if (!IsTerminal(kStandardError) || (args.quiet && !args.output.empty())) return;
  const ScoreTable& table = result.session->scores(0);
  const FrameRange range{0, result.frames - 1, args.run.subsample};
  const std::vector<ModelRun>& models = result.session->models();
  auto collection =
      models.begin() + static_cast<std::ptrdiff_t>(args.run.choice.specs.size());  // after the single ones
  for (size_t m = 0; m < args.run.choice.specs.size(); ++m) {
    const bool is_collection = collection != models.end() && collection->model().name == models[m].model().name;
    const ModelRun& model = is_collection ? *collection++ : models[m];
    if (!model.predicts()) continue;
    std::vector<double> means;
    for (const std::string& key : model.score_keys()) {
      const auto mean = Pool(table.columns()[table.Find(key)], range, Pooling::kMean);
      means.push_back(mean.value_or(std::nan("")));
    }
    const auto text = [&](size_t from_end) { return numbers.Format(means[means.size() - from_end]); };
    if (model.model().is_collection()) {
      fmt::print(stderr, "{}: {}, ci.p95: [{}, {}], stddev: {}\n", args.run.choice.specs[m].label(), text(4), text(2),
                 text(1), text(3));
    } else {
      fmt::print(stderr, "{}: {}\n", args.run.choice.specs[m].label(), text(1));
    }
  }
}

int OutputError(const VmafArgs& args, const Status& status) {
  fmt::print(stderr, "could not open file: {}\n{}\n", args.output, status.message());
  return kSetupFailed;
}

int Score(const VmafArgs& args, const NumberFormat& numbers) {
  if (!args.output.empty()) {
    const Status status = OutputFile::Check(args.output, std::vector{args.run.reference, args.run.distorted.front()});
    if (!status.ok()) return OutputError(args, status);
  }
  RunRequest request = args.run;
  Progress progress(args.quiet || !IsTerminal(kStandardError));
  request.on_frame = [&](const Session& session, std::optional<int64_t> total) {
    ShowProgress(session, total, progress);
    return FrameAction::kContinue;
  };
  if (!args.quiet && IsTerminal(kStandardError)) fmt::print(stderr, "VMAF version {}\n", kLibvmafVersion);
  request.on_warning = [&](const std::string& warning) { progress.Note("\n" + warning); };
  const ScoredRun result = LoadModelsAndRun(std::move(request), UnknownOptions::kIgnored, args.predict);
  progress.Clear();
  const int status = result.error ? ReportError(args, *result.error) : kOk;
  if (!result.session) return status;

  PrintScores(args, result, numbers);
  if (result.error) {
    fmt::print(stderr, "{} whole frames were scored; no log is written\n", result.frames);
    return status;
  }
  if (args.output.empty()) return kOk;
  const Status written = WriteLogFile(args.output, args.format,
                                      {result.session->scores(0), result.frames, args.run.subsample, kLibvmafVersion,
                                       static_cast<double>(result.frames) / result.seconds, result.format.width,
                                       result.format.height, numbers, DamagesOf(result.inputs, 0)});
  return written.ok() ? kOk : OutputError(args, written);
}

int Print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) return kOk;
  fmt::print(stderr, "could not write to standard output\n");
  return kSetupFailed;
}

int Main(int argc, char** argv) {
  const Result<VmafArgs> args = ParseVmafArgs(argc, argv);
  if (!args.ok()) return UsageError(args.status());
  switch (args->action) {
    case VmafArgs::Action::kPrintVersion:
      fmt::print(stderr, "{}\n", kLibvmafVersion);
      return kOk;
    case VmafArgs::Action::kPrintHelp:
      return Print(VmafUsage());
    case VmafArgs::Action::kListBackends:
      return Print(ListBackendsJson());
    case VmafArgs::Action::kScore:
      break;
  }
  const Result<NumberFormat> numbers = NumberFormat::Parse(args->precision);
  if (!numbers.ok()) return UsageError(numbers.status());
  return Score(*args, *numbers);
}

}  // namespace

int RunVmaf(int argc, char** argv) {
  try {
    return Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "vmaf: {}\n", error.what());
    return kRunFailed;
  }
}

}  // namespace acutance::cli
