// Resizing of pictures to floats, as libvmaf prescales (docs/spec/core.md 4.3).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

enum class ResizingMethod { kNearest, kBilinear, kBicubic, kLanczos };

/// Fails for a name that is none of nearest, bilinear, bicubic and lanczos4; `option` is the
/// option's.
Result<ResizingMethod> FindResizingMethod(std::string_view option, const std::string& name);

/// Where the samples of a resized side read: sample i the weighted `taps` from index[i * taps] on.
struct ResizingAxis {
  int taps = 1;
  std::vector<int32_t> index;
  std::vector<float> weight;
};

ResizingAxis MakeResizingAxis(ResizingMethod method, int from, int to);

/// Resizes planes of one size to another. Equal sizes copy.
class Resizing {
 public:
  Resizing(ResizingMethod method, int from_width, int from_height, int width, int height);

  int width() const { return width_; }
  int height() const { return height_; }
  bool is_copy() const { return is_copy_; }
  bool is_divided() const { return is_divided_; }
  const ResizingAxis& across() const { return across_; }
  const ResizingAxis& down() const { return down_; }

  /// Row y of the resized plane; its samples, less 128 of 8 bits' 255, are floats.
  void ReadRow(const Plane& plane, int bit_depth, int y, float* row) const;

 private:
  const int width_, height_;
  const bool is_copy_;
  const bool is_divided_;  // a resized sample, by the sum of its weights
  ResizingAxis across_, down_;
};

}  // namespace acutance
