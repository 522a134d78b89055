// Conversion of a batch's lazy pictures (image/lazy_picture.h) on a device: their sources are uploaded, and kernels
// write the results to their place among the inputs. Planes that need no conversion are uploaded there directly, like
// those of other pictures.
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

/// Belongs to one runner. It converts the pictures of the batch's frames; the host converts those of the history.
class BatchConverter {
 public:
  /// An input that plans read, and its buffer.
  struct Target {
    const PlanInput* input;
    const Buffer* buffer;
  };

  /// Null where none of the inputs has lazy pictures (PlanContext::scalings).
  static Result<std::unique_ptr<BatchConverter>> Make(Device& device, Queue& queue, const PlanContext& context,
                                                      std::span<const Target> targets);

  /// The bytes of device memory that it takes where plans read these of the context's inputs.
  static size_t DeviceBytes(const PlanContext& context, const std::vector<bool>& used);
  /// Adds the kernels that it runs.
  static void AddKernels(const PlanContext& context, std::vector<const KernelImage*>& images);

  /// Whether it converts picture `i` of an input's video in a batch: see BatchPictures.
  bool Makes(const PlanInput& input, size_t i) const;
  /// Whether all pictures that it converts are lazy, for the same scalings. Otherwise the host converts those that are.
  bool Takes(const BatchPictures& pictures) const;

  /// Adds what is to be uploaded of pictures that it takes.
  Status AddUploads(const BatchPictures& pictures, Upload& upload) const;
  /// Starts the kernels, after the uploads.
  Status Submit(Queue& queue) const { return queue.Submit(*recording_); }

  size_t upload_bytes() const;  // of a batch
  /// Kernels read all of them, also those that a short batch does not write.
  std::vector<const Buffer*> upload_buffers() const;

 private:
  /// A filter along rows and one down columns.
  struct Filter {
    const PictureConversion::Step step;
    PlanInput from, to;   // the planes' layouts
    uint64_t tables = 0;  // bytes from the beginning of tables_
  };
  /// A plane of one video's pictures as it is uploaded.
  struct Source {
    const VideoConversion* video;
    PlanInput plane;
    std::unique_ptr<Buffer> buffer{};
  };
  /// The conversion of one plane of one video.
  struct Job {
    const VideoConversion* video;
    Target target;
    PlanInput source;               // the layout of its source plane
    PlanInput colored;              // of that after the conversion of colors, which filters read
    std::vector<size_t> sources{};  // of sources_: several where colors are mixed
    std::vector<Filter> filters{};
  };
  /// Frames of a job that are converted together.
  struct Group {
    int first, frames;
  };
  /// A group's pictures between two steps of a job, or before or after all of them.
  struct Place {
    const Buffer* buffer;
    uint64_t address;        // of the first frame's
    int64_t picture_stride;  // samples from frame to frame
    int shift;               // bits that its samples have more
  };

  explicit BatchConverter(const PlanContext& context) : context_(context) {}

  Job JobOf(const VideoConversion& video, const Target& target);
  size_t SourceAt(const VideoConversion& video, const PlanInput& plane);
  Status Allocate(Device& device, Queue& queue);
  Status LoadKernels(Device& device);
  Status Record(Queue& queue);
  int FramesOfGroup(const Job& job) const;
  void AddLaunches(const Job& job, const Group& group, std::vector<Command>& commands) const;
  LaunchCommand ChangeColor(const Job& job, const Group& group, const Place& to) const;
  LaunchCommand Across(const Filter& filter, const Place& from, int frames) const;
  LaunchCommand Down(const Filter& filter, const Place& to, int frames) const;
  LaunchCommand Raise(const Job& job, const Place& from, const Place& to, int frames) const;
  Place InSource(const Job& job, size_t source, const Group& group) const;
  Place Between(const PlanInput& plane) const;
  Place InTarget(const Job& job, const Group& group) const;
  const Kernel* KernelOf(const KernelImage& image) const;

  const PlanContext& context_;
  std::vector<Source> sources_;
  std::vector<Job> jobs_;
  std::unique_ptr<Buffer> tables_;
  std::unique_ptr<Buffer> scratch_;  // results of the filter along rows, of some frames of one job
  std::unique_ptr<Buffer> between_;  // pictures between two steps, likewise; null: no job has several
  std::vector<std::pair<const KernelImage*, std::unique_ptr<Kernel>>> kernels_;
  std::unique_ptr<Recording> recording_;
};

}  // namespace acutance
