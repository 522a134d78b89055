// Comparison of two runs' scores without their videos: what got worse, where, and how sure that is (docs/use/trust.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "log/read/score_log.h"
#include "stats/bootstrap.h"
#include "stats/segments.h"

namespace acutance {

struct DiffOptions {
  std::string by;                       // the score whose parts are compared; empty: a model's, or the first
  std::optional<double> frame_rate;     // not set: the files', else 25
  std::optional<SegmentSpec> segments;  // instead of the shots that summaries have
  std::optional<double> worse_than;     // how much worse a mean may get
  size_t most_seconds = 5;              // the worst seconds that are listed
};

/// Two means of the same frames. The difference is new - old.
struct MeanChange {
  std::string name;  // of the score, or of the part
  int64_t begin = 0, end = 0;
  double old_mean = 0, new_mean = 0;
  std::optional<Interval> interval{};  // of the difference, by blocks of frames in pairs; not set: too few frames
  bool higher_is_worse = false;

  double difference() const { return new_mean - old_mean; }
  /// How much worse; negative: better.
  double worse() const { return higher_is_worse ? difference() : -difference(); }
  /// Whether the interval excludes that nothing changed.
  bool is_certain() const { return interval && (interval->low > 0 || interval->high < 0); }
};

struct VideoDiff {
  std::string old_name, new_name;
  std::string by;
  int64_t frames = 0;  // in both; 0: summaries, which have no frames
  std::vector<MeanChange> scores, parts, seconds;
  std::vector<std::string> notes;
  std::vector<std::string> failures;  // what is worse than allowed, in sentences
};

/// The scores in a summary, log or journal, one for each distorted video. A journal must be complete.
Result<std::vector<ScoreLog>> LoadScores(const std::string& path, int threads);

Result<std::vector<VideoDiff>> DiffScores(const std::vector<ScoreLog>& before, const std::vector<ScoreLog>& after,
                                          const DiffOptions& options);

std::string DiffText(const std::vector<VideoDiff>& videos);
std::string DiffMarkdown(const std::vector<VideoDiff>& videos);
Json DiffJson(const std::vector<VideoDiff>& videos);

}  // namespace acutance
