#include "engine/session_output.h"

#include <algorithm>
#include <utility>

#include "metric/registry.h"

namespace acutance {

SessionOutput::SessionOutput(BoundRequests& bound, const SessionSpec& spec)
    : bound_(bound), spec_(spec), writer_(bound.features, bound.models, spec.subsample) {}

Status SessionOutput::CheckArtifacts() const {
  const auto has_artifacts = [](const MetricRun& run) { return !run.extractor->spec().artifacts.empty(); };
  if (!spec_.on_artifact || std::ranges::any_of(bound_.features.runs(), has_artifacts)) return {};
  const auto hands_out = [](const Metric& metric) { return metric.map.source == MapSource::kFirstArtifact; };
  return Error(StatusCode::kInvalidArgument,
               "maps were asked for, and none of the features has any; add one that has: {}",
               fmt::join(MetricNames(hands_out), ", "));
}

Status SessionOutput::Open(const ForEach& share) {
  ACU_RETURN_IF_ERROR(CheckArtifacts());
  ACU_RETURN_IF_ERROR(raw_artifacts_.Open(bound_.features, spec_.RunVideos()));
  ACU_RETURN_IF_ERROR(writer_.Start(spec_.distorted_count, share));
  means_.assign(bound_.models.size(), std::vector<std::optional<double>>(spec_.distorted_count));
  return {};
}

Status SessionOutput::Write(std::span<FrameResults* const> frames) {
  const std::lock_guard lock(mutex_);
  ACU_RETURN_IF_ERROR(writer_.Finish(frames));
  for (const FrameResults* frame : frames) CallTaps(*frame);
  {
    const TimeSum::Scope time(writing_);
    for (FrameResults* frame : frames) ACU_RETURN_IF_ERROR(DeliverArtifacts(*frame));
    if (spec_.on_results) ACU_RETURN_IF_ERROR(spec_.on_results(frames));
  }
  if (!spec_.writes_scores) return {};
  const Status status = writer_.Write(frames);
  PublishMeans();
  return status;
}

Status SessionOutput::Restore(std::span<FrameResults* const> frames) {
  const std::lock_guard lock(mutex_);
  const Status status = writer_.Write(frames);
  PublishMeans();
  return status;
}

Result<std::vector<std::string>> SessionOutput::Flush(int64_t frames) {
  const std::lock_guard lock(mutex_);
  ACU_RETURN_IF_ERROR(raw_artifacts_.Close());
  if (!spec_.writes_scores) return std::vector<std::string>();
  const Status status = writer_.Flush(frames);
  PublishMeans();
  if (!status.ok()) return status;
  std::vector<std::string> of_videos;
  for (int d = 0; d < spec_.distorted_count; ++d)
    of_videos.push_back(spec_.RunVideos() > 1 ? fmt::format(" of distorted video {}", spec_.NumberOf(d) + 1) : "");
  return writer_.Undefined(of_videos);
}

Status SessionOutput::Restart() {
  const std::lock_guard lock(mutex_);
  ACU_RETURN_IF_ERROR(writer_.Restart());
  PublishMeans();
  return {};
}

void SessionOutput::CallTaps(const FrameResults& frame) const {
  for (size_t t = 0; t < spec_.taps.size(); ++t)
    for (const RunResult& result : frame.runs)
      if (result.run == bound_.tap_runs[t]) spec_.taps[t].on_result(result);
}

/// Hands out a frame's artifacts and frees them.
Status SessionOutput::DeliverArtifacts(FrameResults& frame) {
  for (RunResult& result : frame.runs) {
    const MetricRun& run = bound_.features.runs()[result.run];
    ACU_RETURN_IF_ERROR(raw_artifacts_.Write(*run.extractor, result, frame.index));
    const std::vector<ArtifactSpec>& artifacts = run.extractor->spec().artifacts;
    for (size_t i = 0; i < result.artifacts.size() && spec_.on_artifact; ++i)
      ACU_RETURN_IF_ERROR(spec_.on_artifact({.name = std::string(artifacts[i].name) + run.options.KeySuffix(),
                                             .frame = frame.index,
                                             .distorted = result.distorted < 0 ? -1 : spec_.NumberOf(result.distorted),
                                             .picture = result.artifacts[i].Share()}));
    result.artifacts.clear();
  }
  return {};
}

void SessionOutput::PublishMeans() {
  const std::lock_guard lock(means_mutex_);
  for (int m = 0; m < static_cast<int>(means_.size()); ++m)
    for (int d = 0; d < spec_.distorted_count; ++d) means_[m][d] = bound_.models[m].RunningMean(table(d));
}

void SessionOutput::Read(int distorted, const std::function<void(const ScoreTable&)>& reader) const {
  const std::lock_guard lock(mutex_);
  reader(writer_.table(distorted));
}

std::optional<double> SessionOutput::RunningMean(int distorted, int model) const {
  const std::lock_guard lock(means_mutex_);
  return means_[model][distorted];
}

}  // namespace acutance
