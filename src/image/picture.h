// Picture: the planes of one frame, shared and read-only once filled.
#pragma once

#include <acutance/format.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/status.h"

namespace acutance {

/// The two sides of a comparison.
enum class Video { kReference, kDistorted };

/// The largest accepted width and height. Sizes up to it overflow neither an int nor a 64-bit sum.
inline constexpr int kMaxDimension = 32768;

/// Checks width and height (1..kMaxDimension).
Status CheckPictureSize(const PictureFormat& format);

/// Checks a video's width and height (1..kMaxDimension) and bit depth (8, 10, 12, 16).
Status CheckPictureFormat(const PictureFormat& format);

/// A plane of samples. Only [0, width) of a row may be read; rows have no alignment beyond their sample type.
struct Plane {
  const std::byte* data = nullptr;
  ptrdiff_t stride = 0;  // bytes from row to row
  int width = 0;
  int height = 0;
  // 0 or 1: further columns and rows in memory. Files have ceil(n/2) chroma samples of an odd size, where libvmaf reads
  // floor(n/2); pictures computed from others have none.
  int more_columns = 0;
  int more_rows = 0;

  Plane Whole() const { return {data, stride, width + more_columns, height + more_rows}; }

  template <class Sample>  // uint8_t, uint16_t or float
  const Sample* Row(int y) const {
    return reinterpret_cast<const Sample*>(data + y * stride);
  }
};

/// A plane's samples in the memory of a device, by the address that its copies use.
struct DevicePlane {
  uint64_t address = 0;  // 0: none
  size_t stride = 0;     // bytes from row to row
};

class LazyPicture;

struct Picture {
  PictureFormat format;
  std::array<Plane, 3> planes;         // empty (data == nullptr) where no metric reads it
  std::shared_ptr<const void> memory;  // keeps the samples alive
  /// Samples that already lie in the memory of the session's only device. The device copies them
  /// after the work that Device::WaitForClients waits for. `planes` may be empty unless a metric
  /// runs on the CPU. `memory` keeps these samples alive, too.
  std::array<DevicePlane, 3> device_planes{};
  /// The deferred computation of the samples; `planes` are empty then (image/lazy_picture.h). Null: none.
  std::shared_ptr<const LazyPicture> lazy{};
};

/// A picture whose samples are still being written: zeroed, rows padded to 64 bytes.
struct MutablePicture {
  PictureFormat format;
  std::array<std::byte*, 3> data{};
  std::array<ptrdiff_t, 3> stride{};
  std::shared_ptr<void> memory;

  template <class Sample>
  Sample* Row(int plane, int y) const {
    return reinterpret_cast<Sample*>(data[plane] + y * stride[plane]);
  }

  Picture Share() const;
};

Result<MutablePicture> AllocatePicture(const PictureFormat& format);

}  // namespace acutance
