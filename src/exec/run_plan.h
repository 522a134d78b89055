// Runs plans on a device: buffers, staging and one recording, made once and replayed for every batch of frames.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "exec/host_imports.h"
#include "exec/plan.h"
#include "exec/uploader.h"
#include "image/picture.h"

namespace acutance {

/// One batch in flight. Several runners of one device, each with its own queue, overlap upload and work; a runner
/// belongs to one thread at a time. After any failure a runner is not used again.
class PlanRunner {
 public:
  struct Options {
    bool poison =
        false;  // garbage in padding and, before every batch, in sums and scratch: finds reads of what nobody wrote
    ForEach for_each = nullptr;      // shares out the copying of pictures; null: one thread does it
    HostImports* imports = nullptr;  // lets the device read pictures where they lie; null: all are copied
    /// Another of the device's runners with the same inputs, whose memory for uploads this one shares; both are made
    /// before either is started.
    const PlanRunner* uploads_with = nullptr;
  };

  /// All plans were made for `context`, and share its inputs.
  static Result<std::unique_ptr<PlanRunner>> Make(Device& device, std::vector<Plan> plans, const PlanContext& context,
                                                  Options options);
  ~PlanRunner();

  /// What a runner takes of the device's memory.
  static size_t DeviceBytes(const std::vector<Plan>& plans, const PlanContext& context);

  PlanRunner(const PlanRunner&) = delete;

  /// Copies the pictures and starts the work; the pictures may be freed at once. `references` has the history before
  /// the batch first (null where the clip has not begun), then up to `batch` pictures; `distorted` up to `batch`, and
  /// may be empty if no plan reads it.
  Status Start(std::span<const Picture* const> references, std::span<const Picture* const> distorted);

  /// Waits until the batch is done.
  Status Wait();

  /// Of the batch waited for: Plan::sum_count() values. Frames that were not given have any.
  std::span<const int64_t> Sums(int plan, int frame) const;

  /// Seconds that the launches of a batch take on the device, without copies. After a Run, whose pictures they read.
  Result<double> TimeLaunches();

  /// Start and Wait.
  Status Run(std::span<const Picture* const> references, std::span<const Picture* const> distorted);

 private:
  struct Input {
    PlanInput plane;
    std::unique_ptr<Buffer> buffer;
  };
  struct BoundPlan {
    Plan plan;
    std::unique_ptr<Buffer> sums;  // the host's memory: a copy of them would wait behind the pictures of other batches
    std::vector<std::unique_ptr<Buffer>> own;
    std::vector<std::unique_ptr<Kernel>> kernels;  // of the launches, in their order
  };

  PlanRunner(Device& device, const PlanContext& context, Options options)
      : device_(device), context_(context), options_(std::move(options)) {}

  Status Prepare(std::vector<Plan> plans);
  Status AllocateInputs();
  Status AllocatePlan(Plan plan);
  Status AllocateStaging();
  Status FillBuffers();
  Status RecordBatch();
  Result<double> TimeRecording(int batches);
  void AppendPoison(std::vector<Command>& commands) const;
  void AppendLaunches(std::vector<Command>& commands) const;
  LaunchCommand BindLaunch(const BoundPlan& bound, size_t launch) const;
  using Pictures = std::span<const Picture* const>;
  Status UploadPictures(Pictures references, Pictures distorted);
  bool OpenWindows(Pictures references, Pictures distorted);
  bool IsSolid(const Plane& plane, const PlaneLayout& layout) const;
  Status AddUpload(const Input& input, Pictures pictures, bool in_place);
  Status AddDeviceCopy(const DevicePlane& plane, const PlaneLayout& layout, const Buffer& to, size_t offset);
  void AddInPlace(const Plane& plane, const Buffer& to, size_t offset, size_t bytes);

  Device& device_;
  const PlanContext context_;
  const Options options_;
  std::vector<Input> inputs_;  // those that some plan reads
  std::vector<BoundPlan> plans_;
  std::unique_ptr<Buffer> poison_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Recording> recording_;
  HostImports::Windows windows_;                  // that copies of the batch read
  std::vector<std::unique_ptr<Buffer>> adopted_;  // and of pictures that lie on the device
  std::shared_ptr<Uploader> uploader_;
  Upload upload_;  // of the batch
  bool started_ = false;
};

}  // namespace acutance
