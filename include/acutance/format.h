// Geometry and sample format of pictures.
#pragma once

namespace acutance {

enum class PixelFormat { k400, k420, k422, k444 };

constexpr const char* PixelFormatName(PixelFormat format) {
  constexpr const char* kNames[] = {"400", "420", "422", "444"};
  return kNames[static_cast<int>(format)];
}

/// The bit depth of pictures of floats (binary32), which only metrics compute and return.
inline constexpr int kFloatDepth = 32;

/// Width and height are those of luma, 1 to 32768. Chroma planes are floor(width / 2) x floor(height / 2) in 4:2:0,
/// floor(width / 2) x height in 4:2:2, full size in 4:4:4, and absent in 4:0:0.
struct PictureFormat {
  int width = 0;
  int height = 0;
  /// 8: one byte a sample; 10, 12 or 16: two bytes in the machine's order, value in the low bits; or kFloatDepth.
  int bit_depth = 8;
  PixelFormat pixel_format = PixelFormat::k420;

  constexpr int PlaneCount() const { return pixel_format == PixelFormat::k400 ? 1 : 3; }
  /// Samples; 0 where the format has no such plane.
  constexpr int PlaneWidth(int plane) const {
    if (plane == 0 || pixel_format == PixelFormat::k444) return width;
    return pixel_format == PixelFormat::k400 ? 0 : width / 2;
  }
  constexpr int PlaneHeight(int plane) const {
    if (plane == 0) return height;
    if (pixel_format == PixelFormat::k400) return 0;
    return pixel_format == PixelFormat::k420 ? height / 2 : height;
  }
  constexpr int BytesPerSample() const { return bit_depth == kFloatDepth ? 4 : bit_depth > 8 ? 2 : 1; }
  bool operator==(const PictureFormat&) const = default;
};

/// Where chroma samples lie, in luma samples from the first luma sample of those that share them: 0 on it, 0.5 halfway
/// to the next.
struct ChromaSiting {
  double horizontal = 0;  // left: the default of MPEG-2, H.264 and HEVC
  double vertical = 0.5;
};

}  // namespace acutance
