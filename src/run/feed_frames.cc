#include "run/attempt.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/trace.h"

namespace acutance {
namespace {

/// A cancellation as the run reports it, wherever it was noticed.
Status Interrupted(const Status& status, const Session& session) {
  if (status.code() != StatusCode::kCancelled) return status;
  return Error(StatusCode::kCancelled, "interrupted after {} frames", session.frames_added());
}

class FrameFeed {
 public:
  FrameFeed(const RunRequest& request, StartedRun& started, AlignmentMonitor& alignment, AttemptReport& report)
      : request_(request), run_(started), alignment_(alignment), report_(report) {}

  /// Feeds frames until the end, an error, a stop or a misalignment.
  Status Feed() {
    if (run_.journal && run_.journal->is_complete()) {
      run_.observers.SkipAll();
      return {};
    }
    Status status = Skip(run_.session->first_frame());
    while (status.ok()) {
      std::optional<FramePair> pair = Read(status);
      if (!pair) return status;
      ACU_RETURN_IF_ERROR(Add(*std::move(pair)));
      const FrameAction action = Show();
      if (action != FrameAction::kContinue) return Stop(action);
      if (alignment_.Rejects(run_.session->frames_added())) return {};
    }
    return status;
  }

  FeedTimes& times() { return times_; }
  bool was_stopped() const { return was_stopped_; }  // by the request's on_frame

 private:
  /// The next frame; nullopt at the end, at an error, which the report has, or once cancelled.
  std::optional<FramePair> Read(Status& status) {
    Result<std::optional<FramePair>> pair = run_.reader->Next();
    if (pair.ok()) return std::move(pair).value();
    if (pair.status().code() == StatusCode::kCancelled) status = Interrupted(pair.status(), *run_.session);
    else report_.Fail(RunStage::kRead, pair.status());
    return std::nullopt;
  }

  FrameAction Show() {
    const TimeSum::Scope time(times_.writing);
    return request_.on_frame ? request_.on_frame(*run_.session, run_.reader->frame_count()) : FrameAction::kContinue;
  }

  /// Reads the frames that the journal has and those before a part; the session takes the last of them as history.
  Status Skip(int64_t count) {
    Status status;
    for (int64_t frame = 0; frame < count; ++frame) {
      std::optional<FramePair> pair = Read(status);
      if (!pair) break;
      run_.observers.Skip(*pair);
      if (frame >= run_.session->next_frame())
        ACU_RETURN_IF_ERROR(
            Interrupted(run_.session->Add(std::move(pair->reference), std::move(pair->distorted)), *run_.session));
    }
    return status;
  }

  Status Add(FramePair pair) {
    run_.observers.Observe(pair, *run_.session);
    if (request_.pairs && pair.index % request_.subsample == 0) {
      const TimeSum::Scope time(times_.writing);
      ACU_RETURN_IF_ERROR(request_.pairs->Add(pair));
    }
    const PictureKey key = run_.keys.Of(pair.index);
    const TimeSum::Scope time(times_.scoring);
    return Interrupted(run_.session->Add(std::move(pair.reference), std::move(pair.distorted), key), *run_.session);
  }

  /// A score that stops the run is worthless if the frames are misaligned, so some more frames are compared.
  Status CheckAhead() {
    if (!alignment_.plan().is_checked()) return {};
    constexpr int kFrames = 300;
    Status status;
    for (int i = 0; i < kFrames && Read(status); ++i) {
    }
    report_.error().reset();  // a video that breaks off after the last frame that is scored
    if (status.ok()) alignment_.RejectsAll();
    return status;
  }

  Status Stop(FrameAction action) {
    was_stopped_ = true;
    return action == FrameAction::kStopAfterAlignmentCheck ? CheckAhead() : Status();
  }

  const RunRequest& request_;
  StartedRun& run_;
  AlignmentMonitor& alignment_;
  AttemptReport& report_;
  bool was_stopped_ = false;
  FeedTimes times_;
};

Status NoFrame(const RunRequest& request, const PairReader& reader) {
  const int64_t skipped = std::max(request.skip_reference, request.skip_distorted);
  std::string reason = "the videos have no frames";
  if (skipped > 0) reason = fmt::format("a video ends before frame {}, the first one requested", skipped);
  else if (!reader.length_warnings().empty()) reason = reader.length_warnings().front();
  return Error(StatusCode::kBadData, "there is no frame to score: {}", reason);
}

/// Records the damage and the changes of each video, which are known once it has been read, and returns the warnings of
/// them.
std::vector<std::string> RecordFindings(const std::vector<VideoSource*>& videos, std::vector<Input>& inputs) {
  std::vector<std::string> warnings;
  for (size_t v = 0; v < std::min(videos.size(), inputs.size()); ++v) {
    inputs[v].damage = videos[v]->damage();
    inputs[v].decoding = videos[v]->decoding();
    for (const auto& [change, text] : videos[v]->frame_changes()) {
      warnings.push_back(fmt::format("{} {}", inputs[v].path, text));
      if (change != Change::kNone) inputs[v].changes.push_back({change, warnings.back()});
    }
    if (std::string warning = DamageWarning(inputs[v].path, inputs[v].damage); !warning.empty())
      warnings.push_back(std::move(warning));
  }
  return warnings;
}

void RecordBitRates(const std::vector<VideoSource*>& videos, std::vector<Input>& inputs) {
  for (size_t v = 0; v < std::min(videos.size(), inputs.size()); ++v)
    if (const std::optional<int64_t> rate = videos[v]->MeasureBitRate()) inputs[v].facts.bit_rate = rate;
}

/// The hashes of the samples up to the last pair: readers may be ahead of it.
std::vector<SampleHash> HashesOf(const std::vector<HashedVideo>& videos, const std::vector<Alignment>& alignments,
                                 int64_t pairs) {
  std::vector<SampleHash> hashes;
  for (size_t v = 0; v < videos.size(); ++v) {
    int64_t count = pairs;
    for (size_t d = v == 0 ? 0 : v - 1; d < (v == 0 ? alignments.size() : std::min(v, alignments.size())); ++d)
      if (!alignments[d].pairs.empty())
        count = std::max(v == 0 && d > 0 ? count : 0,
                         (v == 0 ? alignments[d].pairs.back().first : alignments[d].pairs.back().second) + 1);
    hashes.push_back(videos[v].hasher->Hash(videos[v].first + count));
  }
  return hashes;
}

/// Finishes session, reader, observer and journal, until the first error.
Status Finish(const RunRequest& request, StartedRun& run, FrameFeed& feed, bool has_error) {
  const bool was_stopped = feed.was_stopped();
  {
    const TimeSum::Scope time(feed.times().scoring);
    ACU_RETURN_IF_ERROR(Interrupted(run.session->Flush(), *run.session));
  }
  ACU_RETURN_IF_ERROR(run.reader->CheckIntact());
  if (request.pairs && !has_error) ACU_RETURN_IF_ERROR(request.pairs->Finish());
  if (run.journal && !was_stopped && !has_error) ACU_RETURN_IF_ERROR(run.journal->End(run.session->frames_added()));
  return {};
}

}  // namespace

std::optional<ScoredRun> ScoreFrames(const RunRequest& request, StartedRun started, AlignmentMonitor& alignment,
                                     AttemptReport& report) {
  const auto start = std::chrono::steady_clock::now();
  Session& session = *started.session;
  PairReader& reader = *started.reader;
  ScoredRun& run = started.facts;
  const auto cancel = [&reader, &session] {
    reader.Cancel();
    session.Cancel();
  };
  const std::shared_ptr<void> watch = request.watch_cancel ? request.watch_cancel(cancel) : nullptr;
  started.observers.Start(run.frame_rate.value_or(24), run.color.full_range.value_or(false));
  FrameFeed feed(request, started, alignment, report);
  Status status = request.pairs ? request.pairs->Start(session, run) : Status();
  if (status.ok()) status = feed.Feed();
  const int64_t first = run.is_part ? request.skip_reference : 0;  // other runs count from their own first frame
  const bool is_aligned = !alignment.misalignment();
  if (status.ok() && is_aligned && session.frames_added() == first) {
    if (!report.error()) report.Fail(RunStage::kRead, NoFrame(request, reader));
    return std::nullopt;
  }
  if (alignment.plan().basis != AlignmentPlan::Basis::kEstimated)  // which expects one video to end first
    for (const std::string& warning : reader.length_warnings()) report.Warn(warning);
  if (!is_aligned) {
    report.NoteDamage(RecordFindings(reader.Close(), run.inputs));
    return std::nullopt;
  }
  if (status.ok() && !report.error() && !feed.was_stopped() && !alignment.plan().damage.ok())
    report.Fail(RunStage::kRead, alignment.plan().damage);
  if (status.ok()) status = Finish(request, started, feed, report.error().has_value());
  if (!status.ok()) return report.Fail(RunStage::kScore, status);
  alignment.Conclude(session.frames_added() - first);       // of a video that breaks off, too
  if (request.run_videos > 1) alignment.HoldPipes();        // others may read them again
  const std::vector<VideoSource*> videos = reader.Close();  // what concludes the alignment reads them
  std::vector<std::string> damage = RecordFindings(videos, run.inputs);
  if (alignment.misalignment()) {
    report.NoteDamage(std::move(damage));
    return std::nullopt;
  }
  for (std::string& warning : damage) report.Warn(std::move(warning));
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.bound = FindBound(request, run, session, reader, feed.times());
  run.frames = session.frames_added();
  run.warnings = session.warnings();
  run.given = request.given;
  run.samples = HashesOf(started.hashed, alignment.alignments(), session.frames_added());
  RecordBitRates(videos, run.inputs);
  if (status = started.observers.Conclude(started.session, run); !status.ok())
    return report.Fail(RunStage::kScore, status);
  report.NoteUnfinished(reader.unfinished());
  const TraceSpan span("close videos");
  started.reader.reset();
  return std::move(run);
}

}  // namespace acutance
