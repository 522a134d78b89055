#include "metric/float_psnr/float_psnr.h"

#include <cmath>

#include "metric/blocks/partial_sums.h"
#include "metric/blocks/peak.h"

namespace acutance {
namespace {

const OutputSpec kOutputs[] = {{.name = "float_psnr", .rank = 60, .unit = "dB"}};

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

constexpr TuningEntry kTuning[] = {{"float_psnr_error", "", "64x4r8"}};

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  return MakePairSumPlan({"float_psnr_error", kTuning}, context, 1, 1);
}

}  // namespace

const Metric kFloatPsnrMetric = {
    .name = "float_psnr",
    .summary = "peak signal-to-noise ratio of luma as floats, in dB",
    .options = {},
    .outputs = kOutputs,
    .make = MakeBy<FloatPsnrExtractor>,
    .make_plan = MakePlan,
};

}  // namespace acutance
