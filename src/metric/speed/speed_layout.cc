// Options, sizes, filters and the positions of resized samples (docs/spec/siblings.md 2.1, 2.3, 2.7 and 2.8).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/exact_math.h"
#include "base/int_math.h"
#include "metric/blocks/border.h"
#include "metric/speed/speed.h"

namespace acutance {
namespace {

constexpr float kKernelScales[] = {1.0f,     0.5f,     1.5f,      2.0f,      2.0f / 3,  2.4f,      360.0f / 97,
                                   4.0f / 3, 3.5f / 3, 3.75f / 3, 4.25f / 3, 5.0f / 3,  3.0f,      1.0f / 2.25f,
                                   1.4746f,  1.54f,    1.6f,      1.06667f,  0.711111f, 0.740740f, 1.111111f};
constexpr float kScaleTolerance = 1e-3f;

struct NamedResizing {
  std::string_view name;
  SpeedResizing resizing;
};
constexpr NamedResizing kResizings[] = {{"nearest", SpeedResizing::kNearest},
                                        {"bilinear", SpeedResizing::kBilinear},
                                        {"bicubic", SpeedResizing::kBicubic},
                                        {"lanczos4", SpeedResizing::kLanczos}};

Result<SpeedResizing> FindResizing(const std::string& name) {
  for (const NamedResizing& each : kResizings)
    if (each.name == name) return each.resizing;
  return Error(StatusCode::kInvalidArgument,
               "option speed_prescale_method: '{}' is none of nearest, bilinear, bicubic and lanczos4", name);
}

Result<float> CheckKernelScale(double scale) {
  const float value = static_cast<float>(scale);
  for (const float known : kKernelScales)
    if (std::fabs(value - known) < kScaleTolerance) return value;
  return Error(StatusCode::kInvalidArgument,
               "option speed_kernelscale: {:g} is none of the scales that libvmaf knows: 0.444444, 0.5, 0.666667, "
               "0.711111, 0.74074, 1, 1.06667, 1.11111, 1.16667, 1.25, 1.33333, 1.41667, 1.4746, 1.5, 1.54, 1.6, "
               "1.66667, 2, 2.4, 3 and 3.71134",
               scale);
}

/// The least odd number of taps that is not below `size`.
int OddTaps(float size) {
  const int taps = static_cast<int>(std::ceil(size));
  return std::max(taps + (taps % 2 == 0), 3);
}

std::vector<float> GaussianTaps(int count, float sigma) {
  const double s = sigma;
  const float height = static_cast<float>(1.0 / (s * std::sqrt(2.0 * std::numbers::pi)));
  std::vector<float> taps;
  float sum = 0;
  for (int i = 0; i < count; ++i) {
    const double x = i - count / 2;
    taps.push_back(static_cast<float>(Exp(-0.5 * x / s * x / s)) / height);
    sum += taps.back();
  }
  for (float& tap : taps) tap /= sum;
  return taps;
}

std::vector<float> BlurTaps(float kernel_scale) {
  const int count = OddTaps(9 * kernel_scale);
  return GaussianTaps(count, static_cast<float>(2.0 * count / 5));
}

std::vector<float> SharpenTaps(float kernel_scale) {
  const int count = OddTaps(2 * kernel_scale);
  return GaussianTaps(count, static_cast<float>(1.0 * count / 5));
}

// --- Resizing

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

/// Appends the taps of resized sample `i` of a side.
class AxisMaker {
 public:
  AxisMaker(SpeedResizing resizing, int from, int to)
      : resizing_(resizing), from_(from), to_(to), ratio_(static_cast<float>(from) / static_cast<float>(to)) {
    constexpr int kTaps[] = {1, 2, 4, 9};
    axis_.taps = kTaps[static_cast<int>(resizing)];
  }

  SpeedAxis Make() {
    for (int i = 0; i < to_; ++i) {
      const float at = static_cast<float>((i + 0.5) * ratio_ - 0.5);
      switch (resizing_) {
        case SpeedResizing::kNearest:
          Add(static_cast<int>(static_cast<float>(i) * ratio_), 1);
          break;
        case SpeedResizing::kBilinear:
          AddLinear(at);
          break;
        case SpeedResizing::kBicubic:
          AddTaps(at, -1, CubicWeight);
          break;
        case SpeedResizing::kLanczos:
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

  const SpeedResizing resizing_;
  const int from_, to_;
  const float ratio_;
  SpeedAxis axis_;
};

SpeedPacked Pack(const SpeedLayout& layout) {
  constexpr int kWholeVectors = 16;
  const int taps = static_cast<int>(layout.blur.size()), used = layout.columns * taps;
  SpeedPacked packed = {.count = CeilDiv(used, kWholeVectors) * kWholeVectors};
  packed.index.resize(static_cast<size_t>(packed.count) * layout.across.taps);
  packed.weight.resize(packed.index.size());
  for (int place = 0; place < used; ++place) {
    const int x = mirror_index(place / taps * kSpeedStep + place % taps - taps / 2, layout.width);
    for (int l = 0; l < layout.across.taps; ++l) {
      packed.index[l * packed.count + place] = layout.across.index[x * layout.across.taps + l];
      packed.weight[l * packed.count + place] = layout.across.weight[x * layout.across.taps + l];
    }
  }
  return packed;
}

}  // namespace

Result<SpeedSettings> ReadSpeedSettings(const OptionValues& options) {
  SpeedSettings settings;
  ACU_ASSIGN_OR_RETURN(settings.kernel_scale, CheckKernelScale(options.Double("speed_kernelscale")));
  ACU_ASSIGN_OR_RETURN(settings.resizing, FindResizing(options.String("speed_prescale_method")));
  settings.prescale = options.Double("speed_prescale");
  if (std::fabs(settings.prescale - 1) < 1e-3) settings.prescale = 1;
  settings.sigma_nn = static_cast<float>(options.Double("speed_sigma_nn"));
  settings.nn_floor = static_cast<float>(options.Double("speed_nn_floor"));
  return settings;
}

Result<SpeedLayout> MakeSpeedLayout(std::string_view metric, const SpeedSettings& settings, int plane_width,
                                    int plane_height, int bit_depth) {
  SpeedLayout layout = {};
  layout.bit_depth = bit_depth;
  layout.plane_width = plane_width;
  layout.width = static_cast<int>(plane_width * settings.prescale + 0.5);
  layout.height = static_cast<int>(plane_height * settings.prescale + 0.5);
  layout.columns = layout.width / kSpeedStep;
  layout.rows = layout.height / kSpeedStep;
  layout.blocks_across = layout.columns / kSpeedSide;
  layout.blocks_down = layout.rows / kSpeedSide;
  constexpr int kLeast = kSpeedStep * kSpeedSide;
  if (layout.blocks() == 0)
    return Error(StatusCode::kInvalidArgument,
                 "{} needs planes of at least {}x{} samples after speed_prescale, these are {}x{}", metric, kLeast,
                 kLeast, layout.width, layout.height);
  layout.is_resized = layout.width != plane_width || layout.height != plane_height;
  if (layout.is_resized) {
    layout.across = AxisMaker(settings.resizing, plane_width, layout.width).Make();
    layout.down = AxisMaker(settings.resizing, plane_height, layout.height).Make();
    layout.is_divided = settings.resizing == SpeedResizing::kLanczos;
  }
  layout.blur = BlurTaps(settings.kernel_scale);
  layout.sharpen = SharpenTaps(settings.kernel_scale);
  if (layout.is_resized) layout.packed = Pack(layout);
  return layout;
}

}  // namespace acutance
