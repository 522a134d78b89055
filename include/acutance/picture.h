// Picture: the planes of one frame.
#pragma once

#include <acutance/status.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace acutance::api {

enum class PixelFormat { k400, k420, k422, k444 };

/// Width and height are those of luma, 1 to 32768. Chroma planes are floor(width / 2) x floor(height / 2) in 4:2:0,
/// floor(width / 2) x height in 4:2:2, full size in 4:4:4, and absent in 4:0:0.
struct PictureFormat {
  int width = 0;
  int height = 0;
  int bit_depth = 8;  // 8: one byte a sample; 10, 12, 16: two bytes in the machine's order, value in the low bits
  PixelFormat pixel_format = PixelFormat::k420;

  int PlaneCount() const;
  int PlaneWidth(int plane) const;  // samples; 0 where the format has no such plane
  int PlaneHeight(int plane) const;
  int BytesPerSample() const { return bit_depth > 8 ? 2 : 1; }
  bool operator==(const PictureFormat&) const = default;
};

/// Samples of one plane: `stride` bytes from row to row.
struct PlaneView {
  const void* data = nullptr;
  ptrdiff_t stride = 0;
};

/// A copy of a Picture shares its samples. Samples must not change any more once the picture was added to a session.
class Picture {
 public:
  /// Zeroed samples of its own, rows padded to 64 bytes, for the caller to fill through mutable_data.
  /// Fails with kInvalidArgument (size or depth) or kOutOfMemory.
  static Expected<Picture> Allocate(const PictureFormat& format);

  /// Samples that lie elsewhere, not copied. `owner` keeps them alive: it is released, on any thread, when the last
  /// session or copy has done with them. One plane per plane of the format, or luma alone, which the features of chroma
  /// refuse. Rows have no alignment beyond their samples' type. Fails with kInvalidArgument.
  static Expected<Picture> Wrap(const PictureFormat& format, std::span<const PlaneView> planes,
                                std::shared_ptr<const void> owner);

  /// Wraps samples in the memory of CUDA device `device` (addresses of its primary context, as
  /// CUDA's runtime and frameworks over it use), from top to bottom. Sessions of backend "cuda"
  /// on that device take them if all their features have kernels: they copy within the device,
  /// and the host never reads `planes`. Add waits for the device's legacy default stream; the
  /// work that writes the samples has ended by then, or is queued to that stream.
  static Expected<Picture> WrapDevice(const PictureFormat& format, int device, std::span<const PlaneView> planes,
                                      std::shared_ptr<const void> owner);

  const PictureFormat& format() const { return format_; }
  bool on_device() const { return device_.has_value(); }
  std::optional<int> device() const { return device_; }  // the device with the samples; not set: the host
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
