// Plan runner on a device: buffers, staging and one recording, created once and replayed for every batch.
#pragma once

#include <array>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/threads/parallel_for.h"
#include "exec/batch_converter.h"
#include "exec/device.h"
#include "exec/plan.h"
#include "exec/plane_cache.h"
#include "exec/uploader.h"
#include "image/picture.h"
#include "image/picture_key.h"

namespace acutance {

/// The pictures of a batch, lazy or materialized. Null: a frame before the clip, whose samples are 0 on the device, or
/// a picture that is on the device already.
struct BatchPictures {
  std::vector<const Picture*> reference;  // history, then up to PlanContext::frames
  std::vector<const Picture*> distorted;  // likewise, those of a frame one after another
  std::vector<PictureKey> identities{};   // of the reference's; empty: unknown
};

/// One batch in flight. Several runners of one device, each with its own queue, overlap upload and work; a runner
/// belongs to one thread at a time. After any failure a runner is not used again.
class PlanRunner {
 public:
  struct Options {
    /// Fills padding once, and results and scratch before every batch, with garbage: finds reads of uninitialized
    /// memory.
    bool poison = false;
    bool artifacts = false;  // read them back
    /// The device's cache of pictures that have a key. Null: none are cached.
    PlaneCache* kept = nullptr;
    ForEach for_each = nullptr;  // shares out the copying of pictures; null: one thread does it
    /// Another of the device's runners with the same inputs, whose memory for uploads this one shares; both are made
    /// before either is started.
    const PlanRunner* uploads_with = nullptr;
    /// Computes the derived inputs, before all plans.
    std::optional<Plan> derive = std::nullopt;
  };

  /// All plans were made for `context`, and share its inputs.
  static Result<std::unique_ptr<PlanRunner>> Make(Device& device, std::vector<Plan> plans, const PlanContext& context,
                                                  Options options);
  ~PlanRunner();

  /// The bytes of device memory that a runner takes. derive: Options::derive.
  static size_t DeviceBytes(const std::vector<Plan>& plans, const std::optional<Plan>& derive,
                            const PlanContext& context);

  PlanRunner(const PlanRunner&) = delete;

  /// Prepares a runner that has waited for all of its batches for another session; `for_each` replaces that of the
  /// options.
  void Attach(ForEach for_each);

  /// Copies the pictures and starts the work; the pictures may be freed at once. A list of pictures may be empty if no
  /// plan reads that video. before: the runner of the batch before, which holds its pictures for this one; the history
  /// of this batch is copied from there. This runner itself: its batch before, where the context streams.
  Status Start(const BatchPictures& pictures, PlanRunner* before = nullptr);

  /// Instead of Start, where the batch that was begun failed before: runners that wait for its pictures fail, too.
  void Skip(const Status& reason, PlanRunner* before) noexcept;

  /// Before the Start of a batch whose pictures another runner may take: waits until those of the batch before have
  /// been taken. One thread orders all calls of BeginBatch and KeepPictures.
  Status BeginBatch();
  /// Another runner will name this one in its Start, for the batch that was begun last.
  void KeepPictures();

  /// Waits until the batch is done. A result that no kernel wrote is an error: the device dropped a launch.
  Status Wait();
  /// Waits for what was started and not waited for, however that ends.
  void End() noexcept;

  /// Results of item `item` of the batch waited for. Those of frames beyond the given pictures are unspecified.
  std::span<const int64_t> Sums(int plan, int item) const;
  std::span<const int64_t> Words(int plan, int item) const;
  /// Copies artifact `artifact` of an item into a picture of its format.
  void CopyArtifact(int plan, int item, int artifact, const MutablePicture& to) const;

  /// Human-readable derive plan without the launches that these plans do not need; "" where they need none.
  static std::string PrintDerive(const Plan& derive, const std::vector<Plan>& plans, const PlanContext& context);

  /// Seconds that the launches of a batch take on the device, without copies. After a Run, whose pictures they read.
  Result<double> TimeLaunches();

  /// Start and Wait.
  Status Run(const BatchPictures& pictures);

 private:
  struct Input {
    int index;  // in the context's inputs
    std::unique_ptr<Buffer> buffer;
  };
  struct BoundPlan {
    Plan plan;
    // The host's memory: a copy of the results would wait behind the pictures of other batches.
    std::unique_ptr<Buffer> sums, words;
    std::vector<std::unique_ptr<Buffer>> own;
    std::vector<std::unique_ptr<Buffer>> artifacts;  // copies of own ones that the host reads
    std::vector<std::unique_ptr<Kernel>> kernels;    // of the launches, in their order
  };

  PlanRunner(Device& device, const PlanContext& context, Options options)
      : device_(device), context_(context), options_(std::move(options)) {}

  Status Prepare(std::vector<Plan> plans);
  void LoadAhead(const std::vector<Plan>& plans);
  std::vector<const Plan*> MetricPlans() const;
  Status AllocateInputs();
  Status AllocateScaler();
  Status AllocatePlan(Plan plan);
  Status AllocateStaging();
  Status FillBuffers();
  Status RecordBatch();
  Result<double> TimeRecording(int batches);
  void AppendPoison(std::vector<Command>& commands) const;
  void AppendLaunches(std::vector<Command>& commands) const;
  void AppendArtifacts(std::vector<Command>& commands) const;
  Status AllocateBeforeClip();
  void CountBeforeClip(const BatchPictures& pictures);
  void FollowItself();
  LaunchCommand BindLaunch(const BoundPlan& bound, size_t launch) const;
  const Buffer* BufferAt(const BoundPlan& bound, int buffer) const;
  bool IsWritten(const BoundPlan& bound, int buffer) const;
  const PlanInput& SpecOf(const Input& input) const { return context_.inputs[input.index]; }
  /// Progress of the latest Start with its pictures, for the runner that takes some of them.
  struct Pictures {
    std::mutex mutex;
    std::condition_variable changed;
    bool started = true;                       // all uploads are handed to the queue, or failed
    Status status;                             // of that
    std::unique_ptr<Mark> uploaded;            // null: they are on the device
    int frames = 0;                            // of the batch
    std::array<int, 2> frames_before_start{};  // by Video: frames of its history
    bool is_awaited = false;                   // another runner has not taken its pictures yet
    std::unique_ptr<Mark> taken;               // by that runner
  };

  /// How the pictures of a batch come to the device.
  struct Way {
    bool scale = false;    // the sources of lazy pictures are uploaded, and the device converts them
    bool follows = false;  // the history is copied from the batch before; else null pictures of it have samples of 0
  };
  Status UploadPictures(const BatchPictures& pictures, bool follows);
  Status AddUpload(const Input& input, const BatchPictures& batch, const Way& way);
  void AddPlane(const Upload::PlaneCopy& copy);
  bool IsKept(const PictureKey& picture, const Input& input, size_t offset, bool may_keep);
  Status TakePictures(PlanRunner& before);
  Status MarkOrWait(std::unique_ptr<Mark>& mark);
  int FramesOf(const BatchPictures& pictures) const;
  /// Whether the next batch takes pictures that this one takes from its predecessor.
  bool ForwardsHistory(const BatchPictures& pictures) const;
  Status AnnounceUpload(const Status& upload, const BatchPictures& pictures) noexcept;
  Status CopyHistory(const Pictures& theirs, const PlanRunner& before, std::unique_ptr<Mark>& taken);
  void ClearResults();
  Status CheckResults() const;
  Status AddDeviceCopy(const DevicePlane& plane, const PlanInput& input, const Buffer& to, size_t offset);

  Device& device_;
  const PlanContext context_;
  Options options_;
  std::vector<std::byte> zeros_;  // a row of samples before the clip
  size_t leading_ = 0;            // plans that end before the others begin
  std::vector<Input> inputs_;     // those that some plan reads
  std::vector<BoundPlan> plans_;
  std::unique_ptr<Buffer> poison_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Recording> recording_;
  Pictures pictures_;
  std::array<int, 2> frames_before_start_{};  // by Video: frames of the history in this batch
  int followed_ = 0;                          // batches of this runner before this one, each followed by the next
  std::unique_ptr<Buffer> frames_before_start_there_, frames_before_start_here_;  // null: no plan reads it
  std::vector<std::unique_ptr<Buffer>> adopted_;  // that copies of the batch read: pictures that lie on the device
  std::shared_ptr<Uploader> uploader_;
  std::unique_ptr<BatchConverter> scaler_;  // null: all pictures are made
  Upload upload_;                           // of the batch
  PlaneCacheCopies kept_;                   // likewise
  bool started_ = false;
};

}  // namespace acutance
