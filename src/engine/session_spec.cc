#include "engine/session_spec.h"

#include <algorithm>
#include <utility>

#include "base/environment.h"

namespace acutance {
namespace {

Status CheckNumbers(const SessionSpec& spec) {
  constexpr int kMaxThreads = 1024;
  if (spec.threads < 1 || spec.threads > kMaxThreads)
    return Error(StatusCode::kInvalidArgument, "{} threads: the number must be 1 to {}", spec.threads, kMaxThreads);
  if (spec.subsample < 1)
    return Error(StatusCode::kInvalidArgument, "subsample {}: the number must be at least 1", spec.subsample);
  return {};
}

}  // namespace

bool BoundRequests::RunsOnDevice() const { return std::ranges::all_of(features.runs(), &MetricRun::HasPlan); }

Result<BoundRequests> Bind(SessionSpec& spec) {
  ACU_RETURN_IF_ERROR(CheckNumbers(spec));
  ACU_RETURN_IF_ERROR(ReadBytes("ACUTANCE_MAX_MEMORY", spec.max_memory));
  ACU_RETURN_IF_ERROR(ReadBytes("ACUTANCE_MAX_VRAM", spec.max_device_memory));
  if (spec.distorted_count < 1)
    return Error(StatusCode::kInvalidArgument, "a session needs at least one distorted video");
  BoundRequests bound{.features = FeatureSet(spec.distorted_count), .models = {}, .tap_runs = {}};
  if (spec.on_artifact) bound.features.RequestArtifacts();
  for (const ModelRequest& request : spec.models) {
    ACU_ASSIGN_OR_RETURN(ModelRun model, ModelRun::Create(request, bound.features));
    bound.models.push_back(std::move(model));
  }
  for (const FeatureRequest& request : spec.features) ACU_RETURN_IF_ERROR(bound.features.AddRequested(request));
  if (bound.features.runs().empty())
    return Error(StatusCode::kInvalidArgument, "nothing to compute: name a model or a feature");
  for (const ResultTap& tap : spec.taps) {
    ACU_ASSIGN_OR_RETURN(const int run, bound.features.AddTap(tap.metric));
    bound.tap_runs.push_back(run);
  }
  return bound;
}

Result<SessionNeeds> FindNeeds(const SessionSpec& spec) {
  SessionSpec copy = spec;
  ACU_ASSIGN_OR_RETURN(const BoundRequests bound, Bind(copy));
  return SessionNeeds{.chroma = bound.features.NeedsChroma(),
                      .reference = bound.features.Reads(Video::kReference),
                      .distorted = bound.features.Reads(Video::kDistorted),
                      .runs_on_device = bound.RunsOnDevice()};
}

}  // namespace acutance
