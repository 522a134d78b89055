// The pictures of one scale on a device, for metrics that halve them again and again.
#pragma once

#include <fmt/format.h>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/reference_of.h"

namespace acutance {

/// The images of one scale, for the whole batch.
struct ScaleImages {
  BufferRef reference, distorted;
  int64_t picture_stride = 0;  // samples
  int row_stride = 0;
  int videos = 1;  // pairs that share a picture of the reference

  PlaneArgs Plane(int width, int height) const {
    return {picture_stride, row_stride, width, height, inverse_of(videos)};
  }
};

/// The videos' luma.
inline ScaleImages InputImages(const PlanContext& context) {
  const PlaneView reference = context.Input(Video::kReference);
  return {.reference = reference.data,
          .distorted = context.Input(Video::kDistorted).data,
          .picture_stride = reference.picture_stride,
          .row_stride = reference.row_stride,
          .videos = context.videos};
}

/// Memory for a scale that a kernel makes, of samples of type T.
template <class T>
ScaleImages AddScaleImages(Plan& plan, const PlanContext& context, int scale, int width, int height) {
  constexpr int kRowSamples = 32;  // rows begin at 64 or 128 bytes, as those of the inputs
  const int row_stride = CeilDiv(width, kRowSamples) * kRowSamples;
  const int64_t picture_stride = int64_t{row_stride} * height;
  const size_t bytes = picture_stride * context.pairs() * sizeof(T);
  return {.reference = plan.AddScratch(fmt::format("reference of scale {}", scale), bytes),
          .distorted = plan.AddScratch(fmt::format("distorted of scale {}", scale), bytes),
          .picture_stride = picture_stride,
          .row_stride = row_stride};
}

}  // namespace acutance
