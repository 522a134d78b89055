#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "cli/exit_status.h"
#include "cli/spec_run.h"
#include "metric/registry.h"
#include "run/run_options.h"

namespace acutance::cli {
namespace {

std::vector<std::string> FeaturesWithPlans() {
  std::vector<std::string> names;
  for (const Metric* metric : AllMetrics())
    if (metric->make_plan && !IsInternal(*metric)) names.emplace_back(metric->name);
  return names;
}

std::vector<std::string> BackendsWithDevices() {
  std::vector<std::string> names;
  for (const Backend* backend : Backends())
    if (std::ranges::any_of(backend->probe().devices, [](const DeviceInfo& device) { return !device.is_reference; }))
      names.emplace_back(backend->name);
  return names;
}

/// The distance of two scores. NaN equals NaN; a score that only one side has is infinitely far.
double Difference(const std::optional<double>& a, const std::optional<double>& b) {
  if (a.has_value() != b.has_value()) return std::numeric_limits<double>::infinity();
  if (!a || *a == *b || (std::isnan(*a) && std::isnan(*b))) return 0;
  const double difference = std::fabs(*a - *b);
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

double LargestDifference(const ScoreTable& a, const ScoreTable& b, int64_t frames) {
  double largest = 0;
  for (int c = 0; c < static_cast<int>(a.columns().size()); ++c)
    for (int64_t i = 0; i < frames; ++i) largest = std::max(largest, Difference(a.Get(c, i), b.Get(c, i)));
  for (size_t i = 0; i < a.aggregates().size(); ++i)
    largest = std::max(largest, Difference(a.aggregates()[i].second, b.aggregates()[i].second));
  return largest;
}

class ParityRun {
 public:
  explicit ParityRun(const ParityArgs& args) : args_(args) {}

  Result<ScoredRun> ScoreOnCpu(const FeatureRequest& feature) const { return Run(feature, "cpu"); }

  /// Fails where the device did not compute all of it. expected: the CPU's run.
  Result<ScoredRun> Score(const FeatureRequest& feature, const std::string& backend, const ScoredRun& expected) const {
    ACU_ASSIGN_OR_RETURN(ScoredRun result, Run(feature, backend));
    if (backend == "cpu") return result;
    // A device that failed was replaced by the CPU, so nothing was compared. Warnings that the CPU gives, too, concern
    // the scores.
    const std::vector<std::string> known = expected.session->warnings();
    for (const std::string& warning : result.session->warnings())
      if (std::ranges::find(known, warning) == known.end()) return Error(StatusCode::kNoDevice, "{}", warning);
    if (!FindMetric(feature.metric)->make_plan)
      return Error(StatusCode::kUnsupported, "feature {} has no device plan", feature.metric);
    if (!result.session->device())
      return Error(StatusCode::kNoDevice, "{}: no device took part (`acutance devices` says why)", backend);
    return result;
  }

 private:
  Result<ScoredRun> Run(const FeatureRequest& feature, const std::string& backend) const {
    RunRequest request;
    request.reference = args_.reference;
    request.distorted = {args_.distorted};
    request.open.raw = args_.run.open.raw;
    request.open.raw_is_semi_planar = args_.run.open.raw_is_semi_planar;
    request.features = {feature};
    request.threads = args_.threads;
    request.frame_limit = args_.frames;
    request.device.backend = backend;
    ScoredRun result = LoadModelsAndRun(std::move(request));
    if (result.error) return result.error->status;
    return result;
  }

  const ParityArgs& args_;
};

/// Writes one cell of the table; false when it is a failure.
bool PrintCell(const Result<ScoredRun>& found, const ScoredRun& expected, double bound, std::set<std::string>& errors) {
  if (!found.ok()) {
    fmt::print("  {:>22}", "failed");
    errors.insert(found.status().message());
    return false;
  }
  const double difference = LargestDifference(expected.session->scores(0), found->session->scores(0), expected.frames);
  fmt::print("  {:>22}", difference == 0 ? "0 (exact)" : fmt::format("{:.3g} (not exact)", difference));
  std::fflush(stdout);
  return difference <= bound;
}

void PrintHeader(const std::vector<std::string>& backends, size_t width) {
  fmt::print("{:<{}}  {:>6}", "feature", width, "frames");
  for (const std::string& backend : backends) fmt::print("  {:>22}", backend);
  fmt::print("\n");
}

int PrintTable(const ParityRun& run, const std::vector<FeatureRequest>& features, const std::vector<std::string>& names,
               const std::vector<std::string>& backends, double bound, bool were_named) {
  size_t width = 7;
  for (const std::string& name : names) width = std::max(width, name.size());
  bool all_equal = true, has_header = false;
  std::set<std::string> errors;  // each once: a backend without a device fails every feature alike
  for (size_t f = 0; f < features.size(); ++f) {
    const Result<ScoredRun> expected = run.ScoreOnCpu(features[f]);
    if (!expected.ok()) {  // the pictures may be too small for this feature alone
      errors.insert(expected.status().message());
      all_equal &= !were_named;
      continue;
    }
    if (!std::exchange(has_header, true)) PrintHeader(backends, width);
    fmt::print("{:<{}}  {:>6}", names[f], width, expected->frames);
    for (const std::string& backend : backends)
      all_equal &= PrintCell(run.Score(features[f], backend, *expected), *expected, bound, errors);
    fmt::print("\n");
  }
  all_equal &= has_header;  // something was compared
  for (const std::string& error : errors) fmt::print(stderr, "acutance parity: {}\n", error);
  fmt::print("{}\n", all_equal ? "all within the bound" : "FAILED");
  return all_equal ? kOk : kFailed;
}

int UsageError(const Status& status) { return Fail("parity", status, kUsage); }

}  // namespace

int RunParityCommand(ParityArgs args) {
  const std::vector<std::string> names = args.features.empty() ? FeaturesWithPlans() : args.features;
  std::vector<FeatureRequest> features;
  for (const std::string& name : names) {
    Result<FeatureRequest> feature = ParseFeatureSpec(name);
    if (!feature.ok()) return UsageError(feature.status());
    if (const auto known = OptionsOf(*feature); !known.ok()) return UsageError(known.status());
    features.push_back(std::move(feature).value());
  }
  const std::vector<std::string> backends = args.backends.empty() ? BackendsWithDevices() : args.backends;
  for (const std::string& backend : backends)
    if (const Status status = CheckDeviceChoice({backend, std::nullopt, {}}); !status.ok()) return UsageError(status);
  if (backends.empty())
    return UsageError(Error(StatusCode::kNoDevice,
                            "no backend has a device (`acutance devices` says why); the emulator "
                            "runs anywhere: --backends emu"));
  if (const Status status = CompleteRequest(args.run); !status.ok()) return UsageError(status);
  const double bound = args.places < 0 ? 0 : 0.5 * std::pow(10.0, -args.places);
  return PrintTable(ParityRun(args), features, names, backends, bound, !args.features.empty());
}

}  // namespace acutance::cli
