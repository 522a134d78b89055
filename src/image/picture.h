// Picture: the planes of one frame, shared and read-only once filled.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/status.h"

namespace acutance {

/// The two sides of a comparison.
enum class Video { kReference, kDistorted };

enum class PixelFormat { k400, k420, k422, k444 };

const char* PixelFormatName(PixelFormat format);  // "420"

/// The bit depth of pictures of floats (binary32): those that metrics derive and hand out, and red, green and blue of
/// clients that have them so.
inline constexpr int kFloatDepth = 32;

/// Geometry of a picture. Chroma planes are floor(w/2) x floor(h/2) in 4:2:0, floor(w/2) x h in 4:2:2, absent in 4:0:0.
struct PictureFormat {
  int width = 0;
  int height = 0;
  int bit_depth = 8;  // 8: one byte a sample; 9 to 16: two bytes, value in the low bits; or kFloatDepth
  PixelFormat pixel_format = PixelFormat::k420;

  int PlaneCount() const { return pixel_format == PixelFormat::k400 ? 1 : 3; }
  int PlaneWidth(int plane) const;
  int PlaneHeight(int plane) const;
  int BytesPerSample() const { return bit_depth == kFloatDepth ? 4 : bit_depth > 8 ? 2 : 1; }
  bool operator==(const PictureFormat&) const = default;
};

/// The largest width and height that are accepted. Sizes up to it cannot overflow an int or a
/// 64-bit sum.
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
  // 0 or 1: more columns and rows in memory. Files have ceil(n/2) chroma samples of an odd size, where libvmaf reads
  // floor(n/2); pictures that were made of others have no more.
  int more_columns = 0;
  int more_rows = 0;

  Plane Whole() const { return {data, stride, width + more_columns, height + more_rows}; }

  template <class Sample>  // uint8_t, uint16_t or float
  const Sample* Row(int y) const {
    return reinterpret_cast<const Sample*>(data + y * stride);
  }
};

/// A plane's samples in the memory of a device, as its copies find them.
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
  /// What makes the samples, where they are not made yet: `planes` are empty then (image/lazy_picture.h).
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
