#include "metric/blocks/resizing.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

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

class AxisMaker {
 public:
  AxisMaker(ResizingMethod method, int from, int to)
      : method_(method), from_(from), to_(to), ratio_(static_cast<float>(from) / static_cast<float>(to)) {
    constexpr int kTaps[] = {1, 2, 4, 9};
    axis_.taps = kTaps[static_cast<int>(method)];
  }

  ResizingAxis Make() {
    for (int i = 0; i < to_; ++i) {
      const float at = static_cast<float>((i + 0.5) * static_cast<double>(ratio_) - 0.5);
      switch (method_) {
        case ResizingMethod::kNearest:
          Add(static_cast<int>(static_cast<float>(i) * ratio_), 1.0f);
          break;
        case ResizingMethod::kBilinear:
          AddLinear(at);
          break;
        case ResizingMethod::kBicubic:
          AddTaps(at, -1, CubicWeight);
          break;
        case ResizingMethod::kLanczos:
          AddTaps(at, -4, LanczosWeight);
          break;
      }
    }
    return std::move(axis_);
  }

 private:
  void Add(int index, float weight) {
    axis_.index.push_back(std::clamp(Mirror(index, from_), 0, from_ - 1));
    axis_.weight.push_back(weight);
  }

  /// The weights come from the mirrored position: libvmaf extrapolates at the first edge.
  void AddLinear(float at) {
    const int first = Mirror(static_cast<int>(std::floor(at)), from_);
    const float weight = at - static_cast<float>(first);
    Add(first, 1 - weight);
    Add(static_cast<int>(std::ceil(at)), weight);
  }

  void AddTaps(float at, int first, float (*weight)(float)) {
    const float whole = std::floor(at), rest = at - whole;
    for (int k = first; k < first + axis_.taps; ++k)
      Add(static_cast<int>(whole) + k, weight(rest - static_cast<float>(k)));
  }

  const ResizingMethod method_;
  const int from_, to_;
  const float ratio_;
  ResizingAxis axis_;
};

}  // namespace

Result<ResizingMethod> FindResizingMethod(std::string_view option, const std::string& name) {
  for (const NamedMethod& each : kMethods)
    if (each.name == name) return each.method;
  return Error(StatusCode::kInvalidArgument, "option {}: '{}' is none of nearest, bilinear, bicubic and lanczos4",
               option, name);
}

ResizingAxis MakeResizingAxis(ResizingMethod method, int from, int to) { return AxisMaker(method, from, to).Make(); }

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
