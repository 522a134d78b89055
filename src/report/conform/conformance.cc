#include "report/conform/conformance.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "base/threads/parallel_for.h"

namespace acutance {
namespace {

/// Golden values and logs have six decimals, so that equal scores lie half of the last one apart, at most.
constexpr double kRounding = 0.75e-6;

double Difference(const std::optional<double>& a, const std::optional<double>& b) {
  if (a == b) return 0;
  const double difference = a && b ? std::fabs(*a - *b) : std::numeric_limits<double>::infinity();
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

/// How far a score may lie from the golden value. Sums of floating-point metrics are large.
double BoundOf(const ConformItem& item, double expected, double tolerance) {
  return kRounding + tolerance + (item.IsExact() ? 0 : 1e-6 + 1e-9 * std::fabs(expected));
}

bool IsSelected(const ConformOptions& options, const ClipSpec& clip, const ConformItem& item) {
  if (options.only.empty()) return true;
  return std::ranges::any_of(options.only, [&](const std::string& name) {
    return name == clip.Name() || name == item.Group() || name == item.text;
  });
}

class ConformanceTest {
 public:
  ConformanceTest(const ConformTool& tool, const GoldenValues& golden, const std::string& folder,
                  const ConformOptions& options)
      : tool_(tool), golden_(golden), folder_(folder), options_(options), outcomes_(ConformRuns().size()) {}

  Result<ConformResult> Run() {
    const auto begin = std::chrono::steady_clock::now();
    ACU_RETURN_IF_ERROR(WriteClips());
    const int count = static_cast<int>(ConformRuns().size());
    ACU_RETURN_IF_ERROR(ParallelFor(options_.jobs, count, [&](int run) -> Status {
      TestRun(run);
      const std::lock_guard lock(mutex_);
      if (options_.on_progress) options_.on_progress(++done_, count);
      return {};
    }));
    ConformResult result;
    for (std::vector<ConformOutcome>& outcomes : outcomes_)
      std::ranges::move(outcomes, std::back_inserter(result.outcomes));
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }

 private:
  Status WriteClips() {
    files_.resize(Clips().size());
    return ParallelFor(options_.jobs, static_cast<int>(Clips().size()), [&](int i) -> Status {
      ACU_ASSIGN_OR_RETURN(files_[i], WriteClip(Clips()[i], folder_));
      return {};
    });
  }

  void TestRun(int r) {
    const ConformRun& run = ConformRuns()[r];
    std::vector<ConformItem> items;
    for (const ConformItem& item : run.items)
      if (golden_.Find(*run.clip, item) && IsSelected(options_, *run.clip, item)) items.push_back(item);
    if (items.empty()) return;
    const Result<ConformScores> scores = RunTool(*run.clip, items, r);
    if (scores.ok())
      for (const ConformItem& item : items) outcomes_[r].push_back(Compare(*run.clip, item, *scores));
    else if (items.size() == 1) outcomes_[r].push_back(Refusal(*run.clip, items[0], scores.status()));
    else TestSeparately(r, items);
  }

  /// A program that cannot compute one of the items refuses them all.
  void TestSeparately(int r, const std::vector<ConformItem>& items) {
    const ClipSpec& clip = *ConformRuns()[r].clip;
    for (const ConformItem& item : items) {
      const Result<ConformScores> scores = RunTool(clip, {item}, r);
      outcomes_[r].push_back(scores.ok() ? Compare(clip, item, *scores) : Refusal(clip, item, scores.status()));
    }
  }

  Result<ConformScores> RunTool(const ClipSpec& clip, const std::vector<ConformItem>& items, int r) const {
    return tool_.Run(clip, files_[&clip - Clips().data()], items, folder_, fmt::format("run{}", r));
  }

  ConformOutcome Compare(const ClipSpec& clip, const ConformItem& item, const ConformScores& found) const {
    ConformOutcome outcome{&clip, item};
    CompareScores(*golden_.Find(clip, item), found, options_.tolerance, outcome);
    return outcome;
  }

  /// A crash or an exceeded time limit is a failure; an error that the program reports is its way to refuse.
  static ConformOutcome Refusal(const ClipSpec& clip, const ConformItem& item, const Status& status) {
    const bool refused = status.message().starts_with("exit status");
    return {&clip, item, refused ? ConformState::kNotOffered : ConformState::kFailed, {}, {}, status.message()};
  }

  const ConformTool& tool_;
  const GoldenValues& golden_;
  const std::string& folder_;
  const ConformOptions& options_;
  std::vector<ClipFiles> files_;
  std::vector<std::vector<ConformOutcome>> outcomes_;  // by run
  std::mutex mutex_;
  int done_ = 0;
};

}  // namespace

int ConformResult::Count(ConformState state) const {
  return static_cast<int>(std::ranges::count(outcomes, state, &ConformOutcome::state));
}

bool ConformResult::Conforms() const {
  return Count(ConformState::kEqual) > 0 && Count(ConformState::kDiffers) == 0 && Count(ConformState::kFailed) == 0;
}

void CompareScores(const ConformScores& expected, const ConformScores& found, double tolerance,
                   ConformOutcome& outcome) {
  for (const auto& [column, values] : expected) {
    const auto other = found.find(column);
    if (other == found.end()) {
      outcome.missing_columns.push_back(column);
      continue;
    }
    ConformDifference difference{column};
    for (size_t i = 0; i < std::max(values.size(), other->second.size()); ++i) {
      const std::optional<double> a = i < values.size() ? values[i] : std::nullopt;
      const std::optional<double> b = i < other->second.size() ? other->second[i] : std::nullopt;
      const double distance = Difference(a, b);
      if (!(distance > BoundOf(outcome.item, a.value_or(0), tolerance))) continue;
      if (difference.frames++ == 0) difference.first_frame = static_cast<int>(i);
      difference.largest = std::max(difference.largest, distance);
    }
    if (difference.frames > 0) outcome.differences.push_back(difference);
  }
  if (!outcome.differences.empty()) outcome.state = ConformState::kDiffers;
  if (outcome.missing_columns.size() < expected.size()) return;
  outcome.state = ConformState::kFailed;  // as where an option is accepted, but ignored: columns are named after it
  outcome.reason = fmt::format("it is accepted, but the log has no {}", outcome.missing_columns.front());
}

Result<ConformResult> TestConformance(const ConformTool& tool, const GoldenValues& golden, const std::string& folder,
                                      const ConformOptions& options) {
  return ConformanceTest(tool, golden, folder, options).Run();
}

}  // namespace acutance
