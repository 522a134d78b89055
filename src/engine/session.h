// A session scores one reference video against one or more distorted videos.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/cpu/thread_pool.h"
#include "base/status.h"
#include "engine/device_scheduler.h"
#include "engine/feature_set.h"
#include "engine/frame_job.h"
#include "engine/frame_results.h"
#include "engine/job_pool.h"
#include "engine/model_run.h"
#include "engine/raw_artifacts.h"
#include "engine/reorder_buffer.h"
#include "engine/score_writer.h"
#include "engine/session_spec.h"
#include "image/picture.h"
#include "image/picture_key.h"
#include "stats/score_table.h"

namespace acutance {

/// Frames go in by Add, in order; scores come out of the tables. One thread uses a session at a time.
/// Scores do not depend on threads or devices. Only the pictures of frames in flight are held: at most threads + 1
/// frames, and with devices as many as keep those busy (DeviceLane::frames_in_flight); fewer where memory is limited.
class Session {
 public:
  /// Opens devices, makes the metrics and the tables' columns, and writes the scores of restored frames.
  static Result<std::unique_ptr<Session>> Open(SessionSpec spec);
  ~Session();

  /// Queues the next frame (next_frame()); blocks while too many are in flight. Frames before the first that is scored
  /// become history. identity: of the reference picture, where later sessions on the same devices read it again.
  Status Add(Picture reference, std::vector<Picture> distorted, const PictureKey& identity = {});

  /// Waits until the results of all frames that were added went to SessionSpec::on_results; more may follow. Only of a
  /// session without devices, which wait for a whole batch.
  Status WaitForAll();

  /// Ends the session with kCancelled: Add and Flush return that from now on, also on a thread that waits in them. Any
  /// thread.
  void Cancel();

  /// Waits for all frames and writes what needed them all. Once; at least one frame must have been added or restored.
  Status Flush();

  /// The number of the frame that Add takes next: at first that of the earliest frame which the first scored one reads.
  int64_t next_frame() const { return next_index_; }

  /// The first frame that this session scores; those before it are restored or another run's.
  int64_t first_frame() const { return first_index_; }

  /// Frames that were scored so far, with those before the first.
  int64_t frames_added() const { return std::max(first_index_, next_index_); }

  /// Frames whose scores are in the tables; tables may be read while frames are in flight only through this,
  /// RunningMean and ReadScores.
  int64_t frames_done() const;

  /// Mean so far of a model's score, for display; nullopt before the first.
  std::optional<double> RunningMean(int distorted, int model) const;

  const ScoreTable& scores(int distorted) const { return writer_.table(distorted); }  // complete after Flush
  /// Shows a table while frames may be in flight; none is written meanwhile.
  void ReadScores(int distorted, const std::function<void(const ScoreTable&)>& reader) const;
  const std::vector<ModelRun>& models() const { return bound_.models; }
  int subsample() const { return spec_.subsample; }
  const std::vector<MetricRun>& metric_runs() const { return bound_.features.runs(); }
  int distorted_count() const { return spec_.distorted_count; }

  /// Whether a feature runs on the CPU, which then needs the pictures' samples in the host's memory.
  bool RunsOnCpu() const;

  /// Whether pictures of the spec's conversions should be lazy: devices convert them, and no feature on the CPU reads
  /// them. Both forms are accepted in any case.
  bool ConvertsOnDevice() const { return spec_.devices && bound_.RunsOnDevice() && crew_.has_devices(); }

  /// The devices that run what they can; empty: the CPU alone.
  const std::vector<std::unique_ptr<DeviceLane>>& lanes() const { return crew_.lanes(); }
  /// The first of them; null: the CPU alone.
  const DeviceInfo* device() const { return lanes().empty() ? nullptr : &lanes().front()->info(); }
  /// Devices that were passed over or failed, and why.
  std::vector<std::string> warnings() const;

 private:
  using Jobs = std::vector<std::shared_ptr<FrameJob>>;

  Session(SessionSpec spec, BoundRequests bound);
  Status Start();
  Status Restore();
  FramePictures MakeFrame(Picture reference, std::vector<Picture> distorted) const;
  VideoPicture MakeVideoPicture(Video video, Picture picture) const;
  void Remember(const FramePictures& frame);
  DeviceScheduler::Settings CrewSettings();
  void Warn(const std::string& warning);
  Status CheckPictures(const Picture& reference, const std::vector<Picture>& distorted) const;
  Status AddFrame(Picture reference, std::vector<Picture> distorted, const PictureKey& identity);
  Status WaitForRoom();
  size_t PairBytes() const;
  size_t WorkBytes() const;
  Result<int> MostFrames() const;
  void Fail(Status status);
  bool DevicesAreBehind() const;
  void OnFramesDone(Jobs jobs);
  void WriteReady();
  void CallTaps(const FrameResults& frame) const;
  Status CheckArtifacts() const;
  Status Write(const Jobs& jobs);
  Status DeliverArtifacts(FrameResults& frame);
  void PublishMeans();

  SessionSpec spec_;  // its conversions: those that devices do
  BoundRequests bound_;
  FrameRuns runs_;
  std::unique_ptr<WorkspacePool> workspaces_;
  const std::shared_ptr<PicturePool> derived_pool_ = std::make_shared<PicturePool>();
  JobPool jobs_;
  std::deque<FramePictures> earlier_;  // latest first
  int reference_history_ = 0, distorted_history_ = 0;
  int64_t first_index_ = 0, next_index_ = 0;
  int most_in_flight_ = 0;  // Add blocks above,
  int resume_at_ = 0;       // and resumes at this many: one wake-up per frame would cost more than the frame
  bool flushed_ = false;
  DeviceScheduler crew_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable progressed_;
  bool waited_for_ = false;  // whether a thread waits for progressed_
  int in_flight_ = 0;
  ReorderBuffer done_;
  bool writing_ = false;  // whether a thread writes scores
  int64_t next_to_write_ = 0;
  std::vector<std::vector<std::optional<double>>> means_;  // [model][distorted], of the frames written
  Status error_;
  bool failed_ = false;  // frames in flight may never end
  std::vector<std::string> warnings_;

  /// Held while scores are written: guards the tables and the models' progress. Taken before mutex_, if both are.
  mutable std::mutex writer_mutex_;
  ScoreWriter writer_;
  RawArtifacts raw_artifacts_;

  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace acutance
