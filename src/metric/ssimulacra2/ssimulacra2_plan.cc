// ssimulacra2 on devices: scale after scale, and of each component after component.
#include <utility>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/linear_rgb.h"
#include "metric/blocks/reference_of.h"
#include "metric/ssimulacra2/ssimulacra2.h"
#include "metric/ssimulacra2/ssimulacra2_args.h"

namespace acutance {
namespace {

constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes
constexpr int kStrip = 64, kFields = 5, kMeans = 2;

constexpr TuningEntry kTuning[] = {{"ssimulacra2_halve", "", "64x4"},
                                   {"ssimulacra2_colors", "", "64x4"},
                                   {"ssimulacra2_rows", "", "32x8"},
                                   {"ssimulacra2_columns", "", "64x1"},
                                   {"ssimulacra2_sums", "", "64x1"}};

/// Linear light of a video's pictures at one scale.
struct Light {
  BufferRef planes[3];
  int width, height, row;
  int64_t picture;
};

class PlanMaker {
 public:
  PlanMaker(std::string light, const PlanContext& context)
      : context_(context),
        light_(std::move(light)),
        scales_(Ssimulacra2Scales(context.format.width, context.format.height)),
        plan_(context, context.pairs(), 0, kSsimulacra2Words * scales_) {}

  Result<Plan> Make() {
    AddBuffers();
    std::array<Light, 2> light = {LightOf(Video::kReference), LightOf(Video::kDistorted)};
    for (int scale = 0; scale < scales_; ++scale) {
      for (int video = 0; video < 2; ++video) {
        if (scale > 0) ACU_RETURN_IF_ERROR(AddHalving(video, scale, light[video]));
        ACU_RETURN_IF_ERROR(AddPlanes("ssimulacra2_colors", video, light[video], light[video].width,
                                      light[video].height, colors_[video]));
      }
      for (int c = 0; c < kSsimulacra2Components; ++c) ACU_RETURN_IF_ERROR(AddComponent(scale, c, light[0]));
    }
    return std::move(plan_);
  }

 private:
  int Pictures(int video) const { return video == 0 ? context_.frames : context_.pairs(); }
  static int RowOf(int width) { return CeilDiv(width, kRowMultiple) * kRowMultiple; }

  Light LightOf(Video video) const {
    const PlaneView view = context_.Input(video, 0, 0, light_);
    return {{view.data, context_.Input(video, 1, 0, light_).data, context_.Input(video, 2, 0, light_).data},
            view.width,
            view.height,
            view.row_stride,
            view.picture_stride};
  }

  void AddBuffers() {
    const int width = context_.format.width, height = context_.format.height;
    plane_ = int64_t{RowOf(width)} * height;
    half_plane_ = int64_t{RowOf((width + 1) / 2)} * ((height + 1) / 2);
    for (int video = 0; video < 2; ++video) {
      const size_t planes = size_t{3} * Pictures(video);
      colors_[video] = plan_.AddScratch("perceived colors", sizeof(float) * planes * plane_);
      for (BufferRef& half : halves_[video])
        half = plan_.AddScratch("halved light", sizeof(float) * planes * half_plane_);
    }
    rows_ = plan_.AddScratch("rows blurred", sizeof(float) * kFields * plane_ * context_.pairs());
    columns_ = plan_.AddScratch("sums of columns",
                                sizeof(double) * kSsimulacra2Sums * width * CeilDiv(height, kStrip) * context_.pairs());
  }

  /// Halves `light`, in turns between two buffers.
  Status AddHalving(int video, int scale, Light& light) {
    const BufferRef to = halves_[video][scale % 2];
    const int width = (light.width + 1) / 2, height = (light.height + 1) / 2;
    ACU_RETURN_IF_ERROR(AddPlanes("ssimulacra2_halve", video, light, width, height, to));
    const int64_t plane = int64_t{RowOf(width)} * height;
    light = {{}, width, height, RowOf(width), 3 * plane};
    for (int p = 0; p < 3; ++p) light.planes[p] = {to.buffer, to.offset + sizeof(float) * plane * p};
    return {};
  }

  Status AddPlanes(std::string_view name, int video, const Light& light, int width, int height, BufferRef to) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, name, context_));
    const Ssimulacra2PlanesArgs args = {.red = light.planes[0],
                                        .green = light.planes[1],
                                        .blue = light.planes[2],
                                        .to = to,
                                        .picture_stride = light.picture,
                                        .row_stride = light.row,
                                        .width = light.width,
                                        .height = light.height,
                                        .to_row = RowOf(width),
                                        .to_plane = int64_t{RowOf(width)} * height};
    const Grid grid = {CeilDiv(width, kernel->group_x), CeilDiv(height, kernel->group_y), Pictures(video)};
    return plan_.AddLaunch(*kernel, grid, args, "nearest 1");
  }

  Status AddComponent(int scale, int component, const Light& size) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* rows, ChooseVariant(kTuning, "ssimulacra2_rows", context_));
    ACU_ASSIGN_OR_RETURN(const KernelImage* columns, ChooseVariant(kTuning, "ssimulacra2_columns", context_));
    ACU_ASSIGN_OR_RETURN(const KernelImage* sums, ChooseVariant(kTuning, "ssimulacra2_sums", context_));
    const Ssimulacra2Needs needs = NeedsOf(scale, component, scales_);
    int mask = 0;
    for (int i = 0; i < kSsimulacra2Sums; ++i) mask |= needs.sums[i] ? 1 << i : 0;
    const int64_t plane = int64_t{RowOf(size.width)} * size.height;
    const auto color = [&](int video) {
      return BufferRef{colors_[video].buffer, colors_[video].offset + sizeof(float) * plane * component};
    };
    const int words = (scale * kSsimulacra2Components + component) * kSsimulacra2Sums;
    const Ssimulacra2BlurArgs args = {.reference = color(0),
                                      .distorted = color(1),
                                      .rows = rows_,
                                      .columns = columns_,
                                      .words = BufferRef{plan_.Words().buffer, sizeof(double) * words},
                                      .picture = 3 * plane,
                                      .field = plane,
                                      .pair = kFields * plane,
                                      .row = RowOf(size.width),
                                      .width = size.width,
                                      .height = size.height,
                                      .fields = needs.structure() ? kFields : kMeans,
                                      .needs = mask,
                                      .strips = CeilDiv(size.height, kStrip),
                                      .pair_words = kSsimulacra2Words * scales_,
                                      .inverse = inverse_of(context_.videos)};
    const int pairs = context_.pairs();
    if (mask != 0) {
      ACU_RETURN_IF_ERROR(plan_.AddLaunch(*rows, {1, CeilDiv(size.height, rows->group_x), pairs}, args, "zero 5"));
      ACU_RETURN_IF_ERROR(plan_.AddLaunch(*columns, {CeilDiv(size.width, columns->group_x), 1, pairs}, args, "zero 5"));
    }
    return plan_.AddLaunch(*sums, {kSsimulacra2Sums, 1, pairs}, args, "none");
  }

  const PlanContext& context_;
  const std::string light_;  // key of the derived pictures
  const int scales_;
  Plan plan_;
  int64_t plane_ = 0, half_plane_ = 0;
  std::array<BufferRef, 2> colors_;
  std::array<std::array<BufferRef, 2>, 2> halves_;  // by video
  BufferRef rows_, columns_;
};

}  // namespace

Result<Plan> MakeSsimulacra2Plan(const OptionValues& options, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const LinearRgbSettings settings, ReadLinearRgb(options));
  return PlanMaker(LinearRgbInput(settings).key(), context).Make();
}

}  // namespace acutance
