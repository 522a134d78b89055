// Work of one frame: a chain of stages for every metric and distorted picture.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/threads/thread_pool.h"
#include "engine/feature_set.h"
#include "engine/frame_results.h"
#include "image/picture_key.h"

namespace acutance {

/// The pictures of one frame of all videos.
struct FramePictures {
  VideoPicture reference;
  std::vector<VideoPicture> distorted;  // of an earlier frame: empty unless a metric reads them
  PictureKey identity{};                // of the reference picture
};

/// Buffers of the metric runs, reused from frame to frame.
class WorkspacePool {
 public:
  WorkspacePool(const FeatureSet& features, int workers);

  Workspace* ThreadWorkspace(int worker, int run);  // made at first use by that worker
  std::unique_ptr<Workspace> TakeFrameWorkspace(int run);
  void ReturnFrameWorkspace(int run, std::unique_ptr<Workspace> workspace);

 private:
  const FeatureSet& features_;
  std::vector<std::vector<std::unique_ptr<Workspace>>> per_worker_;  // [worker][run]
  std::mutex mutex_;
  std::vector<std::vector<std::unique_ptr<Workspace>>> free_frame_workspaces_;  // [run]
};

class FrameJob : public std::enable_shared_from_this<FrameJob> {
 public:
  struct Inputs {
    int64_t index = 0;
    std::vector<FramePictures> pictures;  // [back]: [0] the frame's own, then those before it
    const FramePictures& own() const { return pictures.front(); }
  };
  using DoneCallback = std::function<void(std::shared_ptr<FrameJob>)>;

  FrameJob(const FeatureSet& features, WorkspacePool& workspaces, ThreadPool& pool, DoneCallback done);

  /// Gives the job a frame. Called again for another frame after `done`, when no other thread holds the job. runs: the
  /// indices of the metric runs that this frame has (subsampling leaves some out); they outlive the frame.
  void Assign(Inputs inputs, const std::vector<int>& runs);

  /// Submits the first stages of the runs on the CPU. `done` is called once, on any thread, when all runs are finished,
  /// including those of a device.
  void Start();

  /// Allocates the results unless they are allocated. Where a device has all runs, Start leaves this to the device's
  /// threads, because its own thread serves every frame.
  void Prepare();

  bool has_device_work() const { return device_runs_ > 0; }
  /// Where a device's results go; null where this frame has no such run. `distorted`: any value where the run reads
  /// the reference alone.
  RunResult* FindResult(int run, int distorted);
  /// Called when the device's results are in place. True: all runs are finished, and the caller handles the frame
  /// instead of `done`.
  [[nodiscard]] bool FinishOnDevice();
  bool CanRunOnCpu() const;
  /// Called instead of FinishOnDevice when the device failed.
  void RunDeviceWorkOnCpu();

  /// Instead of FinishOnDevice: computes the same again on the CPU. `done` is called when that is finished; the frame's
  /// status is then an error if the named device had other results.
  void VerifyOnCpu(std::string device);
  bool is_verified() const { return !device_words_.empty(); }

  int64_t index() const { return inputs_.index; }
  const Inputs& inputs() const { return inputs_; }
  /// Drops the pictures after `done`; index() and results() stay. The vectors that held the pictures retain their
  /// memory until Assign, so that one thread allocates and frees it.
  void DropInputs();
  /// Sums and partial results of all runs before FrameResults::Finish; valid after `done`.
  FrameResults& results() { return results_; }

 private:
  /// A metric run over the frame: stage after stage, each split into bands, for all distorted videos at once, and for
  /// the runs that join it.
  struct Chain {
    int run = 0;
    bool is_joined = false;                // another chain does its work
    std::vector<const Extractor*> joined;  // of the runs whose work it does along with its own
    std::vector<RunResult*> targets;       // its results, then theirs
    std::span<RunResult> results;          // one per distorted video, or one alone
    bool on_device = false;
    int stage = 0;
    std::atomic<int> bands_left = 0;
    std::vector<FrameView> views;                              // [result]
    std::vector<std::unique_ptr<Workspace>> frame_workspaces;  // [result]
    std::mutex sums_mutex;
  };

  void MakeChains();
  void Join(Chain& chain);
  void MakeArtifacts(RunResult& result);
  void StartChain(Chain& chain);
  void MakeViews(Chain& chain);
  void StartStage(Chain& chain);
  void RunBand(Chain& chain, RowBand band, int worker);
  Status ComputeBand(Chain& chain, RowBand band, int worker);
  void EndStage(Chain& chain);
  void EndChain(Chain& chain);
  void Done();
  std::vector<int64_t> DeviceWords() const;
  using FrameBits = std::vector<int64_t>;
  FrameBits BitsOf(const RunResult& result, std::span<const int64_t> sums, std::span<const int64_t> words) const;
  Status CompareWithDevice() const;
  void Record(Status status);                                 // the first error stays
  void CatchExceptions(const std::function<Status()>& work);  // records its error, or that memory ran out
  const MetricRun& RunOf(const Chain& chain) const { return features_.runs()[chain.run]; }

  const FeatureSet& features_;
  WorkspacePool& workspaces_;
  ThreadPool& pool_;
  const DoneCallback done_;
  Inputs inputs_;
  const std::vector<int>* runs_ = nullptr;
  size_t device_runs_ = 0;
  bool is_prepared_ = false;
  FrameResults results_;
  std::vector<Chain> chains_;                                // one for each run
  std::vector<std::vector<const VideoPicture*>> histories_;  // [0] the reference's, [1 + d] those of distorted d
  int device_chains_ = 0;
  std::atomic<int> chains_left_ = 0;
  std::string device_;                 // that computed the frame before the CPU did
  std::vector<int64_t> device_words_;  // its results
  std::atomic<bool> has_failed_ = false;
  std::mutex status_mutex_;  // guards results_.status
};

/// Pool of reusable jobs: for frames on a device, allocations are the largest cost on the host. Outlives the jobs that
/// it hands out.
class JobPool {
 public:
  using Maker = std::function<std::unique_ptr<FrameJob>()>;

  explicit JobPool(Maker make) : make_(std::move(make)) {}

  /// One thread at a time. The job returns on the thread that drops the last reference to it, which therefore has seen
  /// everything that other threads did with it.
  std::shared_ptr<FrameJob> Take();

 private:
  using Jobs = std::vector<std::unique_ptr<FrameJob>>;

  std::unique_ptr<FrameJob> TakeOrMake();
  void Return(std::unique_ptr<FrameJob> job);

  const Maker make_;
  Jobs own_;  // the taking thread's share of the spare ones, fetched all at once
  std::mutex mutex_;
  Jobs spare_;
};

}  // namespace acutance
