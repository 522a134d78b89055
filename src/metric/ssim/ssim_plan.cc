// float_ssim and float_ms_ssim on devices: smaller pictures, windows, rows.
#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/ssim/ssim.h"
#include "metric/ssim/ssim_args.h"
#include "metric/ssim/ssim_rows_args.h"

namespace acutance {
namespace {

constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

constexpr TuningEntry kTuning[] = {
    {"ssim_shrink", "", "64x4"},
    {"ssim_halve", "", "64x2r8"},
    {"ssim_halve_floats", "", "64x2r8"},
    {"ssim_windows", "", "64x8r3"},
    {"ssim_windows_floats", "", "64x8r3"},
    {"ssim_rows", "", "64x1"},
    // NVIDIA's compiler for Vulkan takes 89 registers and more: two workgroups of 320 items fit, of 512 only one.
    {"ssim_windows", "nvidia", "64x5r4"},
    {"ssim_windows_floats", "nvidia", "64x5r4"},
};

/// Where a scale lies in a picture with all scales that were made.
struct Place {
  int row;  // floats from row to row
  int offset;
};

class PlanMaker {
 public:
  PlanMaker(const SsimDevicePlan& work, const PlanContext& context)
      : work_(work),
        context_(context),
        pictures_(context.frames + context.pairs()),
        plan_(context, context.pairs(), 0, work.words),
        reference_(context.Input(Video::kReference)) {}

  Result<Plan> Make() {
    if (work_.scales.empty()) return std::move(plan_);
    LayOut();
    ACU_RETURN_IF_ERROR(ChooseWindows());
    const BufferRef scales = AddScales();
    strips_ = plan_.AddScratch("sums of strips", sizeof(double) * pair_strips_ * context_.pairs());
    if (work_.factor > 1) ACU_RETURN_IF_ERROR(AddShrinking());
    for (size_t k = 0; k + 1 < work_.scales.size(); ++k) ACU_RETURN_IF_ERROR(AddHalving(k));
    if (!IsMade(0)) ACU_RETURN_IF_ERROR(AddSampleWindows(scales));
    if (made_floats_ > 0) ACU_RETURN_IF_ERROR(AddFloatWindows(scales));
    ACU_RETURN_IF_ERROR(AddRows(scales));
    return std::move(plan_);
  }

 private:
  /// Whether a scale is a picture that the plan makes, or the video's own.
  bool IsMade(size_t scale) const { return scale > 0 || work_.factor > 1; }

  void LayOut() {
    for (size_t k = 0; k < work_.scales.size(); ++k) {
      const SsimDeviceScale& scale = work_.scales[k];
      const int row = CeilDiv(scale.width, kRowMultiple) * kRowMultiple;
      places_.push_back(IsMade(k) ? Place{row, made_floats_} : Place{reference_.row_stride, 0});
      if (IsMade(k)) made_floats_ += row * scale.height;
    }
    if (made_floats_ == 0) return;
    const size_t bytes = sizeof(float) * made_floats_;
    made_[0] = plan_.AddScratch("smaller pictures of the reference", bytes * context_.frames);
    made_[1] = plan_.AddScratch("smaller distorted pictures", bytes * context_.pairs());
  }

  Status ChooseWindows() {
    for (size_t k = 0; k < work_.scales.size(); ++k) {
      const char* const name = IsMade(k) ? "ssim_windows_floats" : "ssim_windows";
      ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, name, context_));
      windows_.push_back(kernel);
    }
    return {};
  }

  /// Numbers of the scales as ssim_scale.kernel.h reads them. Workgroups are counted from 0 in each launch.
  BufferRef AddScales() {
    std::vector<int32_t> numbers;
    for (size_t k = 0; k < work_.scales.size(); ++k) {
      const SsimDeviceScale& scale = work_.scales[k];
      const int width = scale.width - kSsimLoss, height = scale.height - kSsimLoss;
      const int strips = CeilDiv(width, ssim::kStripColumns);
      int32_t& groups = groups_[IsMade(k)];
      numbers.insert(numbers.end(), {groups, strips, width, height, places_[k].row, places_[k].offset, pair_strips_,
                                     scale.first_word, scale.all});
      groups += strips * CeilDiv(height, windows_[k]->group_y * windows_[k]->rows);
      pair_strips_ += kSsimSums * strips * height;
    }
    return plan_.AddTable("scales", numbers);
  }

  float SampleScale() const { return 1.0f / static_cast<float>(1 << (context_.format.bit_depth - 8)); }

  /// The arguments that shrink the videos' own pictures to scale `to`.
  SsimShrinkArgs ShrinkArgs(size_t to) const {
    return {.reference = reference_.data,
            .distorted = context_.Input(Video::kDistorted).data,
            .small_reference = MadeAt(0, to),
            .small_distorted = MadeAt(1, to),
            .picture_stride = reference_.picture_stride,
            .small_stride = made_floats_,
            .row_stride = reference_.row_stride,
            .small_row = places_[to].row,
            .width = reference_.width,
            .height = reference_.height,
            .small_width = work_.scales[to].width,
            .small_height = work_.scales[to].height,
            .frames = context_.frames,
            .factor = work_.factor,
            .sample_scale = SampleScale(),
            .weight = static_cast<float>(1.0 / (work_.factor * work_.factor))};
  }

  BufferRef MadeAt(int video, size_t scale) const {
    return {made_[video].buffer, sizeof(float) * places_[scale].offset};
  }

  Status AddShrinking() {
    const SsimShrinkArgs args = ShrinkArgs(0);
    return plan_.AddWork(kTuning, "ssim_shrink", {args.small_width, args.small_height, pictures_}, args, "mirror");
  }

  Status AddHalving(size_t from) {
    const char* const name = IsMade(from) ? "ssim_halve_floats" : "ssim_halve";
    SsimShrinkArgs args = ShrinkArgs(from + 1);
    if (IsMade(from)) {
      args.reference = MadeAt(0, from);
      args.distorted = MadeAt(1, from);
      args.picture_stride = made_floats_;
      args.row_stride = places_[from].row;
      args.width = work_.scales[from].width;
      args.height = work_.scales[from].height;
    }
    return plan_.AddWork(kTuning, name, {args.small_width, args.small_height, pictures_}, args, "mirror");
  }

  Status AddSampleWindows(BufferRef scales) {
    const SsimWindowsArgs args = {.reference = reference_.data,
                                  .distorted = context_.Input(Video::kDistorted).data,
                                  .scales = scales,
                                  .strips = strips_,
                                  .picture_stride = reference_.picture_stride,
                                  .pair_strips = pair_strips_,
                                  .scale_count = 1,
                                  .inverse = inverse_of(context_.videos),
                                  .sample_scale = SampleScale()};
    return plan_.AddLaunch(*windows_[0], {groups_[0], 1, context_.pairs()}, args, "none");
  }

  /// All scales that were made, in one launch.
  Status AddFloatWindows(BufferRef scales) {
    const int first = IsMade(0) ? 0 : 1;
    const SsimWindowsArgs args = {.reference = made_[0],
                                  .distorted = made_[1],
                                  .scales = scales,
                                  .strips = strips_,
                                  .picture_stride = made_floats_,
                                  .pair_strips = pair_strips_,
                                  .first_scale = first,
                                  .scale_count = static_cast<int32_t>(work_.scales.size()) - first,
                                  .inverse = inverse_of(context_.videos),
                                  .sample_scale = 1};
    return plan_.AddLaunch(*windows_.back(), {groups_[1], 1, context_.pairs()}, args, "none");
  }

  Status AddRows(BufferRef scales) {
    const SsimRowsArgs args = {.strips = strips_,
                               .scales = scales,
                               .words = plan_.Words(),
                               .pair_strips = pair_strips_,
                               .pair_words = work_.words};
    return plan_.AddWork(kTuning, "ssim_rows",
                         {work_.scales[0].height - kSsimLoss, static_cast<int>(work_.scales.size()), context_.pairs()},
                         args, "none");
  }

  const SsimDevicePlan& work_;
  const PlanContext& context_;
  const int pictures_;  // of both videos
  Plan plan_;
  const PlaneView reference_;
  std::vector<Place> places_;                // [scale]
  std::vector<const KernelImage*> windows_;  // [scale]
  int made_floats_ = 0;                      // of all scales of a picture
  BufferRef made_[2], strips_;
  int32_t groups_[2] = {0, 0};  // of windows of samples, of floats
  int32_t pair_strips_ = 0;
};

}  // namespace

Result<Plan> MakeSsimPlan(const SsimDevicePlan& work, const PlanContext& context) {
  return PlanMaker(work, context).Make();
}

}  // namespace acutance
