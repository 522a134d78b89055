#include <fmt/chrono.h>

#include <algorithm>
#include <ctime>
#include <limits>
#include <utility>

#include "api/access.h"
#include "base/did_you_mean.h"
#include "log/json_text.h"
#include "log/log_writer.h"
#include "log/output_file.h"
#include "report/comparison.h"
#include "report/ctc.h"
#include "report/ladder.h"
#include "report/page_encodes.h"
#include "report/run_maps.h"
#include "report/run_page.h"
#include "report/run_summary.h"
#include "report/run_view.h"
#include "report/score_rows.h"
#include "report/summary.h"
#include "report/summary_json.h"
#include "stats/bootstrap.h"
#include "stats/pool.h"
#include "stats/pooling.h"
#include "stats/requirement.h"
#include "stats/segments.h"

namespace acutance::api {

struct Result::Content {
  ResultAccess::Names titles;
  /// What a session scored with.
  struct Scored {
    const acutance::Session* session = nullptr;  // its address alone
    std::vector<ModelRun> models;
    std::vector<MetricRun> metrics;
  };

  ScoredRun run;                   // without its sessions
  std::vector<ScoreTable> tables;  // one a distorted video
  std::vector<Scored> scored;
  std::vector<size_t> scored_with;  // [distorted video]
  std::vector<SummaryDevice> devices;
  std::time_t time = 0;
  int subsample = 1;
  std::string device;
  std::vector<std::string> models;

  RunView View() const;
  SummaryChoice Choice() const;
  Expected<std::string> ScoreName(std::string_view by) const;  // the first model's where `by` is empty
  Expected<const ScoreTable*> Table(int video) const;
  Expected<const ScoreTable::Column*> Find(std::string_view name, int video) const;
  int64_t Frames(int video) const { return run.encodes[static_cast<size_t>(video)].frames; }
  void Add(const ScoredEncode& encode);
};

namespace {

std::string AsIs(std::string_view name) { return std::string(name); }

}  // namespace

Expected<const ScoreTable*> Result::Content::Table(int video) const {
  if (video >= 0 && video < static_cast<int>(tables.size())) return &tables[video];
  return Error(StatusCode::kInvalidArgument, "there is no distorted video {}: there are {}, counted from 0", video,
               tables.size());
}

Expected<const ScoreTable::Column*> Result::Content::Find(std::string_view name, int video) const {
  ACU_ASSIGN_OR_RETURN(const ScoreTable* table, Table(video));
  std::vector<LogColumn> columns = LogColumns(*table, AsIs);
  std::vector<std::string_view> names;
  for (const LogColumn& column : columns) {
    if (column.name == name || column.column->stored == name) return column.column;
    names.push_back(column.name);
  }
  return Error(StatusCode::kNotFound, "no score '{}'{} (there are {})", name, DidYouMean(std::string(name), names),
               fmt::join(names, ", "));
}

int64_t Result::frames() const { return content_->run.frames; }
int64_t Result::frames(int video) const { return content_->Table(video).ok() ? content_->Frames(video) : 0; }
int Result::videos() const { return static_cast<int>(content_->tables.size()); }
const PictureFormat& Result::format() const { return content_->run.format; }
double Result::seconds() const { return content_->run.seconds; }
const std::string& Result::device() const { return content_->device; }
const std::vector<std::string>& Result::warnings() const { return content_->run.warnings; }
const std::vector<std::string>& Result::model_reasons() const { return content_->run.model_reasons; }
const std::vector<Input>& Result::inputs() const { return content_->run.inputs; }
const std::vector<std::string>& Result::models() const { return content_->models; }

std::optional<Alignment> Result::alignment(int video) const {
  if (video < 0 || video >= static_cast<int>(content_->run.alignments.size())) return std::nullopt;
  return content_->run.alignments[static_cast<size_t>(video)];
}

std::vector<std::string> Result::names(int video) const {
  std::vector<std::string> names;
  if (const auto table = content_->Table(video); table.ok())
    for (LogColumn& column : LogColumns(**table, AsIs)) names.push_back(std::move(column.name));
  return names;
}

Expected<std::vector<double>> Result::Scores(std::string_view name, int video) const {
  ACU_ASSIGN_OR_RETURN(const ScoreTable::Column* column, content_->Find(name, video));
  std::vector<double> scores(content_->Frames(video), std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < std::min(scores.size(), column->scores.size()); ++i)
    scores[i] = column->scores[i].value_or(scores[i]);
  return scores;
}

Expected<double> Result::Pool(std::string_view name, Pooling pooling, FrameRange range, int video) const {
  ACU_ASSIGN_OR_RETURN(const ScoreTable::Column* column, content_->Find(name, video));
  const int64_t last = range.last < 0 ? content_->Frames(video) - 1 : range.last;
  const std::optional<double> pooled = acutance::Pool(*column, {range.first, last, content_->subsample}, pooling);
  if (pooled) return *pooled;
  return Error(StatusCode::kInvalidArgument,
               "'{}' cannot be pooled over frames {} to {}: of the {} frames, some there have no score", name,
               range.first, last, content_->Frames(video));
}

namespace {

/// The scores of a range; an error where one is missing.
Expected<std::vector<double>> ScoresOf(const ScoreTable::Column& column, FrameRange range, int64_t frames,
                                       int subsample) {
  const int64_t last = range.last < 0 ? frames - 1 : range.last;
  auto scores = ScoresInRange(column, {range.first, last, subsample});
  if (scores) return *std::move(scores);
  return Error(StatusCode::kInvalidArgument,
               "'{}' cannot be pooled over frames {} to {}: of the {} frames, some there have no score", column.shown,
               range.first, last, frames);
}

std::optional<double> PerSecond(double frame_rate, int subsample) {
  return frame_rate > 0 ? std::optional(frame_rate / subsample) : std::nullopt;
}

}  // namespace

Expected<double> Result::Pool(std::string_view name, std::string_view pooling, FrameRange range, int video,
                              double frame_rate) const {
  ACU_ASSIGN_OR_RETURN(const ScoreTable::Column* column, content_->Find(name, video));
  ACU_ASSIGN_OR_RETURN(const NamedPool pool, ParsePool(pooling));
  ACU_ASSIGN_OR_RETURN(const std::vector<double> scores,
                       ScoresOf(*column, range, content_->Frames(video), content_->subsample));
  const auto value = PoolScores(scores, pool,
                                {.higher_is_worse = column->better == ScoreDirection::kLower,
                                 .scores_per_second = PerSecond(frame_rate, content_->subsample)});
  if (value) return *value;
  return Error(StatusCode::kInvalidArgument, "'{}' needs the videos' frame rate", pooling);
}

Expected<Interval> Result::MeanInterval(std::string_view name, double confidence, FrameRange range, int video,
                                        double frame_rate) const {
  ACU_ASSIGN_OR_RETURN(const ScoreTable::Column* column, content_->Find(name, video));
  ACU_ASSIGN_OR_RETURN(const std::vector<double> scores,
                       ScoresOf(*column, range, content_->Frames(video), content_->subsample));
  if (!(confidence > 0 && confidence < 1))
    return Error(StatusCode::kInvalidArgument, "the confidence is between 0 and 1, not {}", confidence);
  const size_t block = BlockLength(scores.size(), PerSecond(frame_rate, content_->subsample));
  const auto interval = acutance::MeanInterval(scores, block, {.confidence = confidence});
  if (interval) return *interval;
  return Error(StatusCode::kInvalidArgument, "'{}': {} scores are too few for an interval, or not all are finite", name,
               scores.size());
}

std::vector<std::pair<std::string, double>> Result::Aggregates(int video) const {
  const auto table = content_->Table(video);
  return table.ok() ? (*table)->aggregates() : std::vector<std::pair<std::string, double>>();
}

Status Result::WriteLog(const std::string& path, std::string_view format, int video, std::string_view precision) const {
  ACU_ASSIGN_OR_RETURN(const ScoreTable* table, content_->Table(video));
  if (const TableFormat* rows = FindTableFormat(format)) {
    ACU_ASSIGN_OR_RETURN(const acutance::Summary summary, MakeSummary(content_->Choice(), content_->View()));
    return WriteTable(path, *rows, ScoreRows(summary, static_cast<size_t>(video)));
  }
  ACU_ASSIGN_OR_RETURN(const NumberFormat numbers, NumberFormat::Parse(precision));
  const ScoredEncode& encode = content_->run.encodes[static_cast<size_t>(video)];
  return WriteLogFile(path, format,
                      {*table, encode.frames, content_->subsample, kLibvmafVersion,
                       static_cast<double>(encode.frames) / content_->run.seconds, encode.format.width,
                       encode.format.height, numbers, DamagesOf(content_->run.inputs, static_cast<size_t>(video))});
}

RunView Result::Content::View() const {
  RunView view{.run = &run, .videos = {}, .devices = devices, .subsample = subsample};
  for (size_t v = 0; v < tables.size(); ++v) {
    const Scored& own = scored[scored_with[v]];
    view.videos.push_back({&tables[v], own.models, own.metrics, run.encodes[v].video});
  }
  return view;
}

SummaryChoice Result::Content::Choice() const {
  return {.reference = titles.reference, .distorted = titles.distorted, .threads = titles.threads};
}

std::string Result::Report(bool is_small, const Encodes& encodes) const {
  const acutance::Summary summary = MakeSummary(content_->Choice(), content_->View()).value();
  return ReportPage(summary, content_->View(),
                    {.receipt = {fmt::format("{:%Y-%m-%d %H:%M} UTC", fmt::gmtime(content_->time))},
                     .is_small = is_small,
                     .encodes_part = encodes.page});
}

Expected<std::string> Result::Content::ScoreName(std::string_view by) const {
  if (!by.empty()) return std::string(by);
  if (!scored.front().models.empty()) return scored.front().models.front().main_score_key();
  return Error(StatusCode::kInvalidArgument, "there is no model, so name a feature's score to compare");
}

Expected<Encodes> Result::Compare(std::string_view by) const {
  ACU_ASSIGN_OR_RETURN(const std::string score, content_->ScoreName(by));
  ACU_ASSIGN_OR_RETURN(const acutance::Summary summary, MakeSummary(content_->Choice(), content_->View()));
  ACU_ASSIGN_OR_RETURN(const Comparison found, CompareEncodes(summary, score));
  return Encodes{ComparisonText(found), JsonText(ComparisonJson(found)), EncodesPart(found)};
}

Expected<Encodes> Result::Ladder(const std::vector<Curve>& curves, std::string_view by) const {
  std::vector<LadderCurve> found;
  auto encode = content_->titles.distorted.begin();
  for (const Curve& curve : curves) {
    if (curve.videos < 1 || curve.videos > content_->titles.distorted.end() - encode)
      return Error(StatusCode::kInvalidArgument, "curve {}: {} videos of the {} that were scored", curve.name,
                   curve.videos, videos());
    found.push_back({curve.name, {}, {encode, encode + curve.videos}, {}});
    encode += curve.videos;
  }
  if (found.empty() || encode != content_->titles.distorted.end())
    return Error(StatusCode::kInvalidArgument, "the curves leave out some of the {} videos that were scored", videos());
  ACU_ASSIGN_OR_RETURN(const std::string score, content_->ScoreName(by));
  ACU_ASSIGN_OR_RETURN(const acutance::Summary summary, MakeSummary(content_->Choice(), content_->View()));
  std::string ctc_csv = CtcCsv(summary, found);
  ACU_ASSIGN_OR_RETURN(const acutance::Ladder ladder, LadderOf(summary, score, std::move(found)));
  return Encodes{LadderText(ladder), JsonText(LadderJson(ladder)), EncodesPart(ladder), std::move(ctc_csv)};
}

Expected<Encodes> CompareCurves(const std::vector<KnownCurve>& curves) {
  std::vector<LadderCurve> found;
  for (const KnownCurve& curve : curves) {
    LadderCurve& next = found.emplace_back(LadderCurve{curve.name, {}, {}, {}});
    for (const auto& [rate, quality] : curve.points) next.points.push_back({rate, quality});
    if (curve.points.empty()) return Error(StatusCode::kInvalidArgument, "curve {} has no points", curve.name);
  }
  const acutance::Ladder ladder = MakeLadder(kKnownQuality, std::move(found), 1);
  return Encodes{LadderText(ladder), JsonText(LadderJson(ladder)), ""};  // no page is of known points
}

Status Result::WriteReport(const std::string& path, const Encodes& encodes) const {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(path));
  file->Write(Report(false, encodes));
  return file->Commit();
}

Expected<std::string> Result::Summary(const SummaryOptions& options) const {
  SummaryChoice choice = content_->Choice();
  if (!options.pool.empty()) {
    ACU_ASSIGN_OR_RETURN(choice.pools, ParsePools(options.pool));
  }
  if (!options.segments.empty()) {
    ACU_ASSIGN_OR_RETURN(choice.segments, ParseParts(options.segments));
  }
  if (!options.require.empty()) {
    ACU_ASSIGN_OR_RETURN(choice.requirements, ParseRequirements(options.require));
  }
  ACU_ASSIGN_OR_RETURN(const acutance::Summary summary, MakeSummary(choice, content_->View()));
  return SummaryJson(summary);
}

Status Result::WriteMaps(const std::string& folder) const {
  if (content_->run.worst.empty())
    return Error(StatusCode::kInvalidArgument,
                 "no frames were retained for maps: set worst_frames where the files are scored");
  constexpr int kAll = 1 << 30;
  return WriteWorstMaps(folder, kAll, content_->titles.threads, content_->View());
}

namespace {

/// The names of all models' scores, each model's own first.
std::vector<std::string> ScoreNames(const std::vector<ModelRun>& models) {
  std::vector<std::string> names;
  for (const ModelRun& model : models) {
    if (!model.predicts()) continue;
    const auto own = model.own_score_keys();
    names.insert(names.end(), own.begin(), own.end());
    const auto& all = model.score_keys();
    names.insert(names.end(), all.begin(), all.end() - static_cast<ptrdiff_t>(own.size()));
  }
  return names;
}

}  // namespace

void Result::Content::Add(const ScoredEncode& encode) {
  tables.push_back(encode.scores());
  const acutance::Session& session = *encode.session;
  const auto found = std::ranges::find(scored, &session, &Scored::session);
  scored_with.push_back(static_cast<size_t>(found - scored.begin()));
  if (found != scored.end()) return;
  Scored& added = scored.emplace_back(Scored{&session, session.models(), {}});
  for (const MetricRun& metric : session.metric_runs()) {
    MetricRun& copy = added.metrics.emplace_back(MetricRun{metric.metric, metric.options, metric.inputs});
    copy.only = metric.only;
  }
}

Result ResultAccess::Make(ScoredRun run, Names names) {
  auto content = std::make_shared<Result::Content>();
  const acutance::Session& session = *run.session;
  for (ScoredEncode& encode : run.encodes) content->Add(encode);
  for (ScoredEncode& encode : run.encodes) encode.session.reset();
  content->time = std::time(nullptr);
  content->subsample = session.subsample();
  if (const acutance::DeviceInfo* device = session.device())
    content->device = fmt::format("{} ({})", device->name, device->backend);
  content->devices = DevicesOf(session);
  content->models = ScoreNames(content->scored.front().models);
  content->titles = std::move(names);
  content->run = std::move(run);
  content->run.session.reset();
  return Result(std::move(content));
}

}  // namespace acutance::api
