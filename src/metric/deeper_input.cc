#include "metric/deeper_input.h"

#include "base/int_math.h"
#include "exec/expand_samples_args.h"
#include "exec/plan.h"
#include "image/expand_plane.h"
#include "metric/metric.h"

namespace acutance {
namespace {

constexpr TuningEntry kTuning[] = {{"expand_samples", "", "64x4"}};

}  // namespace

unsigned DeeperInput::planes() const { return kAllPlanes; }

PictureFormat DeeperInput::Format(const PictureFormat& source) const {
  PictureFormat format = source;
  format.bit_depth = bit_depth_;
  return format;
}

void DeeperInput::Compute(const Picture& source, const MutablePicture& derived) const {
  for (int p = 0; p < source.format.PlaneCount(); ++p)
    if (source.planes[p].data)
      ExpandPlane(source.planes[p], source.format.bit_depth, bit_depth_, derived.data[p], derived.stride[p]);
}

/// Launches kernels for the planes that some metric reads at the deeper bit depth.
Status DeeperInput::AddLaunches(Plan& plan, const PlanContext& context, Video video) const {
  const int samples = static_cast<int>(sizeof(uint32_t)) / context.format.BytesPerSample();  // of a word
  for (int p = 0; p < context.format.PlaneCount(); ++p) {
    const PlaneView from = context.AllPictures(video, p), to = context.AllPictures(video, p, key());
    if (to.data.buffer < 0) continue;
    const int words = CeilDiv(from.width, samples);
    const ExpandSamplesArgs args = {.from = from.data,
                                    .to = to.data,
                                    .from_picture = from.picture_stride / samples,
                                    .to_picture = to.picture_stride / 2,
                                    .from_row = from.row_stride / samples,
                                    .to_row = to.row_stride / 2,
                                    .words = words,
                                    .height = from.height,
                                    .shift = bit_depth_ - context.format.bit_depth,
                                    .padding = 0};
    ACU_RETURN_IF_ERROR(
        plan.AddWork(kTuning, "expand_samples", {words, from.height, context.pictures(video)}, args, "none"));
  }
  return {};
}

}  // namespace acutance
