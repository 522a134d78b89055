#include <algorithm>
#include <limits>
#include <utility>

#include "api/access.h"
#include "base/nearest.h"
#include "decide/bootstrap.h"
#include "decide/pool.h"
#include "model/pooling.h"
#include "report/log_columns.h"
#include "report/log_writer.h"

namespace acutance::api {

struct Result::Content {
  std::vector<ScoreTable> tables;  // one a distorted video
  PictureFormat format;
  int64_t frames = 0;
  int subsample = 1;
  double seconds = 0;
  std::string device;
  std::vector<std::string> warnings;
  std::vector<std::string> models;
  std::vector<acutance::Alignment> alignments;  // one a distorted video, or none

  acutance::Result<const ScoreTable*> Table(int video) const;
  acutance::Result<const ScoreTable::Column*> Find(std::string_view name, int video) const;
};

namespace {

std::string AsIs(std::string_view name) { return std::string(name); }

acutance::PoolingMethod MethodOf(Pooling pooling) {
  switch (pooling) {
    case Pooling::kMean:
      return PoolingMethod::kMean;
    case Pooling::kHarmonicMean:
      return PoolingMethod::kHarmonicMean;
    case Pooling::kMin:
      return PoolingMethod::kMin;
    case Pooling::kMax:
      return PoolingMethod::kMax;
  }
  return PoolingMethod::kMean;
}

}  // namespace

acutance::Result<const ScoreTable*> Result::Content::Table(int video) const {
  if (video >= 0 && video < static_cast<int>(tables.size())) return &tables[video];
  return Error(acutance::StatusCode::kInvalidArgument, "there is no distorted video {}: there are {}, counted from 0",
               video, tables.size());
}

acutance::Result<const ScoreTable::Column*> Result::Content::Find(std::string_view name, int video) const {
  ACU_ASSIGN_OR_RETURN(const ScoreTable* table, Table(video));
  std::vector<LogColumn> columns = LogColumns(*table, AsIs);
  std::vector<std::string_view> names;
  for (const LogColumn& column : columns) {
    if (column.name == name || column.column->stored == name) return column.column;
    names.push_back(column.name);
  }
  return Error(acutance::StatusCode::kNotFound, "no score '{}'{} (there are {})", name,
               Suggestion(std::string(name), names), fmt::join(names, ", "));
}

int64_t Result::frames() const { return content_->frames; }
int Result::videos() const { return static_cast<int>(content_->tables.size()); }
const PictureFormat& Result::format() const { return content_->format; }
double Result::seconds() const { return content_->seconds; }
const std::string& Result::device() const { return content_->device; }
const std::vector<std::string>& Result::warnings() const { return content_->warnings; }
const std::vector<std::string>& Result::models() const { return content_->models; }

std::optional<Alignment> Result::alignment(int video) const {
  if (video < 0 || video >= static_cast<int>(content_->alignments.size())) return std::nullopt;
  const acutance::Alignment& from = content_->alignments[static_cast<size_t>(video)];
  static constexpr const char* kBy[] = {"signatures", "times", "index", "given"};
  const bool is_sure = from.by == acutance::Alignment::By::kSignatures;
  return Alignment{
      from.Describe(), kBy[static_cast<int>(from.by)], is_sure ? std::optional(from.confidence) : std::nullopt,
      from.pairs,      from.unmatched_reference,       from.unmatched_distorted};
}

std::vector<std::string> Result::names(int video) const {
  std::vector<std::string> names;
  if (const auto table = content_->Table(video); table.ok())
    for (LogColumn& column : LogColumns(**table, AsIs)) names.push_back(std::move(column.name));
  return names;
}

Expected<std::vector<double>> Result::Scores(std::string_view name, int video) const {
  const auto column = content_->Find(name, video);
  if (!column.ok()) return ToPublic(column.status());
  std::vector<double> scores(content_->frames, std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; i < std::min(scores.size(), (*column)->scores.size()); ++i)
    scores[i] = (*column)->scores[i].value_or(scores[i]);
  return scores;
}

Expected<double> Result::Pool(std::string_view name, Pooling pooling, FrameRange range, int video) const {
  const auto column = content_->Find(name, video);
  if (!column.ok()) return ToPublic(column.status());
  const int64_t last = range.last < 0 ? content_->frames - 1 : range.last;
  const std::optional<double> pooled =
      acutance::Pool(**column, {range.first, last, content_->subsample}, MethodOf(pooling));
  if (pooled) return *pooled;
  return ToPublic(Error(acutance::StatusCode::kInvalidArgument,
                        "'{}' cannot be pooled over frames {} to {}: of the {} frames, some there have no score", name,
                        range.first, last, content_->frames));
}

namespace {

/// The scores of a range; an error where one is missing.
Expected<std::vector<double>> ScoresOf(const ScoreTable::Column& column, FrameRange range, int64_t frames,
                                       int subsample) {
  const int64_t last = range.last < 0 ? frames - 1 : range.last;
  auto scores = ScoresInRange(column, {range.first, last, subsample});
  if (scores) return *std::move(scores);
  return ToPublic(Error(acutance::StatusCode::kInvalidArgument,
                        "'{}' cannot be pooled over frames {} to {}: of the {} frames, some there have no score",
                        column.shown, range.first, last, frames));
}

std::optional<double> PerSecond(double frame_rate, int subsample) {
  return frame_rate > 0 ? std::optional(frame_rate / subsample) : std::nullopt;
}

}  // namespace

Expected<double> Result::Pool(std::string_view name, std::string_view pooling, FrameRange range, int video,
                              double frame_rate) const {
  const auto column = content_->Find(name, video);
  if (!column.ok()) return ToPublic(column.status());
  const acutance::Result<NamedPool> pool = ParsePool(pooling);
  if (!pool.ok()) return ToPublic(pool.status());
  const auto scores = ScoresOf(**column, range, content_->frames, content_->subsample);
  if (!scores.ok()) return scores.status();
  const auto value = PoolScores(*scores, *pool,
                                {.higher_is_worse = HigherIsWorse((*column)->stored),
                                 .scores_per_second = PerSecond(frame_rate, content_->subsample)});
  if (value) return *value;
  return ToPublic(Error(acutance::StatusCode::kInvalidArgument, "'{}' needs the videos' frame rate", pooling));
}

Expected<Interval> Result::MeanInterval(std::string_view name, double confidence, FrameRange range, int video,
                                        double frame_rate) const {
  const auto column = content_->Find(name, video);
  if (!column.ok()) return ToPublic(column.status());
  const auto scores = ScoresOf(**column, range, content_->frames, content_->subsample);
  if (!scores.ok()) return scores.status();
  if (!(confidence > 0 && confidence < 1))
    return ToPublic(
        Error(acutance::StatusCode::kInvalidArgument, "the confidence is between 0 and 1, not {}", confidence));
  const size_t block = BlockLength(scores->size(), PerSecond(frame_rate, content_->subsample));
  const auto interval = acutance::MeanInterval(*scores, block, {.confidence = confidence});
  if (interval) return Interval{interval->low, interval->high};
  return ToPublic(Error(acutance::StatusCode::kInvalidArgument,
                        "'{}': {} scores are too few for an interval, or not all are finite", name, scores->size()));
}

std::vector<std::pair<std::string, double>> Result::Aggregates(int video) const {
  const auto table = content_->Table(video);
  return table.ok() ? (*table)->aggregates() : std::vector<std::pair<std::string, double>>();
}

Status Result::WriteLog(const std::string& path, std::string_view format, int video, std::string_view precision) const {
  const auto table = content_->Table(video);
  if (!table.ok()) return ToPublic(table.status());
  const acutance::Result<NumberFormat> numbers = NumberFormat::Parse(precision);
  if (!numbers.ok()) return ToPublic(numbers.status());
  return ToPublic(WriteLogFile(path, format,
                               {**table, content_->frames, content_->subsample, kLibvmafVersion,
                                static_cast<double>(content_->frames) / content_->seconds, content_->format.width,
                                content_->format.height, *numbers}));
}

Result ResultAccess::Make(const acutance::Session& session, int videos, const acutance::PictureFormat& format,
                          double seconds, std::vector<std::string> warnings,
                          std::vector<acutance::Alignment> alignments) {
  auto content = std::make_shared<Result::Content>();
  for (int v = 0; v < videos; ++v) content->tables.push_back(session.scores(v));
  content->format = ToPublic(format);
  content->frames = session.frames_added();
  content->subsample = session.subsample();
  content->seconds = seconds;
  if (const acutance::DeviceInfo* device = session.device())
    content->device = fmt::format("{} ({})", device->name, device->backend);
  content->warnings = std::move(warnings);
  for (const ModelRun& model : session.models()) {
    if (!model.predicts()) continue;
    const auto own = model.own_score_keys();
    content->models.insert(content->models.end(), own.begin(), own.end());
    const auto& all = model.score_keys();
    content->models.insert(content->models.end(), all.begin(), all.end() - static_cast<ptrdiff_t>(own.size()));
  }
  content->alignments = std::move(alignments);
  return Result(std::move(content));
}

}  // namespace acutance::api
