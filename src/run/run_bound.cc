#include "run/run_bound.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/usable_cpus.h"
#include "run/score_run.h"

namespace acutance {
namespace {

/// A part of waits, in proportion to `busy`, which is a part of `of`.
double Portion(double waited, double busy, double of) { return of > 0 ? waited * std::min(busy / of, 1.0) : 0; }

bool IsContainer(const Input& input) { return !input.facts.codec.empty(); }

void AddVideo(const Input& input, const ReadingTimes& times, std::vector<RunBound>& waits) {
  const double reading = Portion(times.waited, times.reading, times.busy);
  const bool is_changed = !input.changes.empty();
  const Stage making = IsContainer(input) ? Stage::kDecoding : is_changed ? Stage::kConverting : Stage::kReading;
  waits.push_back({Stage::kReading, input.path, false, reading});
  waits.push_back({making, input.path, is_changed, times.waited - reading});
}

/// Waits for the session: writing happens in one thread at a time, next to scoring.
void AddSession(const Session& session, double waited, std::vector<RunBound>& waits) {
  const double written = std::min(session.writing_seconds(), waited);
  const double writing = 2 * written > waited ? written : 0;
  waits.push_back({Stage::kWriting, {}, false, writing});
  LaneTimes lanes;
  for (const auto& lane : session.lanes()) {
    LaneTimes times = lane->times();
    if (lane->info().is_reference) times.computing += std::exchange(times.filling, 0);  // the emulator works there
    lanes += times;
  }
  // A device that gets no frames though the session has them waits for the CPU's features.
  const double cpu = session.RunsOnCpu() ? lanes.starving : 0, all = lanes.filling + lanes.computing + cpu;
  waits.push_back({Stage::kUploading, {}, false, Portion(waited - writing, lanes.filling, all)});
  waits.push_back({Stage::kDevice, {}, false, Portion(waited - writing, lanes.computing, all)});
  waits.push_back({Stage::kCpu, {}, false, all > 0 ? Portion(waited - writing, cpu, all) : waited - writing});
}

bool DecodesOnCpu(const RunRequest& request, const ScoredRun& run) {
  return request.decoder == Decoder::kCpu && std::ranges::any_of(run.inputs, IsContainer);
}

/// The option that would help, where one would.
std::string OptionFor(const RunBound& bound, const RunRequest& request, const ScoredRun& run, const Session& session) {
  const bool is_cuda = session.lanes().size() == 1 && session.device()->backend == "cuda" && !session.RunsOnCpu();
  const bool has_pictures = bound.stage == Stage::kDecoding || bound.stage == Stage::kUploading;
  if (has_pictures && is_cuda && DecodesOnCpu(request, run)) return "--decoder auto";
  const bool uses_threads =
      bound.stage == Stage::kDecoding || bound.stage == Stage::kConverting || bound.stage == Stage::kCpu;
  if (uses_threads && request.threads < UsableCpus()) return fmt::format("--threads {}", UsableCpus());
  const bool may_use_gpu = request.device.backend == "cpu" && MachineMayHaveGpu();
  return bound.stage == Stage::kCpu && may_use_gpu ? "--backend auto" : "";
}

}  // namespace

std::string_view NameOf(Stage stage) {
  constexpr std::string_view kNames[] = {"reading", "decoding", "converting", "uploading",
                                         "scoring", "device",   "writing"};
  return kNames[static_cast<int>(stage)];
}

RunBound FindBound(const RunRequest& request, const ScoredRun& run, const Session& session, const PairReader& reader,
                   const FeedTimes& feed) {
  std::vector<RunBound> waits;
  const std::vector<ReadingTimes> videos = reader.times();
  for (size_t v = 0; v < std::min(videos.size(), run.inputs.size()); ++v) AddVideo(run.inputs[v], videos[v], waits);
  AddSession(session, feed.scoring.seconds(), waits);
  waits.push_back({Stage::kWriting, {}, false, feed.writing.seconds()});
  for (RunBound& one : waits)
    for (RunBound& other : waits)
      if (&one != &other && one.stage == other.stage && one.path == other.path)
        one.seconds += std::exchange(other.seconds, 0);
  RunBound bound = *std::ranges::max_element(waits, {}, &RunBound::seconds);
  bound.option = OptionFor(bound, request, run, session);
  return bound;
}

}  // namespace acutance
