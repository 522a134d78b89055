// Per-frame scores of one run: a column per feature or model, in the order in which logs list them.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/score_direction.h"
#include "base/status.h"

namespace acutance {

/// What the numbers of a column say.
struct ScoreTraits {
  ScoreDirection better = ScoreDirection::kHigher;
  int rank = 0;             // how well they say what viewers think of a frame, 0 to 100
  std::string_view unit{};  // "dB"; empty: none
  std::string clip{};       // the aggregate that stands for the mean of the whole clip; empty: the mean of frames does
};

class ScoreTable {
 public:
  struct Column : ScoreTraits {
    std::string stored;                         // "VMAF_integer_feature_adm2_score", the key
    std::string shown;                          // "integer_adm2", as logs print it
    std::vector<std::optional<double>> scores;  // by frame index; may be shorter than the clip
    std::optional<double> clip_mean{};          // the value of ScoreTraits::clip, once it is known
  };

  /// Adds an empty column and returns its index. A second column of the same stored name is an error.
  Result<int> AddColumn(std::string stored, std::string shown, ScoreTraits traits = {});

  /// A score is written once; a second write is an error.
  Status Set(int column, int64_t frame, double value);
  void SetAggregate(std::string_view name, double value);

  std::optional<double> Get(int column, int64_t frame) const;
  std::optional<double> Aggregate(std::string_view name) const;
  int Find(std::string_view stored) const;  // -1: no such column

  /// Puts the first columns into another order, by their indices of before.
  void Reorder(std::span<const int> order);

  const std::deque<Column>& columns() const { return columns_; }
  const std::vector<std::pair<std::string, double>>& aggregates() const { return aggregates_; }

 private:
  std::deque<Column> columns_;
  std::map<std::string, int, std::less<>> index_;
  std::vector<std::pair<std::string, double>> aggregates_;
};

/// The column by which a run's frames are compared: that of its first model (empty: it has none), else the first of
/// the highest rank among those that say which frames are better; nullopt where there is neither.
std::optional<int> FindQualityColumn(const ScoreTable& table, std::string_view model_column);

}  // namespace acutance
