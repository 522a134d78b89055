#include "metric/float_motion/float_motion_plan.h"

#include "base/int_math.h"
#include "metric/float_motion/float_motion_args.h"
#include "metric/float_motion/float_motion_blur_args.h"
#include "metric/float_motion/float_motion_parts.h"

namespace acutance {
namespace {

constexpr int kMargin = 2;        // columns at both ends of a workgroup that are filtered for their neighbours only
constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

constexpr TuningEntry kTuning[] = {
    {"float_motion_blur", WorkloadClass::kSmall, "", "64x4r4", 16},
    {"float_motion_blur", WorkloadClass::kMedium, "", "64x4r8", 8},
    {"float_motion_blur", WorkloadClass::kLarge, "", "128x2r8", 4},
    {"float_motion_blur", WorkloadClass::kSmall, "sm_90", "128x2r8", 64},
    {"float_motion_blur", WorkloadClass::kMedium, "sm_90", "128x2r8", 32},
    {"float_motion_blur", WorkloadClass::kLarge, "sm_90", "128x2r8", 8},
    {"float_motion_blur", WorkloadClass::kSmall, "nvidia", "128x2r8", 64},
    {"float_motion_blur", WorkloadClass::kMedium, "nvidia", "128x2r8", 32},
    {"float_motion_blur", WorkloadClass::kLarge, "nvidia", "128x2r8", 8},
    {"float_motion_half", WorkloadClass::kSmall, "", "64x4r2", 16},
    {"float_motion_half", WorkloadClass::kMedium, "", "64x4r2", 8},
    {"float_motion_half", WorkloadClass::kLarge, "", "64x4r2", 4},
    {"float_motion_rows", WorkloadClass::kSmall, "", "32x8r4", 16},
    {"float_motion_rows", WorkloadClass::kMedium, "", "32x8r4", 8},
    {"float_motion_rows", WorkloadClass::kLarge, "", "32x8r4", 4},
    {"float_motion_rows", WorkloadClass::kSmall, "sm_90", "32x4r2", 64},
    {"float_motion_rows", WorkloadClass::kMedium, "sm_90", "64x4r1", 32},
    {"float_motion_rows", WorkloadClass::kLarge, "sm_90", "32x4r2", 8},
    {"float_motion_rows", WorkloadClass::kSmall, "nvidia", "32x4r2", 64},
    {"float_motion_rows", WorkloadClass::kMedium, "nvidia", "64x4r1", 32},
    {"float_motion_rows", WorkloadClass::kLarge, "nvidia", "32x4r2", 8},
    {"float_motion_sum", WorkloadClass::kSmall, "", "256x1", 1},
    {"float_motion_sum", WorkloadClass::kMedium, "", "256x1", 1},
    {"float_motion_sum", WorkloadClass::kLarge, "", "256x1", 1},
};

/// Float pictures on the device: of the batch, and the one before it.
struct FloatPictures {
  BufferRef buffer;
  int width;
  int height;
  int row;         // floats from row to row
  int64_t stride;  // from picture to picture
};

class PlanMaker {
 public:
  PlanMaker(const OptionValues& options, const PlanContext& context)
      : context_(context),
        parts_(FloatMotionParts(options, context.format)),
        taps_(MakeFloatMotionTaps(options.Int("motion_filter_size"))),
        plan_(std::max(static_cast<int>(parts_.size()), 1)) {}

  Result<Plan> Make() {
    for (const FloatMotionPart& part : parts_) rows_per_frame_ += part.height;
    const size_t row_sums = static_cast<size_t>(std::max(rows_per_frame_, 1)) * context_.batch;
    row_sums_ = plan_.AddScratch("row sums", row_sums * sizeof(float));
    for (const FloatMotionPart& part : parts_) {
      if (part.half) ACU_RETURN_IF_ERROR(AddHalf(part));
      else ACU_RETURN_IF_ERROR(AddBlur(part));
      ACU_RETURN_IF_ERROR(AddRows(part));
    }
    ACU_RETURN_IF_ERROR(AddSums());
    return std::move(plan_);
  }

 private:
  FloatPictures AddPictures(const std::string& name, int plane, int width, int height) {
    constexpr const char* kPlanes[] = {"Y", "Cb", "Cr"};
    const int row = CeilDiv(width, kRowMultiple) * kRowMultiple;
    const int64_t stride = static_cast<int64_t>(row) * height;
    const size_t bytes = static_cast<size_t>(stride) * (context_.batch + 1) * sizeof(float);
    return {plan_.AddScratch(name + " " + kPlanes[plane], bytes), width, height, row, stride};
  }

  /// Each picture is blurred once, also the one before the batch.
  Status AddBlur(const FloatMotionPart& part) {
    const PlanInput input = static_cast<PlanInput>(part.plane);
    const PlaneLayout& layout = context_.layout(input);
    if (layout.history < 1)
      return Error(StatusCode::kInvalidArgument,
                   "float_motion compares with the picture before, the batch has none before its first");
    ACU_ASSIGN_OR_RETURN(const TunedKernel kernel, ChooseVariant(kTuning, "float_motion_blur", context_));
    pictures_ = AddPictures("blurred", part.plane, part.width, part.height);
    const FloatMotionTaps first = ScaleForSamples(taps_, context_.format.bit_depth);
    const uint64_t before = (layout.history - 1) * layout.picture_stride * context_.format.BytesPerSample();
    const FloatMotionBlurArgs args = {.samples = BufferRef{plan_.Input(input).buffer, before},
                                      .blurred = pictures_.buffer,
                                      .picture_stride = layout.picture_stride,
                                      .blurred_stride = pictures_.stride,
                                      .row_stride = layout.row_stride,
                                      .blurred_row = pictures_.row,
                                      .width = part.width,
                                      .height = part.height,
                                      .middle = FloatMotionMiddleSample(context_.format.bit_depth),
                                      .sample_outer = first.outer,
                                      .sample_inner = first.inner,
                                      .sample_middle = first.middle,
                                      .outer = taps_.outer,
                                      .inner = taps_.inner,
                                      .center = taps_.middle};
    const Grid grid = {CeilDiv(part.width, kernel.image->group_x - 2 * kMargin),
                       CeilDiv(part.height, kernel.image->group_y * kernel.image->rows), context_.batch + 1};
    plan_.PreferBatch(kernel.batch);
    return plan_.AddLaunch(*kernel.image, grid, args, "mirror 2");
  }

  /// Of the pictures that were blurred last.
  Status AddHalf(const FloatMotionPart& part) {
    ACU_ASSIGN_OR_RETURN(const TunedKernel kernel, ChooseVariant(kTuning, "float_motion_half", context_));
    const FloatPictures blurred = pictures_;
    pictures_ = AddPictures("halved", part.plane, part.width, part.height);
    std::vector<int32_t> first;
    std::vector<float> weight;
    const HalfTables tables = MakeHalfTables(blurred.width, blurred.height);
    for (const auto& table : {tables.columns, tables.rows})
      for (const HalfSample& sample : table) {
        first.push_back(sample.first);
        weight.push_back(sample.weight);
      }
    const FloatMotionHalfArgs args = {.blurred = blurred.buffer,
                                      .halved = pictures_.buffer,
                                      .first = AddTable("first samples", first),
                                      .weight = AddTable("weights of the next", weight),
                                      .blurred_stride = blurred.stride,
                                      .halved_stride = pictures_.stride,
                                      .blurred_row = blurred.row,
                                      .halved_row = pictures_.row,
                                      .width = part.width,
                                      .height = part.height};
    const Grid grid = {CeilDiv(part.width, kernel.image->group_x),
                       CeilDiv(part.height, kernel.image->group_y * kernel.image->rows), context_.batch + 1};
    plan_.PreferBatch(kernel.batch);
    return plan_.AddLaunch(*kernel.image, grid, args, "none");
  }

  Status AddRows(const FloatMotionPart& part) {
    ACU_ASSIGN_OR_RETURN(const TunedKernel kernel, ChooseVariant(kTuning, "float_motion_rows", context_));
    const FloatMotionRowsArgs args = {.pictures = pictures_.buffer,
                                      .row_sums = row_sums_,
                                      .picture_stride = pictures_.stride,
                                      .row_stride = pictures_.row,
                                      .width = part.width,
                                      .height = part.height,
                                      .rows_per_frame = rows_per_frame_,
                                      .first_row = next_row_};
    ranges_.insert(ranges_.end(), {next_row_, part.height});
    next_row_ += part.height;
    plan_.PreferBatch(kernel.batch);
    return plan_.AddLaunch(*kernel.image, {1, CeilDiv(part.height, kernel.image->group_x), context_.batch}, args,
                           "none");
  }

  Status AddSums() {
    ACU_ASSIGN_OR_RETURN(const TunedKernel kernel, ChooseVariant(kTuning, "float_motion_sum", context_));
    ranges_.resize(2 * static_cast<size_t>(plan_.sum_count()));
    const FloatMotionSumArgs args = {.row_sums = row_sums_,
                                     .ranges = AddTable("rows of the sums", ranges_),
                                     .sums = plan_.Sums(),
                                     .rows_per_frame = rows_per_frame_,
                                     .sum_count = plan_.sum_count()};
    return plan_.AddLaunch(*kernel.image, {plan_.sum_count(), 1, context_.batch}, args, "none");
  }

  template <class T>
  BufferRef AddTable(const char* name, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return plan_.AddTable(name, {bytes.begin(), bytes.end()});
  }

  const PlanContext& context_;
  const std::vector<FloatMotionPart> parts_;
  const FloatMotionTaps taps_;
  Plan plan_;
  BufferRef row_sums_;        // [frame][rows_per_frame_]
  FloatPictures pictures_{};  // of the part at hand
  int32_t rows_per_frame_ = 0;
  int32_t next_row_ = 0;
  std::vector<int32_t> ranges_;  // of sum i: [2i] its first row in a frame, [2i + 1] how many
};

}  // namespace

Result<Plan> MakeFloatMotionPlan(const OptionValues& options, const PlanContext& context) {
  return PlanMaker(options, context).Make();
}

}  // namespace acutance
