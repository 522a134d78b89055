#include "metric/float_moment/float_moment.h"

#include <cmath>

namespace acutance {
namespace {

// Of video v, output v is the first moment and output 2 + v the second; the sums stand likewise.
const OutputSpec kOutputs[] = {
    {.name = "float_moment_ref1st"},
    {.name = "float_moment_dis1st"},
    {.name = "float_moment_ref2nd"},
    {.name = "float_moment_dis2nd"},
};

/// A stage for each video.
class FloatMomentExtractor : public Extractor {
 public:
  explicit FloatMomentExtractor(const PictureFormat& format)
      : Extractor({.stages = {{format.height}, {format.height}}, .sums = 4}), format_(format) {}

  void RunBand(const FrameView& frame, int video, RowBand band, const Workspaces&,
               const BandResults& results) const override {
    const MomentSums sums = SumMoments(frame.plane(video), format_.bit_depth, band);
    results.sums[video] += sums.first;
    results.sums[2 + video] += sums.second;
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const double pixels = static_cast<double>(int64_t{format_.width} * format_.height);
    for (int i = 0; i < 4; ++i) {
      const int power = i < 2 ? 1 : 2;
      outputs.values[i] = std::ldexp(static_cast<double>(totals.sums[i]), -power * (format_.bit_depth - 8)) / pixels;
    }
    return {};
  }

 private:
  const PictureFormat format_;
};

Result<std::unique_ptr<Extractor>> Make(const OptionValues&, const PictureFormat& format) {
  return std::unique_ptr<Extractor>(std::make_unique<FloatMomentExtractor>(format));
}

}  // namespace

const Metric kFloatMomentMetric = {
    .name = "float_moment",
    .summary = "mean and mean square of luma of both videos",
    .options = {},
    .outputs = kOutputs,
    .make = Make,
};

}  // namespace acutance
