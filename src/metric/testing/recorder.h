// Recorder of the values that a metric's Sequence writes.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "metric/metric.h"

namespace acutance {

class ScoreRecorder : public ScoreSink {
 public:
  void Set(int output, int64_t frame, double value) override {
    EXPECT_TRUE(scores_.emplace(std::pair{output, frame}, value).second) << output << " of frame " << frame << " twice";
  }
  void SetAggregate(std::string_view name, double value) override {
    EXPECT_TRUE(aggregates_.emplace(name, value).second) << name << " twice";
  }

  size_t size() const { return scores_.size(); }
  const std::map<std::string, double>& aggregates() const { return aggregates_; }
  std::vector<double> Column(int output) const {
    std::vector<double> column;
    for (const auto& [key, value] : scores_)
      if (key.first == output) column.push_back(value);
    return column;
  }

 private:
  std::map<std::pair<int, int64_t>, double> scores_;  // by output and frame
  std::map<std::string, double> aggregates_;
};

}  // namespace acutance
