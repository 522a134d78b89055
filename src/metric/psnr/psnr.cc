#include "metric/psnr/psnr.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>

#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/block_sums.h"
#include "metric/blocks/partial_sums.h"

namespace acutance {
namespace {

const OptionSpec kOptions[] = {
    {"enable_chroma", "", "also write psnr_cb and psnr_cr, where the pictures have chroma", true, 0, 1, false},
    {"enable_mse", "", "also write the mean squared errors mse_y, mse_cb, mse_cr", false, 0, 1, false},
    {"enable_apsnr", "", "also write apsnr_y, apsnr_cb, apsnr_cr of the whole clip", false, 0, 1, false},
    {"reduced_hbd_peak", "", "above 8 bit, take 255 * 2^(bits - 8) as the peak, not 2^bits - 1", false, 0, 1, false},
    {"min_sse", "", "squared error of a plane that sets the upper limit; 0: the limit is 6 * bits + 12 dB", 0.0, 0,
     std::numeric_limits<double>::max(), false},
};

constexpr int kPlanes = 3;

bool HasPlane(const OptionValues& options, const PictureFormat& format, int plane) {
  return plane == 0 || (plane < format.PlaneCount() && options.Bool("enable_chroma"));
}

template <int plane>
bool PsnrEnabled(const OptionValues& options, const PictureFormat& format) {
  return HasPlane(options, format, plane);
}

template <int plane>
bool MseEnabled(const OptionValues& options, const PictureFormat& format) {
  return HasPlane(options, format, plane) && options.Bool("enable_mse");
}

// Output 2p is the psnr, output 2p + 1 the mse of plane p.
const OutputSpec kOutputs[2 * kPlanes] = {
    {.name = "psnr_y", .enabled = PsnrEnabled<0>, .rank = 65, .unit = "dB"},
    {.name = "mse_y", .enabled = MseEnabled<0>, .better = ScoreDirection::kLower},
    {.name = "psnr_cb", .enabled = PsnrEnabled<1>, .unit = "dB"},
    {.name = "mse_cb", .enabled = MseEnabled<1>, .better = ScoreDirection::kLower},
    {.name = "psnr_cr", .enabled = PsnrEnabled<2>, .unit = "dB"},
    {.name = "mse_cr", .enabled = MseEnabled<2>, .better = ScoreDirection::kLower},
};

/// The options.
struct Settings {
  bool chroma;
  bool mse;
  bool apsnr;
  bool reduced_peak;
  double min_sse;
};

Settings ReadSettings(const OptionValues& options) {
  return {.chroma = options.Bool("enable_chroma"),
          .mse = options.Bool("enable_mse"),
          .apsnr = options.Bool("enable_apsnr"),
          .reduced_peak = options.Bool("reduced_hbd_peak"),
          .min_sse = options.Double("min_sse")};
}

int PlanesOf(const Settings& settings, const PictureFormat& format) {
  return settings.chroma && format.PlaneCount() > 1 ? kPlanes : 1;
}

double Limit(double min_sse, double peak_squared, double pixels, int bit_depth) {
  if (min_sse == 0) return 6 * bit_depth + 12;
  return std::ceil(10 * Log10(peak_squared / (min_sse / pixels)));
}

struct Scale : Settings {
  Scale(const Settings& settings, const PictureFormat& format)
      : Settings(settings), planes(PlanesOf(settings, format)) {
    const int depth = format.bit_depth;
    const int peak = reduced_peak ? 255 << (depth - 8) : (1 << depth) - 1;
    peak_squared = static_cast<double>(peak) * peak;
    for (int p = 0; p < planes; ++p) {
      pixels[p] = static_cast<double>(int64_t{format.PlaneWidth(p)} * format.PlaneHeight(p));
      limit[p] = Limit(min_sse, peak_squared, pixels[p], depth);
    }
  }

  int planes;  // how many are compared
  double peak_squared;
  std::array<double, kPlanes> pixels{};
  std::array<double, kPlanes> limit{};  // dB
};

/// Adds up the whole clip; it writes no values of single frames.
class PsnrSequence : public Sequence {
 public:
  explicit PsnrSequence(const Scale& scale) : scale_(scale) {}

  void Push(int64_t, const FrameOutputs& outputs, ScoreSink&) override {
    for (int p = 0; p < scale_.planes; ++p) {
      squared_error_[p] += static_cast<uint64_t>(outputs.kept[p]);
      pixels_[p] += static_cast<uint64_t>(scale_.pixels[p]);
    }
  }

  void Flush(ScoreSink& sink) override {
    constexpr std::string_view kNames[kPlanes] = {"apsnr_y", "apsnr_cb", "apsnr_cr"};
    for (int p = 0; p < kPlanes; ++p) sink.SetAggregate(kNames[p], AveragePsnr(squared_error_[p], pixels_[p]));
  }

 private:
  /// A plane that was not compared has 0 pixels: its NaN fails the comparison and the result is the limit, -inf.
  double AveragePsnr(uint64_t squared_error, uint64_t pixels) const {
    const double count = static_cast<double>(pixels);
    const double psnr = 10 * (Log10(scale_.peak_squared) + Log10(count) - Log10(static_cast<double>(squared_error)));
    const double limit = std::ceil(10 * Log10(scale_.peak_squared * count * 2));
    return psnr < limit ? psnr : limit;
  }

  const Scale scale_;
  std::array<uint64_t, kPlanes> squared_error_ = {};
  std::array<uint64_t, kPlanes> pixels_ = {};
};

/// It has a stage for each plane, so that bands are rows of the plane itself.
class PsnrExtractor : public Extractor, public BlockSums {
 public:
  PsnrExtractor(const Scale& scale, const PictureFormat& format)
      : Extractor({.stages = StagesOf(std::views::iota(0, scale.planes), [&](int p) { return format.PlaneHeight(p); }),
                   .sums = kPlanes,
                   .kept = scale.apsnr ? kPlanes : 0}),
        scale_(scale),
        bit_depth_(format.bit_depth) {}

  void RunBand(const FrameView& frame, int plane, RowBand band, const Workspaces&,
               const BandResults& results) const override {
    results.sums[plane] += SquaredError(frame.plane(0, plane), frame.plane(1, plane), bit_depth_, band);
  }

  void AddBlocks(const FrameView& frame, const BlockGrid& grid, std::span<int64_t> sums) const override {
    for (int p = 0; p < scale_.planes; ++p)
      for (int block = 0; block < grid.count(); ++block) {
        const Plane reference = PartOf(frame.plane(0, p), frame.plane(0), grid, block);
        const Plane distorted = PartOf(frame.plane(1, p), frame.plane(1), grid, block);
        sums[size_t{kPlanes} * block + p] += SquaredError(reference, distorted, bit_depth_, {0, reference.height});
      }
  }

  /// The mean squared error of the picture, by where it comes from.
  std::vector<LossMap> Losses(const BlockGrid& grid, std::span<const int64_t> sums) const override {
    static constexpr const char* kNames[kPlanes] = {"mse_y", "mse_cb", "mse_cr"};
    std::vector<LossMap> maps;
    for (int p = 0; p < scale_.planes; ++p) {
      LossMap map{kNames[p], {}};
      for (int block = 0; block < grid.count(); ++block)
        map.losses.push_back(static_cast<double>(sums[size_t{kPlanes} * block + p]) / scale_.pixels[p]);
      maps.push_back(std::move(map));
    }
    return maps;
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    constexpr double kSmallestMse = 1e-16;
    for (int p = 0; p < scale_.planes; ++p) {
      const double mse = static_cast<double>(totals.sums[p]) / scale_.pixels[p];
      const double psnr = 10 * Log10(scale_.peak_squared / std::max(mse, kSmallestMse));
      outputs.values[2 * p] = std::min(psnr, scale_.limit[p]);
      if (scale_.mse) outputs.values[2 * p + 1] = mse;
    }
    if (scale_.apsnr) std::ranges::copy(totals.sums, outputs.kept.begin());
    return {};
  }

  std::unique_ptr<Sequence> MakeSequence() const override {
    return scale_.apsnr ? std::make_unique<PsnrSequence>(scale_) : nullptr;
  }

 private:
  /// The part of a plane that lies in a block: chroma planes have as many blocks as luma.
  Plane PartOf(const Plane& plane, const Plane& luma, const BlockGrid& grid, int block) const {
    const auto begin = [&](int index, int count, int of, int luma_of) {
      return index == count ? of : static_cast<int>(int64_t{1} * index * grid.size * of / luma_of);
    };
    const int row = block / grid.columns, column = block % grid.columns;
    const int x0 = begin(column, grid.columns, plane.width, luma.width),
              y0 = begin(row, grid.rows, plane.height, luma.height);
    const int x1 = begin(column + 1, grid.columns, plane.width, luma.width);
    const int y1 = begin(row + 1, grid.rows, plane.height, luma.height);
    return {plane.data + y0 * plane.stride + x0 * (bit_depth_ > 8 ? 2 : 1), plane.stride, x1 - x0, y1 - y0};
  }

  const Scale scale_;
  const int bit_depth_;
};

Result<std::unique_ptr<Extractor>> Make(const Settings& settings, const PictureFormat& format) {
  if (PlanesOf(settings, format) > 1 && (format.PlaneWidth(1) == 0 || format.PlaneHeight(1) == 0))
    return Error(StatusCode::kInvalidArgument,
                 "psnr: a {}x{} picture in {} has no chroma samples: set enable_chroma=false", format.width,
                 format.height, PixelFormatName(format.pixel_format));
  return std::make_unique<PsnrExtractor>(Scale(settings, format), format);
}

std::vector<InputSpec> Inputs(const Settings& settings) {
  const unsigned planes = settings.chroma ? kAllPlanes : kLuma;
  return {{Video::kReference, planes}, {Video::kDistorted, planes}};
}

// --- On devices: a launch for each plane.

constexpr int kWordBytes = 4;

constexpr TuningEntry kTuning[] = {
    {"psnr_sse", "", "64x4r4"},
    {"psnr_sse", "", "128x2r8", WorkloadClass::kLarge},
    {"psnr_sse", "sm_", "32x8r4"},
    {"psnr_sse", "sm_", "128x2r8", WorkloadClass::kLarge},
    {"psnr_sse", "nvidia", "32x8r4"},
    {"psnr_sse", "nvidia", "256x1r4", WorkloadClass::kMedium},
    {"psnr_sse", "nvidia", "128x2r8", WorkloadClass::kLarge},
};

Result<Plan> MakePlan(const Settings& settings, const PlanContext& context) {
  const int samples = kWordBytes / context.format.BytesPerSample();
  return MakePairSumPlan({"psnr_sse", kTuning, samples}, context, kPlanes, PlanesOf(settings, context.format));
}

}  // namespace

const Metric kPsnrMetric = {
    .name = "psnr",
    .summary = "peak signal-to-noise ratio of each plane, in dB",
    .options = kOptions,
    .outputs = kOutputs,
    .map = {.source = MapSource::kBlockSums},
    .prepare = PrepareBy<ReadSettings>,
    .inputs = OfSettings<Inputs>,
    .every_frame = true,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
