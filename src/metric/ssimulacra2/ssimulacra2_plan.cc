// ssimulacra2 on devices: scale after scale.
#include <algorithm>
#include <span>
#include <utility>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/ssimulacra2/ssimulacra2.h"
#include "metric/ssimulacra2/ssimulacra2_args.h"
#include "metric/ssimulacra2/ssimulacra2_start_args.h"

namespace acutance {
namespace {

constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes
constexpr int kFields = 5, kMeans = 2;

constexpr TuningEntry kTuning[] = {{"ssimulacra2_start", "", "32x4"},   {"ssimulacra2_halve", "", "64x4"},
                                   {"ssimulacra2_colors", "", "64x4"},  {"ssimulacra2_rows", "", "32x8"},
                                   {"ssimulacra2_columns", "", "32x8"}, {"ssimulacra2_sums", "", "64x4"}};

/// Linear light of a video's pictures at one scale.
struct Light {
  BufferRef planes[3];
  int width, height, row;
  int64_t picture;
};

class PlanMaker {
 public:
  PlanMaker(const LinearRgbSettings& settings, const PlanContext& context)
      : context_(context),
        conversion_(settings, context.format),
        scales_(Ssimulacra2Scales(context.format.width, context.format.height)),
        plan_(context, context.pairs(), 0, kSsimulacra2Words * scales_) {}

  Result<Plan> Make() {
    AddBuffers();
    std::array<Light, 2> light;
    for (int scale = 0; scale < scales_; ++scale) {
      for (int video = 0; video < 2; ++video) {
        if (scale == 0) {
          ACU_RETURN_IF_ERROR(AddStart(video, light[video]));
          continue;
        }
        if (scale > 1) ACU_RETURN_IF_ERROR(AddHalving(video, scale, light[video]));
        ACU_RETURN_IF_ERROR(AddPlanes("ssimulacra2_colors", video, light[video], light[video].width,
                                      light[video].height, colors_[video]));
      }
      const int width = scale == 0 ? context_.format.width : light[0].width;
      const int height = scale == 0 ? context_.format.height : light[0].height;
      ACU_RETURN_IF_ERROR(AddBlurs(scale, width, height));
    }
    return std::move(plan_);
  }

 private:
  int Pictures(int video) const { return video == 0 ? context_.frames : context_.pairs(); }
  static int RowOf(int width) { return CeilDiv(width, kRowMultiple) * kRowMultiple; }

  void AddBuffers() {
    const int width = context_.format.width, height = context_.format.height;
    plane_ = int64_t{RowOf(width)} * height;
    const int half_width = (width + 1) / 2, half_height = (height + 1) / 2;
    const int64_t half_plane = int64_t{RowOf(half_width)} * half_height;
    const int64_t quarter_plane = int64_t{RowOf((half_width + 1) / 2)} * ((half_height + 1) / 2);
    for (int video = 0; video < 2; ++video) {
      const size_t planes = size_t{3} * Pictures(video);
      colors_[video] = plan_.AddScratch("perceived colors", sizeof(float) * planes * plane_);
      halves_[video][0] = plan_.AddScratch("light at half the size", sizeof(float) * planes * half_plane);
      halves_[video][1] = plan_.AddScratch("light at a quarter of the size", sizeof(float) * planes * quarter_plane);
    }
    rows_ = plan_.AddScratch("rows blurred", sizeof(float) * MostRows() * context_.pairs());
    columns_ = plan_.AddScratch("sums of columns", sizeof(double) * kSsimulacra2Words * width *
                                                       CeilDiv(height, kSsimulacra2Strip) * context_.pairs());
  }

  int FieldsOf(int scale, int component) const {
    const Ssimulacra2Needs needs = NeedsOf(scale, component, scales_);
    return needs.structure() ? kFields : needs.edges() ? kMeans : 0;
  }

  /// The most floats that the fields of a pair take at one scale.
  int64_t MostRows() const {
    int64_t most = 0;
    int width = context_.format.width, height = context_.format.height;
    for (int scale = 0; scale < scales_; ++scale, width = (width + 1) / 2, height = (height + 1) / 2) {
      int fields = 0;
      for (int c = 0; c < kSsimulacra2Components; ++c) fields += FieldsOf(scale, c);
      most = std::max(most, fields * int64_t{RowOf(width)} * height);
    }
    return most;
  }

  /// Three planes of `to` in pictures that follow one another.
  static Light LightIn(BufferRef to, int width, int height) {
    const int64_t plane = int64_t{RowOf(width)} * height;
    Light light = {{}, width, height, RowOf(width), 3 * plane};
    for (int p = 0; p < 3; ++p) light.planes[p] = {to.buffer, to.offset + sizeof(float) * plane * p};
    return light;
  }

  /// From the video's samples to the colors of the largest scale and the light of the next.
  Status AddStart(int video, Light& light) {
    const auto input = [&](int plane) { return context_.Input(static_cast<Video>(video), plane); };
    const bool has_chroma = context_.format.PlaneCount() > 1;
    const PlaneView luma = input(0), cb = input(has_chroma ? 1 : 0);
    light = LightIn(halves_[video][0], (luma.width + 1) / 2, (luma.height + 1) / 2);
    const Ssimulacra2StartArgs args = {
        .luma = luma.data,
        .cb = cb.data,
        .cr = input(has_chroma ? 2 : 0).data,
        .factors = plan_.AddTable("factors of colors", std::span(&conversion_.factors, 1)),
        .colors = colors_[video],
        .half_light = light.planes[0],
        .luma_picture = luma.picture_stride,
        .chroma_picture = cb.picture_stride,
        .color_plane = plane_,
        .half_plane = light.picture / 3,
        .luma_row = luma.row_stride,
        .chroma_row = cb.row_stride,
        .color_row = RowOf(luma.width),
        .half_row = light.row,
        .width = luma.width,
        .height = luma.height,
        .chroma_width = has_chroma ? cb.width : 0,
        .chroma_height = cb.height,
        .across = conversion_.across.kind(),
        .down = conversion_.down.kind()};
    return plan_.AddWork(kTuning, "ssimulacra2_start",
                         {CeilDiv(luma.width, 2), CeilDiv(luma.height, 2), Pictures(video)}, args, "nearest 2");
  }

  /// Halves `light`, in turns between two buffers.
  Status AddHalving(int video, int scale, Light& light) {
    const BufferRef to = halves_[video][(scale - 1) % 2];
    const int width = (light.width + 1) / 2, height = (light.height + 1) / 2;
    ACU_RETURN_IF_ERROR(AddPlanes("ssimulacra2_halve", video, light, width, height, to));
    light = LightIn(to, width, height);
    return {};
  }

  Status AddPlanes(std::string_view name, int video, const Light& light, int width, int height, BufferRef to) {
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
    return plan_.AddWork(kTuning, name, {width, height, Pictures(video)}, args, "nearest 1");
  }

  Status AddBlurs(int scale, int width, int height) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* rows, ChooseVariant(kTuning, "ssimulacra2_rows", context_));
    ACU_ASSIGN_OR_RETURN(const KernelImage* columns, ChooseVariant(kTuning, "ssimulacra2_columns", context_));
    int fields = 0, field_counts = 0, needs = 0;
    for (int c = 0; c < kSsimulacra2Components; ++c) {
      fields += FieldsOf(scale, c);
      field_counts |= FieldsOf(scale, c) << (4 * c);
      for (int i = 0; i < kSsimulacra2Sums; ++i)
        needs |= NeedsOf(scale, c, scales_).sums[i] ? 1 << (c * kSsimulacra2Sums + i) : 0;
    }
    const int64_t plane = int64_t{RowOf(width)} * height;
    const Ssimulacra2BlurArgs args = {
        .reference = colors_[0],
        .distorted = colors_[1],
        .rows = rows_,
        .columns = columns_,
        .words = BufferRef{plan_.Words().buffer, sizeof(double) * scale * kSsimulacra2Words},
        .plane = plane,
        .pair = fields * plane,
        .row = RowOf(width),
        .width = width,
        .height = height,
        .fields = field_counts,
        .needs = needs,
        .strips = CeilDiv(height, kSsimulacra2Strip),
        .pair_words = kSsimulacra2Words * scales_,
        .inverse = inverse_of(context_.videos)};
    constexpr int kComponents = kSsimulacra2Components;
    const int pairs = context_.pairs();
    const Grid row_grid = {kComponents, CeilDiv(height, rows->group_x), pairs};
    const Grid column_grid = {CeilDiv(width, columns->group_x), kComponents, pairs};
    ACU_RETURN_IF_ERROR(plan_.AddLaunch(*rows, row_grid, args, "zero 5"));
    ACU_RETURN_IF_ERROR(plan_.AddLaunch(*columns, column_grid, args, "zero 5"));
    return plan_.AddGroups(kTuning, "ssimulacra2_sums", {kSsimulacra2Sums, kComponents, pairs}, args, "none");
  }

  const PlanContext& context_;
  const LinearRgbConversion conversion_;
  const int scales_;
  Plan plan_;
  int64_t plane_ = 0;
  std::array<BufferRef, 2> colors_;
  std::array<std::array<BufferRef, 2>, 2> halves_;  // by video
  BufferRef rows_, columns_;
};

}  // namespace

Result<Plan> MakeSsimulacra2Plan(const LinearRgbSettings& settings, const PlanContext& context) {
  return PlanMaker(settings, context).Make();
}

}  // namespace acutance
