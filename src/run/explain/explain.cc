#include "run/explain/explain.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "run/explain/changes.h"
#include "run/explain/evaluator.h"

namespace acutance {
namespace {

constexpr int64_t kWindow = 14;  // frames of a window of which eight are compared
constexpr int64_t kReach = kLongestShift;
constexpr double kEqual = 1.5e-6;  // two numbers with six decimals
constexpr double kOfSimd = 2e-3;   // the largest difference between libvmaf's SIMD code and its C code, in a feature
constexpr int kRounds = 3;         // of one change each
constexpr size_t kFinalists = 6;   // of a round: hypotheses that are compared in all frames of a window
constexpr size_t kShownEquals = 3;
constexpr int64_t kAround = 3;  // frames before and after one that its features look at, at most

class Search {
 public:
  /// first_logged: the number in the log of the frame that is number 0 here.
  Search(const LogEvaluator& evaluator, const LoggedScores& log, const ClipFrames& reference,
         const ClipFrames& distorted, const LogWindow& early, const LogWindow& late, int64_t first_logged)
      : evaluator_(evaluator),
        log_(log),
        reference_(reference),
        distorted_(distorted),
        early_(early),
        late_(late),
        first_logged_(first_logged) {}

  Result<Explanation> Run() {
    if (Status plain = Try({}, 0); !plain.ok()) {  // the log's numbers may be larger than the videos'
      if (first_logged_ == 0) return plain;
      Hypothesis from_first;
      from_first.reference.first = from_first.distorted.first = -first_logged_;
      ACU_RETURN_IF_ERROR(Try(from_first, 1));
    }
    for (int round = 1; round <= kRounds; ++round) {
      const ExplainCandidate from = Best();
      TryPromising(from.hypothesis, ChangesOf(from.hypothesis, reference_, distorted_, first_logged_), round);
      if (Best().largest <= kEqual || Best().distance > 0.9 * from.distance) break;
    }
    // Scores hardly come nearer by the half of a crop that differs at the sides and ends.
    if (Best().largest > kOfSimd) TryPromising(tried_.front().hypothesis, CropsOf(reference_.format()), 1);
    SettlePairings();
    return Conclude();
  }

 private:
  void TryPromising(const Hypothesis& from, const std::vector<HypothesisChange>& changes, int count) {
    for (const Hypothesis& next : Promising(from, changes))
      (void)Try(next, count);  // what cannot be computed, such as pictures that become too small, is no explanation
  }

  /// The changes of a hypothesis whose features of a few frames are nearest to the log's; all, where the log has only
  /// features that look at several frames.
  std::vector<Hypothesis> Promising(const Hypothesis& from, const std::vector<HypothesisChange>& changes) const {
    LogWindow sparse = early_;
    sparse.is_sparse = true;
    std::vector<Hypothesis> all;
    std::vector<std::pair<double, Hypothesis>> screened;
    for (const HypothesisChange& change : changes) {
      Hypothesis next = from;
      change(next);
      if (IsTried(next) || std::ranges::find(all, next) != all.end()) continue;
      all.push_back(next);
      if (const Result<LogDistance> found = evaluator_.Evaluate(next, sparse); found.ok())
        screened.emplace_back(found->distance, next);
    }
    if (screened.empty()) return all;
    std::ranges::stable_sort(screened, {}, &std::pair<double, Hypothesis>::first);
    const double near = 1.5 * screened[0].first + 1e-3;
    std::vector<Hypothesis> promising;
    for (const auto& [distance, hypothesis] : screened)
      if (promising.size() < kFinalists || distance <= near) promising.push_back(hypothesis);
    return promising;
  }

  bool IsTried(const Hypothesis& hypothesis) const {
    return std::ranges::find(tried_, hypothesis, &ExplainCandidate::hypothesis) != tried_.end();
  }

  Status Try(const Hypothesis& hypothesis, int changes) {
    ACU_ASSIGN_OR_RETURN(const LogDistance found, evaluator_.Evaluate(hypothesis, early_));
    tried_.push_back({hypothesis, changes, Describe(hypothesis, reference_.format(), distorted_.format()),
                      found.distance, found.largest});
    return {};
  }

  /// The simplest one of those that give equal scores, or else the nearest.
  const ExplainCandidate& Best() const {
    return *std::ranges::min_element(tried_, {}, [](const ExplainCandidate& each) {
      return std::pair(each.largest <= kEqual ? 0 : each.distance, each.changes);
    });
  }

  static bool HaveOnePairing(const Hypothesis& a, const Hypothesis& b) {
    return a.swapped == b.swapped && a.reference == b.reference && a.distorted == b.distorted;
  }

  /// Pairs of still pictures give equal scores, whichever frames they are of: frames near the end may tell them apart.
  void SettlePairings() {
    std::vector<ExplainCandidate*> equal;
    for (ExplainCandidate& each : tried_)
      if (each.largest <= kEqual) equal.push_back(&each);
    is_ambiguous_ = std::ranges::any_of(equal, [&](const ExplainCandidate* each) {
      return !HaveOnePairing(each->hypothesis, equal.front()->hypothesis);
    });
    if (!is_ambiguous_ || late_.first <= early_.first) return;
    std::vector<Result<LogDistance>> found;
    for (const ExplainCandidate* const each : equal) found.push_back(evaluator_.Evaluate(each->hypothesis, late_));
    const auto fits = [](const Result<LogDistance>& late) { return late.ok() && late->largest <= kEqual; };
    if (std::ranges::none_of(found, fits)) return;
    for (size_t i = 0; i < equal.size(); ++i) {
      if (fits(found[i])) continue;
      equal[i]->distance = found[i].ok() ? found[i]->distance : 1;
      equal[i]->largest = found[i].ok() ? found[i]->largest : 1;
    }
  }

  /// Whether both have the log's scores, or the same other ones.
  static bool HaveOneScore(const ExplainCandidate& a, const ExplainCandidate& b) {
    if (a.largest <= kEqual && b.largest <= kEqual) return true;
    return std::fabs(a.distance - b.distance) <= 1e-9 && std::fabs(a.largest - b.largest) <= 1e-9;
  }

  Result<Explanation> Conclude() {
    Explanation result;
    result.best = Best();
    for (const ExplainCandidate& each : tried_) {
      if (each.hypothesis == result.best->hypothesis) continue;
      if (HaveOneScore(each, *result.best)) {
        if (!each.text.empty()) result.notes.push_back("the same scores: " + each.text);
        if (each.changes == result.best->changes && each.text != result.best->text &&
            std::ranges::find(result.equals, each.text) == result.equals.end())
          result.equals.push_back(each.text);
      } else if (!result.second || each.distance < result.second->distance) {
        result.second = each;
      }
    }
    ACU_ASSIGN_OR_RETURN(const LogDistance early, evaluator_.Evaluate(result.best->hypothesis, early_));
    result.confidence = std::min(Confidence(result, early), is_ambiguous_ ? 0.8 : 1.0);
    if (result.is_known()) {
      NameEngine(early, result);
      FindChange(result);
      FindBegin(result);
      ACU_RETURN_IF_ERROR(NameModel(result));
    }
    if (log_.step > 1) result.sampling = fmt::format("one of {} frames is scored", log_.step);
    return result;
  }

  /// Scores that are equal in all decimals leave no doubt, except where few columns were compared.
  static double Confidence(const Explanation& result, const LogDistance& found) {
    const double ratio = result.second ? result.second->distance / std::max(result.best->distance, 1e-12) : 1e12;
    if (found.largest <= kEqual) return found.columns > 1 ? 0.99 : 0.8;
    if (found.largest <= kOfSimd && ratio > 4) return 0.9;
    if (result.best->distance < 0.05 && ratio > 2.5) return 0.6;
    return 0.2;
  }

  void NameEngine(const LogDistance& found, Explanation& result) const {
    const std::string version = log_.version.empty() ? "libvmaf" : "libvmaf " + log_.version;
    if (found.differing.empty()) {
      result.engine = version + "'s plain C, or an engine with equal scores";
      return;
    }
    // What its other code is known to change (docs/use/conformance.md): its SIMD code features of single frames, its
    // CUDA code those of motion.
    const int differing = static_cast<int>(found.differing.size());
    const char* const code = found.differing_over_time == 0           ? "SIMD"
                             : found.differing_over_time == differing ? "CUDA"
                                                                      : "SIMD or CUDA";
    result.engine = fmt::format("{}, not its plain C: {} differ by up to {:.2g}, as its {} code does", version,
                                fmt::join(found.differing, ", "), found.largest, code);
  }

  /// Frames that are missing or repeated within the clip: another offset fits near its end.
  void FindChange(Explanation& result) const {
    const Hypothesis& best = result.best->hypothesis;
    const Result<LogDistance> same = evaluator_.Evaluate(best, late_);
    if (late_.first <= early_.first || !same.ok() || same->distance < 0.05) return;
    std::optional<std::pair<double, int64_t>> found;  // distance, shift of the distorted video
    for (int64_t shift = -kReach; shift <= kReach; ++shift) {
      Hypothesis shifted = best;
      (shift > 0 ? shifted.distorted.first : shifted.reference.first) += shift > 0 ? shift : -shift;
      for (Hypothesis each : {shifted, Shifted(best, shift)}) {
        const Result<LogDistance> distance = evaluator_.Evaluate(each, late_);
        if (distance.ok() && (!found || distance->distance < found->first)) found = {distance->distance, shift};
      }
    }
    const auto number = [&](int64_t frame) { return frame + first_logged_; };
    if (!found || found->first > 0.5 * same->distance || found->second == 0) {
      result.notes.push_back(
          fmt::format("the frames from {} on have other scores, and no shift explains them", number(late_.first)));
      result.confidence = std::min(result.confidence, 0.6);
      return;
    }
    const int64_t count = std::abs(found->second);
    result.change =
        fmt::format("between frames {} and {} the pairs shift by {}: {} of the {} {} missing", number(early_.end),
                    number(late_.first), count, count == 1 ? "one frame" : fmt::format("{} frames", count),
                    found->second > 0 ? "reference's pairs" : "distorted video's pairs", count == 1 ? "is" : "are");
  }

  /// Whether the run began with the log's first frame: features of motion look at the frame before.
  void FindBegin(Explanation& result) const {
    const auto equals = [&](int64_t before) {
      const int64_t end = log_.step + kAround;
      const Result<LogDistance> found = evaluator_.Evaluate(result.best->hypothesis, {-before, end, before, end - 1});
      return found.ok() && found->largest <= kEqual;
    };
    const bool alone = equals(0), after_others = equals(kAround * log_.step);
    if (alone == after_others) return;
    if (after_others) result.begin = "frames before the log's first were scored, too";
    else if (first_logged_ > 0) result.begin = fmt::format("the run began at frame {}", first_logged_);
  }

  static Hypothesis Shifted(Hypothesis hypothesis, int64_t shift) {
    (shift > 0 ? hypothesis.reference.first : hypothesis.distorted.first) -= shift > 0 ? shift : -shift;
    return hypothesis;
  }

  Status NameModel(Explanation& result) const {
    ACU_ASSIGN_OR_RETURN(const std::vector<ModelFit> fits, evaluator_.FitModels(result.best->hypothesis, early_));
    if (fits.empty()) return {};
    const double bound = result.best->largest <= kEqual ? 1e-4 : 0.5;
    if (fits.front().difference > bound) return {};
    result.model = fits.front().name;
    result.model_difference = fits.front().difference;
    return {};
  }

  const LogEvaluator& evaluator_;
  const LoggedScores& log_;
  const ClipFrames& reference_;
  const ClipFrames& distorted_;
  const LogWindow early_, late_;
  const int64_t first_logged_;
  std::vector<ExplainCandidate> tried_;
  bool is_ambiguous_ = false;  // several pairings give equal scores on the early frames
};

Json CandidateJson(const ExplainCandidate& candidate) {
  return {{"text", candidate.text.empty() ? "a plain comparison, frame by frame" : candidate.text},
          {"distance", candidate.distance},
          {"largest_difference", candidate.largest}};
}

}  // namespace

Result<Explanation> ExplainLog(LoggedScores log, const std::string& reference, const std::string& distorted,
                               const OpenOptions& open, int threads) {
  if (log.frames.empty())
    return Error(StatusCode::kUnsupported, "{} has no scores of frames: a log of xml, json or csv is needed", log.path);
  const int64_t step = log.step, origin = log.frames.front(), last = log.frames.back() + 1 - origin;
  for (int64_t& frame : log.frames) frame -= origin;
  const int64_t length = kWindow + 8 * (step - 1);
  const auto aligned = [&](int64_t frame) { return std::max<int64_t>(frame, 0) / step * step; };
  const LogWindow early{aligned(std::min(kReach, last - length)), std::min(aligned(kReach) + length, last)};
  const LogWindow late{aligned(last - length - kReach / 2), last - kReach / 2};
  std::vector<std::pair<int64_t, int64_t>> ranges = {{-2 * kReach - kAround * step, 3 * early.end + kReach},
                                                     {late.first - kReach, late.end + kReach}};
  if (origin > 0)
    for (const LogWindow& window : {early, late})
      ranges.emplace_back(window.first - 2 * kReach - origin, window.end + kReach - origin);
  ACU_ASSIGN_OR_RETURN(const ClipFrames first, ClipFrames::Read(reference, open, ranges, origin));
  ACU_ASSIGN_OR_RETURN(const ClipFrames second, ClipFrames::Read(distorted, open, ranges, origin));
  ACU_ASSIGN_OR_RETURN(const LogEvaluator evaluator, LogEvaluator::Make(log, first, second, threads));
  ACU_ASSIGN_OR_RETURN(Explanation result, Search(evaluator, log, first, second, early, late, origin).Run());
  if (const Status scaler = CheckFfmpegScaler(); !scaler.ok())
    result.notes.push_back("scaling was not examined: " + scaler.message());
  return result;
}

std::string Explanation::Sentence() const {
  if (!is_known()) return "The cause is unknown: no hypothesis gives the log's scores.";
  std::vector<std::string> parts = {"Equals " + engine};
  std::string how = best->text.empty() ? "a plain comparison, frame by frame" : best->text;
  for (const std::string& other : std::span(equals).first(std::min(equals.size(), kShownEquals)))
    how += " (or " + other + ")";
  if (equals.size() > kShownEquals) how += fmt::format(" (or one of {} others)", equals.size() - kShownEquals);
  parts.push_back(std::move(how));
  if (!change.empty()) parts.push_back(change);
  if (!begin.empty()) parts.push_back(begin);
  if (!sampling.empty()) parts.push_back(sampling);
  if (!model.empty()) parts.push_back("model " + model);
  parts.push_back(fmt::format("remaining difference {:.2g}", best->largest <= kEqual ? 0 : best->largest));
  return fmt::format("{}.", fmt::join(parts, "; "));
}

Json ExplanationJson(const Explanation& explanation) {
  Json json = {
      {"known", explanation.is_known()}, {"confidence", explanation.confidence}, {"text", explanation.Sentence()}};
  if (explanation.best) json["best"] = CandidateJson(*explanation.best);
  if (explanation.second) json["second"] = CandidateJson(*explanation.second);
  for (const auto& [name, text] :
       {std::pair("engine", explanation.engine), std::pair("model", explanation.model),
        std::pair("change", explanation.change), std::pair("begin", explanation.begin),
        std::pair("pooling", explanation.pooling), std::pair("sampling", explanation.sampling)})
    if (!text.empty()) json[name] = text;
  json["notes"] = explanation.notes;
  return json;
}

}  // namespace acutance
