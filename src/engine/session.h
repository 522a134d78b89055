// A session scores one reference video against one or more distorted videos.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "backend/cpu/thread_pool.h"
#include "base/status.h"
#include "engine/backends.h"
#include "engine/device_lane.h"
#include "engine/feature_set.h"
#include "engine/frame_job.h"
#include "engine/model_run.h"
#include "image/picture.h"
#include "model/score_table.h"

namespace acutance {

struct SessionOptions {
  std::vector<ModelRequest> models;
  std::vector<FeatureRequest> features;  // beside those that the models need
  int threads = 1;                       // 1: everything runs in the caller's thread
  int subsample = 1;                     // score only frames whose index it divides
  int distorted_count = 1;
  std::shared_ptr<DevicePicker> devices;  // null: the CPU alone
};

/// Frames go in by Add, in order; scores come out of the tables. One thread uses a session at a time.
/// Scores do not depend on threads or devices. Memory is bounded by the frames in flight: at most threads + 1, and with
/// a device two of its batches more.
class Session {
 public:
  static Result<std::unique_ptr<Session>> Create(SessionOptions options);
  ~Session();

  /// Whether any metric reads chroma; sources may leave it out otherwise.
  bool NeedsChroma() const { return features_.NeedsChroma(); }

  /// Fixes the picture format, makes the metrics and the columns of the score tables. Once, before the first Add.
  Status Start(const PictureFormat& format);

  /// Queues the next frame; blocks while too many are in flight.
  Status Add(Picture reference, std::vector<Picture> distorted);

  /// Waits for all frames and writes what needed them all. Once; at least one frame must have been added.
  Status Flush();

  int64_t frames_added() const { return next_index_; }

  /// Frames whose scores are in the tables; tables may be read while frames are in flight only through this, RunningMean
  /// and ReadScores.
  int64_t frames_done() const;

  /// Mean so far of a model's score, for display; nullopt before the first.
  std::optional<double> RunningMean(int distorted, int model) const;

  const ScoreTable& scores(int distorted) const { return *tables_[distorted]; }  // complete after Flush
  /// Shows a table while frames may be in flight; none is written meanwhile.
  void ReadScores(int distorted, const std::function<void(const ScoreTable&)>& reader) const;
  const std::vector<ModelRun>& models() const { return models_; }
  int subsample() const { return options_.subsample; }

  /// The device that runs what it can; null: the CPU alone. After Start.
  const DeviceInfo* device() const { return lane_ ? &lane_->info() : nullptr; }
  /// Devices that were passed over or failed, and why.
  std::vector<std::string> warnings() const;

 private:
  class Sink;
  struct RunSequence {
    int run;
    std::unique_ptr<Sequence> sequence;
  };

  explicit Session(SessionOptions options);
  Status BindRequests();
  Status ChooseDevice(const PictureFormat& format);
  int MaxInFlight() const;
  void Warn(const std::string& warning);
  std::vector<int> RunsOfFrame(int64_t index) const;
  void OnFrameDone(std::shared_ptr<FrameJob> job);
  void WriteFrame(const FrameJob& job);
  void WriteValues(const RunResult& result, int64_t index);
  void PredictReady();
  void Record(const Status& status);
  Status FirstError() const;
  std::vector<int> TablesOf(int distorted) const;  // -1: all

  const SessionOptions options_;
  FeatureSet features_;
  std::vector<ModelRun> models_;
  std::vector<std::unique_ptr<ScoreTable>> tables_;  // one per distorted video
  std::unique_ptr<WorkspacePool> workspaces_;
  std::map<std::pair<int, int>, std::unique_ptr<Sequence>> sequences_;  // by (run, distorted)
  std::deque<Picture> earlier_;                                         // latest first
  int max_lag_ = 0;
  PictureFormat format_;
  int64_t next_index_ = 0;
  bool flushed_ = false;

  mutable std::mutex mutex_;  // guards what follows, and the tables while frames are in flight
  std::condition_variable frame_finished_;
  int in_flight_ = 0;
  std::map<int64_t, std::shared_ptr<FrameJob>> waiting_;  // done, but an earlier frame is not
  int64_t next_to_write_ = 0;
  Status error_;
  std::vector<std::string> warnings_;

  // Last: their threads end before anything they use, the lane's before the pool's.
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<DeviceLane> lane_;
};

}  // namespace acutance
