// Session: scores one reference video against one or more distorted videos, from frame pairs to score tables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/threads/thread_pool.h"
#include "base/time_sum.h"
#include "engine/device_scheduler.h"
#include "engine/frame_job.h"
#include "engine/frames_in_flight.h"
#include "engine/run_log.h"
#include "engine/session_output.h"
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

  /// Waits until the results of all added frames went to SessionSpec::on_results and their scores into the tables; more
  /// frames may follow. Devices first wait a while (FrameQueue) for further frames of a batch.
  Status WaitForAll();

  /// Ends the session, from any thread: Add and Flush return kCancelled from now on, also where they wait.
  void Cancel();

  /// Waits for all frames and writes the values that need all of them. Once; there must be a frame.
  Status Flush();

  /// Begins another video of the same format after Flush, with tables that are empty; devices, memory and threads stay.
  /// Not for a session that began with restored frames.
  Status Restart();

  /// The number of the frame that Add takes next, at first of the earliest frame that the first scored one reads.
  int64_t next_frame() const { return next_index_; }

  /// The first frame that this session scores; those before it are restored or another run's.
  int64_t first_frame() const { return first_index_; }

  /// Frames that were added to be scored, with all before the first.
  int64_t frames_added() const { return std::max(first_index_, next_index_); }

  /// Frames whose scores are in the tables. While frames are in flight, tables are read only up to this number, by
  /// RunningMean and ReadScores.
  int64_t frames_done() const { return in_flight_.written(); }

  /// Mean so far of a model's score, for display; nullopt before the first.
  std::optional<double> RunningMean(int distorted, int model) const { return output_.RunningMean(distorted, model); }

  const ScoreTable& scores(int distorted) const { return output_.table(distorted); }  // complete after Flush
  /// Calls `reader` with a table, also while frames are in flight; no score is written meanwhile.
  void ReadScores(int distorted, const std::function<void(const ScoreTable&)>& reader) const {
    output_.Read(distorted, reader);
  }

  /// The time that SessionSpec's receivers of results and artifacts took; one thread at a time calls them.
  double writing_seconds() const { return output_.writing_seconds(); }

  const std::vector<ModelRun>& models() const { return bound_.models; }
  int subsample() const { return spec_.subsample; }
  const std::vector<MetricRun>& metric_runs() const { return bound_.features.runs(); }
  int distorted_count() const { return spec_.distorted_count; }
  int number(int distorted) const { return spec_.NumberOf(distorted); }  // among the run's videos
  int run_videos() const { return spec_.RunVideos(); }

  /// Whether a feature of the next frame runs on the CPU, which then needs the pictures' samples in the host's memory.
  bool RunsOnCpu() const;

  /// Whether pictures of the spec's conversions should be lazy: devices convert them, and no feature on the CPU reads
  /// them. Both forms are accepted in any case.
  bool ConvertsOnDevice() const { return spec_.devices && bound_.RunsOnDevice() && devices_.has_devices(); }

  const std::vector<std::unique_ptr<DeviceLane>>& lanes() const { return devices_.lanes(); }
  /// The first device; null: the CPU alone, or no device has joined yet.
  const DeviceInfo* device() const { return lanes().empty() ? nullptr : &lanes().front()->info(); }
  /// Devices that were skipped or failed, and why; options without effect; scores that are not numbers.
  std::vector<std::string> warnings() const { return log_.warnings(); }

 private:
  using Jobs = FramesInFlight::Jobs;

  Session(SessionSpec spec, BoundRequests bound);
  Status MakeMetrics();
  Status ChooseDevices();
  void LimitFramesInFlight();
  Status StartThreads();
  Status Restore();

  Status CheckPictures(const Picture& reference, const std::vector<Picture>& distorted) const;
  Status AddFrame(Picture reference, std::vector<Picture> distorted, const PictureKey& identity);
  void BeginFrame();
  VideoPicture MakeVideoPicture(Video video, Picture picture) const;
  FramePictures MakeFrame(Picture reference, std::vector<Picture> distorted) const;
  void Remember(const FramePictures& frame);
  void Fail(Status status);
  void Record(Status status);
  void OnFramesDone(Jobs jobs);
  void WriteReady();

  SessionSpec spec_;  // its conversions: those that devices do
  BoundRequests bound_;
  RunLog log_;
  FrameRuns runs_;
  SessionOutput output_;
  std::unique_ptr<WorkspacePool> workspaces_;
  const std::shared_ptr<PicturePool> derived_pool_ = std::make_shared<PicturePool>();
  JobPool jobs_;
  std::deque<FramePictures> earlier_;  // latest first
  int reference_history_ = 0, distorted_history_ = 0;
  int64_t first_index_ = 0, next_index_ = 0;
  bool is_flushed_ = false;
  int most_frames_ = 0;              // that memory has room for
  bool devices_end_frames_ = false;  // from the first frame on, or later
  TimeSum waiting_;                  // of the caller, for room
  FramesInFlight in_flight_;
  DeviceScheduler devices_;
  std::unique_ptr<ThreadPool> pool_;
};

}  // namespace acutance
