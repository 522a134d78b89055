#include "run/judge_mean.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "metric/registry.h"
#include "stats/mean_gate.h"
#include "stats/score_table.h"
#include "video/open_video.h"

namespace acutance {
namespace {

/// HDR videos get features in place of models that are chosen for them.
Status CheckModel(const Session& session) {
  if (!session.models().empty()) return {};
  return Error(StatusCode::kUnsupported,
               "a verdict on the mean needs a model, and no model knows HDR: --require takes "
               "the means of its features");
}

/// The score of a run's first model.
struct GatedScore {
  std::string model, column;
  ScoreRange range;

  /// Fails for a model whose scores have no range.
  static Result<GatedScore> Of(const RunRequest& request, const Session& session) {
    ACU_RETURN_IF_ERROR(CheckModel(session));
    const ModelRun& run = session.models().front();
    const bool is_unbounded = !request.choose_models && request.models.front().flags.disable_clip;
    if (!run.model().clip || is_unbounded)
      return Error(StatusCode::kUnsupported, "{} has no range of scores, without which a part cannot bound the rest",
                   run.model().name);
    return GatedScore{run.model().name, run.main_score_key(), {run.model().clip->min, run.model().clip->max}};
  }

  /// The score of a row of the table; an error, which names the frame, where it lies outside of the range.
  Result<double> Read(const ScoreTable& table, int64_t row, int64_t frame) const {
    const double score = *table.Get(table.Find(column), row);
    if (score >= range.least && score <= range.most) return score;
    return Error(StatusCode::kUnsupported, "frame {} scores {}, outside of {}'s range", frame, score, model);
  }
};

/// Pairs of two videos with a fixed offset.
struct AlignedRange {
  int64_t offset = 0;          // distorted frame k + offset belongs to reference frame k
  int64_t first = 0, end = 0;  // of the reference's frames that have partners
  int64_t frames = 0;          // to score, from `first` on
};

// Frames that are read around a range, so that its scores are those of a whole run: VMAF v1's motion looks that far.
constexpr int64_t kBefore = 4, kAfter = 3;

/// The reference's frames that are read.
std::vector<int64_t> FramesAround(const std::vector<FrameSpan>& ranges, const AlignedRange& aligned) {
  std::vector<int64_t> frames;
  for (const auto& [begin, end] : ranges) {
    int64_t frame = std::max(aligned.first, aligned.first + begin - kBefore);
    if (!frames.empty()) frame = std::max(frame, frames.back() + 1);
    for (; frame < std::min(aligned.end, aligned.first + end + kAfter); ++frame) frames.push_back(frame);
  }
  return frames;
}

class RangeScorer {
 public:
  /// request: with one distorted video.
  RangeScorer(RunRequest request, const AlignedRange& aligned) : request_(std::move(request)), aligned_(aligned) {}

  /// The sums of the scores of ranges of frames, which grow and are apart; frame 0 is the first of `aligned`.
  Result<std::vector<double>> Sum(const std::vector<FrameSpan>& ranges) {
    const std::vector<int64_t> frames = FramesAround(ranges, aligned_);
    RunRequest request = request_;
    request.skip_reference = request.skip_distorted = 0;
    request.pairing = {.mode = AlignmentRequest::Mode::kFile};
    request.frame_limit = std::ssize(frames);  // pairs from the first on may be read without a list
    for (const int64_t frame : frames) request.pairing.pairs.emplace_back(frame, frame + aligned_.offset);
    const ScoredRun run = RunScore(request);
    if (run.error) return run.error->status;
    ACU_ASSIGN_OR_RETURN(score_, GatedScore::Of(request_, *run.session));
    if (run.frames != std::ssize(frames))
      return Error(StatusCode::kBadData, "a video ends before frame {}, though it reports more", frames.back());
    read_.insert(frames.begin(), std::ranges::lower_bound(frames, aligned_.first + aligned_.frames));
    const ScoreTable& table = run.session->scores(0);
    std::vector<double> sums;
    for (const auto& [begin, end] : ranges) {
      const int64_t first = aligned_.first + begin;
      const int64_t row = std::ranges::lower_bound(frames, first) - frames.begin();
      double sum = 0;
      for (int64_t i = 0; i < end - begin; ++i) {
        ACU_ASSIGN_OR_RETURN(const double score, score_.Read(table, row + i, first + i));
        sum += score;
      }
      sums.push_back(sum);
    }
    return sums;
  }

  const GatedScore& score() const { return score_; }  // after Sum()
  int64_t frames_read() const { return static_cast<int64_t>(read_.size()); }

 private:
  RunRequest request_;
  const AlignedRange aligned_;
  GatedScore score_;
  std::set<int64_t> read_;  // with the frames around ranges, some of which are read more than once
};

// Blocks are decoded from the first frame each, so that videos this short are scored as a whole for less.
constexpr int64_t kShort = 600;
constexpr int64_t kLook = 100;  // frames whose alignment is checked, at the beginning and at the end

using Mode = AlignmentRequest::Mode;
using OnProgress = std::function<FrameAction(const Progress&)>;

Status Stopped() { return Error(StatusCode::kCancelled, "stopped on request, before there was a verdict"); }

/// Whether both videos are decoded, and report few frames.
Result<bool> IsShort(const RunRequest& request) {
  for (const std::string& path : {request.reference, request.distorted.front()}) {
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> video, OpenVideo(path, request.open));
    const std::optional<int64_t> frames = video->frame_count();
    if (video->facts().codec.empty() || !frames || *frames > kShort) return false;
  }
  return true;
}

MeanVerdict VerdictOf(const MeanJudge& gate, const GatedScore& score, int64_t frames, int64_t frames_read) {
  const MeanDecision decision = gate.Decide();
  return {.holds = decision.holds,
          .certain = decision.is_certain,
          .score = score.model,
          .mean_of_read = decision.mean_of_scored,
          .least_mean = decision.least_mean,
          .greatest_mean = decision.greatest_mean,
          .frames = frames,
          .frames_read = frames_read};
}

/// Scores all frames, so that the verdict is certain, and frames may be aligned in any way.
Result<MeanVerdict> JudgeAll(RunRequest request, const MeanGate& choice, const OnProgress& on_progress) {
  bool is_stopped = false;
  request.on_start = [then = request.on_start](const Session& session) {
    ACU_RETURN_IF_ERROR(CheckModel(session));
    return then ? then(session) : Status();
  };
  request.on_frame = [&](const Session& session, std::optional<int64_t> total) {
    const int64_t done = session.frames_done();
    const Progress progress{done, total.value_or(done), {}, session.models().front().model().name};
    is_stopped |= on_progress && on_progress(progress) != FrameAction::kContinue;
    return is_stopped ? FrameAction::kStop : FrameAction::kContinue;
  };
  const ScoredRun run = RunScore(request);
  if (is_stopped) return Stopped();
  if (run.error) return run.error->status;
  ACU_ASSIGN_OR_RETURN(const GatedScore score, GatedScore::Of(request, *run.session));
  double sum = 0;
  for (int64_t frame = 0; frame < run.frames; ++frame) {
    ACU_ASSIGN_OR_RETURN(const double one, score.Read(run.session->scores(0), frame, frame));
    sum += one;
  }
  MeanJudge gate = MeanJudge::OfAllFrames(choice, run.frames);
  gate.Begin(score.range, sum);
  return VerdictOf(gate, score, run.frames, run.frames);
}

/// The number of frames, for which a video that does not report it is decoded. rate: of the first video that has one.
Result<int64_t> CountFrames(const std::string& path, const OpenOptions& options, std::optional<double>& rate) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  if (!rate) rate = video->frame_rate();
  if (const auto frames = video->frame_count()) return *frames;
  video->SkipChroma();
  return video->Skip(std::numeric_limits<int64_t>::max());
}

/// A feature that compares luma of both videos, for a run that only aligns them.
FeatureRequest LumaFeature() {
  constexpr std::string_view kChroma = "enable_chroma";
  const auto is_plain = [](const InputSpec& input) {
    return input.planes == kLuma && !input.derived && input.history == 0;
  };
  for (const std::string_view name : MetricNames()) {
    const Metric& metric = *FindMetric(name);
    FeatureRequest request{std::string(name), {}};
    if (std::ranges::find(metric.options, kChroma, &OptionSpec::name) != metric.options.end())
      request.options = {{std::string(kChroma), "false"}};
    const Result<OptionValues> options = OptionValues::Parse(metric.options, request.options);
    const std::vector<InputSpec> inputs = InputsOf(metric, options.value());
    if (Reads(inputs, Video::kReference) && Reads(inputs, Video::kDistorted) && std::ranges::all_of(inputs, is_plain))
      return request;
  }
  return {};
}

/// How some frames from `first` on are aligned; nullopt: by their order, unchecked.
Result<std::optional<Alignment>> AlignmentFrom(int64_t first, RunRequest request) {
  request.skip_reference = request.skip_distorted = first;
  request.frame_limit = kLook;
  request.choose_models.reset();
  request.models.clear();
  request.features = {LumaFeature()};
  const ScoredRun run = RunScore(request);
  if (run.error) return run.error->status;
  return run.alignments.empty() ? std::nullopt : std::optional(run.alignments.front());
}

Status NoFixedPartner(const std::string& found) {
  return Error(StatusCode::kUnsupported,
               "{}, so that frames have no fixed partner: score the whole with --require, or --align index", found);
}

/// The offset of the distorted video, from the request or from the first frames.
Result<int64_t> FindOffset(const RunRequest& request) {
  const AlignmentRequest& asked = request.pairing;
  if (asked.mode == Mode::kTimes || asked.mode == Mode::kFile)
    return Error(StatusCode::kUnsupported, "frames of which a part is read are paired by --align auto, index or +N");
  if (asked.mode != Mode::kAuto) return asked.mode == Mode::kOffset ? asked.late : 0;
  ACU_ASSIGN_OR_RETURN(const std::optional<Alignment> found, AlignmentFrom(request.skip_reference, request));
  if (!found) return 0;
  if (found->dropped() + found->held_count() + found->repeated() > 0) return NoFixedPartner(found->Describe());
  return found->late();
}

/// Frames that were dropped or repeated anywhere show at the end.
Status CheckEnd(const RunRequest& request, const AlignedRange& aligned) {
  if (request.pairing.mode != Mode::kAuto || aligned.frames < 2 * kLook) return {};
  const int64_t begin = aligned.first + aligned.frames - kLook - std::abs(aligned.offset);
  const Result<std::optional<Alignment>> last = AlignmentFrom(begin, request);
  // Where pictures hardly move, the whole videos may leave these frames without partners.
  if (!last.ok()) return last.status().code() == StatusCode::kBadData ? Status() : last.status();
  const std::optional<Alignment>& found = *last;
  constexpr double kSure = 0.9;  // below, pictures hardly move
  if (!found || found->by != Alignment::By::kFingerprints || found->confidence < kSure ||
      found->late() == aligned.offset)
    return {};
  return NoFixedPartner(fmt::format("of the frames from {} on, {}", begin, found->Describe()));
}

/// The pairs of the two videos. rate: their frame rate.
Result<AlignedRange> FindPairs(const RunRequest& request, std::optional<double>& rate) {
  AlignedRange aligned;
  ACU_ASSIGN_OR_RETURN(aligned.offset, FindOffset(request));
  ACU_ASSIGN_OR_RETURN(const int64_t reference, CountFrames(request.reference, request.open, rate));
  ACU_ASSIGN_OR_RETURN(const int64_t distorted, CountFrames(request.distorted.front(), request.open, rate));
  aligned.first = request.skip_reference + std::max<int64_t>(0, -aligned.offset);
  aligned.end = std::min(reference, distorted - aligned.offset);
  aligned.frames = aligned.end - aligned.first;
  if (request.frame_limit > 0) aligned.frames = std::min(aligned.frames, request.frame_limit);
  if (aligned.frames <= 0) return Error(StatusCode::kBadData, "there is no frame to score");
  ACU_RETURN_IF_ERROR(CheckEnd(request, aligned));
  return aligned;
}

Result<MeanVerdict> JudgeBlocks(const RunRequest& request, const MeanGate& choice, const OnProgress& on_progress) {
  std::optional<double> rate;
  ACU_ASSIGN_OR_RETURN(const AlignedRange aligned, FindPairs(request, rate));
  MeanJudge gate(choice, aligned.frames, rate);
  RangeScorer scorer(request, aligned);
  // Without a tail, one frame is scored for the model's name and range.
  const bool has_tail = gate.tail().begin < gate.tail().end;
  ACU_ASSIGN_OR_RETURN(const std::vector<double> first, scorer.Sum({has_tail ? gate.tail() : FrameSpan{0, 1}}));
  gate.Begin(scorer.score().range, has_tail ? first.front() : 0);
  while (gate.is_open()) {
    ACU_ASSIGN_OR_RETURN(const std::vector<double> sums, scorer.Sum(gate.NextBlocks()));
    gate.AddBlocks(sums);
    const Progress progress{scorer.frames_read(), aligned.frames, gate.mean_of_blocks(), scorer.score().model};
    if (on_progress && on_progress(progress) != FrameAction::kContinue) return Stopped();
  }
  return VerdictOf(gate, scorer.score(), aligned.frames, scorer.frames_read());
}

Status Check(const RunRequest& request, const MeanGate& gate) {
  if (request.distorted.size() != 1 || request.subsample > 1 || request.pairs || !request.maps.empty() ||
      !request.journal.empty())
    return Error(
        StatusCode::kInvalidArgument,
        "a verdict from a part of the frames is of one distorted video, whose other frames have no scores, maps "
        "or journals");
  if (request.models.empty() && !request.choose_models)
    return Error(StatusCode::kInvalidArgument, "a verdict on the mean needs a model");
  for (const std::string& path : {request.reference, request.distorted.front()}) {
    if (path == "-" || (Exists(path) && !IsRegularFile(path)))  // opening reports absent ones better
      return Error(StatusCode::kInvalidArgument, "{}: frames are read out of order: name files", path);
  }
  if (!std::isfinite(gate.bound))
    return Error(StatusCode::kInvalidArgument, "the bound of a mean is a number, not {}", gate.bound);
  if (!(gate.confidence > 0 && gate.confidence < 1))
    return Error(StatusCode::kInvalidArgument, "a confidence lies above 0 and below 1 (100 %), not at {:.6g}",
                 gate.confidence);
  return {};
}

std::string TextOf(const MeanVerdict& verdict) {
  const MeanGate& gate = verdict.gate;
  const char* const is = gate.at_least ? (verdict.holds ? "at least" : "below") : (verdict.holds ? "at most" : "above");
  return fmt::format(
      "{}: {} is {} {} on average, {}: {} of {} frames were read ({:.1f} %){}; {}", verdict.distorted, verdict.score,
      is, gate.bound, verdict.certain ? "for certain" : fmt::format("at {:g} %", gate.confidence * 100),
      verdict.frames_read, verdict.frames,
      100.0 * static_cast<double>(verdict.frames_read) / static_cast<double>(verdict.frames),
      std::isfinite(verdict.mean_of_read) ? fmt::format(", whose mean is {:.4f}", verdict.mean_of_read)
                                          : ", and no other score is possible",
      verdict.holds ? "as required"
                    : fmt::format("{} {:g} is required", gate.at_least ? "at least" : "at most", gate.bound));
}

}  // namespace

Result<MeanVerdict> JudgeMean(const RunRequest& request, const MeanGate& gate, const OnProgress& on_progress) {
  ACU_RETURN_IF_ERROR(Check(request, gate));
  std::set<std::string> warned;
  RunRequest base = request;
  base.find_shots = base.measure_information = false;
  base.worst_frames = 0;
  base.hash_samples = false;
  base.on_frame = nullptr;
  base.on_warning = [&](const std::string& warning) {
    if (warned.insert(warning).second && request.on_warning) request.on_warning(warning);
  };
  ACU_ASSIGN_OR_RETURN(const bool is_short, IsShort(base));
  ACU_ASSIGN_OR_RETURN(MeanVerdict verdict,
                       is_short ? JudgeAll(std::move(base), gate, on_progress) : JudgeBlocks(base, gate, on_progress));
  verdict.confidence = verdict.certain ? 1 : gate.confidence;
  verdict.gate = gate;
  verdict.reference = request.reference;
  verdict.distorted = request.distorted.front();
  verdict.warnings = {warned.begin(), warned.end()};
  verdict.text = TextOf(verdict);
  return verdict;
}

}  // namespace acutance
