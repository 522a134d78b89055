#include "engine/lane_part.h"

#include <algorithm>
#include <utility>

namespace acutance {
namespace {

void DeliverItem(const PlanRunner& runner, int plan, int item, RunResult& result) {
  std::ranges::copy(runner.Sums(plan, item), result.sums.begin());
  std::ranges::copy(runner.Words(plan, item), result.words.begin());
  for (int a = 0; a < std::ssize(result.artifacts); ++a) runner.CopyArtifact(plan, item, a, result.artifacts[a]);
}

}  // namespace

Status LanePart::MakePlans(const PictureFormat& format, int frames, std::string_view family) {
  const int own = (frames + stride_ - 1) / stride_;
  context_ = MakePlanContext(features_.Inputs(runs_), format, own, videos_.distorted_count, family);
  context_.scalings = videos_.scalings;
  const auto makes_artifacts = [&](int run) { return features_.MakesArtifacts(features_.runs()[run]); };
  context_.artifacts = std::ranges::any_of(runs_, makes_artifacts);
  ACU_ASSIGN_OR_RETURN(derive_, MakeDerivePlan(features_.Inputs(runs_), context_));
  plans_.clear();
  for (const int r : runs_) {
    const MetricRun& run = features_.runs()[r];
    const PlanContext& context = run.raised ? ReadInstead(context_, *run.raised) : context_;
    ACU_ASSIGN_OR_RETURN(Plan plan, run.metric->make_plan(run.options, context));
    plans_.push_back(std::move(plan));
  }
  return {};
}

Result<std::unique_ptr<PlanRunner>> LanePart::MakeRunner(Device& device, ForEach for_each,
                                                         const PlanRunner* uploads_with) {
  return PlanRunner::Make(device, plans_, context_,
                          {.artifacts = context_.artifacts,
                           .pack = !device.info().is_cpu,
                           .trial = &pack_trial_,
                           .for_each = std::move(for_each),
                           .uploads_with = uploads_with,
                           .derive = derive_});
}

bool LanePart::needs_history() const {
  return std::ranges::any_of(context_.history, [](int frames) { return frames > 0; });
}

Status LanePart::Start(PlanRunner& runner, const FrameQueue::Jobs& jobs, PlanRunner* before) const {
  BatchPictures batch;
  const auto add = [&](const FramePictures* frame, Video video) {
    if (video == Video::kReference) return batch.reference.push_back(frame ? &frame->reference.picture : nullptr);
    for (int d = 0; d < videos_.distorted_count; ++d)
      batch.distorted.push_back(frame ? &frame->distorted[d].picture : nullptr);
  };
  for (const Video video : {Video::kReference, Video::kDistorted}) {
    const std::vector<FramePictures>& first = jobs.front()->inputs().pictures;
    for (int back = context_.history[static_cast<int>(video)]; back > 0; --back)
      add(back < std::ssize(first) && !before ? &first[back] : nullptr, video);
    for (const auto& job : jobs)
      if (HasFrame(job->index())) add(&job->inputs().own(), video);
  }
  return runner.Start(batch, before);
}

void LanePart::Deliver(const PlanRunner& runner, const FrameQueue::Jobs& jobs) const {
  for (int plan = 0; plan < std::ssize(runs_); ++plan) {
    const int copies = features_.runs()[runs_[plan]].ReadsDistorted() ? videos_.distorted_count : 1;
    int frame = 0;
    for (const auto& job : jobs) {
      if (!HasFrame(job->index())) continue;
      for (int d = 0; d < copies; ++d)
        if (RunResult* result = job->FindResult(runs_[plan], d)) DeliverItem(runner, plan, frame * copies + d, *result);
      ++frame;
    }
  }
}

std::vector<std::unique_ptr<LanePart>> MakeLaneParts(const FeatureSet& features, const std::vector<int>& runs,
                                                     int subsample, const LaneVideos& videos) {
  const auto has_every_frame = [&](int run) { return features.runs()[run].metric->every_frame; };
  std::vector<int> every, kept = runs;
  if (subsample > 1) {
    std::ranges::copy_if(runs, std::back_inserter(every), has_every_frame);
    std::erase_if(kept, has_every_frame);
  }
  std::vector<std::unique_ptr<LanePart>> parts;
  if (!every.empty()) parts.push_back(std::make_unique<LanePart>(features, every, 1, videos));
  // Without runs of every frame the lane gets no other frames than those that are kept.
  if (!kept.empty()) parts.push_back(std::make_unique<LanePart>(features, kept, every.empty() ? 1 : subsample, videos));
  return parts;
}

}  // namespace acutance
