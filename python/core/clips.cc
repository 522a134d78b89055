#include "python/core/clips.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "python/core/errors.h"

namespace nb = nanobind;

namespace acutance::python {
namespace {

constexpr size_t kLargest = 32768;

/// The reference and the distorted video of all clips.
struct ClipBatch {
  PictureFormat format;
  std::shared_ptr<Loan> videos[2];
  std::optional<int> device;

  const Array& luma(int video) const { return videos[video]->arrays()[0]; }
  int clips() const { return static_cast<int>(luma(0).shape(0)); }
  int frames() const { return static_cast<int>(luma(0).shape(1)); }
  Expected<Picture> PictureAt(int video, int clip, int frame) const;
};

Expected<Picture> ClipBatch::PictureAt(int video, int clip, int frame) const {
  std::vector<PlaneView> views;
  for (const Array& plane : videos[video]->arrays()) {
    const auto bytes = static_cast<int64_t>(plane.itemsize());
    const auto* data = static_cast<const uint8_t*>(plane.data());
    views.push_back({data + (clip * plane.stride(0) + frame * plane.stride(1)) * bytes, plane.stride(2) * bytes});
  }
  if (device) return Picture::WrapDevice(format, *device, views, videos[video]);
  return Picture::Wrap(format, views, videos[video]);
}

/// The scores of one clip; those of frames by name, and those of the whole clip.
struct ClipScores {
  std::vector<std::pair<std::string, std::vector<double>>> frames;
  std::vector<std::pair<std::string, double>> clip;
};

Status CheckPlanes(const std::vector<Array>& planes, const char* video) {
  const auto refuse = [&](const std::string& why) {
    return Status(StatusCode::kInvalidArgument, std::string(video) + ": " + why);
  };
  if (planes.size() != 1 && planes.size() != 3) return refuse("give luma alone or (y, cb, cr)");
  for (const Array& plane : planes) {
    if (plane.ndim() != 4) return refuse("a plane has the shape (clips, frames, height, width)");
    const nb::dlpack::dtype type = plane.dtype();
    if (type.code != static_cast<uint8_t>(nb::dlpack::dtype_code::UInt) || type.lanes != 1 || plane.itemsize() > 2)
      return refuse("samples are uint8 or uint16");
    if (plane.itemsize() != planes[0].itemsize()) return refuse("planes mix uint8 and uint16");
    if (!IsOnHost(plane) && !DeviceOf(plane)) return refuse("its memory is neither the host's nor a CUDA device's");
    if (DeviceOf(plane) != DeviceOf(planes[0])) return refuse("its planes lie on several devices");
    if (plane.shape(0) != planes[0].shape(0) || plane.shape(1) != planes[0].shape(1))
      return refuse("its planes have different numbers of clips or frames");
    if (plane.shape(0) == 0 || plane.shape(1) == 0 || plane.shape(2) == 0 || plane.shape(3) == 0)
      return refuse("there is no picture");
    if (plane.shape(2) > kLargest || plane.shape(3) > kLargest) return refuse("width and height are 1 to 32768");
    if (plane.shape(3) > 1 && plane.stride(3) != 1) return refuse("its rows are not contiguous");
  }
  return {};
}

bool HasPlaneSizes(const PictureFormat& format, const std::vector<Array>& planes) {
  for (size_t p = 0; p < planes.size(); ++p)
    if (static_cast<int>(planes[p].shape(2)) != format.PlaneHeight(static_cast<int>(p)) ||
        static_cast<int>(planes[p].shape(3)) != format.PlaneWidth(static_cast<int>(p)))
      return false;
  return true;
}

/// The first error of several threads, which ends all.
class Outcomes {
 public:
  void Fail(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (!failed_) status_ = status;
    failed_ = true;
  }
  bool failed() const { return failed_; }
  Status status() const { return failed_ ? status_ : Status(); }

 private:
  std::mutex mutex_;
  Status status_;
  std::atomic<bool> failed_ = false;
};

Expected<ClipScores> ScoreClip(Session& session, const ClipBatch& batch, int clip, Task::Shared& shared) {
  for (int frame = 0; frame < batch.frames(); ++frame) {
    if (shared.After() != FrameAction::kContinue) return Status(StatusCode::kCancelled, "cancelled");
    Expected<Picture> reference = batch.PictureAt(0, clip, frame), distorted = batch.PictureAt(1, clip, frame);
    if (!reference) return reference.status();
    if (!distorted) return distorted.status();
    if (const Status status = session.Add(*reference, *distorted); !status.ok()) return status;
  }
  Expected<Result> result = session.Finish();
  if (!result) return result.status();
  ClipScores scores;
  for (const std::string& name : result->names()) {
    Expected<std::vector<double>> values = result->Scores(name);
    if (!values) return values.status();
    scores.frames.emplace_back(name, *std::move(values));
  }
  scores.clip = result->Aggregates();
  return scores;
}

ClipMatrices Gather(const std::vector<ClipScores>& clips, int frames) {
  ClipMatrices all{.clips = static_cast<int>(clips.size()), .frames = frames};
  for (const ClipScores& clip : clips) {
    for (const auto& [name, values] : clip.frames) {
      std::vector<double>& to = all.of_frames[name];
      to.insert(to.end(), values.begin(), values.end());
    }
    for (const auto& [name, value] : clip.clip) all.of_clips[name].push_back(value);
  }
  return all;
}

}  // namespace

struct ClipScorer::State {
  SessionOptions options;
  const int sessions;
  std::mutex mutex;  // guards what follows
  std::vector<Session> idle;
  std::optional<PictureFormat> format;  // of the idle sessions
  int frames = 0;                       // that they compute at once

  /// Fills `idle` again where clips of this size need other sessions.
  void Prepare(const PictureFormat& wanted, int wanted_frames) {
    const std::lock_guard lock(mutex);
    if (format == wanted && frames >= wanted_frames && frames < 2 * wanted_frames) return;
    idle.clear();
    format = wanted;
    frames = wanted_frames;
  }

  Expected<Session> Take(const PictureFormat& wanted) {
    SessionOptions made = options;
    {
      const std::lock_guard lock(mutex);
      if (format == wanted && !idle.empty()) {
        Session session = std::move(idle.back());
        idle.pop_back();
        return session;
      }
      made.frames = frames;
    }
    return Session::Create(made);
  }

  void PutBack(Session session, const PictureFormat& made_for) {
    const std::lock_guard lock(mutex);
    if (format == made_for) idle.push_back(std::move(session));
  }

  Status Work(const ClipBatch& batch, std::atomic<int>& next, std::vector<ClipScores>& scores, Task::Shared& shared,
              const Outcomes& outcomes);
  Expected<Outcome> ScoreAll(const ClipBatch& batch, Task::Shared& shared);
};

/// What one thread does: clips that no other has begun, until none is left.
Status ClipScorer::State::Work(const ClipBatch& batch, std::atomic<int>& next, std::vector<ClipScores>& scores,
                               Task::Shared& shared, const Outcomes& outcomes) {
  Expected<Session> session = Take(batch.format);
  if (!session) return session.status();
  for (int clip = next++; clip < batch.clips() && !outcomes.failed(); clip = next++) {
    Expected<ClipScores> scored = ScoreClip(*session, batch, clip, shared);
    if (!scored) return scored.status();
    scores[static_cast<size_t>(clip)] = *std::move(scored);
    if (const Status status = session->Restart(); !status.ok()) return status;
  }
  PutBack(*std::move(session), batch.format);
  return {};
}

Expected<Outcome> ClipScorer::State::ScoreAll(const ClipBatch& batch, Task::Shared& shared) {
  Prepare(batch.format, batch.frames());
  std::vector<ClipScores> scores(static_cast<size_t>(batch.clips()));
  std::atomic<int> next = 0;
  Outcomes outcomes;
  const auto work = [&] {
    try {
      if (const Status status = Work(batch, next, scores, shared, outcomes); !status.ok()) outcomes.Fail(status);
    } catch (const std::exception&) {
      outcomes.Fail({StatusCode::kOutOfMemory, "out of memory"});
    }
  };
  std::vector<std::thread> threads;
  try {
    for (int i = 1; i < std::min(sessions, batch.clips()); ++i) threads.emplace_back(work);
  } catch (const std::exception&) {  // fewer threads do all clips, too
  }
  work();
  for (std::thread& thread : threads) thread.join();
  if (outcomes.failed()) return outcomes.status();
  return Outcome(Gather(scores, batch.frames()));
}

ClipScorer::ClipScorer(SessionOptions options, std::optional<int> bit_depth, PixelFormat pixel_format, int sessions)
    : bit_depth_(bit_depth),
      pixel_format_(pixel_format),
      process_(getpid()),
      state_(std::make_shared<State>(std::move(options), sessions)) {
  // Unknown names are errors here, not at the first clips.
  const nb::gil_scoped_release release;
  const Expected<Session> session = Session::Create(state_->options);
  if (!session) {
    const nb::gil_scoped_acquire acquire;
    Raise(session.status());
  }
  needs_chroma_ = session->NeedsChroma();
}

/// A forked child does not have the threads that would be joined.
ClipScorer::~ClipScorer() {
  if (getpid() != process_) {
    new std::shared_ptr<State>(std::move(state_));
    return;
  }
  const nb::gil_scoped_release release;
  state_.reset();
}

std::unique_ptr<Task> ClipScorer::Score(const std::vector<nb::object>& reference,
                                        const std::vector<nb::object>& distorted) {
  if (getpid() != process_) RaiseSession("this scorer was made in another process; make one after the fork");
  auto batch = std::make_shared<ClipBatch>();
  const auto changed = std::make_shared<ChangedFrame>(-1);
  constexpr const char* kNames[] = {"reference", "distorted"};
  for (int v = 0; v < 2; ++v) {
    Planes planes = PlanesOf(v == 0 ? reference : distorted, {0, kNames[v]});
    Check(CheckPlanes(planes, kNames[v]));
    batch->videos[v] = Loan::Make(std::move(planes), 0, changed);
  }
  const Array &first = batch->luma(0), &other = batch->luma(1);
  batch->format = {.width = static_cast<int>(first.shape(3)),
                   .height = static_cast<int>(first.shape(2)),
                   .bit_depth = first.itemsize() == 1 ? 8 : bit_depth_.value_or(16),
                   .pixel_format = pixel_format_};
  batch->device = DeviceOf(first);
  if (other.shape(0) != first.shape(0) || other.shape(1) != first.shape(1) || other.itemsize() != first.itemsize() ||
      batch->videos[0]->arrays().size() != batch->videos[1]->arrays().size() || DeviceOf(other) != batch->device)
    RaiseArgument("reference and distorted clips differ in their number, frames, planes, type of samples or device");
  for (int v = 0; v < 2; ++v)
    if (!HasPlaneSizes(batch->format, batch->videos[v]->arrays()))
      RaiseArgument(std::string(kNames[v]) + ": its planes do not have the sizes of a picture of " +
                    Describe(batch->format));
  return std::make_unique<Task>(
      [state = state_, batch](Task::Shared& shared) { return state->ScoreAll(*batch, shared); });
}

}  // namespace acutance::python
