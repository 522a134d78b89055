// Functions that score pairs of frames and set the scores as properties of frames.
#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>

#include "plugins/vapoursynth/plugin.h"

namespace acutance_vapoursynth {
namespace {

using acutance::Expected;
using acutance::FrameScorer;
using acutance::FrameScores;
using acutance::Status;

/// One call of a function in a script.
class PairFilter {
 public:
  PairFilter(const Function& function, const VSMap* in, const VSAPI* api)
      : function_(function), api_(api), reference_(in, "reference", api), distorted_(in, "distorted", api) {}
  ~PairFilter() {
    static_cast<void>(Guarded([&] { return PrintAverages(), Status(); }));
  }
  PairFilter(const PairFilter&) = delete;
  PairFilter& operator=(const PairFilter&) = delete;

  Status Open(const VSMap* in, VSCore* core);
  void Create(std::unique_ptr<PairFilter> self, VSMap* out, VSCore* core) const;
  const VSFrame* Get(int n, int reason, VSFrameContext* context, VSCore* core);

 private:
  struct Property {
    std::string name;
    size_t value;
  };

  Expected<FrameScorer> OpenScorer() const;
  Expected<FrameScores> Compute(FrameScorer& scorer, int n, VSFrameContext* context, VSFrame* map) const;
  Expected<FrameScores> Score(int n, VSFrameContext* context, VSFrame* map);
  Expected<FrameScores> ScoreInOrder(int n, VSFrameContext* context, VSFrame* map);
  void Request(int n, VSFrameContext* context);
  void SetProperties(VSFrame* frame, const FrameScores& scores) const;
  void PrintAverages() const;

  const Function& function_;
  const VSAPI* const api_;
  Clip reference_, distorted_;
  PairSettings settings_;
  std::vector<Property> properties_;
  VSVideoInfo output_{};

  std::mutex mutex_;  // guards what follows
  std::condition_variable returned_;
  int scorers_ = 0;
  std::vector<std::unique_ptr<FrameScorer>> idle_;
  std::vector<FrameScores> done_;        // of frames in order
  std::map<int, FrameScores> averaged_;  // by frame
};

Status PairFilter::Open(const VSMap* in, VSCore* core) {
  const Arguments arguments(in, api_);
  const ColorRule rule = arguments.Int("linput", 0) != 0 ? ColorRule::kLinearRgb : function_.colors;
  if (Status bad = OpenPair(reference_, distorted_, rule); !bad.ok()) return bad;
  VSCoreInfo info;
  api_->getCoreInfo(core, &info);
  settings_.scorers = info.numThreads;
  if (Status bad = function_.read({arguments, reference_, distorted_}, settings_); !bad.ok()) return bad;
  if (settings_.is_ordered) settings_.scorers = 1;
  Expected<FrameScorer> scorer = OpenScorer();
  if (!scorer.ok()) return scorer.status();
  if (settings_.properties.empty())
    for (const std::string& name : scorer->names()) settings_.properties.push_back({name, name});
  for (const PropertySpec& property : settings_.properties)
    for (const std::string& name : {property.name, "_" + property.name})  // readers look for either
      properties_.push_back({name, scorer->IndexOf(property.output).value()});
  output_ = settings_.returns_reference ? reference_.info() : distorted_.info();
  if (settings_.draws_maps) {
    api_->queryVideoFormat(&output_.format, cfGray, stFloat, 32, 0, 0, core);
    output_.width = scorer->map_width();
    output_.height = scorer->map_height();
  }
  idle_.push_back(std::make_unique<FrameScorer>(*std::move(scorer)));
  scorers_ = 1;
  return {};
}

Expected<FrameScorer> PairFilter::OpenScorer() const {
  return FrameScorer::Create({.reference = reference_.format(),
                              .distorted = distorted_.format(),
                              .features = settings_.features,
                              .compares_samples = function_.colors == ColorRule::kNumbers,
                              .threads = settings_.is_ordered ? 0 : 1,
                              .backend = settings_.backend,
                              .device = settings_.device});
}

Expected<FrameScores> PairFilter::Compute(FrameScorer& scorer, int n, VSFrameContext* context, VSFrame* map) const {
  const FrameData first = reference_.Read(n, context), second = distorted_.Read(n, context);
  if (settings_.history == 0) {
    acutance::FrameMap target;
    if (map) target = {api_->getWritePtr(map, 0), api_->getStride(map, 0)};
    return scorer.Score(first.planes, second.planes, target);
  }
  std::vector<FrameData> frames;
  std::vector<acutance::FramePlanes> before;
  for (int i = std::max(0, n - settings_.history); i < n; ++i)
    before.push_back(frames.emplace_back(reference_.Read(i, context)).planes);
  return scorer.ScoreAfter(before, first.planes, second.planes);
}

Expected<FrameScores> PairFilter::Score(int n, VSFrameContext* context, VSFrame* map) {
  std::unique_ptr<FrameScorer> scorer;
  {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return !idle_.empty() || scorers_ < settings_.scorers; });
    if (idle_.empty()) {
      Expected<FrameScorer> made = OpenScorer();
      if (!made.ok()) return made.status();
      scorer = std::make_unique<FrameScorer>(*std::move(made));
      ++scorers_;
    } else {
      scorer = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  Expected<FrameScores> scores = Compute(*scorer, n, context, map);
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(scorer));
    if (scores.ok() && !settings_.average_label.empty()) averaged_[n] = *scores;
  }
  returned_.notify_one();
  return scores;
}

/// The running value of frame n needs all frames before it, which were requested where they were not scored yet. A
/// frame's map is drawn when the frame is scored, so a map cannot be requested again.
Expected<FrameScores> PairFilter::ScoreInOrder(int n, VSFrameContext* context, VSFrame* map) {
  const std::lock_guard lock(mutex_);
  const int done = static_cast<int>(done_.size());
  if (map && n < done) return Failure("maps are drawn of each frame once, in order");
  for (int i = done; i <= n; ++i) {
    // Maps are asked for from the first frame on.
    VSFrame* scratch = nullptr;
    if (map && i < n) scratch = api_->copyFrame(map, nullptr);
    Expected<FrameScores> scores = Compute(*idle_.front(), i, context, scratch ? scratch : map);
    if (scratch) api_->freeFrame(scratch);
    if (!scores.ok()) return scores.status();
    scores->partials.reset();
    done_.push_back(*std::move(scores));
  }
  return done_[n];
}

/// An output that the feature did not write is NaN.
void PairFilter::SetProperties(VSFrame* frame, const FrameScores& scores) const {
  VSMap* properties = api_->getFramePropertiesRW(frame);
  for (const Property& property : properties_)
    if (const double score = scores.values[property.value]; !std::isnan(score))
      api_->mapSetFloat(properties, property.name.c_str(), score, maReplace);
}

/// Prints the averages over the frames that were requested, as the plugin with this function does at its end.
void PairFilter::PrintAverages() const {
  if (averaged_.empty()) return;
  std::vector<FrameScores> frames;
  for (const auto& [n, scores] : averaged_) frames.push_back(scores);
  const auto averages = idle_.front()->Aggregates(frames);
  if (!averages.ok()) return;
  std::printf("%s average, %zu frames  ", settings_.average_label.c_str(), frames.size());
  for (const char* plane : {"y", "u", "v"})
    for (const auto& [name, value] : *averages)
      if (name.starts_with(std::string("xpsnr_average_") + plane))  // options add to it
        std::printf("%s: %.4f  ", plane, value);
  std::printf("\n");
  std::fflush(stdout);
}

void PairFilter::Request(int n, VSFrameContext* context) {
  int first = std::max(0, n - settings_.history);
  if (settings_.is_ordered) {
    const std::lock_guard lock(mutex_);
    first = std::min(n, static_cast<int>(done_.size()));
  }
  for (int i = first; i <= n; ++i) {
    reference_.Request(i, context);
    if (i == n || settings_.is_ordered) distorted_.Request(i, context);
  }
}

const VSFrame* PairFilter::Get(int n, int reason, VSFrameContext* context, VSCore* core) {
  if (reason == arInitial) Request(n, context);
  if (reason != arAllFramesReady) return nullptr;
  const Frame shown = (settings_.returns_reference ? reference_ : distorted_).Get(n, context);
  VSFrame* out = settings_.draws_maps
                     ? api_->newVideoFrame(&output_.format, output_.width, output_.height, shown.get(), core)
                     : api_->copyFrame(shown.get(), core);
  VSFrame* map = settings_.draws_maps ? out : nullptr;
  const Expected<FrameScores> scores = settings_.is_ordered ? ScoreInOrder(n, context, map) : Score(n, context, map);
  if (!scores.ok()) {
    api_->setFilterError(fmt::format("{}: {}", function_.label, scores.status().message()).c_str(), context);
    api_->freeFrame(out);
    return nullptr;
  }
  SetProperties(out, *scores);
  return out;
}

void VS_CC FreeFilter(void* filter, VSCore*, const VSAPI*) { delete static_cast<PairFilter*>(filter); }

void PairFilter::Create(std::unique_ptr<PairFilter> self, VSMap* out, VSCore* core) const {
  const int pattern = settings_.is_ordered || settings_.history > 0 ? rpGeneral : rpStrictSpatial;
  const std::array nodes = {reference_.Dependency(pattern), distorted_.Dependency(pattern)};
  api_->createVideoFilter(out, function_.name, &output_, GetFrame<PairFilter>, FreeFilter,
                          settings_.is_ordered ? fmParallelRequests : fmParallel, nodes.data(),
                          static_cast<int>(nodes.size()), self.release(), core);
}

}  // namespace

void VS_CC CreatePairFilter(const VSMap* in, VSMap* out, void* function_value, VSCore* core, const VSAPI* api) {
  const Function& function = *static_cast<const Function*>(function_value);
  const Status status = Guarded([&] {
    auto filter = std::make_unique<PairFilter>(function, in, api);
    if (Status bad = filter->Open(in, core); !bad.ok()) return bad;
    const PairFilter& made = *filter;
    made.Create(std::move(filter), out, core);
    return Status();
  });
  if (!status.ok()) api->mapSetError(out, fmt::format("{}: {}", function.label, status.message()).c_str());
}

}  // namespace acutance_vapoursynth
