// Results of a frame: numbers that remain when its pictures are gone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "engine/feature_set.h"

namespace acutance {

/// Results of one metric run over one frame.
struct RunResult {
  int run;        // index into FeatureSet::runs()
  int distorted;  // -1: one result for all distorted videos, since the metric reads the reference alone
  std::span<int64_t> sums, words, kept;
  std::span<double> values;
  std::vector<MutablePicture> artifacts{};  // empty unless the session asked for them
};

/// Which metric runs a frame has: subsampling leaves some of them out.
class FrameRuns {
 public:
  FrameRuns() = default;
  FrameRuns(const FeatureSet& features, int subsample);

  const std::vector<int>& Of(int64_t index) const { return index % subsample_ == 0 ? all_ : every_frame_; }

 private:
  int subsample_ = 1;
  std::vector<int> all_, every_frame_;
};

/// Scores and logs are computed from `values` and `kept` alone.
struct FrameResults {
  FrameResults() = default;
  FrameResults(const FrameResults&) = delete;  // `runs` points into the other members
  FrameResults& operator=(const FrameResults&) = delete;
  FrameResults(FrameResults&&) = default;
  FrameResults& operator=(FrameResults&&) = default;

  /// Makes room for the results of the runs `which`, for each distorted video; all integers are 0, all values NaN.
  void Assign(const FeatureSet& features, const std::vector<int>& which, int64_t frame, int distorted_count);

  /// Computes `values` and `kept` from sums and partial results.
  void Finish(const FeatureSet& features);

  int64_t index = 0;
  int history = 0;             // how many frames before it were there for its metrics
  std::vector<int64_t> words;  // sums and partial results of all runs, one after another
  std::vector<int64_t> kept;
  std::vector<double> values;
  std::vector<RunResult> runs;
  Status status;  // the first error of the frame
};

/// Splits `count` elements off the front.
template <class T>
std::span<T> TakeFront(std::span<T>& rest, size_t count) {
  const std::span<T> front = rest.first(count);
  rest = rest.subspan(count);
  return front;
}

Status OutOfMemory(int64_t frame);

}  // namespace acutance
