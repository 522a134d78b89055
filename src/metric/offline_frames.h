// Frames of clips in memory, computed by plain calls of a metric: for self-tests and tests, which need no engine.
#pragma once

#include <span>
#include <vector>

#include "metric/metric.h"

namespace acutance {

/// Two clips as a metric's inputs show them. A clip that the metric does not read may be empty.
class OfflineFrames {
 public:
  OfflineFrames(const Metric& metric, const OptionValues& options, std::span<const Picture> reference,
                std::span<const Picture> distorted);
  OfflineFrames(const OfflineFrames&) = delete;

  FrameView at(int frame) const;

 private:
  struct Clip {
    std::vector<VideoPicture> pictures;
    std::vector<const VideoPicture*> latest_first;

    std::span<const VideoPicture* const> UpTo(int frame) const;
  };
  static Clip MakeClip(std::span<const Picture> pictures, size_t derived);

  std::vector<BoundInput> inputs_;
  Clip reference_, distorted_;
};

struct ComputedFrame {
  std::vector<int64_t> sums, words, kept;
  std::vector<double> values;
  std::vector<MutablePicture> artifacts;
};

enum class WantedArtifacts { kNone, kAll };

/// All of an extractor's work for one frame, with at most `bands` bands per stage, and its artifacts.
Result<ComputedFrame> ComputeFrame(const Metric& metric, const Extractor& extractor, const OfflineFrames& clip,
                                   int frame, int bands = 1, WantedArtifacts artifacts = WantedArtifacts::kAll);

/// Finish of results that a device computed: sets `kept` and `values`.
Status FinishFrame(const Metric& metric, const Extractor& extractor, int frame, ComputedFrame& computed);

}  // namespace acutance
