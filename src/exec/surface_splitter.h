// Splitter of a decoder's surfaces on a device into planes with a Picture's layout (NV12 to separate Cb and Cr).
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "image/device_frame.h"
#include "image/picture.h"

namespace acutance {

/// Unpacks the frames of one video, which all have the same layout, for one thread at a time. After a failure it is not
/// used again. Pictures may outlive it and be dropped on any thread; their memory is recycled.
class SurfaceSplitter {
 public:
  explicit SurfaceSplitter(std::shared_ptr<Device> device);
  ~SurfaceSplitter();
  SurfaceSplitter(const SurfaceSplitter&) = delete;

  /// Where it works: what writes a frame's surfaces is done, or comes before in this queue.
  Result<Queue*> queue();

  /// A picture of the frame, whose surfaces are free when this returns.
  Result<Picture> Unpack(const DeviceFrame& frame);

 private:
  struct Pool;
  /// A plane in a picture's memory, in bytes.
  struct Space {
    size_t offset = 0, stride = 0;
  };

  Status Prepare(const DeviceFrame& frame);
  Result<LaunchCommand> UnpackingOf(const DeviceFrame& frame, int plane);
  Status CheckAlike(const DeviceFrame& frame) const;
  Status Copy(const DeviceFrame& frame, const Buffer& to);

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<Pool> pool_;
  DeviceFrame first_;  // all others are like it
  std::array<Space, 3> spaces_, packed_spaces_;
  size_t picture_bytes_ = 0, packed_bytes_ = 0;
  std::unique_ptr<Buffer> packed_, unpacked_;  // planes that need the kernel: before it, and as in a picture
  std::vector<std::unique_ptr<Kernel>> kernels_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Recording> recording_;  // null: planes are only copied
};

}  // namespace acutance
