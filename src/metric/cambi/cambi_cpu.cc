#include <utility>

#include "metric/cambi/cambi_frame.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/cambi/cambi_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/cambi/cambi_contrast-inl.h"
#include "metric/cambi/cambi_prepare-inl.h"

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Prepare);
HWY_EXPORT(Halve);
HWY_EXPORT(InvalidSamples);
HWY_EXPORT(ContrastRows);

void CambiPrepare(const CambiSettings& settings, const CambiPass& pass, const CambiResampling& resampling,
                  const Plane& plane, RowBand band, CambiThread& thread, CambiImage& image) {
  HWY_DYNAMIC_DISPATCH(Prepare)(settings, pass, resampling, plane, band, thread, image);
}

int64_t CambiInvalidSamples(const Plane& plane, int bit_depth, RowBand band) {
  if (bit_depth == 8 || bit_depth == 16) return 0;
  return HWY_DYNAMIC_DISPATCH(InvalidSamples)(plane, bit_depth, band);
}

void CambiHalve(const CambiImage& from, RowBand band, CambiThread& thread, CambiImage& to) {
  HWY_DYNAMIC_DISPATCH(Halve)(from, band, thread, to);
}

void CambiContrastRows(const CambiComparisons& comparisons, const CambiImage& image, const CambiPass& pass,
                       RowBand band, CambiThread& thread, CambiContrasts& contrasts, const MutablePicture* heatmap) {
  HWY_DYNAMIC_DISPATCH(ContrastRows)(comparisons, image, pass, band, thread, contrasts, heatmap);
}

}  // namespace acutance
#endif  // HWY_ONCE
