#include "cli/score_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "align/align_tracks.h"
#include "base/trace.h"
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

SummaryChoice ChoiceOf(const ScoreRequest& request) {
  return {.reference = request.run.reference,
          .distorted = request.run.distorted,
          .threads = request.run.threads,
          .pools = request.pools,
          .segments = request.segments,
          .requirements = request.requirements};
}

Status CheckOutputs(const ScoreRequest& request) {
  std::vector<std::string> videos = request.run.distorted;
  videos.push_back(request.run.reference);
  for (const std::string& output : request.outputs) ACU_RETURN_IF_ERROR(OutputFile::Check(output, videos));
  if (!request.junit.empty()) ACU_RETURN_IF_ERROR(OutputFile::Check(request.junit, videos));
  for (const std::string& output : request.pairs_outputs) ACU_RETURN_IF_ERROR(OutputFile::Check(output, videos));
  if (!request.report.empty()) ACU_RETURN_IF_ERROR(OutputFile::Check(request.report, videos));
  if (request.worst > 0 || request.maps_video) ACU_RETURN_IF_ERROR(MakeMapFolder(request.maps));
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

Status WriteLogs(const ScoreRequest& request, const ScoredRun& result) {
  for (size_t d = 0; d < request.outputs.size(); ++d)
    ACU_RETURN_IF_ERROR(WriteLogFile(request.outputs[d], request.format,
                                     {result.session->scores(static_cast<int>(d)), result.frames, request.run.subsample,
                                      kLibvmafVersion, static_cast<double>(result.frames) / result.seconds,
                                      result.format.width, result.format.height, request.numbers}));
  for (size_t d = 0; d < request.pairs_outputs.size(); ++d)
    ACU_RETURN_IF_ERROR(WritePairs(request.pairs_outputs[d], result, d));
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

void PrintTables(const ScoreRequest& request, const ScoredRun& result, const Summary& summary) {
  const PictureFormat& format = result.format;
  fmt::print("reference  {}  {}x{}, {} bit, {}\n", request.run.reference, format.width, format.height, format.bit_depth,
             PixelFormatName(format.pixel_format));
  fmt::print("{}", StreamLine(summary, 0));
  for (const std::string& reason : result.model_reasons) fmt::print("model      {}\n", reason);
  for (size_t d = 0; d < request.run.distorted.size(); ++d)
    fmt::print("distorted  {}\n{}{}\n{}\n", request.run.distorted[d], StreamLine(summary, d + 1),
               result.alignments.empty() ? "" : "pairs      " + result.alignments[d].Describe() + "\n",
               PooledTable(*result.session, static_cast<int>(d), summary, request.pools, request.all_features));
  if (request.segments) fmt::print("{}\n", PartsTable("segments", *summary.segments, *result.session, summary));
  if (request.shots && summary.shots) fmt::print("{}\n", PartsTable("shots", *summary.shots, *result.session, summary));
  if (request.run.distorted.size() > 1 && !result.session->models().empty())
    fmt::print("{}\n", ComparisonTable(*result.session, request.run.distorted, result.frames));
  if (result.restored > 0) fmt::print("{} frames were in {}\n", result.restored, request.run.journal);
  const int64_t computed = result.frames - result.restored;
  fmt::print("{} frames in {:.2f} s: {:.1f} frames/s, {} thread{}{}{}\n", computed, result.seconds,
             static_cast<double>(computed) / result.seconds, request.run.threads, request.run.threads == 1 ? "" : "s",
             DescribeLanes(*result.session), result.decoded_by_nvdec ? ", decoded by NVDEC" : "");
}

/// Sentences for a person; the exit status.
int PrintVerdicts(const ScoreRequest& request, const Summary& summary, bool was_stopped) {
  int failed = 0;
  for (const Verdict& verdict : summary.verdicts) {
    if (verdict.holds) continue;
    ++failed;
    fmt::print(stderr, "acutance: {}\n", verdict.Sentence());
  }
  if (was_stopped)
    fmt::print(stderr, "acutance: stopped after {} frames{}\n", summary.frame_count,
               request.outputs.empty() ? "" : "; no log is written");
  if (failed > 0) return kNotReached;
  if (!summary.verdicts.empty() && !request.json && !request.stream_frames)
    fmt::print("{}\n", summary.verdicts.size() == 1 ? "the requirement holds"
                                                    : fmt::format("all {} requirements hold", summary.verdicts.size()));
  return kOk;
}

Status WriteJunit(const ScoreRequest& request, const Summary& summary) {
  if (request.junit.empty()) return {};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(request.junit));
  file->Write(JunitXml(summary));
  return file->Commit();
}

void PrintSummary(const ScoreRequest& request, const ScoredRun& result, const Summary& summary) {
  if (request.stream_frames) {
    fmt::print("{}", SummaryLine(summary));
  } else if (request.json) {
    fmt::print("{}", SummaryJson(summary));
  } else {
    PrintTables(request, result, summary);
  }
}

Status WriteReport(const ScoreRequest& request, const ScoredRun& result, const Summary& summary,
                   const std::string& encodes_part) {
  if (request.report.empty()) return {};
  const std::time_t now = std::time(nullptr);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(request.report));
  file->Write(
      ReportPage(summary, ViewOf(result),
                 {.receipt = {fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))}, .encodes_part = encodes_part}));
  return file->Commit();
}

}  // namespace

Status WriteOutputs(const ScoreRequest& request, const ScoredRun& result, const Summary& summary,
                    const std::string& encodes_part) {
  ACU_RETURN_IF_ERROR(WriteLogs(request, result));
  ACU_RETURN_IF_ERROR(WriteJunit(request, summary));
  ACU_RETURN_IF_ERROR(WriteReport(request, result, summary, encodes_part));
  return request.worst > 0 ? WriteWorstMaps(request.maps, request.worst, request.run.threads, ViewOf(result))
                           : Status();
}

int JudgeOutputs(const ScoreRequest& request, const Summary& summary) { return PrintVerdicts(request, summary, false); }

int ReportScores(const ScoreRequest& request, const ScoredRun& result, bool was_stopped) {
  const Result<Summary> summary = MakeSummary(ChoiceOf(request), ViewOf(result));
  if (!summary.ok()) {
    fmt::print(stderr, "acutance: {}\n", summary.status().message());
    return kUsage;
  }
  if (result.error) {
    // Only a part of the video was scored: people see it, but no document is left that looks whole.
    if (!request.json && !request.stream_frames) PrintTables(request, result, *summary);
    fmt::print(stderr, "acutance: only the first {} frames were scored{}\n", result.frames,
               request.outputs.empty() ? "" : "; no log is written");
    return kFailed;
  }
  const Status written = was_stopped ? WriteJunit(request, *summary) : WriteOutputs(request, result, *summary);
  PrintSummary(request, result, *summary);
  if (!written.ok()) {
    fmt::print(stderr, "acutance: {}\n", written.message());
    return kFailed;
  }
  if (!request.json && !request.stream_frames && !was_stopped)
    for (const std::string& output : request.outputs) fmt::print("log: {}\n", output);
  if (!request.json && !request.stream_frames && !was_stopped && !request.report.empty())
    fmt::print("report: {}\n", request.report);
  return PrintVerdicts(request, *summary, was_stopped);
}

namespace {

/// A part of a run has no scores to show.
int ReportPart(const ScoreRequest& request, const ScoredRun& result) {
  fmt::print(request.json || request.stream_frames ? stderr : stdout,
             "frames {} to {} are in {}; `acutance join` makes the scores of all parts\n", request.run.skip_reference,
             result.frames - 1, request.run.journal);
  return result.error ? kFailed : kOk;
}

int ScoreAndReport(const ScoreRequest& request) {
  if (request.has_gate) return RunMeanGate(request);
  if (const Status status = CheckOutputs(request); !status.ok()) {
    fmt::print(stderr, "acutance: {}\n", status.message());
    return kFailed;
  }
  WatchInterrupt();
  Progress progress(request.quiet || request.stream_frames);
  RunRequest run = request.run;
  FrameStream stream;
  FrameGate gate(request.requirements, request.fail_fast);
  Status names;
  run.on_start = [&](const Session& session) {
    stream.Restart();
    gate.Restart();
    return names = CheckNames(request.requirements, session);
  };
  run.on_frame = [&](const Session& session, std::optional<int64_t> total) {
    if (request.stream_frames) stream.Update(session, total);
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
  run.on_warning = [&](const std::string& warning) {
    if (request.stream_frames) stream.Warn(warning);
    else progress.Note("acutance: warning: " + warning);
  };
  const ScoredRun result = LoadModelsAndRun(std::move(run));
  progress.Clear();
  if (result.error) fmt::print(stderr, "acutance: {}\n", result.error->status.message());
  if (!names.ok()) return kUsage;
  if (!result.session) return result.error->status.code() == StatusCode::kCancelled ? kInterrupted : kFailed;
  if (result.is_part) return ReportPart(request, result);
  if (request.stream_frames) stream.Finish(*result.session, result.frames);
  return ReportScores(request, result, gate.has_stopped());
}

}  // namespace

int RunScoreCommand(const ScoreRequest& request) {
  Status traced = request.trace.empty() ? Status() : Trace::Start(request.trace);
  const int status = traced.ok() ? ScoreAndReport(request) : kFailed;
  if (traced.ok()) traced = Trace::Stop();
  if (traced.ok()) return status;
  fmt::print(stderr, "acutance: {}\n", traced.message());
  return kFailed;
}

}  // namespace acutance::cli
