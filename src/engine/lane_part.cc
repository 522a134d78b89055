#include "engine/lane_part.h"

#include <algorithm>
#include <utility>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

void DeliverItem(const PlanRunner& runner, int plan, int item, RunResult& result) {
  std::ranges::copy(runner.Sums(plan, item), result.sums.begin());
  std::ranges::copy(runner.Words(plan, item), result.words.begin());
  for (int a = 0; a < std::ssize(result.artifacts); ++a) runner.CopyArtifact(plan, item, a, result.artifacts[a]);
}

/// Whether the plan reads one of the distorted videos and nothing else. Others compute all videos for the one that they
/// serve: kernels take the pictures of the reference and of the distorted videos to be equally far apart.
bool ReadsOneVideo(const MetricRun& run) { return run.only >= 0 && !run.Reads(Video::kReference); }

/// Whether batches have the same pictures, in the same places. Scalings are a session's own.
bool HaveSamePictures(const PlanContext& a, const PlanContext& b) {
  const auto are_same = [](const PlanInput& one, const PlanInput& other) {
    return one.video == other.video && one.plane == other.plane && one.derived == other.derived &&
           one.format == other.format;
  };
  return a.frames == b.frames && a.videos == b.videos && a.history == b.history && a.artifacts == b.artifacts &&
         a.streams == b.streams && a.scalings.empty() && b.scalings.empty() &&
         std::ranges::equal(a.inputs, b.inputs, are_same);
}

bool AreSame(const Plan& a, const Plan& b) {
  const auto are_same_buffers = [](const Plan::BufferSpec& one, const Plan::BufferSpec& other) {
    return one.bytes == other.bytes && one.kind == other.kind && one.row_bytes == other.row_bytes &&
           one.contents == other.contents;
  };
  const auto are_same_launches = [](const Plan::Launch& one, const Plan::Launch& other) {
    return one.kernel == other.kernel && one.grid.x == other.grid.x && one.grid.y == other.grid.y &&
           one.grid.z == other.grid.z && one.args == other.args;
  };
  return a.items() == b.items() && a.sum_count() == b.sum_count() && a.word_count() == b.word_count() &&
         std::ranges::equal(a.buffers(), b.buffers(), are_same_buffers) &&
         std::ranges::equal(a.launches(), b.launches(), are_same_launches);
}

}  // namespace

bool LanePart::Work::IsSameAs(const Work& other) const {
  return HaveSamePictures(context, other.context) && derive.has_value() == other.derive.has_value() &&
         (!derive || AreSame(*derive, *other.derive)) && std::ranges::equal(plans, other.plans, AreSame);
}

Status LanePart::MakePlans(const PictureFormat& format, int frames, std::string_view family, bool streams) {
  const int own = (frames + stride_ - 1) / stride_;
  work_.context = MakePlanContext(features_.Inputs(runs_), format, own, videos_.distorted_count, family);
  work_.context.scalings = videos_.scalings;
  work_.context.streams = streams;
  const auto makes_artifacts = [&](int run) { return features_.MakesArtifacts(features_.runs()[run]); };
  work_.context.artifacts = std::ranges::any_of(runs_, makes_artifacts);
  ACU_ASSIGN_OR_RETURN(work_.derive, MakeDerivePlan(features_.Inputs(runs_), work_.context));
  work_.plans.clear();
  for (const int r : runs_) {
    const MetricRun& run = features_.runs()[r];
    const PlanContext context = ReadsOneVideo(run) ? work_.context.OfVideo(run.only) : work_.context;
    ACU_ASSIGN_OR_RETURN(Plan plan, run.metric->make_plan(*run.setup, context));
    work_.plans.push_back(std::move(plan));
  }
  return {};
}

Result<std::unique_ptr<PlanRunner>> LanePart::MakeRunner(Device& device, ForEach for_each,
                                                         const PlanRunner* uploads_with, PlaneCache* planes) {
  return PlanRunner::Make(device, work_.plans, work_.context,
                          {.artifacts = work_.context.artifacts,
                           .kept = planes,
                           .for_each = std::move(for_each),
                           .uploads_with = uploads_with,
                           .derive = work_.derive});
}

bool LanePart::needs_history() const {
  return std::ranges::any_of(work_.context.history, [](int frames) { return frames > 0; });
}

BatchPictures LanePart::PicturesOf(const FrameQueue::Jobs& jobs, bool follows) const {
  BatchPictures batch;
  const auto add = [&](const FramePictures* frame, Video video) {
    if (video == Video::kReference) {
      batch.identities.push_back(frame ? frame->identity : PictureKey());
      return batch.reference.push_back(frame ? &frame->reference.picture : nullptr);
    }
    for (int d = 0; d < videos_.distorted_count; ++d)
      batch.distorted.push_back(frame ? &frame->distorted[d].picture : nullptr);
  };
  const std::vector<FramePictures>& first = jobs.front()->inputs().pictures;
  for (const Video video : {Video::kReference, Video::kDistorted}) {
    for (int back = work_.context.history[static_cast<int>(video)]; back > 0; --back)
      add(back < std::ssize(first) && !follows ? &first[back] : nullptr, video);
    for (const auto& job : jobs)
      if (HasFrame(job->index())) add(&job->inputs().own(), video);
  }
  return batch;
}

/// Other batches wait for this one's pictures, and for it to take theirs, even if there is no memory to begin it.
Status LanePart::Start(PlanRunner& runner, const FrameQueue::Jobs& jobs, PlanRunner* before) const {
  const Result<BatchPictures> batch =
      CatchExceptionsResult<BatchPictures>([&] { return PicturesOf(jobs, /*follows=*/before != nullptr); });
  if (batch.ok()) return runner.Start(*batch, before);
  runner.Skip(batch.status(), before);
  return batch.status();
}

void LanePart::Deliver(const PlanRunner& runner, const FrameQueue::Jobs& jobs) const {
  for (int plan = 0; plan < std::ssize(runs_); ++plan) {
    const MetricRun& run = features_.runs()[runs_[plan]];
    const bool has_all = run.only >= 0 && run.ReadsDistorted() && !ReadsOneVideo(run);
    const int copies = has_all ? videos_.distorted_count : run.Results(videos_.distorted_count);
    int frame = 0;
    for (const auto& job : jobs) {
      if (!HasFrame(job->index())) continue;
      for (int i = 0; i < copies; ++i)
        if (RunResult* result = has_all && i != run.only ? nullptr : job->FindResult(runs_[plan], run.VideoOf(i)))
          DeliverItem(runner, plan, frame * copies + i, *result);
      ++frame;
    }
  }
}

std::vector<std::unique_ptr<LanePart>> MakeLaneParts(const FeatureSet& features, const std::vector<int>& runs,
                                                     int subsample, const LaneVideos& videos) {
  const auto has_every_frame = [&](int run) { return features.runs()[run].metric->every_frame; };
  std::vector<int> every, scored = runs;
  if (subsample > 1) {
    std::ranges::copy_if(runs, std::back_inserter(every), has_every_frame);
    std::erase_if(scored, has_every_frame);
  }
  std::vector<std::unique_ptr<LanePart>> parts;
  if (!every.empty()) parts.push_back(std::make_unique<LanePart>(features, every, 1, videos));
  // Without runs of every frame the lane gets scored frames alone.
  if (!scored.empty())
    parts.push_back(std::make_unique<LanePart>(features, scored, every.empty() ? 1 : subsample, videos));
  return parts;
}

}  // namespace acutance
