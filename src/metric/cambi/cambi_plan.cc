// cambi on devices: words of a picture, filtered modes scale by scale, then the contrasts of all scales and the sums of
// the largest ones.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <vector>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/partial_sums.h"
#include "metric/blocks/reference_of.h"
#include "metric/cambi/cambi.h"
#include "metric/cambi/cambi_args.h"
#include "metric/cambi/cambi_prepare_args.h"

namespace acutance {
namespace {

static_assert(CAMBI_SCALES == kCambiScales);

constexpr int kPrepareTile = 32;   // TILE in cambi_prepare.kernel.h
constexpr int kRegisterSteps = 4;  // of the kernel cambi_contrast
constexpr int kPackColumns = 3;    // PACK there
constexpr int kRowMultiple = 32;   // words of a row
constexpr int kSelectPixels = 1 << 13, kMostParts = 64;

constexpr TuningEntry kTuning[] = {
    {"cambi_prepare", "", "32x8"},
    {"cambi_invalid", "", "64x4r8"},
    {"cambi_modes", "", "64x4"},
    {"cambi_contrast", "", "64x1r64"},
    {"cambi_contrast_any", "", "64x1r32"},
    {"cambi_totals", "", "256x1"},
    {"cambi_select", "", "64x1"},
    {"cambi_pool", "", "64x1"},
    {"cambi_heat", "", "64x4"},
};

/// The scales of a pass, one after another.
struct Scales {
  std::array<PictureSize, kCambiScales> size;
  std::array<int, kCambiScales> row, first;
  int words = 0;  // of all
};

int RowOf(int width) { return CeilDiv(width, kRowMultiple) * kRowMultiple; }

Scales LayOut(const CambiSettings& settings, const CambiPass& pass) {
  Scales scales;
  for (int s = 0; s < kCambiScales; ++s) {
    scales.size[s] = CambiScaleSize(settings, pass, s);
    scales.row[s] = RowOf(scales.size[s].width);
    scales.first[s] = scales.words;
    scales.words += scales.row[s] * scales.size[s].height;
  }
  return scales;
}

/// The launches of a pass.
class PassMaker {
 public:
  PassMaker(const CambiSettings& settings, int pass, const PlanContext& context, Plan& plan)
      : settings_(settings),
        pass_(settings.passes[pass]),
        index_(pass),
        context_(context),
        plan_(plan),
        scales_(LayOut(settings, pass_)) {}

  Status Make() {
    ACU_RETURN_IF_ERROR(AddWords());
    ACU_RETURN_IF_ERROR(AddContrasts());
    ACU_RETURN_IF_ERROR(AddSums());
    return context_.artifacts && index_ == 0 ? AddHeat() : Status();
  }

 private:
  BufferRef AddScratch(const char* name, size_t bytes_of_pair) {
    return plan_.AddScratch(fmt::format("{} of pass {}", name, index_), bytes_of_pair * context_.pairs());
  }

  Video video() const { return pass_.input == 0 ? Video::kDistorted : Video::kReference; }

  Status AddWords() {
    const PlaneView samples = context_.Input(video());
    const PictureSize whole = {pass_.width, pass_.height};
    std::vector<int32_t> nearest = CambiNearest(context_.format.width, whole.width);
    std::ranges::copy(CambiNearest(context_.format.height, whole.height), std::back_inserter(nearest));
    const int row = scales_.row[0], picture = row * scales_.size[0].height;
    const BufferRef unfiltered = AddScratch("words", sizeof(uint16_t) * picture);
    words_ = AddScratch("words of the scales", sizeof(uint16_t) * scales_.words);
    const CambiPrepareArgs args = {.samples = samples.data,
                                   .nearest = plan_.AddTable("samples to read", nearest),
                                   .words = unfiltered,
                                   .picture_stride = samples.picture_stride,
                                   .made_stride = picture,
                                   .row_stride = samples.row_stride,
                                   .made_row = row,
                                   .inverse = inverse_of(context_.pairs() / Pictures()),
                                   .width = whole.width,
                                   .height = whole.height,
                                   .step = settings_.half_size ? 2 : 1,
                                   .bit_depth = context_.format.bit_depth,
                                   .filters_dither = settings_.filter_dither,
                                   .mask_minimum = pass_.mask_minimum};
    const Grid tiles = {CeilDiv(whole.width, kPrepareTile), CeilDiv(whole.height, kPrepareTile), context_.pairs()};
    ACU_RETURN_IF_ERROR(plan_.AddGroups(kTuning, "cambi_prepare", tiles, args, "none"));
    for (int s = 0; s < kCambiScales; ++s) ACU_RETURN_IF_ERROR(AddModes(unfiltered, picture, s));
    return {};
  }

  /// Pictures of the video in a batch.
  int Pictures() const { return context_.frames * context_.copies(video()); }

  Status AddModes(BufferRef unfiltered, int picture, int scale) {
    const bool is_first = scale == 0;
    const PictureSize size = scales_.size[scale];
    const CambiModesArgs args = {.from = is_first ? unfiltered : At(words_, scale - 1, sizeof(uint16_t)),
                                 .made = At(words_, scale, sizeof(uint16_t)),
                                 .from_stride = is_first ? picture : scales_.words,
                                 .made_stride = scales_.words,
                                 .from_row = scales_.row[is_first ? 0 : scale - 1],
                                 .made_row = scales_.row[scale],
                                 .width = size.width,
                                 .height = size.height,
                                 .step = is_first ? 1 : 2};
    return plan_.AddWork(kTuning, "cambi_modes", {size.width, size.height, context_.pairs()}, args, "as they are");
  }

  BufferRef At(BufferRef buffer, int scale, size_t bytes) const {
    return {buffer.buffer, bytes * static_cast<size_t>(scales_.first[scale])};
  }

  /// [scale][CAMBI_GEOMETRY], and the first tile after the last one.
  std::vector<int32_t> Geometry(const KernelImage& kernel) {
    std::vector<int32_t> numbers((kCambiScales + 1) * CAMBI_GEOMETRY);
    for (int s = 0; s < kCambiScales; ++s) {
      int32_t* of_scale = &numbers[s * CAMBI_GEOMETRY];
      const PictureSize size = scales_.size[s];
      of_scale[CAMBI_WIDTH] = size.width;
      of_scale[CAMBI_HEIGHT] = size.height;
      of_scale[CAMBI_ROW] = scales_.row[s];
      of_scale[CAMBI_FIRST] = scales_.first[s];
      of_scale[CAMBI_TILES_ACROSS] = CeilDiv(size.width, kernel.group_x);
      of_scale[CAMBI_FIRST_TILE] = tiles_;
      of_scale[CAMBI_TOP_COUNT] = static_cast<int32_t>(CambiTopCount(settings_.top_share, size));
      tiles_ += of_scale[CAMBI_TILES_ACROSS] * CeilDiv(size.height, kernel.group_y * kernel.rows);
    }
    numbers[kCambiScales * CAMBI_GEOMETRY + CAMBI_FIRST_TILE] = tiles_;
    return numbers;
  }

  std::vector<float> Weights() const {
    std::vector<float> weights;
    for (int value = 0; value < kCambiCodes; ++value)
      for (int d = 0; d < settings_.contrasts; ++d)
        weights.push_back(CambiCompares(settings_, value, d) ? static_cast<float>(CambiWeight(d)) : 0.0f);
    return weights;
  }

  Status AddContrasts() {
    const bool fits = settings_.contrasts <= kRegisterSteps;
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel,
                         ChooseVariant(kTuning, fits ? "cambi_contrast" : "cambi_contrast_any", context_));
    geometry_ = plan_.AddTable("geometry of the scales", Geometry(*kernel));
    contrasts_ = AddScratch("contrasts", sizeof(float) * scales_.words);
    tile_sums_ = AddScratch("sums of tiles", 2 * sizeof(uint64_t) * tiles_);
    const CambiContrastArgs args = {
        .words = words_,
        .geometry = geometry_,
        .weights = plan_.AddTable("weights", Weights()),
        .reciprocals = plan_.AddTable("reciprocals", CambiReciprocals()),
        .contrasts = contrasts_,
        .tile_sums = tile_sums_,
        .pair_stride = scales_.words,
        .radius = pass_.window / 2,
        .contrast_count = settings_.contrasts,
        .tiles = tiles_,
        .packs = std::numeric_limits<uint8_t>::max() / (kPackColumns * (pass_.window / 2 * 2 + 1))};
    return plan_.AddLaunch(*kernel, {tiles_, 1, context_.pairs()}, args, "does not count");
  }

  Status AddSums() {
    const int parts = std::clamp(scales_.words / kSelectPixels, 1, kMostParts), pairs = context_.pairs();
    const BufferRef sums = AddScratch("sums of scales", 2 * sizeof(uint64_t) * kCambiScales);
    const BufferRef histograms =
        AddScratch("histograms", sizeof(uint32_t) * kCambiScales * CAMBI_ROUNDS * CAMBI_BUCKETS * parts);
    const BufferRef part_sums = AddScratch("sums of parts", sizeof(uint64_t) * kCambiScales * parts);
    const CambiTotalsArgs totals_args = {
        .tile_sums = tile_sums_, .geometry = geometry_, .totals = sums, .tiles = tiles_, .padding = 0};
    ACU_RETURN_IF_ERROR(plan_.AddGroups(kTuning, "cambi_totals", {kCambiScales, 1, pairs}, totals_args, "none"));
    for (int round = 0; round <= CAMBI_ROUNDS; ++round) {
      const CambiSelectArgs args = {.contrasts = contrasts_,
                                    .geometry = geometry_,
                                    .totals = sums,
                                    .histograms = histograms,
                                    .part_sums = part_sums,
                                    .pair_stride = scales_.words,
                                    .round = round,
                                    .parts = parts};
      ACU_RETURN_IF_ERROR(plan_.AddGroups(kTuning, "cambi_select", {parts, kCambiScales, pairs}, args, "none"));
    }
    const CambiPoolArgs args = {.geometry = geometry_,
                                .totals = sums,
                                .histograms = histograms,
                                .part_sums = part_sums,
                                .words = plan_.Words(),
                                .parts = parts,
                                .words_per_pair = plan_.word_count(),
                                .first_word = index_ * kCambiPassWords};
    return plan_.AddGroups(kTuning, "cambi_pool", {kCambiScales, 1, pairs}, args, "none");
  }

  Status AddHeat() {
    for (int s = 0; s < kCambiScales; ++s) {
      const PictureSize size = scales_.size[s];
      const PlaneView heat =
          plan_.AddArtifact(fmt::format("heatmap {}", s), {size.width, size.height, 16, PixelFormat::k400});
      const CambiHeatArgs args = {.contrasts = At(contrasts_, s, sizeof(float)),
                                  .heat = heat.data,
                                  .scale = CambiHeatScale(pass_, settings_.contrasts),
                                  .pair_stride = scales_.words,
                                  .heat_stride = heat.picture_stride,
                                  .contrast_row = scales_.row[s],
                                  .heat_row = heat.row_stride,
                                  .width = size.width,
                                  .height = size.height};
      ACU_RETURN_IF_ERROR(
          plan_.AddWork(kTuning, "cambi_heat", {size.width, size.height, context_.pairs()}, args, "none"));
    }
    return {};
  }

  const CambiSettings& settings_;
  const CambiPass& pass_;
  const int index_;
  const PlanContext& context_;
  Plan& plan_;
  const Scales scales_;
  BufferRef words_, geometry_, contrasts_, tile_sums_;
  int32_t tiles_ = 0;  // of all scales
};

/// The samples above the bit depth, of all passes.
Status AddInvalid(const CambiSettings& settings, const PlanContext& context, Plan& plan) {
  PartialSums sums(1);
  const int depth = context.format.bit_depth, passes = static_cast<int>(settings.passes.size());
  if (depth == 8 || depth == 16) return sums.AddLaunch(plan, sums.AddBuffer(plan));
  ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "cambi_invalid", context));
  const Grid grid = {CeilDiv(context.format.width, kernel->group_x),
                     CeilDiv(context.format.height, kernel->group_y * kernel->rows), context.pairs()};
  const int32_t first = sums.Reserve(0, {grid.x, grid.y * passes, grid.z});
  const BufferRef partials = sums.AddBuffer(plan);
  for (int i = 0; i < passes; ++i) {
    const Video video = settings.passes[i].input == 0 ? Video::kDistorted : Video::kReference;
    const PlaneView samples = context.Input(video);
    const CambiInvalidArgs args = {.samples = samples.data,
                                   .partials = partials,
                                   .picture_stride = samples.picture_stride,
                                   .row_stride = samples.row_stride,
                                   .inverse = inverse_of(video == Video::kReference ? context.videos : 1),
                                   .width = samples.width,
                                   .height = samples.height,
                                   .largest = (1 << depth) - 1,
                                   .partials_per_frame = sums.per_frame(),
                                   .first_partial = first + i * grid.x * grid.y};
    ACU_RETURN_IF_ERROR(plan.AddLaunch(*kernel, grid, args, "none"));
  }
  return sums.AddLaunch(plan, partials);
}

}  // namespace

Result<Plan> MakeCambiPlan(const CambiOptions& options, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const CambiSettings settings, MakeCambiSettings(options, context.format));
  const int passes = static_cast<int>(settings.passes.size());
  Plan plan(context, context.pairs(), 1, passes * kCambiPassWords);
  ACU_RETURN_IF_ERROR(AddInvalid(settings, context, plan));
  for (int i = 0; i < passes; ++i) ACU_RETURN_IF_ERROR(PassMaker(settings, i, context, plan).Make());
  return plan;
}

}  // namespace acutance
