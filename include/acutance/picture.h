// Picture: the planes of one frame.
#pragma once

#include <acutance/format.h>
#include <acutance/status.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace acutance::api {

/// Samples of one plane: `stride` bytes from row to row.
struct PlaneView {
  const void* data = nullptr;
  ptrdiff_t stride = 0;
};

/// Copies share their samples, which must not change after the picture was added to a session.
class Picture {
 public:
  /// Allocates zeroed samples, with rows padded to 64 bytes, which the caller fills through mutable_data.
  /// Fails with kInvalidArgument (size or depth) or kOutOfMemory.
  static Expected<Picture> Allocate(const PictureFormat& format);

  /// Wraps the caller's samples without a copy. `owner` owns them and is released, on any thread, after their last use
  /// by a session or a copy. `planes`: all planes of the format, or luma alone, which features of chroma refuse.
  /// Rows need no alignment beyond that of their sample type. Fails with kInvalidArgument.
  static Expected<Picture> Wrap(const PictureFormat& format, std::span<const PlaneView> planes,
                                std::shared_ptr<const void> owner);

  /// Samples in the memory of CUDA device `device` (addresses of its primary context, which CUDA's runtime and
  /// frameworks based on it use), rows from top to bottom. Sessions of backend "cuda" on that device take them if all
  /// their features have kernels: they copy within the device, and the host never reads `planes`. Session::Add waits
  /// for the device's legacy default stream; the work that writes the samples must have ended by then, or be queued to
  /// that stream. Fails as Wrap does.
  static Expected<Picture> WrapDevice(const PictureFormat& format, int device, std::span<const PlaneView> planes,
                                      std::shared_ptr<const void> owner);

  const PictureFormat& format() const { return format_; }
  bool on_device() const { return device_.has_value(); }
  std::optional<int> device() const { return device_; }  // the CUDA device that holds the samples; not set: the host
  bool has_plane(int plane) const { return planes_[plane].data != nullptr; }
  const void* data(int plane) const { return planes_[plane].data; }
  void* mutable_data(int plane) { return writable_ ? const_cast<void*>(planes_[plane].data) : nullptr; }
  ptrdiff_t stride(int plane) const { return planes_[plane].stride; }
  const std::shared_ptr<const void>& owner() const { return owner_; }

 private:
  Picture() = default;

  PictureFormat format_;
  std::array<PlaneView, 3> planes_;
  std::shared_ptr<const void> owner_;
  bool writable_ = false;
  std::optional<int> device_;
};

}  // namespace acutance::api
