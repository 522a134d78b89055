// Specification of a session: inputs, models, features, devices and limits.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "devices/backends.h"
#include "engine/artifact_files.h"
#include "engine/device_cache.h"
#include "engine/feature_set.h"
#include "engine/frame_results.h"
#include "engine/model_run.h"
#include "exec/plan.h"
#include "image/picture.h"

namespace acutance {

/// Receives the results of a metric that is computed in addition to the features and has no scores.
struct ResultTap {
  std::string metric;  // of the registry, also one that users cannot name (IsInternal); with its default options
  /// Called in frame order, for one distorted video after the other, by one thread at a time, before scores are
  /// written.
  std::function<void(const RunResult&)> on_result;
};

/// How devices take frames whose callers wait for each of them. A device without work takes what there is at once.
struct FrameGathering {
  int most_frames = 1;   // of a batch
  int most_batches = 2;  // in flight on a device
  /// How long a batch that is not full waits for each further frame while the device works on others.
  std::chrono::microseconds longest_wait{300};
};

struct SessionSpec {
  std::vector<ModelRequest> models{};
  std::vector<FeatureRequest> features{};  // in addition to those that the models need
  int threads = 1;                         // 1: everything runs in the caller's thread
  int subsample = 1;                       // score only frames whose index it divides
  int frames = 0;  // of the videos, about; 0: not known. A device takes as long for a batch that is not full
  int distorted_count = 1;
  /// The distorted videos' numbers in artifacts and warnings, where they are a part of a run's; empty: 0, 1, ...
  std::vector<int> numbers{};
  int run_videos = 0;      // distorted ones of the run; 0: distorted_count
  PictureFormat format{};  // of all pictures

  // What the videos declare, and how their pictures are delivered.
  OptionTexts video{};                         // frame rate and color by names of options (FeatureSet::Describe)
  std::vector<VideoConversion> conversions{};  // of videos whose pictures may be lazy (image/lazy_picture.h)
  int read_ahead = 0;  // pictures of each video that the caller holds in addition to those it adds

  std::shared_ptr<DevicePicker> devices{};                 // null: the CPU alone
  std::shared_ptr<DeviceCache> device_cache{};             // takes and returns them; null: they are closed
  std::optional<size_t> max_device_memory = std::nullopt;  // bytes of each device; not set: as DeviceLane chooses
  /// Bytes for the pictures in flight and the features' buffers; not set: half of the machine's available memory.
  std::optional<size_t> max_memory = std::nullopt;
  std::optional<FrameGathering> gathering{};  // not set: frames come in a stream, and batches are as the device prefers
  int verify = 0;  // one of this many frames that a device computes is computed again on the CPU; 0: none

  ArtifactSink on_artifact{};     // null: artifacts are computed only where options of features ask for files
  std::vector<ResultTap> taps{};  // a spec with taps has subsample 1
  /// Called with the results of all frames that are added, in order, before their scores are written. Its error ends
  /// the session.
  std::function<Status(std::span<FrameResults* const>)> on_results{};
  /// Called with the first error of the session, on any thread: results of frames in flight may never come.
  std::function<void(const Status&)> on_failure{};
  bool writes_scores = true;  // false: results go to on_results alone, and the tables stay empty

  /// The first frame that is scored. Frames before it belong to another run: Add takes those that are history.
  int64_t first_frame = 0;
  /// Results of the clip's first frames that an earlier run computed: fills those of the next frame, which are
  /// allocated; false after the last. The frame that follows is then the first that is scored. Called by Open alone.
  std::function<Result<bool>(FrameResults& frame)> restored{};

  std::function<void(const std::string&)> on_warning{};  // called with each warning as it occurs, on any thread

  int NumberOf(int distorted) const { return numbers.empty() ? distorted : numbers[static_cast<size_t>(distorted)]; }
  int RunVideos() const { return run_videos > 0 ? run_videos : distorted_count; }
};

/// What the models, features and taps of a specification read. It depends on no picture format.
struct SessionNeeds {
  bool chroma = false;
  bool reference = false;
  bool distorted = false;       // the distorted videos' pictures may be without planes otherwise
  bool runs_on_device = false;  // every feature can, with pictures of most formats
};

/// An error where Open would return one for any format.
Result<SessionNeeds> FindNeeds(const SessionSpec& spec);

/// The metric runs of a specification.
struct BoundRequests {
  FeatureSet features;
  std::vector<ModelRun> models;
  std::vector<int> tap_runs;  // [tap]: index of its run

  bool RunsOnDevice() const;
};

/// Checks the numbers of a specification, fills limits on memory from $ACUTANCE_MAX_MEMORY and $ACUTANCE_MAX_VRAM where
/// they are not set, and binds its requests to metrics.
Result<BoundRequests> Bind(SessionSpec& spec);

}  // namespace acutance
