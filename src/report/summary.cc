#include "report/summary.h"

#include <algorithm>

#include "base/did_you_mean.h"
#include "log/json_text.h"
#include "report/summary_json.h"
#include "stats/pooling.h"

namespace acutance {
namespace {

const SummaryModel* FindModel(const Summary& summary, const ScoreTable::Column& column) {
  const auto model = std::ranges::find(summary.models, column.stored, &SummaryModel::column);
  return model == summary.models.end() ? nullptr : &*model;
}

Json AlignmentJson(const Alignment& alignment) {
  return {{"by", std::string(NameOf(alignment.by))},
          {"text", alignment.Describe()},
          {"confidence", alignment.by == Alignment::By::kFingerprints ? Json(alignment.confidence) : Json()},
          {"late", alignment.late()},
          {"dropped", alignment.dropped()},
          {"repeated", alignment.repeated()},
          {"held", alignment.held_count()},
          {"pairs", alignment.pairs.size()},
          {"unmatched_reference", alignment.unmatched_reference},
          {"unmatched_distorted", alignment.unmatched_distorted},
          {"doubtful", alignment.doubtful}};
}

/// The pooled scores of a segment or shot.
Json PartJson(const Summary& summary, const SummaryVideo& video, const Part& part) {
  Json result = {{"begin", part.begin}, {"end", part.end}};
  if (!part.name.empty()) result["name"] = part.name;
  Json models = Json::Object(), features = Json::Object();
  for (const ScoreTable::Column& column : video.scores->columns()) {
    const auto scores = ScoresOf(summary, video, column, &part);
    Json pools = scores ? PoolsJson(*scores, summary.part_pools, ContextOf(summary, column, &part)) : Json();
    (FindModel(summary, column) ? models : features)[column.shown] = std::move(pools);
  }
  result["models"] = std::move(models);
  result["features"] = std::move(features);
  return result;
}

Json StatisticsJson(const FrameStatistics& statistics) {
  if (!statistics.mean) return {};
  return {{"mean", statistics.mean}, {"max", statistics.max}};
}

Json ShotsJson(const Summary& summary, const SummaryVideo& video) {
  Json result = Json::Array();
  for (size_t s = 0; s < video.shots->size(); ++s) {
    Json shot = PartJson(summary, video, (*video.shots)[s]);
    if (s < video.shot_information.size()) {
      shot["si"] = StatisticsJson(video.shot_information[s].spatial);
      shot["ti"] = StatisticsJson(video.shot_information[s].temporal);
    }
    result.Append(std::move(shot));
  }
  return result;
}

Json WorstSecondsJson(const BadSeconds& worst) {
  Json seconds = Json::Array();
  for (const BadSecond& second : worst.seconds)
    seconds.Append({{"begin", second.begin},
                    {"end", second.end},
                    {"mean", second.mean},
                    {"cause", second.cause.empty() ? Json() : Json(second.cause)}});
  return {{"by", worst.by},
          {"clip", worst.clip.empty() ? Json() : Json(worst.clip)},
          {"better", worst.better == ScoreDirection::kLower ? "lower" : "higher"},
          {"seconds", std::move(seconds)}};
}

Json PartsJson(const Summary& summary, const SummaryVideo& video, const std::vector<Part>& parts) {
  Json result = Json::Array();
  for (const Part& part : parts) result.Append(PartJson(summary, video, part));
  return result;
}

/// How sure a collection is of the mean: the middle of what its members say.
Json MembersInterval(const Summary& summary, const SummaryVideo& video, const SummaryModel& model) {
  std::vector<double> means;
  for (const std::string& member : model.members) {
    const auto scores =
        ScoresOf(summary, video, video.scores->columns()[static_cast<size_t>(video.scores->Find(member))]);
    if (scores) means.push_back(*PoolScores(*scores, {}, {}));
  }
  constexpr double kConfidence = 0.95;
  if (means.size() < 2) return {};
  const size_t members = means.size();
  const Interval middle = MiddlePart(means, kConfidence);
  return {{"low", middle.low}, {"high", middle.high}, {"confidence", kConfidence}, {"members", members}};
}

Json VideoJson(const Summary& summary, const SummaryVideo& video) {
  Json models = Json::Object(), features = Json::Object(), aggregates = Json::Object();
  for (const ScoreTable::Column& column : video.scores->columns()) {
    const SummaryModel* const model = FindModel(summary, column);
    const auto scores = ScoresOf(summary, video, column);
    Json statistics = scores ? StatisticsJson(*scores, summary.pools, ContextOf(summary, column)) : Json();
    if (model && statistics.IsObject()) {
      statistics["model"] = model->source;
      if (!model->members.empty()) statistics["model_interval"] = MembersInterval(summary, video, *model);
    }
    (model ? models : features)[column.shown] = std::move(statistics);
  }
  for (const auto& [name, value] : video.scores->aggregates()) aggregates[name] = value;
  Json result = {{"distorted", video.distorted},       {"bytes", video.bytes},        {"bit_rate", video.bit_rate},
                 {"frames", FramesOf(summary, video)}, {"models", std::move(models)}, {"features", std::move(features)},
                 {"aggregates", std::move(aggregates)}};
  if (video.alignment) result["alignment"] = AlignmentJson(*video.alignment);
  if (video.shots) result["shots"] = ShotsJson(summary, video);
  if (video.segments) result["segments"] = PartsJson(summary, video, *video.segments);
  if (video.worst_seconds) result["worst_seconds"] = WorstSecondsJson(*video.worst_seconds);
  return result;
}

}  // namespace

PoolContext ContextOf(const Summary& summary, const ScoreTable::Column& column, const Part* part) {
  PoolContext context{.higher_is_worse = column.better == ScoreDirection::kLower};
  if (!part) context.clip_mean = column.clip_mean;
  if (summary.frame_rate) context.scores_per_second = *summary.frame_rate / summary.n_subsample;
  return context;
}

int64_t FramesOf(const Summary& summary, const SummaryVideo& video) {
  return video.frames.value_or(summary.frame_count);
}

std::optional<std::vector<double>> ScoresOf(const Summary& summary, const SummaryVideo& video,
                                            const ScoreTable::Column& column, const Part* part) {
  FrameRange range{0, FramesOf(summary, video) - 1, summary.n_subsample};
  if (part) range = {part->begin, part->end - 1, summary.n_subsample};
  return ScoresInRange(column, range);
}

namespace {

double ShareOf(const RunBound& bound, const Summary& summary) {
  return summary.seconds > 0 ? std::min(bound.seconds / summary.seconds, 1.0) : 0;
}

std::string WorkOf(const RunBound& bound, const Summary& summary) {
  switch (bound.stage) {
    case Stage::kUploading:
      return "uploading pictures";
    case Stage::kCpu:
      return "scoring on the CPU";
    case Stage::kDevice:
      return "scoring on " + (summary.devices.empty() ? "a device" : summary.devices.front().name);
    case Stage::kWriting:
      return "writing";
    default:
      return fmt::format("{}{} {}", NameOf(bound.stage),
                         bound.stage == Stage::kDecoding && bound.is_changed ? " and converting" : "", bound.path);
  }
}

Json BoundJson(const Summary& summary) {
  const RunBound& bound = *summary.bound;
  return {{"stage", std::string(NameOf(bound.stage))},
          {"path", bound.path.empty() ? Json() : Json(bound.path)},
          {"share", ShareOf(bound, summary)},
          {"option", bound.option.empty() ? Json() : Json(bound.option)},
          {"text", DescribeBound(summary)}};
}

}  // namespace

std::string DescribeBound(const Summary& summary) {
  if (!summary.bound) return "";
  const RunBound& bound = *summary.bound;
  return fmt::format("{:.0f} % of the time waited for {}{}", 100 * ShareOf(bound, summary), WorkOf(bound, summary),
                     bound.option.empty() ? "" : "; " + bound.option + " would help");
}

Json SummaryDocument(const Summary& summary) {
  Json results = Json::Array();
  for (const SummaryVideo& video : summary.videos) results.Append(VideoJson(summary, video));
  Json devices = Json::Array();
  for (const SummaryDevice& device : summary.devices)
    devices.Append({{"backend", device.backend},
                    {"device", device.index},
                    {"name", device.name},
                    {"batch", device.batch},
                    {"memory_bytes", device.memory_bytes},
                    {"wanted_bytes", device.wanted_bytes}});
  Json document = {{"schema", kSchemaName},
                   {"kind", "score"},
                   {"version", summary.version},
                   {"reference",
                    {{"path", summary.reference},
                     {"width", summary.width},
                     {"height", summary.height},
                     {"bit_depth", summary.bit_depth},
                     {"pixel_format", summary.pixel_format},
                     {"frame_rate", summary.frame_rate}}},
                   {"frames", summary.frame_count},
                   {"subsample", summary.n_subsample},
                   {"seconds", summary.seconds},
                   {"fps", static_cast<double>(summary.frame_count) / summary.seconds},
                   {"threads", summary.threads},
                   {"devices", std::move(devices)},
                   {"results", std::move(results)},
                   {"model_reasons", summary.model_reasons},
                   {"warnings", summary.warnings}};
  if (summary.bound) document["bound"] = BoundJson(summary);
  if (!summary.inputs.empty()) document["inputs"] = InputsJson(summary.inputs);
  if (summary.receipt.IsObject()) document["receipt"] = summary.receipt;
  if (!summary.verdicts.empty()) document["verdict"] = VerdictsJson(summary.verdicts);
  return document;
}

std::string SummaryJson(const Summary& summary) { return JsonText(SummaryDocument(summary)); }

std::string SummaryLine(const Summary& summary) {
  return JsonLine({{"schema", kSchemaName}, {"event", "result"}, {"result", SummaryDocument(summary)}});
}

Result<std::optional<int>> FindScore(const Requirement& requirement, const ScoreTable& table,
                                     const std::vector<SummaryModel>& models) {
  const auto of_model = std::ranges::find(models, requirement.score, &SummaryModel::source);
  std::vector<std::string_view> names;
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const ScoreTable::Column& column = table.columns()[i];
    names.push_back(column.shown);
    const bool is_it = column.shown == requirement.score || column.stored == requirement.score ||
                       (of_model != models.end() && column.stored == of_model->column);
    if (is_it && requirement.pool) return {static_cast<int>(i)};
    if (is_it)
      return Error(StatusCode::kInvalidArgument, "'{}': name a pooling after a dot, such as {}.mean", requirement.text,
                   requirement.score);
  }
  for (const auto& [name, value] : table.aggregates()) {
    if (name == requirement.score && !requirement.pool) return {std::nullopt};
    if (!requirement.pool) names.push_back(name);
  }
  // Aggregates come at the end of a run alone.
  if (!requirement.pool && table.aggregates().empty()) return {std::nullopt};
  std::string hint = DidYouMean(requirement.score, names);
  if (const size_t relation = requirement.text.find_first_of("<>");
      hint.empty() && requirement.pool && relation != std::string::npos)
    hint = fmt::format("; a number of the whole video has no pooling: {}{}", requirement.score,
                       requirement.text.substr(relation));
  return Error(StatusCode::kInvalidArgument, "'{}': there is no score '{}'{}{} (there are {})", requirement.text,
               requirement.score, requirement.pool ? " of frames" : "", hint, NamesNear(requirement.score, names));
}

Result<const ScoreTable::Column*> FindFrameScore(const Summary& summary, const SummaryVideo& video,
                                                 const std::string& score) {
  const Requirement named{.text = score, .score = score, .pool = NamedPool{}};
  ACU_ASSIGN_OR_RETURN(const std::optional<int> index, FindScore(named, *video.scores, summary.models));
  return &video.scores->columns()[static_cast<size_t>(*index)];
}

namespace {

Result<std::optional<double>> ValueOf(const Requirement& requirement, const Summary& summary,
                                      const SummaryVideo& video) {
  ACU_ASSIGN_OR_RETURN(const std::optional<int> index, FindScore(requirement, *video.scores, summary.models));
  if (index) {
    const ScoreTable::Column& column = video.scores->columns()[static_cast<size_t>(*index)];
    const auto scores = ScoresOf(summary, video, column);
    if (!scores) return {std::nullopt};
    const auto value = PoolScores(*scores, *requirement.pool, ContextOf(summary, column));
    if (!value)
      return Error(StatusCode::kInvalidArgument, "'{}': the videos declare no frame rate, so that there is no second",
                   requirement.text);
    return value;
  }
  for (const auto& [name, value] : video.scores->aggregates())
    if (name == requirement.score) return {value};
  return Error(StatusCode::kInvalidArgument,
               "'{}': there is no number '{}' of the whole video; scores of frames have a "
               "pooling after a dot, such as {}.mean",
               requirement.text, requirement.score, requirement.score);
}

}  // namespace

Result<std::vector<Verdict>> JudgeSummary(const Summary& summary, const std::vector<Requirement>& requirements) {
  std::vector<Verdict> verdicts;
  for (const SummaryVideo& video : summary.videos)
    for (const Requirement& requirement : requirements) {
      ACU_ASSIGN_OR_RETURN(const std::optional<double> value, ValueOf(requirement, summary, video));
      verdicts.push_back(Judge(requirement, video.distorted, value));
    }
  return verdicts;
}

}  // namespace acutance
