#include "metric/float_motion/float_motion.h"

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/float_motion/float_motion_args.h"
#include "metric/float_motion/float_motion_blur_args.h"

namespace acutance {
namespace {

constexpr int kMargin = 2;        // columns at both ends of a workgroup that are filtered for their neighbours only
constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

constexpr TuningEntry kTuning[] = {
    {"float_motion_blur", "", "64x4r4"},
    {"float_motion_blur", "", "64x4r8", WorkloadClass::kMedium},
    {"float_motion_blur", "", "128x2r8", WorkloadClass::kLarge},
    {"float_motion_blur", "sm_", "128x2r8"},
    {"float_motion_blur", "nvidia", "128x2r8"},
    {"float_motion_half", "", "64x4r2"},
    {"float_motion_rows", "", "32x8r4"},
    {"float_motion_rows", "sm_", "32x4r2"},
    {"float_motion_rows", "sm_", "64x4r1", WorkloadClass::kMedium},
    {"float_motion_rows", "nvidia", "32x4r2"},
    {"float_motion_rows", "nvidia", "64x4r1", WorkloadClass::kMedium},
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
  PlanMaker(const FloatMotionSettings& settings, const PlanContext& context)
      : context_(context),
        parts_(FloatMotionParts(settings, context.format)),
        taps_(settings.taps),
        rows_(FloatMotionRows(parts_)),
        plan_(context, context.frames, 0, rows_) {}

  Result<Plan> Make() {
    for (const FloatMotionPart& part : parts_) {
      if (part.half) ACU_RETURN_IF_ERROR(AddHalf(part));
      else ACU_RETURN_IF_ERROR(AddBlur(part));
      ACU_RETURN_IF_ERROR(AddRows(part));
    }
    return std::move(plan_);
  }

 private:
  FloatPictures AddPictures(const std::string& name, int plane, int width, int height) {
    constexpr const char* kPlanes[] = {"Y", "Cb", "Cr"};
    const int row = CeilDiv(width, kRowMultiple) * kRowMultiple;
    const int64_t stride = static_cast<int64_t>(row) * height;
    const size_t bytes = static_cast<size_t>(stride) * (context_.frames + 1) * sizeof(float);
    return {plan_.AddScratch(name + " " + kPlanes[plane], bytes), width, height, row, stride};
  }

  /// Each picture is blurred once, also the one before the batch.
  Status AddBlur(const FloatMotionPart& part) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "float_motion_blur", context_));
    pictures_ = AddPictures("blurred", part.plane, part.width, part.height);
    const FloatMotionTaps first = ScaleForSamples(taps_, context_.format.bit_depth);
    const PlaneView samples = context_.Input(Video::kReference, part.plane, 1);
    const FloatMotionBlurArgs args = {.samples = samples.data,
                                      .blurred = pictures_.buffer,
                                      .picture_stride = samples.picture_stride,
                                      .blurred_stride = pictures_.stride,
                                      .row_stride = samples.row_stride,
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
    const Grid grid = {CeilDiv(part.width, kernel->group_x - 2 * kMargin),
                       CeilDiv(part.height, kernel->group_y * kernel->rows), context_.frames + 1};
    return plan_.AddLaunch(*kernel, grid, args, "mirror 2");
  }

  /// Halves the pictures that were blurred last.
  Status AddHalf(const FloatMotionPart& part) {
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
                                      .first = plan_.AddTable("first samples", first),
                                      .weight = plan_.AddTable("weights of the next", weight),
                                      .blurred_stride = blurred.stride,
                                      .halved_stride = pictures_.stride,
                                      .blurred_row = blurred.row,
                                      .halved_row = pictures_.row,
                                      .width = part.width,
                                      .height = part.height};
    return plan_.AddWork(kTuning, "float_motion_half", {part.width, part.height, context_.frames + 1}, args, "none");
  }

  Status AddRows(const FloatMotionPart& part) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "float_motion_rows", context_));
    const FloatMotionRowsArgs args = {.pictures = pictures_.buffer,
                                      .words = plan_.Words(),
                                      .picture_stride = pictures_.stride,
                                      .row_stride = pictures_.row,
                                      .width = part.width,
                                      .height = part.height,
                                      .rows_per_frame = rows_,
                                      .first_row = next_row_};
    next_row_ += part.height;
    return plan_.AddLaunch(*kernel, {1, CeilDiv(part.height, kernel->group_x), context_.frames}, args, "none");
  }

  const PlanContext& context_;
  const std::vector<FloatMotionPart> parts_;
  const FloatMotionTaps taps_;
  const int rows_;
  Plan plan_;
  FloatPictures pictures_{};  // of the part at hand
  int32_t next_row_ = 0;
};

}  // namespace

Result<Plan> MakeFloatMotionPlan(const FloatMotionSettings& settings, const PlanContext& context) {
  return PlanMaker(settings, context).Make();
}

}  // namespace acutance
