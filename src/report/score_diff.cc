#include "report/score_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "base/number.h"
#include "log/json_text.h"
#include "report/rescore.h"
#include "run/run_journal.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr double kUsualRate = 25;

ScoreLog LogOf(const std::string& path, const ScoredRun& run, size_t d, const std::string& distorted) {
  const ScoredEncode& encode = run.encodes[d];
  const int64_t step = encode.session->subsample();
  ScoreLog log{.path = path, .format = "journal", .distorted = distorted};
  for (int64_t frame = 0; frame < encode.frames; frame += step) log.frames.push_back(frame);
  for (const ScoreTable::Column& column : encode.scores().columns()) {
    LoggedColumn& logged = log.columns.emplace_back(LoggedColumn{column.shown});
    for (const int64_t frame : log.frames)
      logged.scores.push_back(encode.scores().Get(encode.scores().Find(column.stored), frame));
  }
  return log;
}

bool HigherIsWorse(const std::string& name) {
  const NamedOutput found = FindOutput(name);
  return found.output && found.output->better == ScoreDirection::kLower;
}

/// Scores of the frames that both have and from begin to end - 1.
struct Paired {
  std::vector<int64_t> frames;
  std::vector<double> before, after;

  Paired Part(int64_t begin, int64_t end) const {
    Paired part;
    for (size_t i = 0; i < frames.size(); ++i) {
      if (frames[i] < begin || frames[i] >= end) continue;
      part.frames.push_back(frames[i]);
      part.before.push_back(before[i]);
      part.after.push_back(after[i]);
    }
    return part;
  }
};

Paired PairUp(const ScoreLog& before, const LoggedColumn& old_column, const ScoreLog& after,
              const LoggedColumn& new_column) {
  Paired paired;
  for (size_t i = 0, j = 0; i < before.frames.size() && j < after.frames.size();) {
    if (before.frames[i] != after.frames[j]) {
      ++(before.frames[i] < after.frames[j] ? i : j);
      continue;
    }
    const auto& one = old_column.scores[i++];
    const auto& other = new_column.scores[j++];
    if (!one || !other || !std::isfinite(*one) || !std::isfinite(*other)) continue;
    paired.frames.push_back(before.frames[i - 1]);
    paired.before.push_back(*one);
    paired.after.push_back(*other);
  }
  return paired;
}

MeanChange ChangeOf(std::string name, const Paired& paired, double rate, bool higher_is_worse) {
  MeanChange change{.name = std::move(name), .higher_is_worse = higher_is_worse};
  change.begin = paired.frames.front();
  change.end = paired.frames.back() + 1;
  change.old_mean = Mean(paired.before);
  change.new_mean = Mean(paired.after);
  const double span = static_cast<double>(change.end - change.begin) / static_cast<double>(paired.frames.size());
  change.interval = DifferenceInterval(paired.after, paired.before, BlockLength(paired.frames.size(), rate / span), {});
  return change;
}

std::optional<double> RateOf(const ScoreLog& log) {
  const std::optional<double> rate = ParseFiniteDouble(JsonAt(JsonAt(log.summary, "reference"), "frame_rate").text);
  return rate && *rate > 0 ? rate : std::nullopt;
}

double PooledOf(const ScoreLog& log, const std::string& name, const char* method) {
  for (const auto& [column, values] : log.pooled)
    if (column == name)
      for (const auto& [each, value] : values)
        if (each == method) return value;
  return std::nan("");
}

std::vector<std::string> NamesOf(const ScoreLog& log) {
  std::vector<std::string> names;
  for (const LoggedColumn& column : log.columns) names.push_back(column.name);
  if (names.empty())
    for (const auto& [name, values] : log.pooled) names.push_back(name);
  return names;
}

class Differ {
 public:
  Differ(const ScoreLog& before, const ScoreLog& after, const DiffOptions& options)
      : before_(before), after_(after), options_(options) {
    const std::optional<double> own = RateOf(after).has_value() ? RateOf(after) : RateOf(before);
    rate_ = options.frame_rate.value_or(own.value_or(kUsualRate));
    is_guessed_ = !options.frame_rate && !own;
  }

  Result<VideoDiff> Diff() {
    diff_.old_name = before_.distorted.empty() ? before_.path : before_.distorted;
    diff_.new_name = after_.distorted.empty() ? after_.path : after_.distorted;
    ACU_RETURN_IF_ERROR(ChooseScore());
    const bool has_frames = !before_.columns.empty() && !after_.columns.empty();
    ACU_RETURN_IF_ERROR(has_frames ? DiffFrames() : DiffSummaries());
    Judge();
    return std::move(diff_);
  }

 private:
  /// A model's score stands last in libvmaf's logs and first in summaries.
  Status ChooseScore() {
    const std::vector<std::string> theirs = NamesOf(after_);
    for (const std::string& name : NamesOf(before_))
      if (std::ranges::find(theirs, name) != theirs.end()) names_.push_back(name);
    if (names_.empty())
      return Error(StatusCode::kInvalidArgument, "{} and {} have no score in common", before_.path, after_.path);
    const auto is_model = [](const std::string& name) { return FindOutput(name).output == nullptr; };
    const auto found =
        options_.by.empty() ? std::ranges::find_if(names_, is_model) : std::ranges::find(names_, options_.by);
    if (found == names_.end() && !options_.by.empty())
      return Error(StatusCode::kInvalidArgument, "there is no score '{}' in both (there are {})", options_.by,
                   fmt::join(names_, ", "));
    diff_.by = found == names_.end() ? names_.front() : *found;
    std::ranges::stable_partition(names_, [&](const std::string& name) { return name == diff_.by; });
    return {};
  }

  Status DiffFrames() {
    Paired main;
    for (const std::string& name : names_) {
      Paired paired = PairUp(before_, *before_.Find(name), after_, *after_.Find(name));
      if (paired.frames.empty()) continue;
      diff_.scores.push_back(ChangeOf(name, paired, rate_, HigherIsWorse(name)));
      if (name == diff_.by) main = std::move(paired);
    }
    if (main.frames.empty())
      return Error(StatusCode::kInvalidArgument, "no frame has {} in both {} and {}", diff_.by, before_.path,
                   after_.path);
    diff_.frames = std::ssize(main.frames);
    const size_t most = std::max(before_.frames.size(), after_.frames.size());
    if (main.frames.size() < most)
      diff_.notes.push_back(fmt::format("{} frames are in both, of {} and {}", main.frames.size(),
                                        before_.frames.size(), after_.frames.size()));
    AddSeconds(main);
    if (!options_.segments) return {};
    ACU_ASSIGN_OR_RETURN(const std::vector<Part> parts,
                         SplitSegments(*options_.segments, 0, main.frames.back() + 1, rate_));
    for (const Part& part : parts) {
      const Paired inside = main.Part(part.begin, part.end);
      if (!inside.frames.empty()) diff_.parts.push_back(ChangeOf(part.name, inside, rate_, HigherIsWorse(diff_.by)));
    }
    return {};
  }

  /// The seconds that got worse, the worst first.
  void AddSeconds(const Paired& main) {
    const bool higher_is_worse = HigherIsWorse(diff_.by);
    for (int64_t second = 0;; ++second) {
      const auto begin = static_cast<int64_t>(std::ceil(static_cast<double>(second) * rate_));
      if (begin > main.frames.back()) break;
      const Paired inside = main.Part(begin, static_cast<int64_t>(std::ceil(static_cast<double>(second + 1) * rate_)));
      if (inside.frames.empty()) continue;
      MeanChange change = ChangeOf(fmt::format("{} s", second), inside, rate_, higher_is_worse);
      if (change.worse() > 0) diff_.seconds.push_back(std::move(change));
    }
    std::ranges::stable_sort(diff_.seconds, std::greater(), &MeanChange::worse);
    if (diff_.seconds.size() > options_.most_seconds) diff_.seconds.resize(options_.most_seconds);
    if (is_guessed_)
      diff_.notes.push_back(fmt::format("a second is taken for {:g} frames: give --fps where it is not", rate_));
  }

  Status DiffSummaries() {
    for (const std::string& name : names_) {
      const double one = PooledOf(before_, name, "mean"), other = PooledOf(after_, name, "mean");
      if (std::isfinite(one) && std::isfinite(other))
        diff_.scores.push_back(
            {.name = name, .old_mean = one, .new_mean = other, .higher_is_worse = HigherIsWorse(name)});
    }
    if (diff_.scores.empty())
      return Error(StatusCode::kInvalidArgument, "{} and {} have no mean in common", before_.path, after_.path);
    diff_.notes.emplace_back("a summary has no scores of frames: intervals and seconds need logs or journals");
    AddSummaryParts("shots");
    AddSummaryParts("segments");
    return {};
  }

  static const Json& ResultOf(const ScoreLog& log) {
    static const Json kNull;
    for (const Json& result : JsonAt(log.summary, "results").items)
      if (JsonAt(result, "distorted").IsText(log.distorted)) return result;
    return kNull;
  }

  void AddSummaryParts(const char* kind) {
    const auto mean = [&](const Json& part) {
      for (const char* const group : {"models", "features"})
        if (const Json* const pools = JsonAt(part, group).Find(diff_.by))
          return ParseFiniteDouble(JsonAt(*pools, "mean").text);
      return std::optional<double>();
    };
    for (const Json& part : JsonAt(ResultOf(before_), kind).items)
      for (const Json& other : JsonAt(ResultOf(after_), kind).items) {
        const auto begin = ParseInteger(JsonAt(part, "begin").text), end = ParseInteger(JsonAt(part, "end").text);
        const auto one = mean(part), two = mean(other);
        if (begin == ParseInteger(JsonAt(other, "begin").text) && end == ParseInteger(JsonAt(other, "end").text) &&
            one && two)
          diff_.parts.push_back(
              {JsonAt(part, "name").text, begin.value_or(0), end.value_or(0), *one, *two, {}, HigherIsWorse(diff_.by)});
      }
  }

  void Judge() {
    if (!options_.worse_than) return;
    const auto judge = [&](const MeanChange& change, const std::string& what) {
      if (change.worse() > *options_.worse_than)
        diff_.failures.push_back(
            fmt::format("{}: {} is worse by {:.4f}, from {:.4f} to {:.4f}; at most {:g} is allowed", diff_.new_name,
                        what, change.worse(), change.old_mean, change.new_mean, *options_.worse_than));
    };
    for (const MeanChange& change : diff_.scores)
      if (change.name == diff_.by) judge(change, "the mean of " + diff_.by);
    for (const MeanChange& part : diff_.parts)
      judge(part, fmt::format("the mean of {} in frames {} to {}", diff_.by, part.begin, part.end - 1));
  }

  const ScoreLog &before_, &after_;
  const DiffOptions& options_;
  double rate_ = kUsualRate;
  bool is_guessed_ = false;
  std::vector<std::string> names_;
  VideoDiff diff_;
};

bool IsJournal(const std::string& path) { return JournalReader::Open(path).ok(); }

}  // namespace

Result<std::vector<ScoreLog>> LoadScores(const std::string& path, int threads) {
  if (!IsJournal(path)) return ReadScoreLogs(path);
  const JoinedRun joined = JoinJournals({path}, threads);
  if (joined.run.error) return joined.run.error->status;
  std::vector<ScoreLog> logs;
  for (size_t d = 0; d < joined.run.encodes.size(); ++d)
    logs.push_back(LogOf(path, joined.run, d, joined.request.distorted[d]));
  return logs;
}

Result<std::vector<VideoDiff>> DiffScores(const std::vector<ScoreLog>& before, const std::vector<ScoreLog>& after,
                                          const DiffOptions& options) {
  if (before.size() != after.size())
    return Error(StatusCode::kInvalidArgument, "{} has {} distorted videos, and {} has {}", before.front().path,
                 before.size(), after.front().path, after.size());
  std::vector<VideoDiff> videos;
  for (size_t d = 0; d < before.size(); ++d) {
    ACU_ASSIGN_OR_RETURN(VideoDiff diff, Differ(before[d], after[d], options).Diff());
    videos.push_back(std::move(diff));
  }
  return videos;
}

namespace {

std::string IntervalText(const MeanChange& change) {
  return change.interval ? fmt::format("[{:+.4f}, {:+.4f}]", change.interval->low, change.interval->high) : "";
}

std::string PartName(const MeanChange& part) {
  return fmt::format("{}-{}{}{}", part.begin, part.end - 1, part.name.empty() ? "" : " ", part.name);
}

/// A table of changes; name: of its first column.
using Row = std::vector<std::string>;

std::vector<Row> RowsOf(const std::vector<MeanChange>& changes, const std::string& name, bool are_parts) {
  std::vector<Row> rows = {{name, "old", "new", "difference", "95 %", ""}};
  for (const MeanChange& change : changes) {
    const char* const word = change.worse() == 0 ? "" : change.worse() > 0 ? "worse" : "better";
    rows.push_back({are_parts ? PartName(change) : change.name, fmt::format("{:.4f}", change.old_mean),
                    fmt::format("{:.4f}", change.new_mean), fmt::format("{:+.4f}", change.difference()),
                    IntervalText(change), change.interval && !change.is_certain() ? "" : word});
  }
  return rows;
}

std::string Aligned(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const Row& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line = fmt::format("{:<{}}", row[0], widths[0]);
    for (size_t i = 1; i < row.size(); ++i) line += fmt::format("  {:>{}}", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string MarkdownTable(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) {
    text += fmt::format("| {} |\n", fmt::join(row, " | "));
    if (&row == &rows.front()) text += "|---|--:|--:|--:|--:|---|\n";
  }
  return text;
}

std::string Tables(const VideoDiff& video, std::string (*table)(const std::vector<Row>&)) {
  std::string text = table(RowsOf(video.scores, "mean", false));
  if (!video.parts.empty()) text.append("\n").append(table(RowsOf(video.parts, video.by + ", frames", true)));
  if (!video.seconds.empty())
    text.append("\n").append(table(RowsOf(video.seconds, video.by + ", worst seconds", true)));
  return text;
}

Json ChangesJson(const std::vector<MeanChange>& changes) {
  Json list = Json::Array();
  for (const MeanChange& change : changes) {
    Json interval;
    if (change.interval)
      interval = {{"low", change.interval->low}, {"high", change.interval->high}, {"confidence", 0.95}};
    list.Append({{"name", change.name},
                 {"begin", change.begin},
                 {"end", change.end},
                 {"old", change.old_mean},
                 {"new", change.new_mean},
                 {"difference", change.difference()},
                 {"interval", std::move(interval)},
                 {"worse", change.worse() > 0},
                 {"certain", change.is_certain()}});
  }
  return list;
}

}  // namespace

std::string DiffText(const std::vector<VideoDiff>& videos) {
  std::string text;
  for (const VideoDiff& video : videos) {
    text += fmt::format("old  {}\nnew  {}\n\n{}", video.old_name, video.new_name, Tables(video, Aligned));
    for (const std::string& note : video.notes) text += note + "\n";
  }
  return text;
}

std::string DiffMarkdown(const std::vector<VideoDiff>& videos) {
  std::string text;
  for (const VideoDiff& video : videos) {
    text += fmt::format("#### {}\n\n", video.new_name);
    for (const std::string& failure : video.failures) text += "**" + failure + "**\n\n";
    text += Tables(video, MarkdownTable) + "\n";
    for (const std::string& note : video.notes) text += note + "\n";
  }
  return text;
}

Json DiffJson(const std::vector<VideoDiff>& videos) {
  Json list = Json::Array();
  bool holds = true;
  for (const VideoDiff& video : videos) {
    holds &= video.failures.empty();
    list.Append({{"old", video.old_name},
                 {"new", video.new_name},
                 {"by", video.by},
                 {"frames", video.frames},
                 {"scores", ChangesJson(video.scores)},
                 {"parts", ChangesJson(video.parts)},
                 {"seconds", ChangesJson(video.seconds)},
                 {"notes", video.notes},
                 {"failures", video.failures}});
  }
  return {{"schema", "acutance/1"}, {"kind", "diff"}, {"holds", holds}, {"videos", std::move(list)}};
}

}  // namespace acutance
