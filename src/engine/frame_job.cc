#include "engine/frame_job.h"

#include <algorithm>
#include <limits>
#include <new>
#include <utility>

namespace acutance {
namespace {

// Below this a band's halo rows (17-tap filters, 3x3 neighbourhoods) cost more than another worker gains.
constexpr int kMinBandRows = 64;

int BandCount(int rows, int idle_workers) { return std::clamp(rows / kMinBandRows, 1, 1 + idle_workers); }

bool LiesOnDeviceAlone(const Picture& picture) {
  return !picture.planes[0].data && picture.device_planes[0].address != 0;
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
  index_ = inputs.index;
  inputs_ = std::move(inputs);
  runs_ = &runs;
  device_runs_ = std::ranges::count_if(runs, [&](int r) { return features_.runs()[r].on_device; });
  is_prepared_ = false;
  work_ = 0;
  ran_device_work_on_cpu_ = false;
  status_ = {};
}

void FrameJob::DropInputs() {
  inputs_.reference = {};
  inputs_.distorted.clear();
  inputs_.earlier.clear();
}

void FrameJob::Prepare() {
  if (is_prepared_) return;
  is_prepared_ = true;
  MakeResults();
  MakeChains();
  chains_left_ = static_cast<int>(chains_.size());
}

void FrameJob::MakeResults() {
  const int distorted_count = static_cast<int>(inputs_.distorted.size());
  size_t results = 0, sums = 0, values = 0;
  for (int r : *runs_) {
    const MetricRun& run = features_.runs()[r];
    const size_t copies = run.metric->reference_only ? 1 : distorted_count;
    results += copies;
    sums += copies * run.extractor->SumCount();
    values += copies * run.metric->outputs.size();
  }
  results_.clear();
  results_.reserve(results);
  sums_.assign(sums, 0);
  values_.assign(values, std::numeric_limits<double>::quiet_NaN());
  std::span<int64_t> sums_left = sums_;
  std::span<double> values_left = values_;
  for (int r : *runs_) {
    const MetricRun& run = features_.runs()[r];
    const size_t run_sums = run.extractor->SumCount(), run_values = run.metric->outputs.size();
    const bool shared = run.metric->reference_only;
    for (int d = shared ? -1 : 0; d < (shared ? 0 : distorted_count); ++d) {
      results_.push_back({r, d, sums_left.first(run_sums), values_left.first(run_values)});
      sums_left = sums_left.subspan(run_sums);
      values_left = values_left.subspan(run_values);
    }
  }
}

void FrameJob::MakeChains() {
  if (chains_.size() != results_.size()) chains_ = std::vector<Chain>(results_.size());
  device_chains_ = 0;
  for (size_t i = 0; i < results_.size(); ++i) {
    Chain& chain = chains_[i];
    const MetricRun& run = features_.runs()[results_[i].run];
    chain.result = &results_[i];
    chain.stage = 0;
    chain.input = {};
    chain.input.reference = &inputs_.reference;
    if (results_[i].distorted >= 0) chain.input.distorted = &inputs_.distorted[results_[i].distorted];
    const size_t lag = run.extractor->Lag();
    if (lag > 0 && lag <= inputs_.earlier.size()) chain.input.earlier_reference = &inputs_.earlier[lag - 1];
    chain.on_device = run.on_device;
    if (run.on_device) ++device_chains_;
  }
}

bool FrameJob::Guarded(const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const std::bad_alloc&) {
    std::lock_guard lock(status_mutex_);
    status_ =
        Error(StatusCode::kOutOfMemory, "frame {}: not enough memory for its metrics; use fewer --threads", index_);
    return false;
  }
}

const Extractor& FrameJob::ExtractorOf(const Chain& chain) const {
  return *features_.runs()[chain.result->run].extractor;
}

void FrameJob::Start() {
  if (has_device_work() && device_runs_ == runs_->size()) return;
  Prepare();
  ++chains_left_;  // so that `done` waits for this loop
  for (Chain& chain : chains_)
    if (!chain.on_device) StartStage(chain);
  if (--chains_left_ == 0) done_(shared_from_this());
}

void FrameJob::SetDeviceSums(int run, int distorted, std::span<const int64_t> sums) {
  for (Chain& chain : chains_) {
    const RunResult& result = *chain.result;
    const bool is_its = result.run == run && (result.distorted < 0 || result.distorted == distorted);
    if (chain.on_device && is_its && !LacksHistory(chain)) std::ranges::copy(sums, result.sums.begin());
  }
}

bool FrameJob::FinishOnDevice() {
  for (Chain& chain : chains_)
    if (chain.on_device) CloseChain(chain);
  return chains_left_.fetch_sub(device_chains_) == device_chains_;
}

bool FrameJob::CanRunOnCpu() const {
  return !LiesOnDeviceAlone(inputs_.reference) && std::ranges::none_of(inputs_.distorted, LiesOnDeviceAlone) &&
         std::ranges::none_of(inputs_.earlier, LiesOnDeviceAlone);
}

void FrameJob::RunDeviceWorkOnCpu() {
  ran_device_work_on_cpu_ = true;
  Prepare();
  if (has_device_work() && !CanRunOnCpu()) {
    {
      const std::lock_guard lock(status_mutex_);
      status_ = Error(StatusCode::kNoDevice, "frame {}: the device that holds its pictures failed", inputs_.index);
    }
    if (FinishOnDevice()) done_(shared_from_this());
    return;
  }
  for (Chain& chain : chains_) {
    if (!chain.on_device) continue;
    std::ranges::fill(chain.result->sums, 0);
    StartStage(chain);
  }
}

bool FrameJob::LacksHistory(const Chain& chain) const {
  return ExtractorOf(chain).Lag() > 0 && !chain.input.earlier_reference;
}

void FrameJob::StartStage(Chain& chain) {
  const Extractor& extractor = ExtractorOf(chain);
  if (LacksHistory(chain) || chain.stage == extractor.StageCount()) return EndChain(chain);
  if (chain.stage == 0 &&
      !Guarded([&] { chain.frame_workspace = workspaces_.TakeFrameWorkspace(chain.result->run); })) {
    return EndChain(chain);
  }

  const int rows = extractor.StageRows(chain.stage);
  const int bands = BandCount(rows, pool_.IdleWorkers());
  chain.bands_left = bands;
  for (int b = 0; b < bands; ++b) {
    const RowBand band{static_cast<int>(int64_t{rows} * b / bands), static_cast<int>(int64_t{rows} * (b + 1) / bands)};
    pool_.Submit([self = shared_from_this(), &chain, band](int worker) { self->RunBand(chain, band, worker); },
                 /*urgent=*/chain.stage > 0);
  }
}

void FrameJob::RunBand(Chain& chain, RowBand band, int worker) {
  const auto begin = std::chrono::steady_clock::now();
  Guarded([&] {
    const Extractor& extractor = ExtractorOf(chain);
    std::vector<int64_t> sums(extractor.SumCount());
    extractor.RunBand(chain.input, chain.stage, band, chain.frame_workspace.get(),
                      workspaces_.ThreadWorkspace(worker, chain.result->run), sums);
    std::lock_guard lock(chain.sums_mutex);
    for (size_t i = 0; i < sums.size(); ++i) chain.result->sums[i] += sums[i];
  });
  work_ += std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
  if (--chain.bands_left == 0) EndStage(chain);
}

void FrameJob::EndStage(Chain& chain) {
  ++chain.stage;
  StartStage(chain);
}

void FrameJob::CloseChain(Chain& chain) {
  if (chain.frame_workspace) workspaces_.ReturnFrameWorkspace(chain.result->run, std::move(chain.frame_workspace));
  ExtractorOf(chain).Finish(chain.result->sums, chain.result->values);
}

void FrameJob::EndChain(Chain& chain) {
  CloseChain(chain);
  if (--chains_left_ == 0) done_(shared_from_this());
}

}  // namespace acutance
