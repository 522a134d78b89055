#include "cli/score_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "align/align_tracks.h"
#include "cli/exit_status.h"
#include "cli/frame_watch.h"
#include "cli/mean_gate.h"
#include "cli/score_table_text.h"
#include "cli/spec_run.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "log/log_writer.h"
#include "log/output_file.h"
#include "report/junit.h"
#include "report/map_films.h"
#include "report/run_maps.h"
#include "report/run_page.h"
#include "report/summary.h"

namespace acutance::cli {
RunRequest MakeRequest(const ScoreArgs& args) {
  RunRequest request;
  request.reference = args.reference;
  request.distorted = args.distorted;
  request.open.raw = args.raw;
  request.open.raw_is_semi_planar = args.raw_is_semi_planar;
  request.open.film_grain = args.film_grain;
  request.open.decoder_threads = args.threads > 1 ? 0 : 1;
  request.decoder = args.decoder;
  request.choose_models = args.choose_models;
  request.check_model_sizes = true;
  request.features = args.features;
  request.threads = args.threads;
  request.subsample = args.subsample;
  request.skip_reference = args.first_frame;
  request.skip_distorted = args.first_frame;
  request.frame_limit = args.frame_count;
  request.journal = args.journal;
  if (args.maps_video) request.pairs = MakeMapFilms(args.maps, args.threads);
  else if (args.worst == 0) request.maps = args.maps;
  request.worst_frames = std::max(args.worst, args.report.empty() ? 0 : FramesShownOf(args.distorted.size()));
  request.find_shots = args.shots || args.json || args.stream_frames || !args.report.empty();
  request.pairing = args.pairing;
  request.open.take_all = true;
  request.fit.size = args.size;
  request.fit.deinterlace = args.deinterlace;
  request.crop = args.crop;
  request.fit.force = args.force;
  request.device = args.device;
  request.max_device_memory = args.max_vram;
  request.max_memory = args.max_memory;
  request.verify = args.verify;
  return request;
}

SummaryChoice ChoiceOf(const ScoreArgs& args) {
  return {.reference = args.reference,
          .distorted = args.distorted,
          .threads = args.threads,
          .is_whole = args.first_frame == 0 && args.frame_count == 0,
          .pools = args.pools,
          .segments = args.segments,
          .requirements = args.requirements};
}

Status CheckOutputs(const ScoreArgs& args) {
  std::vector<std::string> videos = args.distorted;
  videos.push_back(args.reference);
  for (const std::string& output : args.outputs) ACU_RETURN_IF_ERROR(OutputFile::Check(output, videos));
  if (!args.junit.empty()) ACU_RETURN_IF_ERROR(OutputFile::Check(args.junit, videos));
  for (const std::string& output : args.pairs_out) ACU_RETURN_IF_ERROR(OutputFile::Check(output, videos));
  if (!args.report.empty()) ACU_RETURN_IF_ERROR(OutputFile::Check(args.report, videos));
  if (args.worst > 0 || args.maps_video) ACU_RETURN_IF_ERROR(MakeMapFolder(args.maps));
  return {};
}

namespace {

/// Without an alignment frames are paired by their order.
Status WritePairs(const std::string& path, const ScoredRun& result, size_t video) {
  const Alignment alignment =
      result.alignments.empty() ? AlignByOffset(result.frames, result.frames, 0) : result.alignments[video];
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(path));
  file->Write(PairsCsv(alignment.pairs));
  return file->Commit();
}

Status WriteLogs(const ScoreArgs& args, const ScoredRun& result, const NumberFormat& numbers) {
  for (size_t d = 0; d < args.outputs.size(); ++d)
    ACU_RETURN_IF_ERROR(WriteLogFile(
        args.outputs[d], args.format,
        {result.session->scores(static_cast<int>(d)), result.frames, args.subsample, kLibvmafVersion,
         static_cast<double>(result.frames) / result.seconds, result.format.width, result.format.height, numbers}));
  for (size_t d = 0; d < args.pairs_out.size(); ++d) ACU_RETURN_IF_ERROR(WritePairs(args.pairs_out[d], result, d));
  return {};
}

/// " and 2 x NVIDIA H200 (cuda, 512 MB each)"; empty: the CPU alone.
std::string DescribeLanes(const Session& session) {
  if (session.lanes().empty()) return "";
  const DeviceLane& first = *session.lanes().front();
  const size_t count = session.lanes().size();
  return fmt::format(" and {}{} ({}, {} MB{})", count > 1 ? fmt::format("{} x ", count) : "", first.info().name,
                     first.info().backend, first.memory_bytes() >> 20, count > 1 ? " each" : "");
}

/// What the stream of a video tells, on a line of its own.
std::string StreamLine(const Summary& summary, size_t video) {
  const std::string text = summary.inputs.size() > video ? Describe(summary.inputs[video]) : "";
  return text.empty() ? "" : "           " + text + "\n";
}

void PrintTables(const ScoreArgs& args, const ScoredRun& result, const Summary& summary) {
  const PictureFormat& format = result.format;
  fmt::print("reference  {}  {}x{}, {} bit, {}\n", args.reference, format.width, format.height, format.bit_depth,
             PixelFormatName(format.pixel_format));
  fmt::print("{}", StreamLine(summary, 0));
  for (const std::string& reason : result.model_reasons) fmt::print("model      {}\n", reason);
  for (size_t d = 0; d < args.distorted.size(); ++d)
    fmt::print("distorted  {}\n{}{}\n{}\n", args.distorted[d], StreamLine(summary, d + 1),
               result.alignments.empty() ? "" : "pairs      " + result.alignments[d].Describe() + "\n",
               PooledTable(*result.session, static_cast<int>(d), summary, args.pools, args.all_features));
  if (args.segments) fmt::print("{}\n", PartsTable("segments", *summary.segments, *result.session, summary));
  if (args.shots && summary.shots) fmt::print("{}\n", PartsTable("shots", *summary.shots, *result.session, summary));
  if (args.distorted.size() > 1 && !result.session->models().empty())
    fmt::print("{}\n", ComparisonTable(*result.session, args.distorted, result.frames));
  if (result.restored > 0) fmt::print("{} frames were in {}\n", result.restored, args.journal);
  const int64_t computed = result.frames - result.restored;
  fmt::print("{} frames in {:.2f} s: {:.1f} frames/s, {} thread{}{}{}\n", computed, result.seconds,
             static_cast<double>(computed) / result.seconds, args.threads, args.threads == 1 ? "" : "s",
             DescribeLanes(*result.session), result.decoded_by_nvdec ? ", decoded by NVDEC" : "");
}

/// Sentences for a person; the exit status.
int PrintVerdicts(const ScoreArgs& args, const Summary& summary, bool was_stopped) {
  int failed = 0;
  for (const Verdict& verdict : summary.verdicts) {
    if (verdict.holds) continue;
    ++failed;
    fmt::print(stderr, "acutance: {}\n", verdict.Sentence());
  }
  if (was_stopped)
    fmt::print(stderr, "acutance: stopped after {} frames{}\n", summary.frame_count,
               args.outputs.empty() ? "" : "; no log is written");
  if (failed > 0) return kNotReached;
  if (!summary.verdicts.empty() && !args.json && !args.stream_frames)
    fmt::print("{}\n", summary.verdicts.size() == 1 ? "the requirement holds"
                                                    : fmt::format("all {} requirements hold", summary.verdicts.size()));
  return kOk;
}

Status WriteJunit(const ScoreArgs& args, const Summary& summary) {
  if (args.junit.empty()) return {};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(args.junit));
  file->Write(JunitXml(summary));
  return file->Commit();
}

void PrintSummary(const ScoreArgs& args, const ScoredRun& result, const Summary& summary) {
  if (args.stream_frames) {
    fmt::print("{}", SummaryLine(summary));
  } else if (args.json) {
    fmt::print("{}", SummaryJson(summary));
  } else {
    PrintTables(args, result, summary);
  }
}

Status WriteReport(const ScoreArgs& args, const ScoredRun& result, const Summary& summary,
                   const std::string& encodes_part) {
  if (args.report.empty()) return {};
  const std::time_t now = std::time(nullptr);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(args.report));
  file->Write(
      ReportPage(summary, ViewOf(result),
                 {.receipt = {fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))}, .encodes_part = encodes_part}));
  return file->Commit();
}

}  // namespace

Status WriteOutputs(const ScoreArgs& args, const ScoredRun& result, const Summary& summary, const NumberFormat& numbers,
                    const std::string& encodes_part) {
  ACU_RETURN_IF_ERROR(WriteLogs(args, result, numbers));
  ACU_RETURN_IF_ERROR(WriteJunit(args, summary));
  ACU_RETURN_IF_ERROR(WriteReport(args, result, summary, encodes_part));
  return args.worst > 0 ? WriteWorstMaps(args.maps, args.worst, args.threads, ViewOf(result)) : Status();
}

int JudgeOutputs(const ScoreArgs& args, const Summary& summary) { return PrintVerdicts(args, summary, false); }

int ReportScores(const ScoreArgs& args, const ScoredRun& result, const NumberFormat& numbers, bool was_stopped) {
  const Result<Summary> summary = MakeSummary(ChoiceOf(args), ViewOf(result));
  if (!summary.ok()) {
    fmt::print(stderr, "acutance: {}\n", summary.status().message());
    return kUsage;
  }
  if (result.error) {
    // Only a part of the video was scored: people see it, but no document is left that looks whole.
    if (!args.json && !args.stream_frames) PrintTables(args, result, *summary);
    fmt::print(stderr, "acutance: only the first {} frames were scored{}\n", result.frames,
               args.outputs.empty() ? "" : "; no log is written");
    return kFailed;
  }
  const Status written = was_stopped ? WriteJunit(args, *summary) : WriteOutputs(args, result, *summary, numbers);
  PrintSummary(args, result, *summary);
  if (!written.ok()) {
    fmt::print(stderr, "acutance: {}\n", written.message());
    return kFailed;
  }
  if (!args.json && !args.stream_frames && !was_stopped)
    for (const std::string& output : args.outputs) fmt::print("log: {}\n", output);
  if (!args.json && !args.stream_frames && !was_stopped && !args.report.empty())
    fmt::print("report: {}\n", args.report);
  return PrintVerdicts(args, *summary, was_stopped);
}

namespace {

/// A part of a run has no scores to show.
int ReportPart(const ScoreArgs& args, const ScoredRun& result) {
  fmt::print(args.json || args.stream_frames ? stderr : stdout,
             "frames {} to {} are in {}; `acutance join` makes the scores of all parts\n", args.first_frame,
             result.frames - 1, args.journal);
  return result.error ? kFailed : kOk;
}

}  // namespace

int RunScoreCommand(const ScoreArgs& args) {
  const Result<NumberFormat> numbers = NumberFormat::Parse(args.precision);
  if (!numbers.ok()) {
    fmt::print(stderr, "acutance score: {}\n", numbers.status().message());
    return kUsage;
  }
  if (args.mean_gate) return RunMeanGate(args);
  if (const Status status = CheckOutputs(args); !status.ok()) {
    fmt::print(stderr, "acutance: {}\n", status.message());
    return kFailed;
  }
  WatchInterrupt();
  Progress progress(args.quiet || args.stream_frames);
  RunRequest request = MakeRequest(args);
  FrameStream stream;
  FrameGate gate(args.requirements, args.fail_fast);
  Status names;
  request.on_start = [&](const Session& session) {
    stream.Restart();
    gate.Restart();
    return names = CheckNames(args.requirements, session);
  };
  request.on_frame = [&](const Session& session, std::optional<int64_t> total) {
    if (args.stream_frames) stream.Update(session, total);
    if (gate.MustStop(session)) return FrameAction::kStopAfterAlignmentCheck;
    if (!progress.IsDue()) return FrameAction::kContinue;
    Progress::State state{session.frames_done(), total, {}, {}, session.first_frame()};
    if (!session.models().empty()) {
      state.label = session.models()[0].model().name;
      state.score = session.RunningMean(0, 0);
    }
    progress.Update(state);
    return FrameAction::kContinue;
  };
  request.on_warning = [&](const std::string& warning) {
    if (args.stream_frames) stream.Warn(warning);
    else progress.Note("acutance: warning: " + warning);
  };
  const ScoredRun result = LoadModelsAndRun(std::move(request), args.models);
  progress.Clear();
  if (result.error) fmt::print(stderr, "acutance: {}\n", result.error->status.message());
  if (!names.ok()) return kUsage;
  if (!result.session) return result.error->status.code() == StatusCode::kCancelled ? kInterrupted : kFailed;
  if (result.is_part) return ReportPart(args, result);
  if (args.stream_frames) stream.Finish(*result.session, result.frames);
  return ReportScores(args, result, *numbers, gate.has_stopped());
}

}  // namespace acutance::cli
