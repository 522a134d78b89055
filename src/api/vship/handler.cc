#include "api/vship/handler.h"

#include <algorithm>
#include <cstring>

#include "base/threads/exception_barrier.h"

namespace acutance::vship {

Outcome Handler::Make(FramePair pair, std::unique_ptr<Scorer> scorer, int threads, std::shared_ptr<Handler>& handler) {
  std::shared_ptr<Handler> made(new Handler(std::move(pair), std::move(scorer), threads));
  if (Outcome bad = made->Start(false); !bad.ok()) return bad;
  made->map_size_ = {made->format().width, made->format().height};
  const ExtractorSpec& spec = made->session_->metric_runs().front().extractor->spec();
  if (!spec.artifacts.empty()) made->map_size_ = {spec.artifacts[0].format.width, spec.artifacts[0].format.height};
  handler = std::move(made);
  return {};
}

Outcome Handler::Start(bool makes_maps, int64_t frames_before) {
  SessionSpec spec = {.features = scorer_->requests(), .threads = threads_, .format = format()};
  if (makes_maps)
    spec.on_artifact = [this](const Artifact& artifact) {
      map_ = artifact.picture;
      return Status();
    };
  spec.first_frame = frames_before;
  spec.writes_scores = false;  // tables would grow with every frame
  spec.on_results = [this](std::span<FrameResults* const> frames) {
    for (const FrameResults* frame : frames) {
      if (!frame->status.ok()) return frame->status;
      scorer_->Take(frame->runs, counts_);
      was_taken_ = true;
    }
    return Status();
  };
  session_.reset();
  // Requests that no format makes right fail otherwise than options that this one does not allow.
  if (const Result<SessionNeeds> needs = FindNeeds(spec); !needs.ok()) return Outcome(needs.status());
  Result<std::unique_ptr<Session>> session = Session::Open(std::move(spec));
  if (!session.ok()) {
    if (session.status().code() == StatusCode::kInvalidArgument)
      return {scorer_->invalid_option(), session.status().message()};
    return Outcome(session.status());
  }
  session_ = std::move(session).value();
  scorer_->Begin(*session_->metric_runs().front().extractor);
  makes_maps_ = makes_maps;
  is_first_ = true;
  return {};
}

Outcome Handler::StartAfter(std::span<const Planes> before) {
  if (Outcome bad = Start(false, static_cast<int64_t>(before.size())); !bad.ok()) return bad;
  for (const Planes& planes : before.subspan(static_cast<size_t>(session_->next_frame()))) {
    Picture picture;
    if (Outcome bad = pair_.reference.Read(planes, picture); !bad.ok()) return bad;
    if (const Status status = session_->Add(picture, {picture}); !status.ok()) return Outcome(status);
  }
  return {};
}

Outcome Handler::Add(const Planes& reference, const Planes& distorted, const MapTarget& map, bool counts) {
  const bool wants_map = map.data != nullptr;
  const bool is_missing = wants_map && !makes_maps_;
  if (is_missing && session_ && !is_first_ && scorer_->has_history())
    return Failure(kNotSupported, "maps must be asked for from the first frame on, or after a reset");
  Picture first, second;
  if (Outcome bad = pair_.reference.Read(reference, first); !bad.ok()) return bad;
  if (Outcome bad = pair_.distorted.Read(distorted, second); !bad.ok()) return bad;
  if (!session_ || is_missing)
    if (Outcome bad = Start(wants_map); !bad.ok()) return bad;
  counts_ = counts;
  was_taken_ = false;
  Status status = session_->Add(std::move(first), {std::move(second)});
  if (status.ok()) status = session_->WaitForAll();
  if (status.ok() && !was_taken_) status = Error(StatusCode::kIo, "the frame was not scored");
  if (!status.ok()) {
    session_.reset();  // the next frame starts anew
    return Outcome(status);
  }
  is_first_ = false;
  return wants_map ? WriteMap(map) : Outcome();
}

Outcome Handler::WriteMap(const MapTarget& map) {
  const Picture picture = std::exchange(map_, Picture());
  if (!picture.planes[0].data) return Failure(kNotSupported, "the metric has no map");
  const Plane& plane = picture.planes[0];
  const auto row = static_cast<int64_t>(plane.width * sizeof(float));
  if (plane.height > 1 && map.stride > -row && map.stride < row)
    return Failure(kBadPointer, "the map's rows of {} bytes do not fit into a stride of {}", row, map.stride);
  for (int y = 0; y < plane.height; ++y) std::memcpy(map.data + y * map.stride, plane.Row<float>(y), row);
  return {};
}

Outcome Handler::Keep(Outcome outcome) {
  if (!outcome.ok()) last_error_ = outcome.message;
  return outcome;
}

Outcome Handler::Load(const Planes& reference, const Planes& distorted) {
  const std::lock_guard lock(mutex_);
  return Keep(Add(reference, distorted, {}, false));
}

void Handler::ResetHistory() {
  const std::lock_guard lock(mutex_);
  if (!scorer_->has_history() || is_first_) return;
  session_.reset();
  is_first_ = true;
}

void Handler::ResetScore() {
  const std::lock_guard lock(mutex_);
  scorer_->ResetScore();
}

std::string Handler::LastError() const {
  const std::lock_guard lock(mutex_);
  return last_error_;
}

}  // namespace acutance::vship
