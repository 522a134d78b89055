#include "metric/blocks/resizing.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/exact_math.h"
#include "metric/blocks/float_samples.h"

namespace acutance {
namespace {

struct NamedMethod {
  std::string_view name;
  ResizingMethod method;
};
constexpr NamedMethod kMethods[] = {{"nearest", ResizingMethod::kNearest},
                                    {"bilinear", ResizingMethod::kBilinear},
                                    {"bicubic", ResizingMethod::kBicubic},
                                    {"lanczos4", ResizingMethod::kLanczos}};

int Mirror(int i, int n) {
  if (i < 0) return -i;
  return i > n - 1 ? 2 * (n - 1) - i : i;
}

float CubicWeight(float t) {
  constexpr float a = -0.75f;
  t = std::fabs(t);
  if (t < 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? (((t - 5) * t + 8) * t - 4) * a : 0.0f;
}

float LanczosWeight(float t) {
  constexpr double kPi = std::numbers::pi;
  const double x = t;
  if (x == 0) return 1;
  if (std::fabs(x) >= 4) return 0;
  return static_cast<float>(4 * Sin(kPi * x) * Sin(kPi * x / 4) / (kPi * kPi * x * x));
}

}  // namespace

Result<ResizingMethod> FindResizingMethod(std::string_view option, const std::string& name) {
  for (const NamedMethod& each : kMethods)
    if (each.name == name) return each.method;
  return Error(StatusCode::kInvalidArgument, "option {}: '{}' is none of nearest, bilinear, bicubic and lanczos4",
               option, name);
}

ResizingAxis MakeResizingAxis(ResizingMethod method, int from, int to) {
  constexpr int kTaps[] = {1, 2, 4, 9};
  ResizingAxis axis;
  axis.taps = kTaps[static_cast<int>(method)];
  const float ratio = static_cast<float>(from) / static_cast<float>(to);
  const auto add = [&](int index, float weight) {
    axis.index.push_back(std::clamp(Mirror(index, from), 0, from - 1));
    axis.weight.push_back(weight);
  };
  for (int i = 0; i < to; ++i) {
    const float at = static_cast<float>((i + 0.5) * static_cast<double>(ratio) - 0.5), whole = std::floor(at);
    if (method == ResizingMethod::kNearest) {
      add(static_cast<int>(static_cast<float>(i) * ratio), 1.0f);
    } else if (method == ResizingMethod::kBilinear) {
      // The weights come from the mirrored position: libvmaf extrapolates at the first edge.
      const int first = Mirror(static_cast<int>(whole), from);
      const float weight = at - static_cast<float>(first);
      add(first, 1 - weight);
      add(static_cast<int>(std::ceil(at)), weight);
    } else {
      const bool is_cubic = method == ResizingMethod::kBicubic;
      for (int k = is_cubic ? -1 : -4, end = k + axis.taps; k < end; ++k)
        add(static_cast<int>(whole) + k, (is_cubic ? CubicWeight : LanczosWeight)(at - whole - static_cast<float>(k)));
    }
  }
  return axis;
}

Resizing::Resizing(ResizingMethod method, int from_width, int from_height, int width, int height)
    : width_(width),
      height_(height),
      is_copy_(width == from_width && height == from_height),
      is_divided_(method == ResizingMethod::kLanczos) {
  if (is_copy_) return;
  across_ = MakeResizingAxis(method, from_width, width);
  down_ = MakeResizingAxis(method, from_height, height);
}

void Resizing::ReadRow(const Plane& plane, int bit_depth, int y, float* row) const {
  if (is_copy_) return ReadFloatSamples(plane, bit_depth, y, row);
  for (int x = 0; x < width_; ++x) {
    float sum = 0, weights = 0;
    for (int k = 0; k < down_.taps; ++k)
      for (int l = 0; l < across_.taps; ++l) {
        const float weight = down_.weight[y * down_.taps + k] * across_.weight[x * across_.taps + l];
        sum += weight *
               FloatSample(plane, bit_depth, across_.index[x * across_.taps + l], down_.index[y * down_.taps + k]);
        weights += weight;
      }
    row[x] = is_divided_ ? sum / weights : sum;
  }
}

}  // namespace acutance
