// Makes the pictures of a batch that come unmade (image/unmade_picture.h): they are uploaded in their own size, and
// brought to their place among the inputs by kernels.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "exec/plan.h"
#include "exec/uploader.h"
#include "image/picture.h"

namespace acutance {

struct BatchPictures;

/// Belongs to one runner. It makes the pictures of the batch's frames; those of the history are made on the host.
class BatchScaler {
 public:
  /// An input that plans read, and its buffer.
  struct Target {
    const PlanInput* input;
    const Buffer* buffer;
  };

  /// Null where none of the inputs has pictures that come unmade (PlanContext::scalings).
  static Result<std::unique_ptr<BatchScaler>> Make(Device& device, Queue& queue, const PlanContext& context,
                                                   std::span<const Target> targets);

  /// The bytes of device memory that it takes where plans read these of the context's inputs.
  static size_t DeviceBytes(const PlanContext& context, const std::vector<bool>& used);
  /// Adds the kernels that it runs.
  static void AddKernels(const PlanContext& context, std::vector<const KernelImage*>& images);

  /// Whether it makes picture `i` of an input's video in a batch: see BatchPictures.
  bool Makes(const PlanInput& input, size_t i) const;
  /// Whether it makes all pictures of the input but those of the history.
  bool MakesAll(const PlanInput& input) const;
  /// Whether all pictures that it makes came unmade, for the same scalings. Otherwise the host makes those that did.
  bool Takes(const BatchPictures& pictures) const;

  /// Adds what is to be uploaded of pictures that it takes.
  Status AddUploads(const BatchPictures& pictures, Upload& upload) const;
  /// Starts the kernels, after the uploads.
  Status Submit(Queue& queue) const { return queue.Submit(*recording_); }

  size_t upload_bytes() const;  // of a batch
  /// Kernels read them also where a short batch leaves them as they are.
  std::vector<const Buffer*> upload_buffers() const;

 private:
  /// A plane of one video on its way.
  struct Job {
    const VideoScaling* video;
    Target target;
    PlanInput source;  // the plane as it is uploaded
    std::unique_ptr<Buffer> uploaded{};
    uint64_t tables = 0;  // bytes from the beginning of tables_
  };

  explicit BatchScaler(const PlanContext& context) : context_(context) {}

  Status Allocate(Device& device, Queue& queue);
  Status LoadKernels(Device& device);
  Status Record(Queue& queue);
  LaunchCommand Across(const Job& job, int first, int frames) const;
  LaunchCommand Down(const Job& job, int first, int frames) const;
  const Kernel* KernelOf(const KernelImage& image) const;

  const PlanContext& context_;
  std::vector<Job> jobs_;
  std::unique_ptr<Buffer> tables_;
  std::unique_ptr<Buffer> scratch_;  // results of the filter along rows, of some frames of one job
  std::vector<std::pair<const KernelImage*, std::unique_ptr<Kernel>>> kernels_;
  std::unique_ptr<Recording> recording_;
};

}  // namespace acutance
