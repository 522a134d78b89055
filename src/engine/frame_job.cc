#include "engine/frame_job.h"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "base/trace.h"
#include "metric/joined_options.h"

namespace acutance {
namespace {

// Below this a band's halo rows (17-tap filters, 3x3 neighbourhoods) cost more than another worker gains.
constexpr int kMinBandRows = 64;

int BandCount(int rows, int idle_workers) { return std::clamp(rows / kMinBandRows, 1, 1 + idle_workers); }

bool LiesOnDeviceAlone(const VideoPicture& video) {
  return !video.picture.planes[0].data && video.picture.device_planes[0].address != 0;
}

}  // namespace

WorkspacePool::WorkspacePool(const FeatureSet& features, int workers)
    : features_(features), per_worker_(workers), free_frame_workspaces_(features.runs().size()) {
  for (auto& runs : per_worker_) runs.resize(features.runs().size());
}

Workspace* WorkspacePool::ThreadWorkspace(int worker, int run) {
  std::unique_ptr<Workspace>& workspace = per_worker_[worker][run];
  if (!workspace) workspace = features_.runs()[run].extractor->MakeThreadWorkspace();
  return workspace.get();
}

std::unique_ptr<Workspace> WorkspacePool::TakeFrameWorkspace(int run) {
  {
    std::lock_guard lock(mutex_);
    auto& free = free_frame_workspaces_[run];
    if (!free.empty()) {
      std::unique_ptr<Workspace> workspace = std::move(free.back());
      free.pop_back();
      return workspace;
    }
  }
  return features_.runs()[run].extractor->MakeFrameWorkspace();
}

void WorkspacePool::ReturnFrameWorkspace(int run, std::unique_ptr<Workspace> workspace) {
  std::lock_guard lock(mutex_);
  free_frame_workspaces_[run].push_back(std::move(workspace));
}

FrameJob::FrameJob(const FeatureSet& features, WorkspacePool& workspaces, ThreadPool& pool, DoneCallback done)
    : features_(features), workspaces_(workspaces), pool_(pool), done_(std::move(done)) {}

void FrameJob::Assign(Inputs inputs, const std::vector<int>& runs) {
  inputs_ = std::move(inputs);
  runs_ = &runs;
  device_runs_ = std::ranges::count_if(runs, [&](int r) { return features_.runs()[r].on_device; });
  is_prepared_ = false;
  histories_.clear();
  device_words_.clear();
  has_failed_ = false;
}

void FrameJob::DropInputs() { inputs_.pictures.clear(); }

void FrameJob::Prepare() {
  if (is_prepared_) return;
  results_.Assign(features_, *runs_, index(), static_cast<int>(inputs_.own().distorted.size()));
  results_.history = static_cast<int>(inputs_.pictures.size()) - 1;
  MakeChains();
  chains_left_ = static_cast<int>(std::ranges::count(chains_, false, &Chain::is_joined));
  is_prepared_ = true;
}

void FrameJob::MakeChains() {
  if (chains_.size() != runs_->size()) chains_ = std::vector<Chain>(runs_->size());
  device_chains_ = 0;
  std::span<RunResult> results = results_.runs;
  for (size_t i = 0; i < chains_.size(); ++i) {
    Chain& chain = chains_[i];
    chain.run = (*runs_)[i];
    const MetricRun& run = RunOf(chain);
    chain.results = TakeFront(results, run.Results(static_cast<int>(inputs_.own().distorted.size())));
    chain.stage = 0;
    chain.on_device = run.on_device;
    if (run.on_device) ++device_chains_;
    chain.joined.clear();
    chain.targets.clear();
    for (RunResult& result : chain.results) chain.targets.push_back(&result);
    Join(chain);
    if (!features_.MakesArtifacts(run)) continue;
    for (RunResult& result : chain.results) MakeArtifacts(result);
  }
}

/// Hands the chain's work to the first one that can do it, where both are the CPU's.
void FrameJob::Join(Chain& chain) {
  const MetricRun& run = RunOf(chain);
  const auto can_lead = [&](const Chain& other) {
    const MetricRun& theirs = RunOf(other);
    if (theirs.metric != run.metric || theirs.only != run.only || other.is_joined || other.on_device) return false;
    const auto* joins = dynamic_cast<const JoinedOptions*>(theirs.extractor.get());
    return joins && joins->CanJoin(*run.extractor);
  };
  const auto own = chains_.begin() + (&chain - chains_.data());
  const auto leader = chain.on_device ? own : std::find_if(chains_.begin(), own, can_lead);
  chain.is_joined = leader != own;
  if (!chain.is_joined) return;
  leader->joined.push_back(run.extractor.get());
  for (RunResult& result : chain.results) leader->targets.push_back(&result);
}

void FrameJob::MakeArtifacts(RunResult& result) {
  for (const ArtifactSpec& spec : features_.runs()[result.run].extractor->spec().artifacts) {
    Result<MutablePicture> picture = AllocatePicture(spec.format);
    if (!picture.ok()) return Record(picture.status());
    result.artifacts.push_back(std::move(picture).value());
  }
}

void FrameJob::Record(Status status) {
  if (status.ok()) return;
  has_failed_ = true;
  const std::lock_guard lock(status_mutex_);
  if (results_.status.ok()) results_.status = std::move(status);
}

void FrameJob::CatchExceptions(const std::function<Status()>& work) {
  try {
    Record(work());
  } catch (const std::bad_alloc&) {
    Record(acutance::CatchExceptions([&] { return OutOfMemory(index()); }));
  } catch (...) {
    Record(StatusFromException());
  }
}

void FrameJob::Start() {
  if (has_device_work() && device_runs_ == runs_->size()) return;
  Prepare();
  ++chains_left_;  // so that `done` waits for this loop
  for (Chain& chain : chains_)
    if (!chain.on_device && !chain.is_joined) StartChain(chain);
  if (--chains_left_ == 0) Done();
}

RunResult* FrameJob::FindResult(int run, int distorted) {
  const auto found = std::ranges::find_if(results_.runs, [&](const RunResult& result) {
    return result.run == run && (result.distorted < 0 || result.distorted == distorted);
  });
  return found == results_.runs.end() ? nullptr : &*found;
}

bool FrameJob::FinishOnDevice() { return chains_left_.fetch_sub(device_chains_) == device_chains_; }

bool FrameJob::CanRunOnCpu() const {
  return std::ranges::none_of(inputs_.pictures, [](const FramePictures& frame) {
    return LiesOnDeviceAlone(frame.reference) || std::ranges::any_of(frame.distorted, LiesOnDeviceAlone);
  });
}

void FrameJob::RunDeviceWorkOnCpu() {
  Prepare();
  if (has_device_work() && !CanRunOnCpu()) {
    Record(Error(StatusCode::kNoDevice, "frame {}: the device that holds its pictures failed", inputs_.index));
    if (FinishOnDevice()) Done();
    return;
  }
  for (Chain& chain : chains_) {
    if (!chain.on_device) continue;
    for (const RunResult& result : chain.results) std::ranges::fill(result.sums, 0);
    StartChain(chain);
  }
}

void FrameJob::StartChain(Chain& chain) {
  chain.stage = 0;
  CatchExceptions([&] {
    MakeViews(chain);
    for (size_t i = 0; i < chain.results.size(); ++i)
      chain.frame_workspaces.push_back(workspaces_.TakeFrameWorkspace(chain.run));
    return Status();
  });
  if (chain.frame_workspaces.size() == chain.results.size()) StartStage(chain);
  else EndChain(chain);
}

/// All pictures of the frame's videos, the latest first; listed once a frame, by the thread that starts its chains.
void FrameJob::MakeViews(Chain& chain) {
  if (histories_.empty()) {
    histories_.resize(1 + inputs_.own().distorted.size());
    for (const FramePictures& frame : inputs_.pictures) {
      histories_[0].push_back(&frame.reference);
      for (size_t d = 0; d < frame.distorted.size(); ++d) histories_[1 + d].push_back(&frame.distorted[d]);
    }
  }
  chain.views.clear();
  for (const RunResult& result : chain.results)
    chain.views.emplace_back(RunOf(chain).inputs, histories_[0], histories_[1 + std::max(result.distorted, 0)]);
}

void FrameJob::StartStage(Chain& chain) {
  const std::vector<StageSpec>& stages = RunOf(chain).extractor->spec().stages;
  if (chain.stage == static_cast<int>(stages.size())) return EndChain(chain);
  const auto [rows, splittable] = stages[chain.stage];
  const int bands = splittable ? BandCount(rows, pool_.IdleWorkers()) : 1;
  chain.bands_left = bands;
  for (int b = 0; b < bands; ++b) {
    const RowBand band{static_cast<int>(int64_t{rows} * b / bands), static_cast<int>(int64_t{rows} * (b + 1) / bands)};
    const Status submitted = acutance::CatchExceptions([&, self = shared_from_this()] {
      pool_.Submit([self, &chain, band](int worker) { self->RunBand(chain, band, worker); },
                   /*urgent=*/chain.stage > 0);
      return Status();
    });
    if (!submitted.ok()) {  // the band counts as done
      Record(submitted);
      if (--chain.bands_left == 0) EndStage(chain);
    }
  }
}

void FrameJob::RunBand(Chain& chain, RowBand band, int worker) {
  // A stage reads the results of those before it, so none runs after a failure.
  if (!has_failed_) CatchExceptions([&] { return ComputeBand(chain, band, worker); });
  if (--chain.bands_left == 0) EndStage(chain);
}

Status FrameJob::ComputeBand(Chain& chain, RowBand band, int worker) {
  const TraceSpan span("band", index());
  const Extractor& extractor = *RunOf(chain).extractor;
  const size_t count = chain.targets.size(), sums = extractor.spec().sums;
  std::vector<int64_t> band_sums(count * sums);
  std::vector<Workspaces> workspaces;
  std::vector<BandResults> results;
  for (size_t i = 0; i < chain.views.size(); ++i) {
    ACU_RETURN_IF_ERROR(chain.views[i].Prepare());
    workspaces.push_back({chain.frame_workspaces[i].get(), workspaces_.ThreadWorkspace(worker, chain.run)});
  }
  for (size_t i = 0; i < count; ++i)
    results.push_back({.sums = std::span(band_sums).subspan(i * sums, sums),
                       .words = chain.targets[i]->words,
                       .artifacts = chain.targets[i]->artifacts});
  if (chain.joined.empty()) extractor.RunBands(chain.views, chain.stage, band, workspaces, results);
  else
    dynamic_cast<const JoinedOptions&>(extractor).RunJoined(chain.joined, chain.views, chain.stage, band, workspaces,
                                                            results);
  if (sums == 0) return {};
  const std::lock_guard lock(chain.sums_mutex);
  for (size_t i = 0; i < count; ++i)
    for (size_t k = 0; k < sums; ++k) chain.targets[i]->sums[k] += results[i].sums[k];
  return {};
}

void FrameJob::EndStage(Chain& chain) {
  ++chain.stage;
  StartStage(chain);
}

void FrameJob::EndChain(Chain& chain) {
  for (auto& workspace : chain.frame_workspaces) workspaces_.ReturnFrameWorkspace(chain.run, std::move(workspace));
  chain.frame_workspaces.clear();
  if (--chains_left_ == 0) Done();
}

void FrameJob::Done() {
  if (is_verified()) Record(CompareWithDevice());
  done_(shared_from_this());
}

void FrameJob::VerifyOnCpu(std::string device) {
  if (CanRunOnCpu()) {
    device_ = std::move(device);
    device_words_ = DeviceWords();
    return RunDeviceWorkOnCpu();
  }
  Record(Error(StatusCode::kUnsupported, "frame {} cannot be verified: its pictures lie in the device's memory alone",
               index()));
  if (FinishOnDevice()) Done();
}

/// The sums and partials of the runs that are a device's.
std::vector<int64_t> FrameJob::DeviceWords() const {
  std::vector<int64_t> words;
  for (const Chain& chain : chains_)
    for (const RunResult& result : chain.results) {
      if (!chain.on_device) continue;
      words.insert(words.end(), result.sums.begin(), result.sums.end());
      words.insert(words.end(), result.words.begin(), result.words.end());
    }
  return words;
}

/// Compares what the results mean: sums that need pictures before the first are unspecified, and Finish knows.
Status FrameJob::CompareWithDevice() const {
  std::span<const int64_t> words = device_words_;
  for (const Chain& chain : chains_)
    for (const RunResult& result : chain.results) {
      if (!chain.on_device) continue;
      const auto sums = TakeFront(words, result.sums.size());
      const FrameBits theirs = BitsOf(result, sums, TakeFront(words, result.words.size()));
      if (theirs == BitsOf(result, result.sums, result.words)) continue;
      return Error(StatusCode::kIo,
                   "frame {}: {} computed something else than the CPU for {}; the device, its memory or its driver is "
                   "faulty: score without it, and do not trust what it scored before",
                   index(), device_, RunOf(chain).metric->name);
    }
  return {};
}

/// The values that results of a run become, by their bits: some are no numbers.
FrameJob::FrameBits FrameJob::BitsOf(const RunResult& result, std::span<const int64_t> sums,
                                     std::span<const int64_t> words) const {
  const MetricRun& run = features_.runs()[result.run];
  std::vector<double> values(run.metric->outputs.size(), 0.0);
  FrameBits bits(run.extractor->spec().kept, 0);
  const FrameTotals totals = {index(), results_.history, sums, words};
  if (!run.extractor->Finish(totals, {values, bits}).ok()) bits.push_back(1);
  for (const double value : values) bits.push_back(std::bit_cast<int64_t>(value));
  return bits;
}

std::shared_ptr<FrameJob> JobPool::Take() {
  return {TakeOrMake().release(), [this](FrameJob* job) { Return(std::unique_ptr<FrameJob>(job)); }};
}

std::unique_ptr<FrameJob> JobPool::TakeOrMake() {
  if (own_.empty()) {
    const std::lock_guard lock(mutex_);
    own_.swap(spare_);
  }
  if (own_.empty()) return make_();
  std::unique_ptr<FrameJob> job = std::move(own_.back());
  own_.pop_back();
  return job;
}

void JobPool::Return(std::unique_ptr<FrameJob> job) {
  constexpr size_t kMostSpare = 1024;
  static_cast<void>(CatchExceptions([&] {  // a job for which there is no room is freed
    const std::lock_guard lock(mutex_);
    if (spare_.size() < kMostSpare) spare_.push_back(std::move(job));
    return Status();
  }));
}

}  // namespace acutance
