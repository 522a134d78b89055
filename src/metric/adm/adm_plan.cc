#include "metric/adm/adm.h"

#include <array>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/adm/adm_gain.h"
#include "metric/adm/adm_scale.h"
#include "metric/adm/adm_scale_args.h"
#include "metric/adm/adm_sum_args.h"
#include "metric/blocks/reference_of.h"

namespace acutance {
namespace {

static_assert(kAdmBands == ADM_BANDS && kAdmSumKinds * kAdmBands == ADM_TILE_SUMS);

constexpr const char* kScaleKernels[kAdmScales] = {"adm_scale0", "adm_scale1", "adm_scale2", "adm_scale3"};
constexpr int kRowMultiple = 32;  // samples of band a

constexpr TuningEntry kTuning[] = {
    {"adm_scale0", "", "16x16r4"},
    {"adm_scale1", "", "16x16r4"},
    {"adm_scale2", "", "16x16r4"},
    {"adm_scale3", "", "16x8r4"},
    {"adm_sum", "", "256x1"},
    {"adm_scale0", "nvidia", "32x8r2", WorkloadClass::kSmall},
    {"adm_scale1", "sm_", "32x8r2", WorkloadClass::kSmall},
    {"adm_scale2", "sm_", "32x8r2", WorkloadClass::kSmall},
    {"adm_scale3", "sm_", "32x8r2", WorkloadClass::kSmall},
};

/// Pictures of both videos that a scale reads: the samples, or band a of the scale before.
struct Input {
  BufferRef reference, distorted;
  int64_t picture_stride;  // of a video, in samples
  int row_stride;
  int videos = 1;  // pairs that share a picture of the reference
};

/// How a scale's workgroups cut it up.
struct Tiles {
  Tiles(const AdmScale& s, const KernelImage& kernel)
      : columns(kernel.group_x * kernel.rows - 2 * ADM_MARGIN_COLUMNS),
        rows(kernel.group_y - 2 * ADM_MARGIN_ROWS),
        scored((s.columns.end - 1) / columns - s.columns.begin / columns + 1) {}
  int columns, rows;
  int scored;  // columns of tiles that have scored columns
};

class PlanMaker {
 public:
  PlanMaker(const AdmSetup& setup, const PlanContext& context)
      : setup_(setup), context_(context), plan_(context, context.pairs(), kAdmSumCount) {}

  Result<Plan> Make() {
    for (int scale = 0; scale < kAdmScales; ++scale) {
      ACU_ASSIGN_OR_RETURN(kernels_[scale], ChooseVariant(kTuning, kScaleKernels[scale], context_));
      Reserve(scale);
    }
    row_sums_ = plan_.AddScratch("row sums", sizeof(uint64_t) * row_sums_per_frame_ * context_.pairs());
    Input input = Samples();
    for (int scale = 0; scale < kAdmScales; ++scale) {
      const Input low = scale + 1 < kAdmScales ? AddLow(scale) : input;  // the last one writes none
      ACU_RETURN_IF_ERROR(AddScale(scale, input, low));
      input = low;
    }
    ACU_RETURN_IF_ERROR(AddSums());
    return std::move(plan_);
  }

 private:
  /// Row sums of scale `scale`, and what becomes of them.
  void Reserve(int scale) {
    const AdmScale& s = setup_.scales[scale];
    first_[scale] = row_sums_per_frame_;
    if (!s.scored) return;
    const int parts = Tiles(s, *kernels_[scale]).scored;
    for (int k = 0; k < ADM_TILE_SUMS; ++k) {
      const AdmSum kind = static_cast<AdmSum>(k / kAdmBands);
      if (kind == kAdmAim && !setup_.settings.aim) continue;
      const int shift = kind == kAdmDen ? s.den_row_shift : s.row_shift;
      const int first = first_[scale] + k * parts * s.rows.size();
      ranges_[AdmSumIndex(scale, kind, k % kAdmBands)] = {first, s.rows.size(), parts, shift};
    }
    row_sums_per_frame_ += ADM_TILE_SUMS * parts * s.rows.size();
  }

  Input Samples() const {
    const PlaneView reference = context_.Input(Video::kReference);
    return {reference.data, context_.Input(Video::kDistorted).data, reference.picture_stride, reference.row_stride,
            context_.videos};
  }

  /// Band a of a scale: for each frame the reference's, then the distorted one.
  Input AddLow(int scale) {
    const AdmScale& s = setup_.scales[scale];
    const size_t sample_bytes = scale == 0 ? sizeof(int16_t) : sizeof(int32_t);
    const int row = CeilDiv(s.width, kRowMultiple) * kRowMultiple;
    const int64_t picture = static_cast<int64_t>(row) * s.height;
    const BufferRef buffer =
        plan_.AddScratch(fmt::format("band a of scale {}", scale), 2 * picture * context_.pairs() * sample_bytes);
    return {buffer, {buffer.buffer, picture * sample_bytes}, 2 * picture, row};
  }

  Status AddScale(int scale, const Input& input, const Input& low) {
    const AdmScale& s = setup_.scales[scale];
    const AdmGainBits gain = MakeAdmGainBits(setup_.settings.gain_limit);
    const AdmRange none = {0, 0};
    const AdmRange rows = s.scored ? s.rows : none;
    const AdmScaleArgs args = {.reference = input.reference,
                               .distorted = input.distorted,
                               .low = low.reference,
                               .row_sums = BufferRef{row_sums_.buffer, first_[scale] * sizeof(uint64_t)},
                               .picture_stride = input.picture_stride / 2,
                               .row_stride = input.row_stride / 2,
                               .inverse = inverse_of(input.videos),
                               .in_width = s.in_width,
                               .in_height = s.in_height,
                               .low_picture_stride = static_cast<int32_t>(low.picture_stride / 2),
                               .low_row_stride = low.row_stride,
                               .first_column = s.columns.begin,
                               .end_column = s.columns.end,
                               .first_row = rows.begin,
                               .end_row = rows.end,
                               .factor = s.factor[0],
                               .diagonal_factor = s.factor[2],
                               .cube_shift = s.cube_shift[0],
                               .den_cube_shift = s.den_cube_shift,
                               .aim = setup_.settings.aim,
                               .integer_gain = gain.integer,
                               .gain_high = gain.high,
                               .gain_low = gain.low,
                               .gain_shift = gain.shift,
                               .bit_depth = context_.format.bit_depth,
                               .row_sums_per_frame = row_sums_per_frame_,
                               .padding = 0};
    const Tiles tiles(s, *kernels_[scale]);
    const Grid grid = {CeilDiv(s.width, tiles.columns), CeilDiv(s.height, tiles.rows), context_.pairs()};
    return plan_.AddLaunch(*kernels_[scale], grid, args, "-1 reads 1, n reads n - 1");
  }

  Status AddSums() {
    const AdmSumArgs args = {.row_sums = row_sums_,
                             .ranges = plan_.AddTable("rows of the sums", ranges_),
                             .sums = plan_.Sums(),
                             .row_sums_per_frame = row_sums_per_frame_,
                             .sum_count = kAdmSumCount};
    return plan_.AddGroups(kTuning, "adm_sum", {kAdmSumCount, 1, context_.pairs()}, args, "none");
  }

  /// The words that adm_sum.kernel.h reads.
  struct Range {
    int32_t first, rows, parts, shift;
  };

  const AdmSetup setup_;
  const PlanContext& context_;
  Plan plan_;
  std::array<const KernelImage*, kAdmScales> kernels_{};
  BufferRef row_sums_;
  std::array<int, kAdmScales> first_{};  // of the scale's row sums in a frame's
  std::array<Range, kAdmSumCount> ranges_{};
  int32_t row_sums_per_frame_ = 0;
};

}  // namespace

Result<Plan> MakeAdmPlan(const AdmSettings& settings, const PlanContext& context) {
  return PlanMaker(AdmSetup(settings, context.format), context).Make();
}

}  // namespace acutance
