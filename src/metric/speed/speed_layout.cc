// Options, sizes, filters and the positions of resized samples (docs/spec/siblings.md 2.1, 2.3, 2.7 and 2.8).
#include <cmath>

#include "base/int_math.h"
#include "metric/blocks/border.h"
#include "metric/blocks/gaussian_taps.h"
#include "metric/speed/speed.h"

namespace acutance {
namespace {

std::vector<float> BlurTaps(float kernel_scale) {
  const int count = OddTapCount(9 * kernel_scale);
  return GaussianTaps(count, static_cast<float>(2.0 * count / 5));
}

std::vector<float> SharpenTaps(float kernel_scale) {
  const int count = OddTapCount(2 * kernel_scale);
  return GaussianTaps(count, static_cast<float>(1.0 * count / 5));
}

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
  ACU_ASSIGN_OR_RETURN(settings.kernel_scale,
                       CheckKernelScale("speed_kernelscale", options.Double("speed_kernelscale")));
  ACU_ASSIGN_OR_RETURN(settings.resizing,
                       FindResizingMethod("speed_prescale_method", options.String("speed_prescale_method")));
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
    layout.across = MakeResizingAxis(settings.resizing, plane_width, layout.width);
    layout.down = MakeResizingAxis(settings.resizing, plane_height, layout.height);
    layout.is_divided = settings.resizing == ResizingMethod::kLanczos;
  }
  layout.blur = BlurTaps(settings.kernel_scale);
  layout.sharpen = SharpenTaps(settings.kernel_scale);
  if (layout.is_resized) layout.packed = Pack(layout);
  return layout;
}

}  // namespace acutance
