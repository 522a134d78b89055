#include "metric/frame_fingerprint/frame_fingerprint.h"

#include <algorithm>

#include "exec/plan.h"
#include "fingerprint/frame_fingerprint.h"
#include "metric/blocks/reference_of.h"
#include "metric/frame_fingerprint/frame_fingerprint_args.h"

namespace acutance {
namespace {

/// A stage for each video.
class FrameFingerprintExtractor : public Extractor {
 public:
  explicit FrameFingerprintExtractor(const PictureFormat& format)
      : Extractor({.stages = {{1, false}, {1, false}}, .words = 2 * kFingerprintWords}), bit_depth_(format.bit_depth) {}

  void RunBand(const FrameView& frame, int video, RowBand, const Workspaces&,
               const BandResults& results) const override {
    ToWords(FingerprintOf(frame.plane(video), bit_depth_), PartialsOf(results, video));
  }

  void RunBands(std::span<const FrameView> frames, int video, RowBand band, std::span<const Workspaces> workspaces,
                std::span<const BandResults> results) const override {
    const bool is_shared = static_cast<Video>(video) == Video::kReference;
    for (size_t i = 0; i < frames.size(); ++i)
      if (i == 0 || !is_shared) RunBand(frames[i], video, band, workspaces[i], results[i]);
      else std::ranges::copy(PartialsOf(results[0], video), PartialsOf(results[i], video).begin());
  }

  Status Finish(const FrameTotals&, const FrameOutputs&) const override { return {}; }

 private:
  static std::span<int64_t> PartialsOf(const BandResults& results, int video) {
    return results.words.subspan(static_cast<size_t>(video) * kFingerprintWords, kFingerprintWords);
  }

  const int bit_depth_;
};

constexpr TuningEntry kTuning[] = {{"frame_fingerprint", "", "64x4"}};

Result<Plan> MakePlan(const Setup&, const PlanContext& context) {
  Plan plan(context, context.pairs(), 0, 2 * kFingerprintWords);
  const Grid grid = {1, FrameFingerprint::kRows, context.pairs()};
  for (const Video video : {Video::kReference, Video::kDistorted}) {
    const PlaneView samples = context.Input(video);
    const FrameFingerprintArgs args = {
        .samples = samples.data,
        .words = plan.Words(),
        .plane = PlaneArgsOf(samples, video == Video::kReference ? context.videos : 1),
        .rows = FingerprintRows(samples.height),
        .bit_depth = context.format.bit_depth,
        .pair_words = 2 * kFingerprintWords,
        .first_word = static_cast<int>(video) * kFingerprintWords,
    };
    ACU_RETURN_IF_ERROR(plan.AddGroups(kTuning, "frame_fingerprint", grid, args, "none"));
  }
  return plan;
}

}  // namespace

const Metric kFrameFingerprintMetric = {
    .name = "frame_fingerprint",
    .summary = "fingerprints of both pictures, by which frames are paired",
    .options = {},
    .outputs = {},
    .make = MakeBy<FrameFingerprintExtractor>,
    .make_plan = MakePlan,
};

}  // namespace acutance
