#include "cli/score_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <utility>

#include "align/align_tracks.h"
#include "cli/score_maps.h"
#include "cli/score_page.h"
#include "cli/score_table_text.h"
#include "cli/spec_run.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "report/log_writer.h"
#include "report/output_file.h"
#include "report/summary.h"

namespace acutance::cli {
namespace {

enum ExitStatus { kOk = 0, kFailed = 1, kUsage = 2, kInterrupted = 130 };

RunRequest MakeRequest(const ScoreArgs& args) {
  RunRequest request;
  request.reference = args.reference;
  request.distorted = args.distorted;
  request.open.raw = args.raw;
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
  if (args.worst == 0) request.maps = args.maps;
  request.worst_frames = std::max(args.worst, args.report.empty() ? 0 : FramesShownOf(args.distorted.size()));
  request.pairing = args.pairing;
  request.fit.size = args.size;
  request.crop = args.crop;
  request.fit.force = args.force;
  request.device = args.device;
  request.max_device_memory = args.max_vram;
  request.max_memory = args.max_memory;
  request.verify = args.verify;
  return request;
}

}  // namespace

Status CheckOutputs(const ScoreArgs& args) {
  std::vector<std::string> videos = args.distorted;
  videos.push_back(args.reference);
  for (const std::string& output : args.outputs) ACU_RETURN_IF_ERROR(OutputFile::Check(output, videos));
  for (const std::string& output : args.pairs_out) ACU_RETURN_IF_ERROR(OutputFile::Check(output, videos));
  if (!args.report.empty()) ACU_RETURN_IF_ERROR(OutputFile::Check(args.report, videos));
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

void PrintTables(const ScoreArgs& args, const ScoredRun& result) {
  const PictureFormat& format = result.format;
  fmt::print("reference  {}  {}x{}, {} bit, {}\n", args.reference, format.width, format.height, format.bit_depth,
             PixelFormatName(format.pixel_format));
  for (const std::string& reason : result.model_reasons) fmt::print("model      {}\n", reason);
  for (size_t d = 0; d < args.distorted.size(); ++d)
    fmt::print("distorted  {}\n{}\n{}\n", args.distorted[d],
               result.alignments.empty() ? "" : "pairs      " + result.alignments[d].Describe() + "\n",
               PooledTable(*result.session, static_cast<int>(d), result.frames));
  if (args.distorted.size() > 1 && !result.session->models().empty())
    fmt::print("{}\n", ComparisonTable(*result.session, args.distorted, result.frames));
  if (result.restored > 0) fmt::print("{} frames were in {}\n", result.restored, args.journal);
  const int64_t computed = result.frames - result.restored;
  fmt::print("{} frames in {:.2f} s: {:.1f} frames/s, {} thread{}{}{}\n", computed, result.seconds,
             static_cast<double>(computed) / result.seconds, args.threads, args.threads == 1 ? "" : "s",
             DescribeLanes(*result.session), result.decoded_by_nvdec ? ", decoded by NVDEC" : "");
}

Summary MakeSummary(const ScoreArgs& args, const ScoredRun& result) {
  const PictureFormat& format = result.format;
  Summary summary{kVersion,
                  args.reference,
                  format.width,
                  format.height,
                  format.bit_depth,
                  PixelFormatName(format.pixel_format),
                  result.frames,
                  args.subsample,
                  result.seconds,
                  args.threads,
                  {},
                  {},
                  result.warnings,
                  result.model_reasons};
  for (const ModelRun& model : result.session->models())
    for (const std::string& key : model.score_keys()) summary.models.push_back({key, model.model().source});
  for (const auto& lane : result.session->lanes())
    summary.devices.push_back(
        {lane->info().backend, lane->info().index, lane->info().name, lane->batch(), lane->memory_bytes()});
  for (size_t d = 0; d < args.distorted.size(); ++d)
    summary.videos.push_back({args.distorted[d], &result.session->scores(static_cast<int>(d)),
                              result.alignments.empty() ? nullptr : &result.alignments[d]});
  return summary;
}

Status WriteReport(const ScoreArgs& args, const ScoredRun& result, const Summary& summary) {
  if (args.report.empty()) return {};
  const std::time_t now = std::time(nullptr);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(args.report));
  file->Write(ReportPage(summary, result, {fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(now))}));
  return file->Commit();
}

}  // namespace

int ReportScores(const ScoreArgs& args, const ScoredRun& result, const NumberFormat& numbers) {
  if (result.error) {
    // Only a part of the video was scored: it is shown, but no log is left that looks whole.
    PrintTables(args, result);
    fmt::print(stderr, "acutance: only the first {} frames were scored{}\n", result.frames,
               args.outputs.empty() ? "" : "; no log is written");
    return kFailed;
  }
  Status written = WriteLogs(args, result, numbers);
  const Summary summary = MakeSummary(args, result);
  if (written.ok()) written = WriteReport(args, result, summary);
  if (written.ok() && args.worst > 0) written = WriteWorstMaps(args.maps, args.worst, result);
  if (args.json) {
    fmt::print("{}", SummaryJson(summary));
  } else {
    PrintTables(args, result);
    if (written.ok())
      for (const std::string& output : args.outputs) fmt::print("log: {}\n", output);
    if (written.ok() && !args.report.empty()) fmt::print("report: {}\n", args.report);
  }
  if (written.ok()) return kOk;
  fmt::print(stderr, "acutance: {}\n", written.message());
  return kFailed;
}

namespace {

/// A part of a run has no scores to show.
int ReportPart(const ScoreArgs& args, const ScoredRun& result) {
  fmt::print("frames {} to {} are in {}; `acutance join` makes the scores of all parts\n", args.first_frame,
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
  if (const Status status = CheckOutputs(args); !status.ok()) {
    fmt::print(stderr, "acutance: {}\n", status.message());
    return kFailed;
  }
  WatchInterrupt();
  Progress progress(args.quiet);
  RunRequest request = MakeRequest(args);
  request.on_frame = [&](const Session& session, std::optional<int64_t> total) {
    if (!progress.IsDue()) return Next::kGoOn;
    Progress::State state{session.frames_done(), total, {}, {}, session.first_added()};
    if (!session.models().empty()) {
      state.label = session.models()[0].model().name;
      state.score = session.RunningMean(0, 0);
    }
    progress.Update(state);
    return Next::kGoOn;
  };
  request.on_warning = [&](const std::string& warning) { progress.Note("acutance: warning: " + warning); };
  const ScoredRun result = RunSpecs(std::move(request), args.models);
  progress.Clear();
  if (result.error) fmt::print(stderr, "acutance: {}\n", result.error->status.message());
  if (!result.session) return result.error->status.code() == StatusCode::kCancelled ? kInterrupted : kFailed;
  return result.is_part ? ReportPart(args, result) : ReportScores(args, result, *numbers);
}

}  // namespace acutance::cli
