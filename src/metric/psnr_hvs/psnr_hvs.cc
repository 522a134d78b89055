#include "metric/psnr_hvs/psnr_hvs.h"

#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "metric/blocks/reference_of.h"
#include "metric/blocks/words.h"
#include "metric/psnr_hvs/psnr_hvs_args.h"
#include "metric/psnr_hvs/psnr_hvs_sum_args.h"

namespace acutance {

using psnr_hvs::kBlockSamples;
using psnr_hvs::kBlockSide;

namespace {

constexpr int kMostBits = 12;  // more overflow the transform

const OutputSpec kOutputs[kHvsPlanes + 1] = {
    {.name = "psnr_hvs_y", .rank = 80, .unit = "dB"},
    {.name = "psnr_hvs_cb", .unit = "dB"},
    {.name = "psnr_hvs_cr", .unit = "dB"},
    {.name = "psnr_hvs", .is_model = true, .unit = "dB"},
};

// Upper triangles of symmetric matrices, row by row (docs/spec/siblings.md A.1).
constexpr int kTriangle = kBlockSide * (kBlockSide + 1) / 2;

constexpr float kCsf[kHvsPlanes][kTriangle] = {
    {1.6193873005f,   2.2901594831f,   2.08509755623f,  1.48366094411f,  1.00227514334f,  0.678296995242f,
     0.466224900598f, 0.3265091542f,   1.94321815382f,  2.04793073064f,  1.68731108984f,  1.2305666963f,
     0.868920337363f, 0.61280991668f,  0.436405793551f, 1.34329019223f,  1.09205635862f,  0.875748795257f,
     0.670882927016f, 0.501731932449f, 0.372504254596f, 0.772819797575f, 0.605636379554f, 0.48309405692f,
     0.380429446972f, 0.295774038565f, 0.448996256676f, 0.352889268808f, 0.283006984131f, 0.226951348204f,
     0.27032073436f,  0.215017739696f, 0.17408067321f,  0.168869545842f, 0.136153931001f, 0.109083846276f},
    {1.91113096927f,  2.46074210438f,  1.18284184739f,  1.14982565193f,  1.05017074788f,  0.898018824055f,
     0.74725392039f,  0.615105596242f, 1.58529308355f,  1.21363250036f,  1.38190029285f,  1.33100189972f,
     1.17428548929f,  0.996404342439f, 0.830890433625f, 0.978712413627f, 1.02624506078f,  1.03145147362f,
     0.960060382087f, 0.849823426169f, 0.731221236837f, 0.861317501629f, 0.801821139099f, 0.751437590932f,
     0.685398513368f, 0.608694761374f, 0.676555426187f, 0.605503172737f, 0.55002013668f,  0.495804539034f,
     0.514674450957f, 0.454353482512f, 0.407050308965f, 0.389234902883f, 0.342353999733f, 0.295530605237f},
    {2.03871978502f,  2.62502345193f,  1.26180942886f,  1.11019789803f,  1.01397751469f,  0.867069376285f,
     0.721500455585f, 0.593906509971f, 1.69112867013f,  1.17180569821f,  1.3342742857f,   1.28513006198f,
     1.13381474809f,  0.962064122248f, 0.802254508198f, 0.944981930573f, 0.990876405848f, 0.995903384143f,
     0.926972725286f, 0.820534991409f, 0.706020324706f, 0.831632933426f, 0.77418706195f,  0.725539939514f,
     0.661776842059f, 0.587716619023f, 0.653238524286f, 0.584635025748f, 0.531064164893f, 0.478717061273f,
     0.496936637883f, 0.438694579826f, 0.393021669543f, 0.375820256136f, 0.330555063063f, 0.285345396658f}};

HvsTables MakeTables(const float (&csf)[kTriangle]) {
  constexpr double kMasking = 0.3885746225901003;
  HvsTables tables;
  int next = 0;
  for (int i = 0; i < kBlockSide; ++i)
    for (int j = i; j < kBlockSide; ++j) {
      const float weight = csf[next++];
      const double scaled = static_cast<double>(weight) * kMasking;
      for (const int at : {i * kBlockSide + j, j * kBlockSide + i}) {
        tables.csf[at] = weight;
        tables.mask[at] = static_cast<float>(scaled * scaled);
      }
    }
  return tables;
}

/// The terms of the block rows of a frame's planes.
struct HvsTerms : Workspace {
  std::array<std::vector<std::vector<float>>, kHvsPlanes> rows;
};

/// A stage for each plane that has blocks makes the terms; the last one, which nothing can split,
/// adds them up in one float from the first block to the last.
class PsnrHvsExtractor : public Extractor {
 public:
  explicit PsnrHvsExtractor(const PictureFormat& format)
      : Extractor({.stages = Stages(format), .words = kHvsPlanes}), format_(format) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    auto terms = std::make_unique<HvsTerms>();
    for (int p = 0; p < kHvsPlanes; ++p) terms->rows[p].resize(BlockRows(format_, p));
    return terms;
  }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    HvsTerms& terms = static_cast<HvsTerms&>(*workspaces.frame);
    if (stage + 1 == std::ssize(spec().stages)) {
      for (int p = 0; p < kHvsPlanes; ++p) results.words[p] = WordFromFloat(Sum(terms.rows[p]));
      return;
    }
    const int plane = stage;  // luma is no smaller than chroma: planes without blocks come last
    for (int row = band.begin; row < band.end; ++row) {
      terms.rows[plane][row].clear();
      HvsRowTerms(frame.plane(0, plane), frame.plane(1, plane), format_.bit_depth, HvsTablesOf(plane), row,
                  terms.rows[plane][row]);
    }
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    double error[kHvsPlanes];
    for (int p = 0; p < kHvsPlanes; ++p) {
      error[p] = static_cast<double>(MeanError(p, FloatFromWord(totals.words[p])));
      outputs.values[p] = Decibels(error[p]);
    }
    outputs.values[kHvsPlanes] = Decibels(0.8 * error[0] + 0.1 * (error[1] + error[2]));
    return {};
  }

 private:
  static int BlockRows(const PictureFormat& format, int plane) {
    return HvsBlocks(format.PlaneWidth(plane)) == 0 ? 0 : HvsBlocks(format.PlaneHeight(plane));
  }

  static std::vector<StageSpec> Stages(const PictureFormat& format) {
    std::vector<StageSpec> stages;
    for (int p = 0; p < kHvsPlanes; ++p)
      if (const int rows = BlockRows(format, p); rows > 0) stages.push_back({rows});
    stages.push_back({.rows = 1, .splittable = false});
    return stages;
  }

  static float Sum(const std::vector<std::vector<float>>& rows) {
    float sum = 0;
    for (const std::vector<float>& row : rows)
      for (const float term : row) sum += term;
    return sum;
  }

  /// NaN for a plane without blocks, as libvmaf's.
  float MeanError(int plane, float sum) const {
    const int blocks = HvsBlocks(format_.PlaneWidth(plane)) * HvsBlocks(format_.PlaneHeight(plane));
    const float peak = static_cast<float>((1 << format_.bit_depth) - 1);
    return sum / static_cast<float>(blocks * kBlockSamples) / (peak * peak);
  }

  static double Decibels(double error) { return 10 * -Log10(error); }

  const PictureFormat format_;
};

Result<std::unique_ptr<Extractor>> Make(const Setup&, const PictureFormat& format) {
  if (format.pixel_format == PixelFormat::k400)
    return Error(StatusCode::kInvalidArgument, "psnr_hvs needs chroma planes, pictures in 400 have none");
  if (format.bit_depth > kMostBits)
    return Error(StatusCode::kInvalidArgument, "psnr_hvs takes at most {} bits a sample, these have {}", kMostBits,
                 format.bit_depth);
  return std::make_unique<PsnrHvsExtractor>(format);
}

// --- On devices: the terms of each plane's blocks, then the planes' running sums.

constexpr TuningEntry kTuning[] = {{"psnr_hvs_terms", "", "32x8"},
                                   {"psnr_hvs_sum", "", "256x1"},
                                   {"psnr_hvs_sum", "sm_", "512x1"},
                                   {"psnr_hvs_sum", "nvidia", "512x1"}};

/// Blocks of a plane, and their terms.
struct HvsPlane {
  int across, blocks, groups;

  int terms() const { return groups * HVS_GROUP * kBlockSamples; }
};

HvsPlane LayOut(const PictureFormat& format, int plane) {
  const int across = HvsBlocks(format.PlaneWidth(plane));
  const int blocks = across * HvsBlocks(format.PlaneHeight(plane));
  return {across, blocks, CeilDiv(blocks, HVS_GROUP)};
}

Status AddTerms(Plan& plan, const PlanContext& context, const HvsPlane& blocks, int plane, BufferRef terms,
                int64_t pair_terms) {
  if (blocks.blocks == 0) return {};
  const PlaneView reference = context.Input(Video::kReference, plane);
  const HvsTermsArgs args = {.reference = reference.data,
                             .distorted = context.Input(Video::kDistorted, plane).data,
                             .tables = plan.AddTable("sensitivity and masking", std::span(&HvsTablesOf(plane), 1)),
                             .terms = terms,
                             .picture_stride = reference.picture_stride,
                             .pair_terms = pair_terms,
                             .row_stride = reference.row_stride,
                             .blocks = blocks.blocks,
                             .blocks_across = blocks.across,
                             .inverse = inverse_of(context.videos)};
  return plan.AddGroups(kTuning, "psnr_hvs_terms", {blocks.groups, 1, context.pairs()}, args, "none");
}

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  const HvsPlane luma = LayOut(context.format, 0), chroma = LayOut(context.format, 1);
  const int64_t pair_terms = luma.terms() + 2 * int64_t{chroma.terms()};
  Plan plan(context, context.pairs(), 0, kHvsPlanes);
  const BufferRef terms = plan.AddScratch("terms of blocks", sizeof(float) * pair_terms * context.pairs());
  uint64_t offset = 0;
  for (int plane = 0; plane < kHvsPlanes; ++plane) {
    const HvsPlane& blocks = plane == 0 ? luma : chroma;
    ACU_RETURN_IF_ERROR(AddTerms(plan, context, blocks, plane, {terms.buffer, offset}, pair_terms));
    offset += sizeof(float) * blocks.terms();
  }
  const HvsSumArgs args = {.terms = terms,
                           .words = plan.Words(),
                           .pair_terms = pair_terms,
                           .luma_terms = luma.terms(),
                           .chroma_terms = chroma.terms(),
                           .luma_blocks = luma.blocks,
                           .chroma_blocks = chroma.blocks};
  ACU_RETURN_IF_ERROR(plan.AddGroups(kTuning, "psnr_hvs_sum", {kHvsPlanes, 1, context.pairs()}, args, "none"));
  return plan;
}

}  // namespace

const HvsTables& HvsTablesOf(int plane) {
  static const HvsTables kTables[kHvsPlanes] = {MakeTables(kCsf[0]), MakeTables(kCsf[1]), MakeTables(kCsf[2])};
  return kTables[plane];
}

const Metric kPsnrHvsMetric = {
    .name = "psnr_hvs",
    .summary = "peak signal-to-noise ratio by contrast sensitivity and masking, of each plane and of all, in dB",
    .outputs = kOutputs,
    .inputs =
        [](const Setup&) {
          return std::vector<InputSpec>{{Video::kReference, kAllPlanes}, {Video::kDistorted, kAllPlanes}};
        },
    .smallest = {kBlockSide, kBlockSide},
    .make = Make,
    .make_plan = MakePlan,
};

}  // namespace acutance
