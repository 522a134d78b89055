// butteraugli on devices: the map at half the size, the map at the whole one, and sums of both.
#include <utility>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/butteraugli/butteraugli.h"
#include "metric/butteraugli/butteraugli_args.h"

namespace acutance {
namespace {

static_assert(BUTTERAUGLI_STRIP == kButteraugliStrip && BUTTERAUGLI_WORDS == kButteraugliWords);

constexpr int kRowMultiple = 32;   // floats: rows begin at 128 bytes
constexpr int kBlurSegment = 128;  // rows of a workgroup

constexpr TuningEntry kTuning[] = {{"butteraugli_colors", "", "64x4r4"}, {"butteraugli_low", "", "64x4"},
                                   {"butteraugli_high", "", "64x4"},     {"butteraugli_highest", "", "64x4"},
                                   {"butteraugli_mask", "", "64x4"},     {"butteraugli_differences", "", "64x4r8"},
                                   {"butteraugli_sums", "", "64x1"},     {"butteraugli_fold", "", "64x1"}};

/// ButteraugliBlurArgs::weights
std::vector<float> WeightsOf(const ButteraugliBlur& blur, PictureSize size) {
  std::vector<float> weights = blur.whole;
  for (const int length : {size.width, size.height})
    for (int i = 0; i < length; ++i) {
      const bool is_inside = i >= blur.radius && i < length - blur.radius;
      weights.push_back(is_inside ? 1.0f : blur.Share(i, length));
    }
  return weights;
}

/// The constants in the order of butteraugli_args.h.
std::vector<float> Constants() {
  const ButteraugliConstants& constants = GetButteraugliConstants();
  std::vector<float> values;
  for (int c = 0; c < 2; ++c)
    for (const ButteraugliBand& band : {constants.highest_band[c], constants.high_band[c], constants.middle_band[c]})
      values.insert(values.end(), {band.malta.norm, band.malta.both, band.malta.one_sided});
  for (int c = 0; c < 2; ++c) values.push_back(constants.high_band[c].square);
  values.insert(values.end(), constants.middle_squares.begin(), constants.middle_squares.end());
  values.insert(values.end(), constants.low_squares.begin(), constants.low_squares.end());
  return values;
}

/// Maps of all pairs.
struct Maps {
  BufferRef data;
  int row = 0;
  int64_t pair = 0;
};

class PlanMaker {
 public:
  PlanMaker(const ButteraugliSettings& settings, const PlanContext& context)
      : context_(context),
        light_(LinearRgbInput(settings.light).key()),
        nits_(settings.nits),
        exponent_(settings.q),
        strips_(CeilDiv(context.format.height, kButteraugliStrip)),
        plan_(context, context.pairs(), 0, kButteraugliWords * strips_) {}

  Result<Plan> Make() {
    const PictureFormat& format = context_.format;
    const PictureSize size = ButteraugliSize(format);
    planes_ = plan_.AddScratch("planes", sizeof(float) * BUTTERAUGLI_PLANES * PlaneOf(size) * Pictures());
    constants_ = plan_.AddTable("weights of differences", Constants());
    Maps half;
    if (HasButteraugliHalf(format)) {
      const PictureSize half_size = {(format.width + 1) / 2, (format.height + 1) / 2};
      half.row = RowOf(half_size.width);
      half.pair = PlaneOf(half_size);
      half.data = plan_.AddScratch("maps at half the size", sizeof(float) * half.pair * context_.pairs());
      ACU_RETURN_IF_ERROR(AddMaps(half_size, true, half));
    }
    const int64_t plane = PlaneOf(size), first = context_.frames * BUTTERAUGLI_PLANES + BUTTERAUGLI_MAP;
    const Maps whole = {.data = {planes_.buffer, sizeof(float) * first * plane},
                        .row = RowOf(size.width),
                        .pair = BUTTERAUGLI_PLANES * plane};
    ACU_RETURN_IF_ERROR(AddMaps(size, false, whole));
    ACU_RETURN_IF_ERROR(AddSums(whole, half));
    return std::move(plan_);
  }

 private:
  /// The references and the distorted pictures.
  int Pictures() const { return context_.frames + context_.pairs(); }
  static int RowOf(int width) { return CeilDiv(width, kRowMultiple) * kRowMultiple; }
  static int64_t PlaneOf(PictureSize size) { return int64_t{RowOf(size.width)} * size.height; }

  /// From light to the maps of one scale.
  Status AddMaps(PictureSize size, bool is_half, const Maps& to) {
    const ButteraugliConstants& constants = GetButteraugliConstants();
    ACU_RETURN_IF_ERROR(AddColors(size, is_half));
    ACU_RETURN_IF_ERROR(AddBlur("butteraugli_low", constants.low, 3, size));
    ACU_RETURN_IF_ERROR(AddBlur("butteraugli_high", constants.high, 3, size));
    ACU_RETURN_IF_ERROR(AddBlur("butteraugli_highest", constants.highest, 2, size));
    ACU_RETURN_IF_ERROR(AddBlur("butteraugli_mask", constants.mask, 1, size));
    const ButteraugliDifferencesArgs args = {.planes = planes_,
                                             .map = to.data,
                                             .constants = constants_,
                                             .plane = PlaneOf(size),
                                             .map_pair = to.pair,
                                             .row = RowOf(size.width),
                                             .width = size.width,
                                             .height = size.height,
                                             .references = context_.frames,
                                             .inverse = inverse_of(context_.videos)};
    return plan_.AddWork(kTuning, "butteraugli_differences", {size.width, size.height, context_.pairs()}, args,
                         "zero 4");
  }

  Status AddColors(PictureSize size, bool is_half) {
    const auto light = [&](Video video, int plane) { return context_.Input(video, plane, 0, light_); };
    const PlaneView red = light(Video::kReference, 0);
    const PictureSize before = is_half ? PictureSize{0, 0} : ButteraugliOffset(context_.format);
    const ButteraugliColorsArgs args = {.reference_red = red.data,
                                        .reference_green = light(Video::kReference, 1).data,
                                        .reference_blue = light(Video::kReference, 2).data,
                                        .distorted_red = light(Video::kDistorted, 0).data,
                                        .distorted_green = light(Video::kDistorted, 1).data,
                                        .distorted_blue = light(Video::kDistorted, 2).data,
                                        .planes = planes_,
                                        .light_picture = red.picture_stride,
                                        .plane = PlaneOf(size),
                                        .light_row = red.row_stride,
                                        .light_width = red.width,
                                        .light_height = red.height,
                                        .row = RowOf(size.width),
                                        .width = size.width,
                                        .height = size.height,
                                        .before_x = before.width,
                                        .before_y = before.height,
                                        .halved = is_half ? 1 : 0,
                                        .references = context_.frames,
                                        .nits = nits_};
    return plan_.AddWork(kTuning, "butteraugli_colors", {size.width, size.height, Pictures()}, args, "mirror 2");
  }

  Status AddBlur(std::string_view name, const ButteraugliBlur& blur, int channels, PictureSize size) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, name, context_));
    const ButteraugliBlurArgs args = {.from = planes_,
                                      .to = planes_,
                                      .weights = plan_.AddTable("weights of a blur", WeightsOf(blur, size)),
                                      .plane = PlaneOf(size),
                                      .row = RowOf(size.width),
                                      .width = size.width,
                                      .height = size.height};
    const Grid grid = {CeilDiv(size.width, kernel->group_x), CeilDiv(size.height, kBlurSegment), Pictures() * channels};
    return plan_.AddLaunch(*kernel, grid, args, fmt::format("cut {}", blur.radius));
  }

  Status AddSums(const Maps& whole, const Maps& half) {
    const PictureFormat& format = context_.format;
    const PictureSize offset = ButteraugliOffset(format);
    const int pairs = context_.pairs();
    const bool has_half = half.row > 0;
    PlaneView artifact;
    if (context_.artifacts)
      artifact = plan_.AddArtifact(std::string(kButteraugliMap),
                                   {format.width, format.height, kFloatDepth, PixelFormat::k400});
    const size_t before = sizeof(float) * (size_t{1} * offset.height * whole.row + offset.width);
    const BufferRef map = {whole.data.buffer, whole.data.offset + before};
    const ButteraugliSumsArgs args = {
        .map = map,
        .half_map = has_half ? half.data : map,
        .artifact = context_.artifacts ? artifact.data : map,
        .columns =
            plan_.AddScratch("sums of columns", sizeof(double) * kButteraugliWords * format.width * strips_ * pairs),
        .words = plan_.Words(),
        .map_pair = whole.pair,
        .half_pair = half.pair,
        .artifact_pair = artifact.picture_stride,
        .map_row = whole.row,
        .half_row = half.row,
        .artifact_row = artifact.row_stride,
        .width = format.width,
        .height = format.height,
        .strips = strips_,
        .exponent = exponent_};
    ACU_RETURN_IF_ERROR(plan_.AddWork(kTuning, "butteraugli_sums", {format.width, strips_, pairs}, args, "none"));
    return plan_.AddGroups(kTuning, "butteraugli_fold", {kButteraugliWords, strips_, pairs}, args, "none");
  }

  const PlanContext& context_;
  const std::string light_;  // key of the derived pictures
  const float nits_;
  const int exponent_, strips_;
  Plan plan_;
  BufferRef planes_, constants_;
};

}  // namespace

Result<Plan> MakeButteraugliPlan(const ButteraugliSettings& settings, const PlanContext& context) {
  return PlanMaker(settings, context).Make();
}

}  // namespace acutance
