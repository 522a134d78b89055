// Handover of pictures from a batch to the next one on the same device.
#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "base/threads/exception_barrier.h"
#include "exec/run_plan.h"

namespace acutance {

void PlanRunner::KeepPictures() {
  const std::lock_guard lock(pictures_.mutex);
  pictures_.is_awaited = true;
}

/// The runner that takes pictures has begun its batch, and waits only for the upload here: no cycle can form.
Status PlanRunner::BeginBatch() {
  std::unique_ptr<Mark> taken;
  {
    std::unique_lock lock(pictures_.mutex);
    pictures_.changed.wait(lock, [&] { return !pictures_.is_awaited; });
    pictures_.started = false;
    taken = std::move(pictures_.taken);
  }
  return taken ? taken->Wait() : Status();
}

/// The end of what was submitted: a mark, or null when it is done, for some queues have no marks.
Status PlanRunner::MarkOrWait(std::unique_ptr<Mark>& mark) {
  ACU_ASSIGN_OR_RETURN(mark, queue_->MarkEnd());
  return mark ? Status() : queue_->Wait();
}

int PlanRunner::FramesOf(const BatchPictures& pictures) const {
  const auto frames = [&](Video video, size_t given) {
    return static_cast<int>(given) / context_.copies(video) - context_.history[static_cast<int>(video)];
  };
  return std::max(frames(Video::kReference, pictures.reference.size()),
                  frames(Video::kDistorted, pictures.distorted.size()));
}

bool PlanRunner::ForwardsHistory(const BatchPictures& pictures) const {
  return std::ranges::any_of(context_.history, [frames = FramesOf(pictures)](int history) { return frames < history; });
}

void PlanRunner::CountBeforeClip(const BatchPictures& pictures) {
  const auto count = [&](Video video, std::span<const Picture* const> given) {
    const int copies = context_.copies(video), history = context_.history[static_cast<int>(video)];
    int frames = 0;
    while (frames < history && frames * copies < std::ssize(given) && !given[frames * copies]) ++frames;
    frames_before_start_[static_cast<int>(video)] = frames;
  };
  count(Video::kReference, pictures.reference);
  count(Video::kDistorted, pictures.distorted);
}

/// The batch before was of one frame.
void PlanRunner::FollowItself() {
  for (int& frames : frames_before_start_) frames = std::max(frames - 1, 0);
  ++followed_;
}

/// Other batches wait for this, so that nothing here may throw.
Status PlanRunner::AnnounceUpload(const Status& upload, const BatchPictures& pictures) noexcept {
  std::unique_ptr<Mark> uploaded;
  Status status = CatchExceptions([&] { return upload.ok() ? MarkOrWait(uploaded) : upload; });
  Status announced = CatchExceptions([&] { return status; });  // or that there is no memory for a copy
  {
    const std::lock_guard lock(pictures_.mutex);
    pictures_.started = true;
    pictures_.status = std::move(announced);
    pictures_.uploaded = std::move(uploaded);
    pictures_.frames = FramesOf(pictures);
    pictures_.frames_before_start = frames_before_start_;
  }
  pictures_.changed.notify_all();
  return status;
}

/// Copies the last pictures of `before` into the history here, regardless of the state of that runner.
Status PlanRunner::TakePictures(PlanRunner& before) {
  Pictures& theirs = before.pictures_;
  std::unique_ptr<Mark> taken;
  Status status;
  {
    std::unique_lock lock(theirs.mutex);
    theirs.changed.wait(lock, [&] { return theirs.started; });
    status = CatchExceptions([&] { return CopyHistory(theirs, before, taken); });
    theirs.taken = std::move(taken);
    theirs.is_awaited = false;
  }
  theirs.changed.notify_all();
  return status;
}

Status PlanRunner::CopyHistory(const Pictures& theirs, const PlanRunner& before, std::unique_ptr<Mark>& taken) {
  ACU_RETURN_IF_ERROR(theirs.status);
  for (size_t v = 0; v < frames_before_start_.size(); ++v)
    frames_before_start_[v] = std::max(theirs.frames_before_start[v] - theirs.frames, 0);
  if (theirs.uploaded) ACU_RETURN_IF_ERROR(theirs.uploaded->Wait());
  std::vector<CopyCommand> copies;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const PlanInput& spec = SpecOf(inputs_[i]);
    const size_t frame = spec.picture_bytes() * context_.copies(spec.video);
    const size_t bytes = frame * context_.history[static_cast<int>(spec.video)];
    if (bytes > 0 && spec.derived.empty())
      copies.push_back({before.inputs_[i].buffer.get(), frame * theirs.frames, inputs_[i].buffer.get(), 0, bytes});
  }
  ACU_RETURN_IF_ERROR(queue_->Copy(copies));
  return MarkOrWait(taken);
}

}  // namespace acutance
