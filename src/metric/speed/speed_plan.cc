// speed_chroma and speed_temporal on devices: small pictures, covariances, matrices, blocks.
#include <vector>

#include "base/int_math.h"
#include "exec/plan.h"
#include "math/exact_math.h"
#include "math/exact_tables.h"
#include "metric/blocks/reference_of.h"
#include "metric/speed/speed.h"
#include "metric/speed/speed_args.h"
#include "metric/speed/speed_sample_args.h"

namespace acutance {
namespace {

constexpr TuningEntry kTuning[] = {
    {"speed_sample", "", "64x4"},      {"speed_resample", "", "64x4"}, {"speed_sharpen", "", "32x8"},
    {"speed_covariance", "", "128x1"}, {"speed_algebra", "", "128x1"}, {"speed_blocks", "", "64x1"},
};

constexpr int kCovarianceGroups = 5;  // of TILES in speed_covariance.kernel.h

class PlanMaker {
 public:
  PlanMaker(const SpeedSettings& settings, const SpeedLayout& layout, const PlanContext& context,
            std::span<const SpeedDeviceSource> sources)
      : settings_(settings),
        layout_(layout),
        context_(context),
        sources_(sources),
        pictures_(static_cast<int>(sources.size()) / 2 * (context.frames + context.pairs())),
        plan_(context, context.pairs(), 0, static_cast<int>(sources.size()) * SpeedWords(layout)) {}

  Result<Plan> Make() {
    small_ = AddFloats("small pictures", layout_.samples());
    sharp_ = AddFloats("sharpened pictures", layout_.samples());
    covariances_ = AddFloats("covariances", kElements);
    eigenvalues_ = AddFloats("eigenvalues", kSpeedValues);
    equations_ = AddFloats("matrices of the equations", 2 * kElements);
    states_ = AddFloats("states of the matrices", 2);
    ACU_RETURN_IF_ERROR(AddSampling());
    ACU_RETURN_IF_ERROR(AddSharpening());
    ACU_RETURN_IF_ERROR(AddMatrices());
    ACU_RETURN_IF_ERROR(AddBlocks());
    return std::move(plan_);
  }

 private:
  static constexpr int kElements = kSpeedValues * kSpeedValues;

  /// `count` numbers of four bytes for each picture.
  BufferRef AddFloats(std::string name, int count) {
    return plan_.AddScratch(std::move(name), sizeof(float) * count * pictures_);
  }

  Status AddSampling() {
    const char* const name = layout_.is_resized ? "speed_resample" : "speed_sample";
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, name, context_));
    const int taps = static_cast<int>(layout_.blur.size());
    if (taps > kernel->group_x)
      return Error(StatusCode::kUnsupported, "kernel {}: {} taps do not fit a workgroup of {} items", name, taps,
                   kernel->group_x);
    SpeedSampleArgs args = {.taps = plan_.AddTable("taps before", layout_.blur),
                            .made = small_,
                            .across_index = plan_.AddTable("samples along a row", layout_.packed.index),
                            .across_weight = plan_.AddTable("their weights", layout_.packed.weight),
                            .down_index = plan_.AddTable("samples down a column", layout_.down.index),
                            .down_weight = plan_.AddTable("their weights", layout_.down.weight),
                            .scale = 1.0f / static_cast<float>(1 << (layout_.bit_depth - 8)),
                            .width = layout_.width,
                            .height = layout_.height,
                            .columns = layout_.columns,
                            .rows = layout_.rows,
                            .tap_count = taps,
                            .packed_count = layout_.packed.count,
                            .resize_taps = layout_.across.taps,
                            .is_divided = layout_.is_divided};
    uint64_t first_picture = 0;
    for (const SpeedDeviceSource& source : sources_) {
      SetSource(source, args);
      args.made = BufferRef{small_.buffer, first_picture * layout_.samples() * sizeof(float)};
      const int pictures = context_.frames * context_.copies(source.video);
      first_picture += pictures;
      const Grid grid = {CeilDiv(layout_.columns, kernel->group_x / taps), CeilDiv(layout_.rows, kernel->group_y),
                         pictures};
      ACU_RETURN_IF_ERROR(plan_.AddLaunch(*kernel, grid, args, "mirror"));
    }
    return {};
  }

  void SetSource(const SpeedDeviceSource& source, SpeedSampleArgs& args) const {
    const PlaneView view = context_.Input(source.video, source.plane, source.back);
    args.samples = view.data;
    args.picture_stride = view.picture_stride;
    args.row_stride = view.row_stride;
    args.has_less = source.less.has_value();
    args.less = source.less ? context_.Input(*source.less, source.plane).data : view.data;
    const bool shares = source.less == Video::kReference && source.video == Video::kDistorted;
    args.inverse = inverse_of(shares ? context_.videos : 1);
  }

  Status AddSharpening() {
    const SpeedSharpenArgs args = {.samples = small_,
                                   .taps = plan_.AddTable("taps after", layout_.sharpen),
                                   .sharp = sharp_,
                                   .columns = layout_.columns,
                                   .rows = layout_.rows,
                                   .tap_count = static_cast<int32_t>(layout_.sharpen.size())};
    return plan_.AddWork(kTuning, "speed_sharpen", {layout_.columns, layout_.rows, pictures_}, args, "mirror");
  }

  Status AddMatrices() {
    const SpeedCovarianceArgs covariance_args = {.sharp = sharp_,
                                                 .covariances = covariances_,
                                                 .columns = layout_.columns,
                                                 .rows = layout_.rows,
                                                 .window_columns = layout_.window_columns(),
                                                 .window_rows = layout_.window_rows()};
    ACU_RETURN_IF_ERROR(
        plan_.AddGroups(kTuning, "speed_covariance", {kCovarianceGroups, 1, pictures_}, covariance_args, "none"));
    const SpeedAlgebraArgs algebra_args = {
        .covariances = covariances_, .eigenvalues = eigenvalues_, .equations = equations_, .states = states_};
    return plan_.AddGroups(kTuning, "speed_algebra", {2, 1, pictures_}, algebra_args, "none");
  }

  Status AddBlocks() {
    const SpeedBlocksArgs args = {
        .sharp = sharp_,
        .eigenvalues = eigenvalues_,
        .equations = equations_,
        .states = states_,
        .exact_table = plan_.AddTable("exact functions", std::span(kExactTable, EXACT_TABLE_WORDS)),
        .words = plan_.Words(),
        .entropy_of_one = SpeedEntropyOfOne(),
        .sigma_nn = settings_.sigma_nn,
        .columns = layout_.columns,
        .rows = layout_.rows,
        .blocks_across = layout_.blocks_across,
        .blocks = layout_.blocks(),
        .frames = context_.frames,
        .videos = context_.videos,
        .pictures = static_cast<int32_t>(sources_.size())};
    return plan_.AddWork(kTuning, "speed_blocks", {layout_.blocks(), 1, pictures_}, args, "none");
  }

  const SpeedSettings& settings_;
  const SpeedLayout& layout_;
  const PlanContext& context_;
  const std::span<const SpeedDeviceSource> sources_;
  const int pictures_;  // of the batch
  Plan plan_;
  BufferRef small_, sharp_, covariances_, eigenvalues_, equations_, states_;
};

}  // namespace

Result<Plan> MakeSpeedPlan(const SpeedSettings& settings, const SpeedLayout& layout, const PlanContext& context,
                           std::span<const SpeedDeviceSource> sources) {
  return PlanMaker(settings, layout, context, sources).Make();
}

}  // namespace acutance
