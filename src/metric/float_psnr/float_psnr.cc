#include "metric/float_psnr/float_psnr.h"

#include <cmath>

#include "metric/blocks/peak.h"

namespace acutance {
namespace {

const OutputSpec kOutputs[] = {{.name = "float_psnr"}};

class FloatPsnrExtractor : public Extractor {
 public:
  explicit FloatPsnrExtractor(const PictureFormat& format)
      : Extractor({.stages = {{format.height}}, .sums = 1}), format_(format) {}

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces&,
               const BandResults& results) const override {
    results.sums[0] += FloatSquaredError(frame.plane(0), frame.plane(1), format_.bit_depth, band);
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const double squared_error = std::ldexp(static_cast<double>(totals.sums[0]), -2 * (format_.bit_depth - 8));
    const double pixels = static_cast<double>(int64_t{format_.width} * format_.height);
    const double peak = FloatPeak(format_.bit_depth);
    outputs.values[0] = LimitedDecibels(peak * peak, squared_error / pixels, format_.bit_depth);
    return {};
  }

 private:
  const PictureFormat format_;
};

Result<std::unique_ptr<Extractor>> Make(const OptionValues&, const PictureFormat& format) {
  return std::unique_ptr<Extractor>(std::make_unique<FloatPsnrExtractor>(format));
}

}  // namespace

const Metric kFloatPsnrMetric = {
    .name = "float_psnr",
    .summary = "peak signal-to-noise ratio of luma as floats, in dB",
    .options = {},
    .outputs = kOutputs,
    .make = Make,
};

}  // namespace acutance
