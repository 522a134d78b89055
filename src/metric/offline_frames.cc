#include "metric/offline_frames.h"

#include <algorithm>
#include <limits>

namespace acutance {

/// Each derived input has its own derived picture; nothing is gained here by sharing them.
OfflineFrames::OfflineFrames(const Metric& metric, const OptionValues& options, std::span<const Picture> reference,
                             std::span<const Picture> distorted) {
  for (InputSpec& input : InputsOf(metric, options)) {
    const int derived = input.derived ? static_cast<int>(inputs_.size()) : -1;
    inputs_.push_back({std::move(input), derived});
  }
  reference_ = MakeClip(reference, inputs_.size());
  distorted_ = MakeClip(distorted, inputs_.size());
}

OfflineFrames::Clip OfflineFrames::MakeClip(std::span<const Picture> pictures, size_t derived) {
  Clip clip;
  const auto pool = std::make_shared<PicturePool>();
  for (const Picture& picture : pictures)
    clip.pictures.push_back({picture, std::make_shared<DerivedPictures>(derived, pool)});
  for (const VideoPicture& picture : clip.pictures) clip.latest_first.push_back(&picture);
  std::ranges::reverse(clip.latest_first);
  return clip;
}

std::span<const VideoPicture* const> OfflineFrames::Clip::UpTo(int frame) const {
  if (latest_first.empty()) return {};
  return std::span(latest_first).last(static_cast<size_t>(frame) + 1);
}

FrameView OfflineFrames::at(int frame) const { return {inputs_, reference_.UpTo(frame), distorted_.UpTo(frame)}; }

Result<ComputedFrame> ComputeFrame(const Metric& metric, const Extractor& extractor, const OfflineFrames& clip,
                                   int frame, int bands, WantedArtifacts artifacts) {
  const ExtractorSpec& spec = extractor.spec();
  ComputedFrame computed = {std::vector<int64_t>(spec.sums), std::vector<int64_t>(spec.words), {}, {}, {}};
  for (const ArtifactSpec& artifact : spec.artifacts) {
    if (artifacts == WantedArtifacts::kNone) break;
    ACU_ASSIGN_OR_RETURN(MutablePicture picture, AllocatePicture(artifact.format));
    computed.artifacts.push_back(std::move(picture));
  }
  const FrameView view = clip.at(frame);
  ACU_RETURN_IF_ERROR(view.Prepare());
  const auto frame_workspace = extractor.MakeFrameWorkspace(), thread_workspace = extractor.MakeThreadWorkspace();
  for (int stage = 0; stage < std::ssize(spec.stages); ++stage) {
    const auto [rows, splittable] = spec.stages[stage];
    const int count = splittable ? std::clamp(bands, 1, std::max(rows, 1)) : 1;
    for (int b = 0; b < count; ++b) {
      const RowBand band{static_cast<int>(int64_t{rows} * b / count),
                         static_cast<int>(int64_t{rows} * (b + 1) / count)};
      extractor.RunBand(view, stage, band, {frame_workspace.get(), thread_workspace.get()},
                        {computed.sums, computed.words, computed.artifacts});
    }
  }
  ACU_RETURN_IF_ERROR(FinishFrame(metric, extractor, frame, computed));
  return computed;
}

Status FinishFrame(const Metric& metric, const Extractor& extractor, int frame, ComputedFrame& computed) {
  computed.kept.assign(extractor.spec().kept, 0);
  computed.values.assign(metric.outputs.size(), std::numeric_limits<double>::quiet_NaN());
  return extractor.Finish({frame, frame, computed.sums, computed.words}, {computed.values, computed.kept});
}

}  // namespace acutance
