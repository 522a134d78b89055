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
#include "devices/backends.h"
#include "engine/artifact.h"
#include "engine/device_cache.h"
#include "engine/device_scheduler.h"
#include "engine/feature_set.h"
#include "engine/frame_job.h"
#include "engine/frame_results.h"
#include "engine/job_pool.h"
#include "engine/model_run.h"
#include "engine/raw_artifacts.h"
#include "engine/reorder_buffer.h"
#include "engine/score_writer.h"
#include "fingerprint/frame_fingerprint.h"
#include "image/picture.h"
#include "image/picture_key.h"
#include "stats/score_table.h"

namespace acutance {

struct SessionOptions {
  std::vector<ModelRequest> models;
  std::vector<FeatureRequest> features;  // beside those that the models need
  int threads = 1;                       // 1: everything runs in the caller's thread
  int subsample = 1;                     // score only frames whose index it divides
  int distorted_count = 1;
  std::shared_ptr<DevicePicker> devices;                   // null: the CPU alone
  std::shared_ptr<DeviceCache> device_cache{};             // where they come from and go to; null: they are closed
  std::optional<size_t> max_device_memory = std::nullopt;  // bytes of each device; not set: DefaultDeviceMemory
  ArtifactSink on_artifact{};                              // null: no artifacts are made but those of options
  /// Bytes for the pictures in flight and the features' buffers; not set: half of what the machine has left.
  std::optional<size_t> max_memory = std::nullopt;
  int verify = 0;  // of so many frames that a device computes, one is computed again on the CPU; 0: none
  std::function<void(const std::string&)> on_warning = nullptr;  // called when there is one, on any thread
};

/// $ACUTANCE_MAX_MEMORY and $ACUTANCE_MAX_VRAM stand in for limits that are not set.
///
/// Frames go in by Add, in order; scores come out of the tables. One thread uses a session at a time.
/// Scores do not depend on threads or devices. Pictures are held of the frames in flight alone: at most threads + 1,
/// and with devices as many as keep those busy (DeviceLane::frames_in_flight); fewer where memory is limited.
class Session {
 public:
  static Result<std::unique_ptr<Session>> Create(SessionOptions options);
  ~Session();

  /// Whether any metric reads chroma; sources may leave it out otherwise.
  bool NeedsChroma() const { return features_.NeedsChroma(); }

  /// Whether any metric reads the distorted videos; their pictures may be without planes otherwise.
  bool NeedsDistorted() const { return features_.Reads(Video::kDistorted); }

  /// Whether every feature can run on a device.
  bool CanRunOnDevice() const;

  /// Whether a feature runs on the CPU, which then needs the pictures' samples in the host's memory. After Start.
  bool RunsOnCpu() const;

  /// The caller holds so many pictures of each video beside those it adds, which count in the limit on memory. Before
  /// Start.
  void CountReadAhead(int pictures) { read_ahead_ = pictures; }

  /// Takes the fingerprints of a pair's pictures. Called in frame order, for one distorted video after the other, by
  /// one thread at a time.
  using FingerprintSink =
      std::function<void(int distorted, const FrameFingerprint& reference, const FrameFingerprint& own)>;
  /// Has fingerprints of all pictures made beside the features, by devices where there are any. Before Start, where
  /// features read both videos, and all frames.
  void MakeFingerprints(FingerprintSink sink);
  bool CanMakeFingerprints() const;

  /// How pictures of these videos are made where they come lazy (image/lazy_picture.h). Before Start.
  void SetScalings(std::vector<VideoConversion> scalings);

  /// Whether pictures of videos that have a scaling had better come lazy: devices make them, and no run on the CPU
  /// reads them. They may come made or lazy in any case. After Start.
  bool ConvertsOnDevice() const { return options_.devices && CanRunOnDevice() && crew_.has_devices(); }

  /// What the videos tell of themselves (FeatureSet::Describe). Before Start.
  Status Describe(const OptionTexts& video) { return features_.Describe(video); }

  /// Fixes the picture format, makes the metrics and the columns of the score tables. Once, before the first Add.
  Status Start(const PictureFormat& format);

  /// How many pictures before a frame its metrics may read.
  int history() const { return std::max(reference_history_, distorted_history_); }

  // Between Start and the first Add, in this order:

  /// Gives `results` room for what frame `index` leaves behind.
  void MakeRoom(int64_t index, FrameResults& results) const {
    results.Assign(features_, runs_.Of(index), index, options_.distorted_count);
  }

  /// Frames that were scored by an earlier run, from the clip's first on: kept words of finished frames.
  Status Restore(std::span<FrameResults* const> frames);

  /// Frames before `frame` are another run's: their scores are not made here, nor those of the frames that follow,
  /// for they need all before them. What follows is computed and kept.
  void StartAt(int64_t frame);

  /// Pictures before the first that is added, for metrics that read earlier ones.
  void AddHistory(Picture reference, std::vector<Picture> distorted);

  /// Called with all frames that are added, in order, before their scores are written. Its error ends the session.
  void Keep(std::function<Status(std::span<FrameResults* const>)> keep) { keep_ = std::move(keep); }

  /// Queues the next frame; blocks while too many are in flight. identity: of the reference picture, where later
  /// sessions on the same devices read it again.
  Status Add(Picture reference, std::vector<Picture> distorted, const PictureKey& identity = {});

  /// Waits until all frames that were added went to Keep's function; more may follow. Only of a session without
  /// devices, which wait for a whole batch.
  Status WaitForAll();

  /// Ends the session with kCancelled: Add and Flush return that from now on, also on a thread that waits in them. Any
  /// thread.
  void Cancel();

  /// Waits for all frames and writes what needed them all. Once; at least one frame must have been added or restored.
  Status Flush();

  /// The index of the first frame that was added to this session.
  int64_t first_added() const { return first_index_; }

  /// Frames that were added or restored; in a later part of a run, frames before it count, too.
  int64_t frames_added() const { return next_index_; }

  /// Frames whose scores are in the tables; tables may be read while frames are in flight only through this,
  /// RunningMean and ReadScores.
  int64_t frames_done() const;

  /// Mean so far of a model's score, for display; nullopt before the first.
  std::optional<double> RunningMean(int distorted, int model) const;

  const ScoreTable& scores(int distorted) const { return writer_.table(distorted); }  // complete after Flush
  /// Shows a table while frames may be in flight; none is written meanwhile.
  void ReadScores(int distorted, const std::function<void(const ScoreTable&)>& reader) const;
  const std::vector<ModelRun>& models() const { return models_; }
  int subsample() const { return options_.subsample; }
  const std::vector<MetricRun>& metric_runs() const { return features_.runs(); }
  int distorted_count() const { return options_.distorted_count; }

  /// The devices that run what they can, empty: the CPU alone. After Start.
  const std::vector<std::unique_ptr<DeviceLane>>& lanes() const { return crew_.lanes(); }
  /// The first of them; null: the CPU alone.
  const DeviceInfo* device() const { return lanes().empty() ? nullptr : &lanes().front()->info(); }
  /// Devices that were passed over or failed, and why.
  std::vector<std::string> warnings() const;

 private:
  using Jobs = std::vector<std::shared_ptr<FrameJob>>;

  explicit Session(SessionOptions options);
  Status BindRequests();
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
  void HandOutFingerprints(const FrameResults& frame) const;
  Status CheckArtifacts() const;
  Status Write(const Jobs& jobs);
  Status DeliverArtifacts(FrameResults& frame);
  void PublishMeans();

  const SessionOptions options_;
  FeatureSet features_;
  std::vector<ModelRun> models_;
  FrameRuns runs_;
  std::function<Status(std::span<FrameResults* const>)> keep_;
  bool makes_scores_ = true;
  FingerprintSink fingerprints_;  // null: none are made
  int fingerprint_run_ = -1;
  std::unique_ptr<WorkspacePool> workspaces_;
  const std::shared_ptr<PicturePool> derived_pool_ = std::make_shared<PicturePool>();
  JobPool jobs_;
  std::deque<FramePictures> earlier_;  // latest first
  int reference_history_ = 0, distorted_history_ = 0;
  PictureFormat format_;
  int64_t first_index_ = 0, next_index_ = 0;
  std::vector<VideoConversion> scalings_;  // of what devices change; none where they do not
  int read_ahead_ = 0;
  int most_in_flight_ = 0;  // Add blocks above,
  int resume_at_ = 0;       // and goes on from here: waking it for every frame would cost more than the frame
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
