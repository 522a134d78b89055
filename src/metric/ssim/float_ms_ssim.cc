// Stage k goes down scale k: its windows, and the halved plane that is scale k + 1.
#include <algorithm>
#include <array>
#include <vector>

#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/blocks/float_pyramid.h"
#include "metric/blocks/per_scale.h"
#include "metric/ssim/ssim.h"

namespace acutance {
namespace {

constexpr int kScales = 5;
constexpr int kMinSide = (kSsimLoss + 1) << (kScales - 1);

const OptionSpec kOptions[] = {
    {"enable_lcs", "", "also write the means of luminance, contrast and structure of each scale", false, 0, 1, false},
    {"enable_db", "", "write the score in dB: -10 log10 of 1 - score", false, 0, 1, false},
    {"clip_db", "", "limit the dB to what half a squared error of one sample in the picture would give", false, 0, 1,
     false},
};

bool LcsEnabled(const OptionValues& options, const PictureFormat&) { return options.Bool("enable_lcs"); }

// Output 1 + 5t + k is term t (luminance, contrast, structure) of scale k.
constexpr auto kOutputs =
    JoinOutputs(std::to_array<OutputSpec>({{.name = "float_ms_ssim", .rank = 75, .unit_with = SsimUnit}}),
                PerScale<kScales, "float_ms_ssim_l_scale#">({.enabled = LcsEnabled}),
                PerScale<kScales, "float_ms_ssim_c_scale#">({.enabled = LcsEnabled}),
                PerScale<kScales, "float_ms_ssim_s_scale#">({.enabled = LcsEnabled}));

// Exponents (docs/spec/siblings.md 5.3), those of luminance being 0 below the last scale.
constexpr float kLuminanceExponents[kScales] = {0, 0, 0, 0, .1333f};
constexpr float kOtherExponents[kScales] = {.0448f, .2856f, .3001f, .2363f, .1333f};

struct Scale {
  int width, height;
  int first_word;

  int Rows() const { return height - kSsimLoss; }
};

using Scales = std::array<Scale, kScales>;

Scales MakeScales(const PictureFormat& format) {
  Scales scales = {{{format.width, format.height, 0}}};
  for (int k = 1; k < kScales; ++k) {
    const Scale& s = scales[k - 1];
    scales[k] = {HalvedLength(s.width), HalvedLength(s.height), s.first_word + kSsimSums * s.Rows()};
  }
  return scales;
}

int WordCount(const Scales& scales) { return scales.back().first_word + kSsimSums * scales.back().Rows(); }

// Rows of a stage: of the scale halved, whether there is a scale below or not.
ExtractorSpec MakeSpec(const Scales& scales) {
  ExtractorSpec spec = {.stages = {}, .words = WordCount(scales)};
  for (const Scale& scale : scales) spec.stages.push_back({HalvedLength(scale.height)});
  return spec;
}

class FloatMsSsimExtractor : public Extractor {
 public:
  FloatMsSsimExtractor(const SsimSettings& settings, const PictureFormat& format)
      : Extractor(MakeSpec(MakeScales(format))),
        scales_(MakeScales(format)),
        bit_depth_(format.bit_depth),
        decibels_(settings, format),
        lcs_(settings.lcs) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    std::vector<PictureSize> sizes;
    for (int k = 1; k < kScales; ++k) sizes.push_back({scales_[k].width, scales_[k].height});
    return std::make_unique<FloatPyramid>(sizes);
  }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override { return MakeSsimRows(scales_[0].width); }

  void RunBand(const FrameView& frame, int k, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    FloatPyramid& pyramid = static_cast<FloatPyramid&>(*workspaces.frame);
    SsimPlanes planes = {frame.plane(0), frame.plane(1), bit_depth_};
    if (k > 0) planes = {pyramid.At(k)[0].view(), pyramid.At(k)[1].view(), kFloatDepth};
    if (k + 1 < kScales) {
      HalveRows(planes.reference, planes.bit_depth, band, *workspaces.thread, pyramid.At(k + 1)[0]);
      HalveRows(planes.distorted, planes.bit_depth, band, *workspaces.thread, pyramid.At(k + 1)[1]);
    }
    const Scale& scale = scales_[k];
    const RowBand windows = {2 * band.begin, std::min(2 * band.end, scale.Rows())};
    if (windows.begin >= windows.end) return;
    const bool all = lcs_ || k + 1 == kScales;
    SumSsimRows(planes, windows, all, *workspaces.thread, results.words.data() + scale.first_word);
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double score = 1;
    for (int k = 0; k < kScales; ++k) {
      const Scale& scale = scales_[k];
      const auto words = totals.words.subspan(scale.first_word, kSsimSums * scale.Rows());
      const SsimMeans means = MeansOfSsimRows(words, scale.width, scale.height);
      double product = 1;
      for (int t = 0; t < 3; ++t) {
        const double mean = static_cast<double>(means.mean[kSsimLuminance + t]);
        if (lcs_) outputs.values[1 + kScales * t + k] = mean;
        product *= Pow(mean, static_cast<double>(t == 0 ? kLuminanceExponents[k] : kOtherExponents[k]));
      }
      score *= product;
    }
    outputs.values[0] = decibels_.Convert(score);
    return {};
  }

 private:
  const Scales scales_;
  const int bit_depth_;
  const SsimDecibels decibels_;
  const bool lcs_;
};

Result<std::unique_ptr<Extractor>> Make(const SsimSettings& settings, const PictureFormat& format) {
  return std::make_unique<FloatMsSsimExtractor>(settings, format);
}

Result<Plan> MakePlan(const SsimSettings& settings, const PlanContext& context) {
  const Scales scales = MakeScales(context.format);
  SsimDevicePlan work = {.factor = 1, .scales = {}, .words = WordCount(scales)};
  for (const Scale& scale : scales) {
    const bool all = settings.lcs || &scale == &scales.back();
    work.scales.push_back({scale.width, scale.height, scale.first_word, all});
  }
  return MakeSsimPlan(work, context);
}

}  // namespace

const Metric kFloatMsSsimMetric = {
    .name = "float_ms_ssim",
    .summary = "structural similarity of luma over five scales",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSsimSettings>,
    .smallest = {kMinSide, kMinSide},
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
