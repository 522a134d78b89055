#include "metric/ciede/ciede.h"

#include <algorithm>

#include "math/exact_math.h"
#include "metric/blocks/words.h"

namespace acutance {
namespace {

const OutputSpec kOutputs[] = {{.name = "ciede2000", .rank = 55, .unit = "dB"}};

/// The score is 45 - 20 log10 of it.
double MeanDifference(double score) { return Pow(10.0, (45 - score) / 20); }

/// A word for each row, the running sum of its pixels; Finish adds the rows from the first to the
/// last.
class CiedeExtractor : public Extractor {
 public:
  explicit CiedeExtractor(const PictureFormat& format)
      : Extractor({.stages = {{format.height}}, .words = format.height}),
        format_(format),
        chroma_(MakeCiedeChroma(format)) {}

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return std::make_unique<CiedeBuffers>(format_.width);
  }

  void RunBand(const FrameView& frame, int, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    const CiedePicture reference = {frame.at(0)->planes}, distorted = {frame.at(1)->planes};
    auto& buffers = static_cast<CiedeBuffers&>(*workspaces.thread);
    for (int y = band.begin; y < band.end; ++y)
      results.words[y] = WordFromDouble(CiedeRow(reference, distorted, format_.bit_depth, chroma_, y, buffers));
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double sum = 0;
    for (const int64_t row : totals.words) sum += DoubleFromWord(row);
    const double pixels = static_cast<double>(int64_t{format_.width} * format_.height);
    outputs.values[0] = 45 - 20 * Log10(sum / pixels);
    return {};
  }

 private:
  const PictureFormat format_;
  const CiedeChroma chroma_;
};

Result<std::unique_ptr<Extractor>> Make(const Setup&, const PictureFormat& format) {
  if (format.pixel_format == PixelFormat::k400)
    return Error(StatusCode::kInvalidArgument, "ciede needs chroma planes, pictures in 400 have none");
  if (format.PlaneWidth(1) == 0 || format.PlaneHeight(1) == 0)
    return Error(StatusCode::kInvalidArgument, "ciede: a {}x{} picture in {} has no chroma samples", format.width,
                 format.height, PixelFormatName(format.pixel_format));
  return std::make_unique<CiedeExtractor>(format);
}

}  // namespace

CiedeChroma MakeCiedeChroma(const PictureFormat& format) {
  const int width = format.PlaneWidth(1);
  return {format.pixel_format, width, format.PlaneHeight(1), (width + 31) / 32 * 32};
}

CiedeBuffers::CiedeBuffers(int width)
    : luma_cb(4 * (width + kPadding)),
      cr(2 * (width + kPadding)),
      missing_differences(width + kPadding),
      missing_known(width),
      waiting(width),
      differences(width + kPadding),
      known(kKnown) {
  for (auto* planes : {&samples, &missing})
    for (auto& video : *planes)
      for (auto& plane : video) plane.resize(width + kPadding);
}

const Metric kCiedeMetric = {
    .name = "ciede",
    .summary = "mean colour difference by CIEDE2000, in dB: 45 - 20 log10 of it",
    .options = {},
    .outputs = kOutputs,
    .map = {.source = MapSource::kPartScores, .loss = MeanDifference},
    .inputs =
        [](const Setup&) {
          return std::vector<InputSpec>{{Video::kReference, kAllPlanes}, {Video::kDistorted, kAllPlanes}};
        },
    .make = Make,
    .make_plan = MakeCiedePlan,
};

}  // namespace acutance
