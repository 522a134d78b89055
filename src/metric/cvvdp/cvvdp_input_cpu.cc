// Each lane has a pixel.

#include "metric/cvvdp/cvvdp_input.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/cvvdp/cvvdp_input_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/blocks/float_power-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

using namespace float_vector;

void ChannelRow(const CvvdpLight& light, int width, const std::array<float*, 3>& row) {
  const int lanes = static_cast<int>(hn::Lanes(DF()));
  int x = 0;
  for (; x + lanes <= width; x += lanes) {
    const VF red = Load(row[0] + x), green = Load(row[1] + x), blue = Load(row[2] + x);
    for (int c = 0; c < 3; ++c) {
      const auto [of_red, of_green, of_blue] = light.to_channels[c];
      Store(Weighted(red, green, blue, of_red, of_green, of_blue), row[c] + x);
    }
  }
  CvvdpToChannelsRef(light, width - x, {row[0] + x, row[1] + x, row[2] + x});
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(ChannelRow);

void CvvdpChannelRow(const CvvdpLight& light, int width, const std::array<float*, 3>& row) {
  DisplayLightRow(light, width, row);
  HWY_DYNAMIC_DISPATCH(ChannelRow)(light, width, row);
}

}  // namespace acutance
#endif  // HWY_ONCE
