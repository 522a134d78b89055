#include "run/score_run.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "align/alignment_plan.h"
#include "align/confirm_alignment.h"
#include "base/shell_word.h"
#include "base/threads/exception_barrier.h"
#include "base/trace.h"
#include "metric/registry.h"
#include "run/alignment_monitor.h"
#include "run/attempt.h"
#include "run/auto_model.h"
#include "run/encode_groups.h"
#include "run/hdr_defaults.h"
#include "run/plan_alignment.h"
#include "run/video_cache.h"

namespace acutance {
namespace {

/// A decoder and an alignment plan in, scores or the reason for another attempt out.
struct Attempt {
  Decoder decoder = Decoder::kCpu;
  AlignmentPlan alignment{};
};

struct AttemptResult {
  enum class Outcome {
    kDone,     // the run ends: it has scores or an error
    kRealign,  // the frames of some videos are not aligned as planned
    kSplit,    // the videos are not scored in one session
    kNoNvdec,  // an error, where NVDEC decoded: FFmpeg's own decoders may do
  };
  Outcome outcome = Outcome::kDone;
  ScoredRun run{};
  std::vector<std::string> alignment_warnings{};  // the last of the run's
  VideoGroup unfinished{};                        // kDone: videos that are scored again, to their own ends
  std::vector<VideoGroup> groups{};               // kSplit
  VideoGroup rejected{};                          // kRealign
  Misalignment misalignment{};                    // kRealign
  AlignmentTask task{};                           // kRealign: with the videos as they were opened
  std::vector<std::string> damage{};              // kRealign: warnings of damaged videos
};

/// The error for videos that do not fit together: their names, and what to do.
Status DescribeMismatch(const RunRequest& request, const Status& status) {
  std::string problems = status.message();
  for (size_t at = 0; (at = problems.find('\n', at)) != problems.npos;) problems.replace(at, 1, "; ");
  const bool is_single = request.distorted.size() == 1;  // of several, the problems name theirs
  return Error(
      status.code(),
      "{} and {}{}; convert one of them first, for example: ffmpeg -i {} -vf scale=WIDTH:HEIGHT -pix_fmt FORMAT "
      "out.y4m",
      request.reference, is_single ? request.distorted[0] + ": " : "", problems,
      is_single ? ShellWord(request.distorted[0]) : "DIS");
}

std::optional<FittedInputs> OpenAndFit(const RunRequest& request, const OpenOptions& options,
                                       AlignmentMonitor& alignment, AttemptReport& report) {
  const TraceSpan span("open videos");
  std::optional<OpenedInputs> opened = OpenInputs(request, options, alignment, report);
  return opened ? FitInputs(request, *std::move(opened), alignment, report) : std::nullopt;
}

/// Adds the models that suit the videos before those of the request, or features of HDR, and returns the reasons.
std::optional<std::vector<std::string>> ChooseModels(RunRequest& request, const FittedInputs& fitted,
                                                     AttemptReport& report) {
  // What --force lifts are refusals: two HDR videos with one curve keep HDR's metrics.
  const Transfer transfer = fitted.inputs[0].color.transfer;
  const bool is_alike =
      std::ranges::all_of(fitted.inputs, [&](const Input& input) { return input.color.transfer == transfer; });
  if (request.fit.heed_color && fitted.inputs[0].color.is_hdr() && (is_alike || !request.fit.force)) {
    HdrFeatures chosen = ChooseHdrFeatures(fitted.inputs[0]);
    for (FeatureRequest& feature : chosen.features) {
      const auto is_it = [&](const FeatureRequest& asked) { return MetricName(asked.metric) == feature.metric; };
      if (std::ranges::none_of(request.features, is_it)) request.features.push_back(std::move(feature));
    }
    return std::move(chosen.reasons);
  }
  ModelFacts facts = {.pictures = fitted.opened.reference.video->format(), .encodes = {}, .frame_rate = {}};
  for (const Input& input : fitted.inputs) {
    if (&input != &fitted.inputs[0]) facts.encodes.push_back(input.format);
    if (!facts.frame_rate && facts.encodes.size() < 2) facts.frame_rate = input.frame_rate;
  }
  Result<ChosenModels> chosen = ChooseModels(facts, *request.choose_models);
  if (!chosen.ok()) return report.Fail(RunStage::kModel, chosen.status());
  request.models.insert(request.models.begin(), chosen->models.begin(), chosen->models.end());
  return std::move(chosen->reasons);
}

/// The phases in order; each takes what the one before has made.
std::optional<ScoredRun> ScoreAttempt(RunRequest request, AlignmentMonitor& alignment, AttemptReport& report) {
  std::optional<FittedInputs> fitted;
  std::vector<std::string> model_reasons;
  if (request.choose_models) {
    fitted = OpenAndFit(request, request.open, alignment, report);
    if (!fitted) return std::nullopt;
    std::optional<std::vector<std::string>> reasons = ChooseModels(request, *fitted, report);
    if (!reasons) return std::nullopt;
    model_reasons = *std::move(reasons);
  }
  std::optional<SessionSetup> setup = SetUpSession(request, report);
  if (!setup) return std::nullopt;
  if (!fitted) {
    OpenOptions options = request.open;
    options.keep_mapped = setup->spec.devices != nullptr;  // devices are so fast that unmapping would hold them up
    fitted = OpenAndFit(request, options, alignment, report);
  }
  if (!fitted) return std::nullopt;
  std::optional<StartedRun> started = StartScoring(request, *std::move(setup), *std::move(fitted), alignment, report);
  if (!started) return std::nullopt;
  started->facts.model_reasons = std::move(model_reasons);
  return ScoreFrames(request, *std::move(started), alignment, report);
}

AttemptResult Run(RunRequest request, const Attempt& attempt, VideoCache& videos) {
  using Outcome = AttemptResult::Outcome;
  request.decoder = attempt.decoder;
  request.alignment_fingerprint = attempt.alignment.fingerprint;
  AlignmentMonitor alignment(request, attempt.alignment, videos);
  AttemptReport report(request.on_warning);
  std::optional<ScoredRun> scored = ScoreAttempt(request, alignment, report);
  AttemptResult result;
  if (!report.groups().empty()) {
    result.outcome = Outcome::kSplit;
    result.groups = std::move(report.groups());
    return result;
  }
  if (alignment.misalignment()) {
    result.outcome = Outcome::kRealign;
    result.rejected = alignment.rejected();
    result.misalignment = *alignment.misalignment();
    result.task = alignment.task();
    result.damage = std::move(report.damage());
    return result;
  }
  if (scored) result.run = *std::move(scored);
  result.unfinished = std::move(report.unfinished());
  result.run.error = std::move(report.error());
  const bool is_cancelled = result.run.error && result.run.error->status.code() == StatusCode::kCancelled;
  if (result.run.error && report.used_nvdec() && !is_cancelled) result.outcome = Outcome::kNoNvdec;
  result.run.warnings.insert(result.run.warnings.begin(), report.warnings().begin(), report.warnings().end());
  if (!result.run.error || result.run.error->stage == RunStage::kRead)
    result.run.alignments = std::move(alignment.alignments());
  result.alignment_warnings = std::move(alignment.warnings());
  return result;
}

/// kCancelled is the error of a run that its user cancelled, and of no other.
AttemptResult RunAttempt(const RunRequest& request, const Attempt& attempt, VideoCache& videos) {
  AttemptResult result;
  const Status status = CatchExceptions([&] {
    result = Run(request, attempt, videos);
    return Status();
  });
  if (status.ok()) return result;
  result = {};
  result.run.error = RunError{RunStage::kScore, status};
  return result;
}

/// Passes each warning on once: attempts repeat theirs.
std::function<void(const std::string&)> WarnOnce(std::function<void(const std::string&)> warn) {
  struct Warned {
    std::mutex mutex;
    std::set<std::string> warnings;
  };
  return [warned = std::make_shared<Warned>(), warn = std::move(warn)](const std::string& warning) {
    const std::lock_guard lock(warned->mutex);
    if (warned->warnings.insert(warning).second) warn(warning);
  };
}

template <class Function>
auto PlanOrError(Function make) -> decltype(make()) {
  decltype(make()) plan = Error(StatusCode::kOutOfMemory, "");
  const Status status = CatchExceptions([&] {
    plan = make();
    return Status();
  });
  return status.ok() ? std::move(plan) : status;
}

ScoredRun Unaligned(const RunRequest& request, Status status, std::vector<std::string> damage) {
  ScoredRun run;
  if (request.on_warning) std::ranges::for_each(damage, request.on_warning);
  run.warnings = std::move(damage);
  run.error = RunError{RunStage::kPair, std::move(status)};
  return run;
}

/// Ends a run: warnings of its alignment come last, and that of a decoder first, where the run has scores.
ScoredRun Done(const RunRequest& request, AttemptResult result, const std::optional<std::string>& decoder_warning) {
  std::vector<std::string>& warnings = result.run.warnings;
  if (decoder_warning && !result.run.error) warnings.insert(warnings.begin(), *decoder_warning);
  for (std::string& warning : result.alignment_warnings) {
    if (request.on_warning) request.on_warning(warning);
    warnings.push_back(std::move(warning));
  }
  return std::move(result.run);
}

}  // namespace

std::vector<ScoredEncode> EncodesOf(const std::shared_ptr<const Session>& session, const ScoredRun& run,
                                    const std::optional<ReferenceShots>& shots) {
  std::vector<ScoredEncode> encodes;
  for (int d = 0; d < session->distorted_count(); ++d) encodes.push_back({session, d, run.frames, run.format, shots});
  return encodes;
}

void AttemptReport::Warn(std::string warning) {
  if (std::ranges::find(warnings_, warning) != warnings_.end()) return;
  if (on_warning_) on_warning_(warning);
  warnings_.push_back(std::move(warning));
}

std::nullopt_t AttemptReport::FailPair(const RunRequest& request, const Status& status) {
  if (status.code() != StatusCode::kInvalidArgument) return Fail(RunStage::kRead, status);
  Fail(RunStage::kPair, DescribeMismatch(request, status));
  error_->tool_words = status.message();
  return std::nullopt;
}

namespace {

/// Scores all videos in as few sessions as give each the scores that it has alone.
class EncodeGroups {
 public:
  explicit EncodeGroups(const RunRequest& request) : request_(request), videos_(request_) {
    request_.run_videos = static_cast<int>(request.distorted.size());
    if (request.on_frame)
      request_.on_frame = [this, ask = request.on_frame](const Session& session, std::optional<int64_t> total) {
        // Once stopped, a group that is left has the scores of a frame.
        if (last_action_ == FrameAction::kContinue) action_ = ask(session, total);
        return action_;
      };
  }

  ScoredRun Score() && {
    Result<AlignmentPlan> plan = PlanOrError([&] { return PlanFirstAttempt(request_, videos_); });
    if (!plan.ok()) return Unaligned(request_, plan.status(), {});
    Wait(OthersOf({}, request_.distorted.size()), *std::move(plan));
    while (!waiting_.empty() && (scored_.empty() || !scored_.back().run.error)) {
      const Waiting next = std::move(waiting_.front());
      waiting_.pop_front();
      const RunRequest part = Begin(next.group);
      if (!part.journal.empty() && (!scored_.empty() || !waiting_.empty()))
        scored_.push_back({next.group, NoJournal()});
      else Take(next, part, RunAttempt(part, next.attempt, videos_));
    }
    return JoinGroups(std::move(scored_), request_.distorted.size());
  }

 private:
  using Outcome = AttemptResult::Outcome;

  struct Waiting {
    VideoGroup group;
    Attempt attempt;
    std::optional<std::string> decoder_warning{};
  };

  void Wait(VideoGroup group, AlignmentPlan plan) {
    waiting_.push_back({std::move(group), {request_.decoder, std::move(plan)}});
  }

  static ScoredRun NoJournal() {
    ScoredRun run;
    run.error = RunError{RunStage::kSession,
                         Error(StatusCode::kUnsupported,
                               "the encodes have different frames or conversions, and a journal holds those that are "
                               "scored together: give each a run and a journal of its own")};
    return run;
  }

  RunRequest Begin(const VideoGroup& group) {
    videos_.HoldPipes(false);
    current_ = group.size() == request_.distorted.size() ? request_ : PartOf(request_, group);
    videos_.Use(current_);
    return current_;
  }

  void Take(const Waiting& next, const RunRequest& part, AttemptResult result) {
    if (result.outcome == Outcome::kDone) return TakeScores(next, part, std::move(result));
    action_ = last_action_;
    if (result.outcome == Outcome::kNoNvdec) return LeaveNvdec(next, result.run);
    if (result.outcome == Outcome::kRealign) return Realign(next, std::move(result));
    for (const VideoGroup& group : result.groups)
      Wait(ItemsAt(group, next.group), PartOf(next.attempt.alignment, group));
  }

  void TakeScores(const Waiting& next, const RunRequest& part, AttemptResult result) {
    const VideoGroup finished = OthersOf(result.unfinished, next.group.size());
    if (!result.unfinished.empty())
      Wait(ItemsAt(result.unfinished, next.group), PartOf(next.attempt.alignment, result.unfinished));
    ScoredRun run = Done(part, std::move(result), next.decoder_warning);
    scored_.push_back({ItemsAt(finished, next.group), PartOf(std::move(run), finished)});
    last_action_ = action_;
  }

  void LeaveNvdec(Waiting next, const ScoredRun& run) {
    next.attempt.decoder = Decoder::kCpu;
    request_.device_cache->CloseDecoders();
    next.decoder_warning =
        fmt::format("with NVDEC: {}; started again without, scores do not change", run.error->status.message());
    if (request_.on_warning) request_.on_warning(*next.decoder_warning);
    waiting_.push_front(std::move(next));
  }

  /// Those that are aligned as planned are scored together, and the others as they are alone.
  void Realign(const Waiting& next, AttemptResult result) {
    const VideoGroup kept = OthersOf(result.rejected, next.group.size());
    if (!kept.empty()) Wait(ItemsAt(kept, next.group), PartOf(next.attempt.alignment, kept));
    const VideoGroup rejected = ItemsAt(result.rejected, next.group);
    const RunRequest part = Begin(rejected);
    Result<std::vector<GroupPlan>> plans = PlanOrError([&] {
      return PlanNextAttempt(part, PartOf(result.task, result.rejected), next.attempt.alignment,
                             std::move(result.misalignment), videos_);
    });
    if (!plans.ok()) {
      scored_.push_back({rejected, Unaligned(request_, plans.status(), std::move(result.damage))});
      return;
    }
    for (GroupPlan& each : *plans) Wait(ItemsAt(each.group, rejected), std::move(each.plan));
  }

  RunRequest request_;
  RunRequest current_;
  VideoCache videos_;
  std::deque<Waiting> waiting_;
  std::vector<ScoredGroup> scored_;
  FrameAction action_ = FrameAction::kContinue;  // that on_frame asked for
  FrameAction last_action_ = action_;            // in groups that are scored
};

/// Starts the driver while the videos are opened and aligned.
void OpenDevicesAhead(RunRequest& request) {
  if (!request.device_cache->Peek(request.device).empty()) return;
  Result<std::shared_ptr<DevicePicker>> picker = MakeDevicePicker(request.device);
  if (!picker.ok() || !*picker) return;
  request.devices_ahead = *picker;
  request.devices_ahead->OpenAhead();
}

}  // namespace

ScoredRun RunScore(const RunRequest& asked) {
  RunRequest request = asked;
  request.device_cache = request.cached_reference ? request.cached_reference->devices() : SharedDevices();
  if (!request.device_cache) request.device_cache = std::make_shared<DeviceCache>(std::nullopt);  // of its attempts
  OpenDevicesAhead(request);
  if (request.on_warning) request.on_warning = WarnOnce(request.on_warning);
  constexpr size_t kShare = 4;  // of the limit, for the bytes of all pipes
  if (request.max_memory)
    request.open.most_replayed =
        std::min(request.open.most_replayed, *request.max_memory / (kShare * (1 + request.distorted.size())));
  // First: a wrong format often ends the run before the videos are opened to be scored.
  const std::vector<std::string> doubts = DoubtRawFormats(request);
  if (request.on_warning) std::ranges::for_each(doubts, request.on_warning);
  ScoredRun run = EncodeGroups(request).Score();
  run.warnings.insert(run.warnings.begin(), doubts.begin(), doubts.end());
  return run;
}

}  // namespace acutance
