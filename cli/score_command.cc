#include "cli/score_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/trace.h"
#include "base/usable_cpus.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/frame_watch.h"
#include "cli/spec_run.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "log/canonical_json.h"
#include "log/json_text.h"
#include "log/log_writer.h"
#include "log/output_file.h"
#include "report/map_films.h"
#include "report/receipt.h"
#include "report/run_maps.h"
#include "report/run_page.h"
#include "report/score_rows.h"
#include "report/summary.h"
#include "report/summary_json.h"
#include "run/judge_mean.h"
#include "run/run_journal.h"
#include "run/score_run.h"
#include "stats/pooling.h"

namespace acutance::cli {
namespace {

constexpr size_t kColumns = 80;  // a terminal's width; numbers below 1000 fit
constexpr size_t kLeastCell = 9, kLeastModelCell = 14;
constexpr size_t kLeastName = 18;
constexpr size_t kPartName = 24, kPartCell = 15;

struct Row {
  std::string name;
  std::vector<std::string> cells;
};

struct Column {
  std::string title;
  NamedPool pool;
};

std::vector<Column> ColumnsOf(const std::vector<NamedPool>& pools) {
  using Kind = NamedPool::Kind;
  if (pools.empty())
    return {{"mean", {Kind::kMean}}, {"harmonic", {Kind::kHarmonicMean}},   {"min", {Kind::kMin}},
            {"max", {Kind::kMax}},   {"median", {Kind::kPercentile, 50.0}}, {"std dev", {Kind::kStddev}}};
  std::vector<Column> columns;
  columns.reserve(pools.size());
  for (const NamedPool& pool : pools) columns.push_back({pool.name, pool});
  return columns;
}

std::vector<std::string> Cells(const Summary& summary, const SummaryVideo& video, const std::vector<Column>& columns,
                               const ScoreTable::Column& scores_of, const Part* part = nullptr) {
  const auto scores = ScoresOf(summary, video, scores_of, part);
  if (!scores || scores->empty()) return {"no score"};
  std::vector<std::string> cells;
  for (const Column& column : columns) {
    const auto value = PoolScores(*scores, column.pool, ContextOf(summary, scores_of, part));
    cells.push_back(value && !std::isnan(*value) ? fmt::format("{:.4f}", *value) : "-");
  }
  return cells;
}

/// The columns of features that serve models and were not asked for.
std::set<int> ServingColumns(const ScoredEncode& encode) {
  std::set<int> serving;
  for (const MetricRun& run : encode.session->metric_runs())
    if (!run.is_requested) serving.insert(run.columns[encode.video].begin(), run.columns[encode.video].end());
  serving.erase(-1);
  return serving;
}

/// The models' rows come first. A collection's members are in the log alone.
std::vector<Row> CollectRows(const ScoredEncode& encode, const Summary& summary, const SummaryVideo& video,
                             const std::vector<Column>& columns, const std::set<int>& left_out) {
  const ScoreTable& table = *video.scores;
  std::vector<Row> rows;
  std::set<std::string_view> of_models;
  for (const ModelRun& model : encode.session->models()) {
    if (!model.predicts()) continue;
    of_models.insert(model.score_keys().begin(), model.score_keys().end());
    for (const std::string& key : model.own_score_keys())
      rows.push_back({key, Cells(summary, video, columns, table.columns()[table.Find(key)])});
  }
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const ScoreTable::Column& column = table.columns()[i];
    if (!of_models.contains(column.stored) && !left_out.contains(static_cast<int>(i)))
      rows.push_back({column.shown, Cells(summary, video, columns, column)});
  }
  for (const auto& [name, value] : table.aggregates()) rows.push_back({name, {fmt::format("{:.4f}", value)}});
  return rows;
}

/// A name that is too long for its column has a line of its own.
std::string Line(const Row& row, size_t name_width, size_t cell_width) {
  std::string text = fmt::format("{:<{}}", row.name, name_width);
  if (row.name.size() > name_width) text += fmt::format("\n{:{}}", "", name_width);
  for (const std::string& cell : row.cells) text += fmt::format("{:>{}}", cell, cell_width);
  return text + "\n";
}

/// Rows: the models' scores, then the features that were asked for, or all; columns: the pools, or mean, harmonic mean,
/// min, max, median and standard deviation by default.
std::string PooledTable(const ScoredEncode& encode, const Summary& summary, const SummaryVideo& video,
                        const std::vector<NamedPool>& pools, bool all_features) {
  const std::vector<Column> columns = ColumnsOf(pools);
  const std::set<int> left_out = all_features ? std::set<int>() : ServingColumns(encode);
  const std::vector<Row> rows = CollectRows(encode, summary, video, columns, left_out);
  Row head;
  size_t name_width = 0, cell_width = kLeastCell;
  for (const Column& column : columns) head.cells.push_back(column.title);
  const auto widen = [&](const Row& row) {
    name_width = std::max(name_width, row.name.size());
    for (const std::string& cell : row.cells) cell_width = std::max(cell_width, cell.size() + 1);
  };
  widen(head);
  std::ranges::for_each(rows, widen);
  const size_t numbers = columns.size() * cell_width;
  name_width = std::min(name_width, std::max(kLeastName, kColumns - std::min(kColumns, numbers)));
  std::string text = Line(head, name_width, cell_width);
  for (const Row& row : rows) text += Line(row, name_width, cell_width);
  if (!left_out.empty())
    text += fmt::format("The {} features behind them are in logs and --json; see --all-features.\n", left_out.size());
  return text;
}

/// What parts have in tables, by names and keys: each model's score; without models what frames are compared by.
std::vector<std::pair<std::string, std::string>> ScoresOfParts(const Session& session) {
  std::vector<std::pair<std::string, std::string>> scores;
  for (const ModelRun& model : session.models()) scores.emplace_back(model.model().name, model.main_score_key());
  const ScoreTable& table = session.scores(0);
  const std::optional<int> column = scores.empty() ? FindQualityColumn(table, "") : std::nullopt;
  if (column) scores.emplace_back(table.columns()[*column].shown, table.columns()[*column].stored);
  return scores;
}

/// Rows: parts of every video; columns: the pools of each score for parts, and the greatest SI and TI of shots.
std::string PartsTable(const std::string& title, std::optional<std::vector<Part>> SummaryVideo::*parts,
                       const Session& session, const Summary& summary) {
  const std::vector<Column> columns = ColumnsOf(summary.part_pools);
  std::string text;
  for (const auto& [name, key] : ScoresOfParts(session)) {
    for (const SummaryVideo& video : summary.videos) {
      if (!(video.*parts)) continue;
      const ScoreTable& table = *video.scores;
      Row head{fmt::format("{} {}", title, summary.videos.size() > 1 ? video.distorted : ""), {}};
      for (const Column& column : columns) head.cells.push_back(column.title);
      const bool has_information = parts == &SummaryVideo::shots && !video.shot_information.empty();
      if (has_information) head.cells.insert(head.cells.end(), {"SI", "TI"});
      std::vector<Row> rows;
      for (const Part& part : *(video.*parts)) {
        rows.push_back({fmt::format("{}-{} {}", part.begin, part.end - 1, part.name),
                        Cells(summary, video, columns, table.columns()[table.Find(key)], &part)});
        if (!has_information) continue;
        const auto& [spatial, temporal] = video.shot_information[rows.size() - 1];
        for (const auto& greatest : {spatial.max, temporal.max})
          rows.back().cells.push_back(greatest ? fmt::format("{:.1f}", *greatest) : "-");
      }
      text += fmt::format("{}\n", name) + Line(head, kPartName, kPartCell);
      for (const Row& row : rows) text += Line(row, kPartName, kPartCell);
    }
  }
  return text;
}

/// Rows: the distorted videos; columns: the mean of every model, and the frames where they are not as many for all. For
/// more than one distorted video.
std::string ComparisonTable(const Session& session, const Summary& summary) {
  size_t width = 0;
  for (const SummaryVideo& video : summary.videos) width = std::max(width, video.distorted.size());
  const auto is_whole = [&](const SummaryVideo& video) { return FramesOf(summary, video) == summary.frame_count; };
  const bool has_frames = !std::ranges::all_of(summary.videos, is_whole);
  std::string text = fmt::format("{:<{}}", "mean", width);
  const auto cell = [&](const ModelRun& model, std::string_view word) {
    text += fmt::format("  {:>{}}", word, std::max(kLeastModelCell, model.model().name.size()));
  };
  for (const ModelRun& model : session.models()) cell(model, model.model().name);
  text += has_frames ? "  frames\n" : "\n";
  for (const SummaryVideo& video : summary.videos) {
    text += fmt::format("{:<{}}", video.distorted, width);
    const FrameRange range{0, FramesOf(summary, video) - 1, session.subsample()};
    for (const ModelRun& model : session.models()) {
      const int column = video.scores->Find(model.main_score_key());
      const auto mean = Pool(video.scores->columns()[column], range, Pooling::kMean);
      cell(model, mean ? fmt::format("{:.4f}", *mean) : "no score");
    }
    text += has_frames ? fmt::format("  {:>6}\n", FramesOf(summary, video)) : "\n";
  }
  return text;
}

}  // namespace

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
  std::vector<std::string> files = request.outputs;
  files.push_back(request.junit);
  files.push_back(request.receipt);
  files.insert(files.end(), request.pairs_outputs.begin(), request.pairs_outputs.end());
  files.push_back(request.report);
  for (const std::string& file : files)
    if (!file.empty()) ACU_RETURN_IF_ERROR(OutputFile::Check(file, videos));
  if (request.worst > 0 || request.maps_video) ACU_RETURN_IF_ERROR(MakeFolder(request.maps));
  return {};
}

namespace {

Status WriteLog(const ScoreRequest& request, const ScoredRun& result, const Summary& summary, size_t d) {
  if (const TableFormat* table = FindTableFormat(request.format))
    return WriteTable(request.outputs[d], *table, ScoreRows(summary, d));
  const ScoredEncode& encode = result.encodes[d];
  return WriteLogFile(request.outputs[d], request.format,
                      {encode.scores(), encode.frames, request.run.subsample, kLibvmafVersion,
                       static_cast<double>(encode.frames) / result.seconds, encode.format.width, encode.format.height,
                       request.numbers, DamagesOf(result.inputs, d)});
}

Status WriteLogs(const ScoreRequest& request, const ScoredRun& result, const Summary& summary) {
  for (size_t d = 0; d < request.outputs.size(); ++d) ACU_RETURN_IF_ERROR(WriteLog(request, result, summary, d));
  for (size_t d = 0; d < request.pairs_outputs.size(); ++d)
    ACU_RETURN_IF_ERROR(WriteFile(request.pairs_outputs[d], PairsCsv(result, d)));
  return {};
}

/// " and 2 x NVIDIA H200 (cuda, 512 MB each; 2048 MB would be faster)"; empty: the CPU alone.
std::string DescribeLanes(const Session& session) {
  if (session.lanes().empty()) return "";
  const DeviceLane& first = *session.lanes().front();
  const size_t count = session.lanes().size();
  const bool lacks_memory = first.memory_bytes() < first.wanted_bytes();
  return fmt::format("{}{} ({}, {} MB{}{})", count > 1 ? fmt::format(" and {} x ", count) : " and ", first.info().name,
                     first.info().backend, first.memory_bytes() >> 20, count > 1 ? " each" : "",
                     lacks_memory ? fmt::format("; {} MB would be faster", first.wanted_bytes() >> 20) : "");
}

/// ", decoded by NVDEC"; empty: by FFmpeg's own decoders alone.
std::string_view DescribeDecoder(const ScoredRun& run) {
  if (run.decoded_by_nvdec) return ", decoded by NVDEC";
  for (const Input& input : run.inputs) {
    if (input.decoding.decoder == OptionNameOf(Hardware::kVulkan)) return ", decoded by Vulkan Video";
    if (input.decoding.decoder == OptionNameOf(Hardware::kVaapi)) return ", decoded by VAAPI";
  }
  return "";
}

/// The facts that the stream of a video declares, on a line of its own.
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
               PooledTable(result.encodes[d], summary, summary.videos[d], request.pools, request.all_features));
  if (request.segments) fmt::print("{}\n", PartsTable("segments", &SummaryVideo::segments, *result.session, summary));
  if (request.shots && summary.videos[0].shots)
    fmt::print("{}\n", PartsTable("shots", &SummaryVideo::shots, *result.session, summary));
  if (request.run.distorted.size() > 1 && !result.session->models().empty())
    fmt::print("{}\n", ComparisonTable(*result.session, summary));
  if (result.restored > 0) fmt::print("{} frames were in {}\n", result.restored, request.run.journal);
  for (const std::string& line : ReceiptLines(summary)) fmt::print("{}\n", line);
  const int64_t computed = result.frames - result.restored;
  const std::string bound = DescribeBound(summary);
  fmt::print("{} frames in {:.2f} s: {:.1f} frames/s, {} thread{}{}{}{}\n", computed, result.seconds,
             static_cast<double>(computed) / result.seconds, request.run.threads, request.run.threads == 1 ? "" : "s",
             DescribeLanes(*result.session), DescribeDecoder(result), bound.empty() ? "" : "; " + bound);
}

/// Prints the requirements that fail; returns the exit status.
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
  return request.junit.empty() ? Status() : WriteFile(request.junit, JunitXml(summary));
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

Status WriteReceipt(const ScoreRequest& request, const Summary& summary) {
  if (request.receipt.empty()) return {};
  Json receipt = summary.receipt;
  AddFrameScores(summary, receipt);
  SealReceipt(receipt);
  return WriteFile(request.receipt, CanonicalJson(receipt) + "\n");
}

Status WriteReport(const ScoreRequest& request, const ScoredRun& result, const Summary& summary,
                   const std::string& encodes_part) {
  if (request.report.empty()) return {};
  const std::string now = fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(std::time(nullptr)));
  return WriteFile(request.report, ReportPage(summary, ViewOf(result),
                                              {.receipt = {now},
                                               .encodes_part = encodes_part,
                                               .first_frame = request.look ? request.run.skip_reference : 0,
                                               .pictures_first = request.look}));
}

}  // namespace

Status WriteOutputs(const ScoreRequest& request, const ScoredRun& result, const Summary& summary,
                    const std::string& encodes_part) {
  ACU_RETURN_IF_ERROR(WriteLogs(request, result, summary));
  ACU_RETURN_IF_ERROR(WriteJunit(request, summary));
  ACU_RETURN_IF_ERROR(WriteReceipt(request, summary));
  ACU_RETURN_IF_ERROR(WriteReport(request, result, summary, encodes_part));
  return request.worst > 0 ? WriteWorstMaps(request.maps, request.worst, request.run.threads, ViewOf(result))
                           : Status();
}

int JudgeOutputs(const ScoreRequest& request, const Summary& summary) { return PrintVerdicts(request, summary, false); }

int ReportScores(const ScoreRequest& request, const ScoredRun& result, bool was_stopped) {
  const TraceSpan span("report");
  Result<Summary> summary = MakeSummary(ChoiceOf(request), ViewOf(result));
  if (!summary.ok()) return Fail("", summary.status(), kUsage);
  if (request.worst_seconds > 0) AddWorstSeconds(ViewOf(result), request.worst_seconds, *summary);
  if (result.error) {
    // Only a part of the video was scored: its table is printed, and no document is left that looks whole.
    if (!request.json && !request.stream_frames) PrintTables(request, result, *summary);
    fmt::print(stderr, "acutance: only the first {} frames were scored{}\n", result.frames,
               request.outputs.empty() ? "" : "; no log is written");
    return kFailed;
  }
  const Status written = was_stopped ? WriteJunit(request, *summary) : WriteOutputs(request, result, *summary);
  PrintSummary(request, result, *summary);
  if (!written.ok()) return Fail("", written);
  if (!request.json && !request.stream_frames && !was_stopped) {
    for (const std::string& output : request.outputs) fmt::print("log: {}\n", output);
    if (!request.report.empty()) fmt::print("report: {}\n", request.report);
    if (!request.receipt.empty()) fmt::print("receipt: {}\n", request.receipt);
  }
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
  if (const Status status = CheckOutputs(request); !status.ok()) return Fail("", status);
  WatchInterrupt();
  Progress progress(request.quiet || request.stream_frames);
  RunRequest run = request.run;
  FrameStream stream;
  FrameGate gate(request.requirements, request.fail_fast);
  Status names;
  run.on_start = [&](const Session& session) {
    stream.Restart(session);
    gate.Restart(session);
    return names = CheckNames(request.requirements, session);
  };
  run.on_frame = [&](const Session& session, std::optional<int64_t> total) {
    if (request.stream_frames) stream.Update(session, total);
    if (gate.MustStop(session)) return FrameAction::kStopAfterAlignmentCheck;
    ShowProgress(session, total, progress);
    return FrameAction::kContinue;
  };
  run.on_warning = [&](const std::string& warning) {
    if (request.stream_frames) stream.Warn(warning);
    else progress.Note("acutance: warning: " + warning);
  };
  ScoredRun result = LoadModelsAndRun(std::move(run));
  progress.Clear();
  if (result.error) Fail("", result.error->status);
  if (!names.ok()) return kUsage;
  if (!result.session) return result.error->status.code() == StatusCode::kCancelled ? kInterrupted : kFailed;
  if (result.is_part) return ReportPart(request, result);
  if (request.stream_frames) stream.Finish(result);
  const int status = ReportScores(request, result, gate.has_stopped());
  const TraceSpan span("close session");
  result.session.reset();
  return status;
}

}  // namespace

int RunScoreCommand(const ScoreRequest& request) {
  Status traced = request.trace.empty() ? Status() : Trace::Start(request.trace);
  const int status = traced.ok() ? ScoreAndReport(request) : kFailed;
  if (traced.ok()) traced = Trace::Stop();
  return traced.ok() ? status : Fail("", traced);
}

int RunMeanGate(const ScoreRequest& score) {
  WatchInterrupt();
  Progress progress(score.quiet);
  RunRequest request = score.run;
  request.on_warning = [&](const std::string& warning) { progress.Note("acutance: warning: " + warning); };
  const auto judge = [&]() -> Result<MeanVerdict> {
    ACU_ASSIGN_OR_RETURN(const std::vector<std::string> warnings, Prepare(request));
    std::ranges::for_each(warnings, request.on_warning);
    ACU_ASSIGN_OR_RETURN(MeanVerdict verdict, JudgeMean(request, score.gate, [&](const acutance::Progress& now) {
                           progress.Update({now.frames, now.total, now.model, now.score, 0});
                           return FrameAction::kContinue;
                         }));
    verdict.warnings.insert(verdict.warnings.begin(), warnings.begin(), warnings.end());
    return verdict;
  };
  const Result<MeanVerdict> verdict = judge();
  progress.Clear();
  if (!verdict.ok())
    return Fail("", verdict.status(), verdict.status().code() == StatusCode::kCancelled ? kInterrupted : kFailed);
  if (score.json) fmt::print("{}", JsonText(MeanVerdictJson(*verdict)));
  else fmt::print("{}\n", verdict->text);
  return verdict->holds ? kOk : kNotReached;
}

int RunJoinCommand(const std::vector<std::string>& journals, ScoreRequest& request) {
  RunRequest& run = request.run;
  run.threads = UsableCpus();
  const JoinedRun joined = JoinJournals(journals, run.threads);
  if (joined.run.error) return Fail("join", joined.run.error->status);
  for (const std::string& warning : joined.run.warnings) PrintWarning(warning);
  run.reference = joined.request.reference;
  run.distorted = joined.request.distorted;
  run.subsample = joined.request.subsample;
  if (const Status status = CompleteLogs(request); !status.ok()) return Fail("join", status, kUsage);
  if (const Status status = CheckOutputs(request); !status.ok()) return Fail("join", status);
  return ReportScores(request, joined.run);
}

}  // namespace acutance::cli
