#include "run/explain/explain.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <utility>

#include "run/explain/evaluator.h"

namespace acutance {
namespace {

constexpr int64_t kWindow = 14;    // frames of a window of which eight are compared
constexpr int64_t kReach = 8;      // the largest offset that is looked for
constexpr double kEqual = 1.5e-6;  // two numbers with six decimals
constexpr double kOfSimd = 2e-3;   // the largest difference between libvmaf's SIMD code and its C code, in a feature
constexpr int kRounds = 3;         // of one change each
constexpr int kFilters[] = {kSwsBicubic, kSwsBilinear, kSwsLanczos, kSwsSpline, kSwsArea, kSwsFastBilinear, kSwsPoint};
constexpr int kCrops[] = {2, 4, 8, 10, 12, 16, 20, 24, 32, 40, 60, 64};

using Changes = std::vector<std::function<void(Hypothesis&)>>;

/// Every change of which frames form pairs.
void AddPairings(Changes& changes) {
  changes.push_back([](Hypothesis& h) { h.swapped = !h.swapped; });
  for (int64_t k = 1; k <= kReach; ++k)
    for (const int64_t first : {k, -k}) {
      changes.push_back([first](Hypothesis& h) { h.reference.first = first; });
      changes.push_back([first](Hypothesis& h) { h.distorted.first = first; });
    }
  for (const int n : {2, 3}) {
    changes.push_back([n](Hypothesis& h) { h.reference.step = n; });
    changes.push_back([n](Hypothesis& h) { h.distorted.step = n; });
    changes.push_back([n](Hypothesis& h) { h.reference.step = h.distorted.step = n; });
  }
  changes.push_back([](Hypothesis& h) { h.reference.repeat = 2; });
  changes.push_back([](Hypothesis& h) { h.distorted.repeat = 2; });
}

void AddScalings(Changes& changes) {
  for (const bool scales_reference : {false, true})
    for (const int filter : kFilters)
      for (const int rounding : {0, int{kSwsAccurateRounding}, kSwsAccurateRounding | kSwsFullChroma})
        changes.push_back([=](Hypothesis& h) {
          h.flags = filter | rounding;
          h.scales_reference = scales_reference;
        });
}

void AddConversions(Changes& changes, const PictureFormat& format) {
  for (const int depth : {8, 10, 12})
    if (depth != format.bit_depth) changes.push_back([depth](Hypothesis& h) { h.bit_depth = depth; });
  for (const PixelFormat chroma : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    if (chroma != format.pixel_format)
      changes.push_back([chroma](Hypothesis& h) { h.has_chroma_format = true, h.chroma = chroma; });
  for (const RangeChange range : {RangeChange::kToFull, RangeChange::kToLimited}) {
    changes.push_back([range](Hypothesis& h) { h.reference_range = range; });
    changes.push_back([range](Hypothesis& h) { h.distorted_range = range; });
    changes.push_back([range](Hypothesis& h) { h.reference_range = h.distorted_range = range; });
  }
}

void AddCrops(Changes& changes, const PictureFormat& format) {
  for (const int c : kCrops) {
    if (4 * c >= std::min(format.width, format.height)) break;
    changes.push_back([c](Hypothesis& h) { h.crop_x = c; });
    changes.push_back([c](Hypothesis& h) { h.crop_y = c; });
    changes.push_back([c](Hypothesis& h) { h.crop_x = h.crop_y = c; });
    changes.push_back([c](Hypothesis& h) { h.crop_distorted = c; });
  }
}

class Search {
 public:
  Search(const LogEvaluator& evaluator, const LoggedScores& log, const ClipFrames& reference,
         const ClipFrames& distorted, const LogWindow& early, const LogWindow& late)
      : evaluator_(evaluator), log_(log), reference_(reference), distorted_(distorted), early_(early), late_(late) {}

  Result<Explanation> Run() {
    const Hypothesis plain;
    ACU_RETURN_IF_ERROR(Try(plain));
    for (int round = 0; round < kRounds; ++round) {
      const double before = Best().distance;
      const Hypothesis from = Best().hypothesis;
      for (const Changes& kind : KindsOfChange()) {
        for (const std::function<void(Hypothesis&)>& change : kind) {
          Hypothesis next = from;
          change(next);
          (void)Try(next);  // what cannot be computed, such as pictures that become too small, is no explanation
        }
        if (Best().largest <= kEqual) return Conclude();
      }
      if (Best().distance > 0.9 * before) break;
    }
    return Conclude();
  }

 private:
  std::vector<Changes> KindsOfChange() const {
    const PictureFormat &r = reference_.format(), &d = distorted_.format();
    std::vector<Changes> kinds(4);
    if (r.width != d.width || r.height != d.height) AddScalings(kinds[0]);
    AddPairings(kinds[1]);
    AddConversions(kinds[2], r);
    AddCrops(kinds[3], r);
    return kinds;
  }

  Status Try(const Hypothesis& hypothesis) {
    const auto known = std::ranges::find(tried_, hypothesis, &ExplainCandidate::hypothesis);
    if (known != tried_.end()) return {};
    ACU_ASSIGN_OR_RETURN(const LogDistance found, evaluator_.Evaluate(hypothesis, early_));
    tried_.push_back(
        {hypothesis, Describe(hypothesis, reference_.format(), distorted_.format()), found.distance, found.largest});
    return {};
  }

  const ExplainCandidate& Best() const { return *std::ranges::min_element(tried_, {}, &ExplainCandidate::distance); }

  Result<Explanation> Conclude() {
    Explanation result;
    result.best = Best();
    for (const ExplainCandidate& each : tried_) {
      if (each.hypothesis == result.best->hypothesis) continue;
      if (each.largest <= kEqual && result.best->largest <= kEqual) {
        if (!each.text.empty()) result.notes.push_back("the same scores: " + each.text);
      } else if (!result.second || each.distance < result.second->distance) {
        result.second = each;
      }
    }
    ACU_ASSIGN_OR_RETURN(const LogDistance early, evaluator_.Evaluate(result.best->hypothesis, early_));
    result.confidence = Confidence(result, early);
    if (result.is_known()) {
      NameEngine(early, result);
      FindChange(result);
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
    if (found.differing.empty()) result.engine = version + "'s plain C, or an engine with equal scores";
    else
      result.engine = fmt::format("{}, not its plain C: {} differ by up to {:.2g}, as SIMD and CUDA code does", version,
                                  fmt::join(found.differing, ", "), found.largest);
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
    if (!found || found->first > 0.5 * same->distance || found->second == 0) return;
    const int64_t count = std::abs(found->second);
    result.change =
        fmt::format("between frames {} and {} the pairs shift by {}: {} of the {} {} missing", early_.end, late_.first,
                    count, count == 1 ? "one frame" : fmt::format("{} frames", count),
                    found->second > 0 ? "reference's pairs" : "distorted video's pairs", count == 1 ? "is" : "are");
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
  std::vector<ExplainCandidate> tried_;
};

Json CandidateJson(const ExplainCandidate& candidate) {
  return {{"text", candidate.text.empty() ? "a plain comparison, frame by frame" : candidate.text},
          {"distance", candidate.distance},
          {"largest_difference", candidate.largest}};
}

}  // namespace

Result<Explanation> ExplainLog(const LoggedScores& log, const std::string& reference, const std::string& distorted,
                               const OpenOptions& open, int threads) {
  if (log.frames.empty())
    return Error(StatusCode::kUnsupported, "{} has no scores of frames: a log of xml, json or csv is needed", log.path);
  const int64_t step = log.step, last = log.frames.back() + 1;
  const int64_t length = kWindow + 8 * (step - 1);
  const auto aligned = [&](int64_t frame) { return std::max<int64_t>(frame, 0) / step * step; };
  const LogWindow early{aligned(std::min(kReach, last - length)), std::min(aligned(kReach) + length, last)};
  const LogWindow late{aligned(last - length - kReach / 2), last - kReach / 2};
  const std::vector<std::pair<int64_t, int64_t>> ranges = {{early.first - kReach, 3 * early.end + kReach},
                                                           {late.first - kReach, late.end + kReach}};
  ACU_ASSIGN_OR_RETURN(const ClipFrames first, ClipFrames::Read(reference, open, ranges));
  ACU_ASSIGN_OR_RETURN(const ClipFrames second, ClipFrames::Read(distorted, open, ranges));
  ACU_ASSIGN_OR_RETURN(const LogEvaluator evaluator, LogEvaluator::Make(log, first, second, threads));
  ACU_ASSIGN_OR_RETURN(Explanation result, Search(evaluator, log, first, second, early, late).Run());
  if (const Status scaler = CheckFfmpegScaler(); !scaler.ok())
    result.notes.push_back("scaling was not examined: " + scaler.message());
  return result;
}

std::string Explanation::Sentence() const {
  if (!is_known()) return "The cause is unknown: no hypothesis gives the log's scores.";
  std::vector<std::string> parts = {"Equals " + engine};
  parts.push_back(best->text.empty() ? "a plain comparison, frame by frame" : best->text);
  if (!change.empty()) parts.push_back(change);
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
        std::pair("change", explanation.change), std::pair("sampling", explanation.sampling)})
    if (!text.empty()) json[name] = text;
  json["notes"] = explanation.notes;
  return json;
}

}  // namespace acutance
