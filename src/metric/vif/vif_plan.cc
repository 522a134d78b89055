#include "metric/vif/vif.h"

#include <bit>

#include "base/int_math.h"
#include "metric/blocks/partial_sums.h"
#include "metric/blocks/reference_of.h"
#include "metric/blocks/scale_images.h"
#include "metric/vif/vif_args.h"
#include "metric/vif/vif_log_fit.h"
#include "metric/vif/vif_math.h"

namespace acutance {
namespace {

constexpr int kMantissaBits = 52;
constexpr uint64_t MantissaOf(double x) {
  constexpr uint64_t kLeading = uint64_t{1} << kMantissaBits;
  return (std::bit_cast<uint64_t>(x) & (kLeading - 1)) | kLeading;
}
constexpr int ExponentOf(double x) {
  return static_cast<int>(std::bit_cast<uint64_t>(x) >> kMantissaBits) - 1023 - kMantissaBits;
}

constexpr TuningEntry kTuning[] = {
    {"vif_scale0", "", "128x1r8"},
    {"vif_scale1", "", "128x1r8"},
    {"vif_scale2", "", "128x1r8"},
    {"vif_scale3", "", "128x1r8"},
    {"vif_scale0", "sm_", "64x1r8", WorkloadClass::kSmall},
    {"vif_scale0", "nvidia", "256x1r4"},
    {"vif_scale1", "nvidia", "256x1r4", WorkloadClass::kMedium},
    {"vif_scale1", "nvidia", "256x1r4", WorkloadClass::kLarge},
};

constexpr std::string_view kKernels[kVifScales] = {"vif_scale0", "vif_scale1", "vif_scale2", "vif_scale3"};

VifGainLimit MakeGainLimit(double limit) {
  const double square = limit * limit;
  return {.mantissa = MantissaOf(limit),
          .square_mantissa = MantissaOf(square),
          .exponent = ExponentOf(limit),
          .square_exponent = ExponentOf(square)};
}

std::array<uint32_t, 2 * vif::kLogParts> LogTable() {
  std::array<uint32_t, 2 * vif::kLogParts> table;
  for (int i = 0; i < vif::kLogParts; ++i) {
    table[i] = kVifLogFit[i].start;
    table[vif::kLogParts + i] = kVifLogFit[i].slope << 8 | kVifLogFit[i].bend;
  }
  return table;
}

class PlanMaker {
 public:
  PlanMaker(const VifSettings& settings, const PlanContext& context)
      : context_(context),
        limit_(MakeGainLimit(settings.gain_limit)),
        skip_scale0_(settings.skip_scale0),
        plan_(context, context.pairs(), kVifScales * kVifSumsPerScale),
        sums_(kVifScales * kVifSumsPerScale) {}

  Result<Plan> Make() {
    for (int scale = 0; scale < kVifScales; ++scale) ACU_RETURN_IF_ERROR(Choose(scale));
    partials_ = sums_.AddBuffer(plan_);
    log_table_ = plan_.AddTable("parts of the logarithm", LogTable());
    ScaleImages images = InputImages(context_);
    for (int scale = 0; scale < kVifScales; ++scale) {
      const ScaleImages next = scale + 1 < kVifScales ? AddImages(scale + 1) : images;
      const int radius = kVifFilters[scale].radius;
      ACU_RETURN_IF_ERROR(plan_.AddLaunch(*kernels_[scale], grids_[scale], MakeArgs(scale, images, next),
                                          fmt::format("mirror {}", radius)));
      images = next;
    }
    ACU_RETURN_IF_ERROR(sums_.AddLaunch(plan_, partials_));
    return std::move(plan_);
  }

 private:
  int Width(int scale) const { return context_.format.width >> scale; }
  int Height(int scale) const { return context_.format.height >> scale; }

  Status Choose(int scale) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, kKernels[scale], context_));
    kernels_[scale] = kernel;
    const int columns = kernel->group_x - 2 * kVifFilters[scale].radius;
    grids_[scale] = {CeilDiv(Width(scale), columns), CeilDiv(Height(scale), kernel->rows), context_.pairs()};
    for (int sum = 0; sum < kVifSumsPerScale; ++sum) {
      const int32_t first = sums_.Reserve(scale * kVifSumsPerScale + sum, grids_[scale]);
      if (sum == 0) first_partials_[scale] = first;
    }
    return {};
  }

  ScaleImages AddImages(int scale) {
    return AddScaleImages<uint16_t>(plan_, context_, scale, Width(scale), Height(scale));
  }

  VifArgs MakeArgs(int scale, const ScaleImages& images, const ScaleImages& next) const {
    return {.reference = images.reference,
            .distorted = images.distorted,
            .next_reference = next.reference,
            .next_distorted = next.distorted,
            .log_table = log_table_,
            .partials = partials_,
            .picture_stride = images.picture_stride,
            .row_stride = images.row_stride,
            .width = Width(scale),
            .height = Height(scale),
            .inverse = inverse_of(images.videos),
            .bit_depth = scale == 0 ? context_.format.bit_depth : 16,
            .statistics = scale == 0 && skip_scale0_ ? 0 : 1,
            .partials_per_frame = sums_.per_frame(),
            .first_partial = first_partials_[scale],
            .next_row_stride = next.row_stride,
            .padding = 0,
            .limit = limit_};
  }

  const PlanContext& context_;
  const VifGainLimit limit_;
  const bool skip_scale0_;
  Plan plan_;
  PartialSums sums_;
  BufferRef partials_, log_table_;
  std::array<const KernelImage*, kVifScales> kernels_{};
  std::array<Grid, kVifScales> grids_;
  std::array<int32_t, kVifScales> first_partials_{};
};

}  // namespace

Result<Plan> MakeVifPlan(const VifSettings& settings, const PlanContext& context) {
  return PlanMaker(settings, context).Make();
}

}  // namespace acutance
