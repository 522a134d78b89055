#include "report/mean_gate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "report/summary_json.h"
#include "stats/random.h"
#include "stats/sequential_test.h"
#include "video/open_video.h"

namespace acutance {
namespace {

using Verdict = MeanTest::Verdict;

// Frames that are read round a part, so that its scores are those of a whole run: VMAF v1's motion looks that far.
constexpr int64_t kBefore = 4, kAfter = 3;
constexpr int64_t kShortestPart = 16, kUnknownRate = 25;
constexpr size_t kFirstParts = 8;
// Of frames that are decoded from the first on for each look at a part, fewer are scored in one go for less.
constexpr int64_t kShort = 600;
constexpr int64_t kLook = 100;  // frames whose pairs are looked at, at the beginning and the end

/// Where a file does not tell, it is decoded once. rate: of the first file that tells.
Result<int64_t> CountFrames(const std::string& path, const OpenOptions& options, std::optional<double>& rate) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  if (!rate) rate = video->frame_rate();
  if (const auto frames = video->frame_count()) return *frames;
  video->SkipChroma();
  return video->Skip(std::numeric_limits<int64_t>::max());
}

class MeanGate {
 public:
  MeanGate(const RunRequest& request, const MeanGateChoice& gate, std::function<Next(const MeanProgress&)> on_progress)
      : gate_(gate), on_progress_(std::move(on_progress)), base_(request) {
    base_.find_shots = false;
    base_.worst_frames = 0;
    base_.on_frame = nullptr;
    base_.on_warning = [this, tell = request.on_warning](const std::string& warning) {
      if (warned_.insert(warning).second && tell) tell(warning);
    };
  }

  /// Scores until the verdict is settled.
  Status Run() {
    ACU_ASSIGN_OR_RETURN(const bool is_short, IsShort());
    if (is_short) return ScoreAll();
    ACU_RETURN_IF_ERROR(FindPairs());
    SplitSegments();
    ACU_RETURN_IF_ERROR(ScoreRest());
    size_t next = 0;
    while (test_->verdict() == Verdict::kOpen) {
      // Each time so much more is read that passing over frames, which may cost decoding, stays a part of the cost.
      const size_t end = std::min(order_.size(), std::max({kFirstParts, order_.size() / 20, next + next / 2}));
      const std::vector<size_t> drawn(order_.begin() + static_cast<std::ptrdiff_t>(next),
                                      order_.begin() + static_cast<std::ptrdiff_t>(end));
      ACU_RETURN_IF_ERROR(ScoreParts(drawn));
      for (; next < end && test_->verdict() == Verdict::kOpen; ++next) test_->Add(Turned(means_[order_[next]]));
      if (on_progress_ && on_progress_({frames_read(), frames_, model_, Turned(test_->mean())}) == Next::kStop)
        return Stopped();
    }
    return {};
  }

  MeanVerdict Tell() const {
    Interval bounds = test_->Bounds();
    if (!gate_.at_least) bounds = {Turned(bounds.high), Turned(bounds.low)};
    const auto rest = static_cast<double>(rest_frames_), all = static_cast<double>(frames_);
    const auto whole = [&](double mean) { return (mean * (all - rest) + rest_sum_) / all; };
    return {.gate = gate_,
            .reference = base_.reference,
            .distorted = base_.distorted.front(),
            .score = model_,
            .holds = test_->verdict() == Verdict::kAbove,
            .is_certain = test_->is_certain(),
            .mean_of_read = MeanOfRead(),
            .least_mean = whole(bounds.low),
            .greatest_mean = whole(bounds.high),
            .frames = frames_,
            .frames_read = frames_read(),
            .warnings = {warned_.begin(), warned_.end()}};
  }

 private:
  /// --at-most asks whether the scores, turned round in their range, reach the bound that is turned, too: so that a
  /// mean equal to the bound meets both.
  double Turned(double score) const { return gate_.at_least ? score : least_ + most_ - score; }

  int64_t frames_read() const { return static_cast<int64_t>(read_.size()); }

  double MeanOfRead() const {
    const double parts = Turned(test_->mean()) * static_cast<double>(test_->added()) * static_cast<double>(part_);
    const double count = static_cast<double>(test_->added()) * static_cast<double>(part_);
    return (parts + rest_sum_) / (count + static_cast<double>(rest_frames_));
  }

  /// Whether both videos are decoded, and tell that they have few frames.
  Result<bool> IsShort() {
    for (const std::string& path : {base_.reference, base_.distorted.front()}) {
      ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> video, OpenVideo(path, base_.open));
      const std::optional<int64_t> frames = video->frame_count();
      if (video->facts().codec.empty() || !frames || *frames > kShort) return false;
    }
    return true;
  }

  static Status Stopped() { return Error(StatusCode::kCancelled, "stopped on request, before there was a verdict"); }

  /// As any run does, so that the verdict is certain, whatever frames belong together.
  Status ScoreAll() {
    RunRequest request = base_;
    bool is_stopped = false;
    request.on_frame = [&](const Session& session, std::optional<int64_t> total) {
      const int64_t done = session.frames_done();
      const MeanProgress progress = {done, total.value_or(done), session.models().front().model().name, {}};
      is_stopped |= on_progress_ && on_progress_(progress) == Next::kStop;
      return is_stopped ? Next::kStop : Next::kContinue;
    };
    const ScoredRun run = RunScore(std::move(request));
    if (is_stopped) return Stopped();
    if (run.error) return run.error->status;
    ACU_RETURN_IF_ERROR(ReadModel(*run.session));
    const ScoreTable& table = run.session->scores(0);
    frames_ = rest_frames_ = run.frames;
    for (int64_t i = 0; i < frames_; ++i) {
      ACU_ASSIGN_OR_RETURN(const double score, ScoreOf(table, i, i));
      rest_sum_ += score;
      read_.insert(i);
    }
    TestRestAlone();
    return {};
  }

  void TestRestAlone() {
    test_.emplace(MeanTest::Options{Turned(gate_.bound), least_, most_, gate_.confidence, gate_.certain}, 1);
    test_->Add(Turned(rest_sum_ / static_cast<double>(rest_frames_)));
  }

  /// Of a row of the table, for a frame of such a number.
  Result<double> ScoreOf(const ScoreTable& table, int64_t row, int64_t frame) const {
    const double score = *table.Get(table.Find(column_), row);
    if (score >= least_ && score <= most_) return score;
    return Error(StatusCode::kUnsupported, "frame {} scores {}, outside of {}'s range", frame, score, model_);
  }

  /// How many pairs there are, and by how much the distorted video is late.
  Status FindPairs() {
    late_ = base_.pairing.mode == AlignmentRequest::Mode::kOffset ? base_.pairing.late : 0;
    if (base_.pairing.mode == AlignmentRequest::Mode::kAuto) ACU_RETURN_IF_ERROR(LookAtFirst());
    else if (base_.pairing.mode == AlignmentRequest::Mode::kTimes ||
             base_.pairing.mode == AlignmentRequest::Mode::kFile)
      return Error(StatusCode::kUnsupported, "frames of which a part is read are paired by --align auto, index or +N");
    ACU_ASSIGN_OR_RETURN(const int64_t reference, CountFrames(base_.reference, base_.open, frame_rate_));
    ACU_ASSIGN_OR_RETURN(const int64_t distorted, CountFrames(base_.distorted.front(), base_.open, frame_rate_));
    first_ = base_.skip_reference + std::max<int64_t>(0, -late_);
    last_ = std::min(reference, distorted - late_);
    frames_ = last_ - first_;
    if (base_.frame_limit > 0) frames_ = std::min(frames_, base_.frame_limit);
    if (frames_ <= 0) return Error(StatusCode::kBadData, "there is no frame to score");
    return base_.pairing.mode == AlignmentRequest::Mode::kAuto ? LookAtLast() : Status();
  }

  /// How some frames from `first` on belong together; nullopt: by their order, unlooked at.
  Result<std::optional<Alignment>> LookAt(int64_t first) const {
    RunRequest request = base_;
    request.skip_reference = request.skip_distorted = first;
    request.frame_limit = kLook;
    request.choose_models.reset();
    request.models.clear();
    request.features = {{"psnr", {{"enable_chroma", "false"}}}};  // any that reads both videos, for these are paired
    const ScoredRun run = RunScore(request);
    if (run.error) return run.error->status;
    return run.alignments.empty() ? std::nullopt : std::optional(run.alignments.front());
  }

  static Status NoFixedPartner(const std::string& found) {
    return Error(StatusCode::kUnsupported,
                 "{}, so that frames have no fixed partner: score the whole with --require, or --align index", found);
  }

  /// The beginning tells whether frames fit one by one, or with an offset.
  Status LookAtFirst() {
    ACU_ASSIGN_OR_RETURN(const std::optional<Alignment> found, LookAt(base_.skip_reference));
    if (!found) return {};
    if (found->dropped() + found->repeated() > 0) return NoFixedPartner(found->Describe());
    late_ = found->late();
    return {};
  }

  /// Frames that were dropped or repeated anywhere before show at the end.
  Status LookAtLast() const {
    if (frames_ < 2 * kLook) return {};
    const int64_t begin = first_ + frames_ - kLook - std::abs(late_);
    const Result<std::optional<Alignment>> last = LookAt(begin);
    // The whole videos may leave these frames without partners, where pictures hardly move.
    if (!last.ok()) return last.status().code() == StatusCode::kBadData ? Status() : last.status();
    const std::optional<Alignment>& found = *last;
    constexpr double kSure = 0.9;  // below, pictures hardly move
    if (!found || found->by != Alignment::By::kFingerprints || found->confidence < kSure || found->late() == late_)
      return {};
    return NoFixedPartner(fmt::format("of the frames from {} on, {}", begin, found->Describe()));
  }

  void SplitSegments() {
    const double rate = frame_rate_.value_or(kUnknownRate);
    const int64_t second = std::max<int64_t>(kShortestPart, std::llround(rate));
    part_ = std::clamp<int64_t>(frames_ / 600, kShortestPart, second);
    parts_ = static_cast<size_t>(frames_ / part_);
    rest_frames_ = frames_ % part_;
    means_.assign(parts_, 0.0);
    Random random(gate_.seed);
    order_ = RandomOrder(parts_, random);
  }

  /// The last frames, which fill no part, are known before the test begins.
  Status ScoreRest() {
    if (rest_frames_ > 0 || parts_ == 0) {
      const int64_t begin = first_ + frames_ - rest_frames_;
      ACU_ASSIGN_OR_RETURN(const std::vector<double> sums, ScoreRanges({{begin, begin + rest_frames_}}));
      rest_sum_ = sums.front();
    } else {
      ACU_RETURN_IF_ERROR(FindModel());
    }
    if (parts_ == 0) {
      TestRestAlone();
      return {};
    }
    const auto all = static_cast<double>(frames_), rest = static_cast<double>(rest_frames_);
    const double bound = (gate_.bound * all - rest_sum_) / (all - rest);
    test_.emplace(MeanTest::Options{Turned(bound), least_, most_, gate_.confidence, gate_.certain}, parts_);
    return {};
  }

  /// Scores one frame, for the model's name and range.
  Status FindModel() { return ScoreRanges({{first_, first_ + 1}}).status(); }

  Status ScoreParts(std::vector<size_t> parts) {
    std::ranges::sort(parts);
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const size_t part : parts) {
      const int64_t begin = first_ + static_cast<int64_t>(part) * part_;
      ranges.emplace_back(begin, begin + part_);
    }
    ACU_ASSIGN_OR_RETURN(const std::vector<double> sums, ScoreRanges(ranges));
    for (size_t i = 0; i < parts.size(); ++i) means_[parts[i]] = sums[i] / static_cast<double>(part_);
    return {};
  }

  /// The sums of the scores of each range of frames; ranges grow and are apart.
  Result<std::vector<double>> ScoreRanges(const std::vector<std::pair<int64_t, int64_t>>& ranges) {
    RunRequest request = base_;
    request.skip_reference = request.skip_distorted = request.frame_limit = 0;
    request.pairing = {.mode = AlignmentRequest::Mode::kFile};
    std::vector<int64_t> frames;
    for (const auto& [begin, end] : ranges) {
      int64_t frame = std::max(first_, begin - kBefore);
      if (!frames.empty()) frame = std::max(frame, frames.back() + 1);
      for (; frame < std::min(last_, end + kAfter); ++frame) frames.push_back(frame);
    }
    request.frame_limit = static_cast<int64_t>(frames.size());  // pairs from the first on may be read without a list
    for (const int64_t frame : frames) request.pairing.pairs.emplace_back(frame, frame + late_);
    const ScoredRun run = RunScore(request);
    if (run.error) return run.error->status;
    ACU_RETURN_IF_ERROR(ReadModel(*run.session));
    if (run.frames != static_cast<int64_t>(frames.size()))
      return Error(StatusCode::kBadData, "a video ends before frame {}, of which it told", frames.back());
    read_.insert(frames.begin(), std::ranges::lower_bound(frames, first_ + frames_));
    const ScoreTable& table = run.session->scores(0);
    std::vector<double> sums;
    for (const auto& [begin, end] : ranges) {
      const auto at = std::ranges::lower_bound(frames, begin) - frames.begin();
      double sum = 0;
      for (int64_t i = 0; i < end - begin; ++i) {
        ACU_ASSIGN_OR_RETURN(const double score, ScoreOf(table, at + i, begin + i));
        sum += score;
      }
      sums.push_back(sum);
    }
    return sums;
  }

  Status ReadModel(const Session& session) {
    const ModelRun& run = session.models().front();
    const bool is_unbounded = !base_.choose_models && base_.models.front().flags.disable_clip;
    if (!run.model().clip || is_unbounded)
      return Error(StatusCode::kUnsupported,
                   "{} has no range of scores, without which a part tells nothing of the rest", run.model().name);
    model_ = run.model().name;
    column_ = run.main_score_key();
    least_ = run.model().clip->min;
    most_ = run.model().clip->max;
    return {};
  }

  const MeanGateChoice gate_;
  const std::function<Next(const MeanProgress&)> on_progress_;
  RunRequest base_;
  std::set<std::string> warned_;
  std::optional<double> frame_rate_;
  int64_t late_ = 0;
  int64_t first_ = 0, last_ = 0;  // of the reference's frames that have partners
  int64_t frames_ = 0;
  std::set<int64_t> read_;  // those round parts, too, some of which are read more than once
  int64_t part_ = 1;
  size_t parts_ = 0;
  int64_t rest_frames_ = 0;
  double rest_sum_ = 0;
  std::vector<size_t> order_;
  std::vector<double> means_;  // by part
  std::string model_, column_;
  double least_ = 0, most_ = 100;
  std::optional<MeanTest> test_;
};

Status Check(const RunRequest& request, const MeanGateChoice& gate) {
  if (request.distorted.size() != 1 || request.subsample > 1 || request.pairs || !request.maps.empty() ||
      !request.journal.empty())
    return Error(
        StatusCode::kInvalidArgument,
        "a verdict from a part of the frames is of one distorted video, whose other frames have no scores, maps "
        "or journals");
  if (request.models.empty() && !request.choose_models)
    return Error(StatusCode::kInvalidArgument, "a verdict on the mean needs a model");
  for (const std::string& path : {request.reference, request.distorted.front()}) {
    std::error_code absent;  // which opening it tells better
    const bool is_pipe = std::filesystem::exists(path, absent) && !std::filesystem::is_regular_file(path, absent);
    if (path == "-" || is_pipe)
      return Error(StatusCode::kInvalidArgument, "{}: frames are read out of order: name files", path);
  }
  if (!std::isfinite(gate.bound))
    return Error(StatusCode::kInvalidArgument, "the bound of a mean is a number, not {}", gate.bound);
  if (!(gate.confidence > 0 && gate.confidence < 1))
    return Error(StatusCode::kInvalidArgument, "a confidence lies above 0 and below 1 (100 %), not at {:.6g}",
                 gate.confidence);
  return {};
}

}  // namespace

std::string MeanVerdict::Sentence() const {
  const char* const is = gate.at_least ? (holds ? "at least" : "below") : (holds ? "at most" : "above");
  return fmt::format(
      "{}: {} is {} {} on average, {}: {} of {} frames were read ({:.1f} %){}; {}", distorted, score, is, gate.bound,
      is_certain ? "for certain" : fmt::format("at {:g} %", gate.confidence * 100), frames_read, frames,
      100.0 * static_cast<double>(frames_read) / static_cast<double>(frames),
      std::isfinite(mean_of_read) ? fmt::format(", whose mean is {:.4f}", mean_of_read)
                                  : ", and no other score is possible",
      holds ? "as required" : fmt::format("{} {:g} is required", gate.at_least ? "at least" : "at most", gate.bound));
}

Result<MeanVerdict> JudgeMean(const RunRequest& request, const MeanGateChoice& gate,
                              const std::function<Next(const MeanProgress&)>& on_progress) {
  ACU_RETURN_IF_ERROR(Check(request, gate));
  MeanGate run(request, gate, on_progress);
  ACU_RETURN_IF_ERROR(run.Run());
  return run.Tell();
}

Json MeanVerdictJson(const MeanVerdict& verdict) {
  return {{"schema", kSchemaName},
          {"kind", "mean"},
          {"version", ACUTANCE_VERSION},
          {"reference", verdict.reference},
          {"distorted", verdict.distorted},
          {"score", verdict.score},
          {"relation", verdict.gate.at_least ? "at_least" : "at_most"},
          {"bound", verdict.gate.bound},
          {"holds", verdict.holds},
          {"certain", verdict.is_certain},
          {"confidence", verdict.confidence()},
          {"mean_of_read", verdict.mean_of_read},
          {"least_mean", verdict.least_mean},
          {"greatest_mean", verdict.greatest_mean},
          {"frames", verdict.frames},
          {"frames_read", verdict.frames_read},
          {"seed", verdict.gate.seed},
          {"text", verdict.Sentence()},
          {"warnings", verdict.warnings}};
}

}  // namespace acutance
