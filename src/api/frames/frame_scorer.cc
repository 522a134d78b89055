#include <acutance/frame_scorer.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "api/frames/frame_reader.h"
#include "api/frames/pair_batches.h"
#include "base/system/process.h"
#include "base/usable_cpus.h"
#include "engine/frame_results.h"
#include "engine/session.h"
#include "metric/registry.h"

namespace acutance::api {
namespace {

std::vector<std::unique_ptr<Sequence>> MakeSequences(std::span<const MetricRun> runs) {
  std::vector<std::unique_ptr<Sequence>> sequences;
  for (const MetricRun& run : runs) sequences.push_back(run.extractor->MakeSequence());
  return sequences;
}

/// A metric's values of one frame.
class FrameSink : public ScoreSink {
 public:
  FrameSink(int64_t frame, std::span<double> values) : frame_(frame), values_(values) {}
  void Set(int output, int64_t frame, double value) override {
    if (frame == frame_) values_[output] = value;
  }
  void SetAggregate(std::string_view, double) override {}

 private:
  const int64_t frame_;
  const std::span<double> values_;
};

struct AggregateSink : ScoreSink {
  void Set(int, int64_t, double) override {}
  void SetAggregate(std::string_view name, double value) override { values.emplace_back(name, value); }
  std::vector<std::pair<std::string, double>> values;
};

/// The option "transfer" of features that convert samples to light themselves.
Expected<std::string> TransferOption(int transfer) {
  constexpr int kLinear = 8, kSrgb = 13;
  if (transfer == 1 || transfer == 5 || transfer == 6) return std::string("bt1886");
  if (transfer == kSrgb) return std::string("srgb");
  if (transfer == kLinear) return std::string("linear");
  return Error(StatusCode::kUnsupported, "transfer function {}: there are 1, 5, 6, 8 and 13", transfer);
}

/// Sets the options that describe the videos' color where a feature has them.
Expected<FeatureRequest> RequestOf(const Feature& feature, const frames::PairReader& pair, bool compares_samples) {
  FeatureRequest request = {feature.name, feature.options};
  ACU_ASSIGN_OR_RETURN(const Metric* metric, NamedMetric(feature.name));
  if (compares_samples) return request;
  for (const OptionSpec& option : metric->options) {
    const std::string name(option.name);
    if (const auto color = pair.colors.find(name); color != pair.colors.end()) request.options.insert(*color);
    // Others choose a display by it.
    if (name != "transfer" || OptionText(option.default_value) != *TransferOption(1)) continue;
    ACU_ASSIGN_OR_RETURN(const std::string transfer, TransferOption(pair.transfer));
    request.options.emplace(name, transfer);
  }
  return request;
}

}  // namespace

struct FrameScorer::State {
  /// What one frame's results add to the features' logic over time, by metric run.
  struct Partials {
    struct Run {
      std::vector<double> values;
      std::vector<int64_t> kept;
    };
    std::vector<Run> runs;
  };

  State(frames::PairReader readers, int thread_count) : pair(std::move(readers)), threads(thread_count) {}

  Status Describe();
  Status Start(bool draws_map, int64_t frames_before = 0);
  Status OpenSession(bool draws_map, int64_t frames_before, bool on_device);
  Status StartAfter(std::span<const FramePlanes> before);
  Status Add(const FramePlanes& reference, const FramePlanes& distorted, const FrameMap& target, bool is_scored);
  Status AddToSession(acutance::Picture reference, acutance::Picture distorted);
  Status AddToBatches(acutance::Picture reference, acutance::Picture distorted);
  void Take(std::span<const MetricRun> metrics, std::span<const RunResult> results);
  Status WriteMap(const FrameMap& target);
  FrameScores Scores() const { return {values, partials}; }

  const ProcessGuard process;
  const frames::PairReader pair;
  const int threads;
  std::shared_ptr<SharedDevice> device;                   // null: the CPU
  std::shared_ptr<const frames::PairBatches::Warn> warn;  // set where there is a device
  std::vector<FeatureRequest> requests;
  std::vector<std::string> names;
  PictureSize map_size;

  std::mutex mutex;                              // guards what follows
  std::shared_ptr<frames::PairBatches> batches;  // in place of a session
  std::unique_ptr<acutance::Session> session;
  bool draws_maps = false, has_history = false, is_first = true, counts = true, was_taken = false;
  acutance::Picture map;
  std::vector<double> values;
  std::shared_ptr<const Partials> partials;
  std::vector<std::unique_ptr<Sequence>> running;  // of the clip so far
  int64_t frames = 0;                              // of the clip so far
};

/// Learns what does not depend on where features are computed.
Status FrameScorer::State::Describe() {
  ACU_ASSIGN_OR_RETURN(const auto any,
                       acutance::Session::Open({.features = requests, .format = pair.reference.format()}));
  for (const MetricRun& run : any->metric_runs())
    for (const BoundInput& input : run.inputs) has_history = has_history || input.spec.history > 0;
  const PictureFormat& format = pair.reference.format();
  map_size = {format.width, format.height};
  const ExtractorSpec& first = any->metric_runs().front().extractor->spec();
  if (!first.artifacts.empty()) map_size = {first.artifacts[0].format.width, first.artifacts[0].format.height};
  return {};
}

/// Pairs that need neither maps nor earlier frames go to a device with those of other scorers.
Status FrameScorer::State::Start(bool draws_map, int64_t frames_before) {
  session.reset();
  batches.reset();
  draws_maps = draws_map;
  is_first = true;
  if (device && !draws_map && !has_history)
    batches = frames::PairBatches::Find(device, {requests, pair.reference.format()}, warn);
  if (batches) return {};
  const bool on_device = device && frames_before == 0 && (draws_map || has_history);
  ACU_RETURN_IF_ERROR(OpenSession(draws_map, frames_before, on_device));
  if (!on_device || session->device()) return {};
  device.reset();  // it cannot do this, and the CPU has more threads then
  return OpenSession(draws_map, frames_before, false);
}

Status FrameScorer::State::OpenSession(bool draws_map, int64_t frames_before, bool on_device) {
  constexpr int kDeviceThreads = 4;  // which stand by for the device
  SessionSpec spec = {.features = requests, .threads = threads, .format = pair.reference.format()};
  if (on_device) {
    spec.devices = std::make_shared<DevicePicker>(device->Lend());
    spec.gathering = FrameGathering();
    spec.threads = std::min(threads, kDeviceThreads);
    spec.on_warning = *warn;
  }
  if (draws_map)
    spec.on_artifact = [this](const acutance::Artifact& artifact) {
      map = artifact.picture;
      return Status();
    };
  spec.first_frame = frames_before;
  spec.writes_scores = false;  // tables would grow with every frame
  spec.on_results = [this](std::span<FrameResults* const> done) {
    for (const FrameResults* frame : done) {
      if (!frame->status.ok()) return frame->status;
      if (counts) Take(session->metric_runs(), frame->runs);
      was_taken = true;
    }
    return Status();
  };
  session.reset();
  ACU_ASSIGN_OR_RETURN(session, acutance::Session::Open(std::move(spec)));
  return {};
}

Status FrameScorer::State::StartAfter(std::span<const FramePlanes> before) {
  ACU_RETURN_IF_ERROR(Start(false, static_cast<int64_t>(before.size())));
  running.clear();
  frames = 0;
  for (const FramePlanes& planes : before.subspan(static_cast<size_t>(session->next_frame()))) {
    ACU_ASSIGN_OR_RETURN(const acutance::Picture picture, pair.reference.Read(planes, {}));
    ACU_RETURN_IF_ERROR(session->Add(picture, {picture}));
  }
  return {};
}

Status FrameScorer::State::Add(const FramePlanes& reference, const FramePlanes& distorted, const FrameMap& target,
                               bool is_scored) {
  const bool wants_map = target.data != nullptr, is_missing = wants_map && !draws_maps;
  if (is_missing && session && !is_first && has_history)
    return Error(StatusCode::kUnsupported, "maps must be asked for from the first frame on, or after a reset");
  // Pictures without history are not used after the call.
  const frames::FrameReader::Target place = {.device = device.get(), .borrows = !has_history};
  ACU_ASSIGN_OR_RETURN(acutance::Picture first, pair.reference.Read(reference, place));
  ACU_ASSIGN_OR_RETURN(acutance::Picture second, pair.distorted.Read(distorted, place));
  if ((!session && !batches) || is_missing) ACU_RETURN_IF_ERROR(Start(wants_map));
  counts = is_scored;
  was_taken = false;
  ACU_RETURN_IF_ERROR(batches ? AddToBatches(std::move(first), std::move(second))
                              : AddToSession(std::move(first), std::move(second)));
  is_first = false;
  return wants_map ? WriteMap(target) : Status();
}

Status FrameScorer::State::AddToSession(acutance::Picture reference, acutance::Picture distorted) {
  Status status = session->Add(std::move(reference), {std::move(distorted)});
  if (status.ok()) status = session->WaitForAll();
  if (status.ok() && !was_taken) status = Error(StatusCode::kIo, "the frame was not scored");
  if (!status.ok()) session.reset();  // the next frame starts anew
  return status;
}

/// Where a batch fails, another scorer's pair may be the reason: this one is then scored alone, on the CPU.
Status FrameScorer::State::AddToBatches(acutance::Picture reference, acutance::Picture distorted) {
  const auto take = [this](std::span<const MetricRun> metrics, std::span<const RunResult> results) {
    if (counts) Take(metrics, results);
    was_taken = true;
  };
  if (batches->Score(reference, distorted, take).ok()) return {};
  batches.reset();
  ACU_RETURN_IF_ERROR(OpenSession(false, 0, false));
  const Status status = AddToSession(std::move(reference), std::move(distorted));
  session.reset();  // the next pair tries the device again
  return status;
}

void FrameScorer::State::Take(std::span<const MetricRun> metrics, std::span<const RunResult> results) {
  // A sequence of the clip so far outlives the session, which a failed pair or a map ends.
  if (running.empty()) running = MakeSequences(metrics);
  const auto alone = frames == 0 ? MakeSequences(metrics) : std::vector<std::unique_ptr<Sequence>>(results.size());
  auto parts = std::make_shared<Partials>();
  values.clear();
  for (size_t r = 0; r < results.size(); ++r) {
    const RunResult& result = results[r];
    const size_t place = values.size();
    values.insert(values.end(), result.values.begin(), result.values.end());
    parts->runs.push_back({{result.values.begin(), result.values.end()}, {result.kept.begin(), result.kept.end()}});
    if (!running[r]) continue;
    FrameSink sink(frames, std::span(values).subspan(place));
    running[r]->Push(frames, {result.values, result.kept}, sink);
    if (!alone[r]) continue;
    // A clip of one frame may have a value of its own, which comes at its end.
    alone[r]->Push(frames, {result.values, result.kept}, sink);
    alone[r]->Flush(sink);
  }
  ++frames;
  partials = std::move(parts);
}

Status FrameScorer::State::WriteMap(const FrameMap& target) {
  const acutance::Picture picture = std::exchange(map, acutance::Picture());
  const Plane& plane = picture.planes[0];
  if (!plane.data) return Error(StatusCode::kUnsupported, "the metric has no map");
  const auto row = static_cast<ptrdiff_t>(plane.width * sizeof(float));
  if (plane.height > 1 && target.stride > -row && target.stride < row)
    return Error(StatusCode::kInvalidArgument, "the map's rows of {} bytes do not fit into a stride of {}", row,
                 target.stride);
  for (int y = 0; y < plane.height; ++y)
    std::memcpy(static_cast<std::byte*>(target.data) + y * target.stride, plane.Row<float>(y), row);
  return {};
}

FrameScorer::FrameScorer(std::unique_ptr<State> state) : state_(std::move(state)) {}
FrameScorer::FrameScorer(FrameScorer&&) noexcept = default;
FrameScorer& FrameScorer::operator=(FrameScorer&& other) noexcept {
  if (this != &other) {
    Leave();
    state_ = std::move(other.state_);
  }
  return *this;
}
FrameScorer::~FrameScorer() { Leave(); }

/// A forked child has none of the threads that would be joined.
void FrameScorer::Leave() {
  if (state_ && state_->process.forked()) (void)state_.release();
  state_.reset();
}

Expected<FrameScorer> FrameScorer::Create(const FrameScorerOptions& options) {
  ACU_ASSIGN_OR_RETURN(frames::PairReader pair,
                       frames::PairReader::Make(options.reference, options.distorted, options.compares_samples));
  const int threads = options.threads != 0 ? options.threads : UsableCpus();
  auto state = std::make_unique<State>(std::move(pair), threads);
  for (const Feature& feature : options.features) {
    ACU_ASSIGN_OR_RETURN(FeatureRequest request, RequestOf(feature, state->pair, options.compares_samples));
    for (const OutputSpec& output : FindMetric(request.metric)->outputs)
      state->names.emplace_back(output.alias.empty() ? output.name : output.alias);
    state->requests.push_back(std::move(request));
  }
  if (options.backend != "cpu") {
    ACU_ASSIGN_OR_RETURN(state->device, SharedDevice::Open(options.backend, options.device));
    state->warn = std::make_shared<const frames::PairBatches::Warn>(options.on_warning);
  }
  ACU_RETURN_IF_ERROR(state->Describe());
  ACU_RETURN_IF_ERROR(state->Start(false));
  return FrameScorer(std::move(state));
}

const std::vector<std::string>& FrameScorer::names() const { return state_->names; }

std::optional<size_t> FrameScorer::IndexOf(std::string_view name) const {
  const auto found = std::ranges::find(state_->names, name);
  return found == state_->names.end() ? std::nullopt : std::optional(found - state_->names.begin());
}

Expected<FrameScores> FrameScorer::Score(const FramePlanes& reference, const FramePlanes& distorted,
                                         const FrameMap& map) {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  ACU_RETURN_IF_ERROR(state_->Add(reference, distorted, map, true));
  return state_->Scores();
}

Expected<FrameScores> FrameScorer::ScoreAfter(std::span<const FramePlanes> before, const FramePlanes& reference,
                                              const FramePlanes& distorted) {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  ACU_RETURN_IF_ERROR(state_->StartAfter(before));
  ACU_RETURN_IF_ERROR(state_->Add(reference, distorted, {}, true));
  return state_->Scores();
}

Status FrameScorer::Load(const FramePlanes& reference, const FramePlanes& distorted) {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  return state_->Add(reference, distorted, {}, false);
}

void FrameScorer::ResetHistory() {
  if (state_->process.forked()) return;
  const std::lock_guard lock(state_->mutex);
  if (!state_->has_history || state_->is_first) return;
  state_->session.reset();
  state_->is_first = true;
}

void FrameScorer::ResetScores() {
  if (state_->process.forked()) return;
  const std::lock_guard lock(state_->mutex);
  state_->running.clear();
  state_->frames = 0;
}

int FrameScorer::map_width() const { return state_->map_size.width; }
int FrameScorer::map_height() const { return state_->map_size.height; }

Expected<std::vector<std::pair<std::string, double>>> FrameScorer::Aggregates(
    std::span<const FrameScores> frames) const {
  if (state_->process.forked()) return state_->process.CheckSession();
  const std::lock_guard lock(state_->mutex);
  if (!state_->session) ACU_RETURN_IF_ERROR(state_->OpenSession(false, 0, false));
  const auto sequences = MakeSequences(state_->session->metric_runs());
  AggregateSink sink;
  for (size_t r = 0; r < sequences.size(); ++r) {
    if (!sequences[r]) continue;
    for (size_t n = 0; n < frames.size(); ++n) {
      const auto* parts = static_cast<const State::Partials*>(frames[n].partials.get());
      if (!parts || parts->runs.size() != sequences.size())
        return Error(StatusCode::kInvalidArgument, "frame {} of {} has the scores of other features", n, frames.size());
      State::Partials::Run run = parts->runs[r];
      sequences[r]->Push(static_cast<int64_t>(n), {run.values, run.kept}, sink);
    }
    sequences[r]->Flush(sink);
  }
  return std::move(sink.values);
}

CpuInfo DescribeCpu() {
  const std::optional<size_t> memory = AvailableMemory();
  return {UsableCpus(), memory ? std::optional<uint64_t>(*memory) : std::nullopt};
}

}  // namespace acutance::api
