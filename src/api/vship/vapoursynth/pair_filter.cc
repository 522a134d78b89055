// Functions that score pairs of frames and hand the scores out as properties of frames.
#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "api/vship/vapoursynth/plugin.h"
#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"

namespace acutance::vship {
namespace {

/// One call of a function in a script.
class PairFilter {
 public:
  PairFilter(const Function& function, const VSMap* in, const VSAPI* api)
      : function_(function), api_(api), reference_(in, "reference", api), distorted_(in, "distorted", api) {}
  ~PairFilter();
  PairFilter(const PairFilter&) = delete;
  PairFilter& operator=(const PairFilter&) = delete;

  Outcome Open(const VSMap* in, VSCore* core);
  void Create(std::unique_ptr<PairFilter> self, VSMap* out, VSCore* core) const;
  const VSFrame* Get(int n, int reason, VSFrameContext* context, VSCore* core);

 private:
  Outcome OpenHandler(std::shared_ptr<Handler>& handler) const;
  Outcome Score(int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores);
  Outcome ScoreInOrder(int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores);
  Outcome Compute(Handler& handler, int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores) const;
  void Request(int n, VSFrameContext* context);
  void SetProperties(VSFrame* frame, const std::vector<double>& scores) const;

  const Function& function_;
  const VSAPI* const api_;
  Clip reference_, distorted_;
  PairSettings settings_;
  VSVideoInfo output_{};

  std::mutex mutex_;  // guards what follows
  std::condition_variable returned_;
  int handlers_ = 0;
  std::vector<std::shared_ptr<Handler>> idle_;
  std::vector<double> running_;  // of frames in order
};

PairFilter::~PairFilter() {
  if (!settings_.at_end) return;
  static_cast<void>(CatchExceptions([&] {
    std::shared_ptr<Handler> handler;
    if (OpenHandler(handler).ok()) handler->Look(settings_.at_end);
    return Status();
  }));
}

Outcome PairFilter::Open(const VSMap* in, VSCore* core) {
  const Arguments arguments(in, api_);
  const ColorRule rule = arguments.Int("linput", 0) != 0 ? ColorRule::kLinearRgb : function_.colors;
  if (Outcome bad = OpenPair(reference_, distorted_, rule); !bad.ok()) return bad;
  VSCoreInfo info;
  api_->getCoreInfo(core, &info);
  settings_.handlers = info.numThreads;
  const PairCall call = {arguments, reference_, distorted_};
  if (Outcome bad = function_.read(call, settings_); !bad.ok()) return bad;
  if (settings_.is_ordered) settings_.handlers = 1;
  output_ = settings_.returns_reference ? reference_.info() : distorted_.info();
  if (settings_.makes_maps) api_->queryVideoFormat(&output_.format, cfGray, stFloat, 32, 0, 0, core);
  std::shared_ptr<Handler> handler;
  if (Outcome bad = OpenHandler(handler); !bad.ok()) return bad;
  if (settings_.makes_maps) {
    output_.width = handler->map_size().width;
    output_.height = handler->map_size().height;
  }
  idle_.push_back(std::move(handler));
  handlers_ = 1;
  return {};
}

Outcome PairFilter::OpenHandler(std::shared_ptr<Handler>& handler) const {
  std::optional<FramePair> pair;
  const auto use = function_.colors == ColorRule::kMeansNothing ? FramePair::Use::kSamples : FramePair::Use::kColors;
  if (Outcome bad = FramePair::Make(reference_.colors(), distorted_.colors(), use, pair); !bad.ok()) return bad;
  std::unique_ptr<Scorer> scorer;
  if (Outcome bad = settings_.make(*pair, scorer); !bad.ok()) return bad;
  return Handler::Make(std::move(*pair), std::move(scorer), settings_.is_ordered ? UsableCpus() : 1, handler);
}

Outcome PairFilter::Compute(Handler& handler, int n, VSFrameContext* context, VSFrame* map,
                            std::vector<double>& scores) const {
  const FramePlanes first = reference_.Read(n, context), second = distorted_.Read(n, context);
  const auto read = [&](const Scorer& scorer) {
    scores = scorer.values();
    if (settings_.on_score) settings_.on_score(n, scorer);
  };
  if (settings_.history > 0) {
    std::vector<FramePlanes> frames;
    for (int i = std::max(0, n - settings_.history); i < n; ++i) frames.push_back(reference_.Read(i, context));
    std::vector<Planes> before;
    for (const FramePlanes& frame : frames) before.push_back(frame.planes());
    return handler.ComputeAfter(before, first.planes(), second.planes(), read);
  }
  MapTarget target;
  if (map) target = {api_->getWritePtr(map, 0), api_->getStride(map, 0)};
  return handler.Compute(first.planes(), second.planes(), target, read);
}

Outcome PairFilter::Score(int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores) {
  std::shared_ptr<Handler> handler;
  {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return !idle_.empty() || handlers_ < settings_.handlers; });
    if (idle_.empty()) {
      if (Outcome bad = OpenHandler(handler); !bad.ok()) return bad;
      ++handlers_;
    } else {
      handler = std::move(idle_.back());
      idle_.pop_back();
    }
  }
  Outcome outcome = Compute(*handler, n, context, map, scores);
  {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(handler));
  }
  returned_.notify_one();
  return outcome;
}

/// The running value of frame n needs all frames before it, which were requested where they were not scored yet. A
/// frame's map is drawn when the frame is scored, so a later request of it begins anew.
Outcome PairFilter::ScoreInOrder(int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores) {
  const std::lock_guard lock(mutex_);
  const int done = static_cast<int>(running_.size());
  if (map && n < done) return {kNotSupported, "maps are drawn of each frame once, in order"};
  for (int i = done; i <= n; ++i) {
    // Maps are asked for from the first frame on.
    VSFrame* scratch = nullptr;
    if (map && i < n) scratch = api_->copyFrame(map, nullptr);
    Outcome outcome = Compute(*idle_.front(), i, context, scratch ? scratch : map, scores);
    if (scratch) api_->freeFrame(scratch);
    if (!outcome.ok()) return outcome;
    running_.push_back(scores[0]);
  }
  scores = {running_[n]};
  return {};
}

/// Readers look for either spelling. What the metric did not write is NaN.
void PairFilter::SetProperties(VSFrame* frame, const std::vector<double>& scores) const {
  VSMap* properties = api_->getFramePropertiesRW(frame);
  for (const PropertySpec& property : settings_.properties)
    for (const std::string& name : {property.name, "_" + property.name})
      if (const double score = scores[property.value]; !std::isnan(score))
        api_->mapSetFloat(properties, name.c_str(), score, maReplace);
}

void PairFilter::Request(int n, VSFrameContext* context) {
  int first = std::max(0, n - settings_.history);
  if (settings_.is_ordered) {
    const std::lock_guard lock(mutex_);
    first = std::min(n, static_cast<int>(running_.size()));
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
  VSFrame* out = settings_.makes_maps
                     ? api_->newVideoFrame(&output_.format, output_.width, output_.height, shown.get(), core)
                     : api_->copyFrame(shown.get(), core);
  std::vector<double> scores;
  VSFrame* map = settings_.makes_maps ? out : nullptr;
  const Outcome outcome = settings_.is_ordered ? ScoreInOrder(n, context, map, scores) : Score(n, context, map, scores);
  if (!outcome.ok()) {
    api_->setFilterError(fmt::format("{}: {}", function_.label, outcome.message).c_str(), context);
    api_->freeFrame(out);
    return nullptr;
  }
  SetProperties(out, scores);
  return out;
}

const VSFrame* VS_CC GetFrame(int n, int reason, void* filter, void**, VSFrameContext* context, VSCore* core,
                              const VSAPI* api) {
  const VSFrame* frame = nullptr;
  const Status status = CatchExceptions([&] {
    frame = static_cast<PairFilter*>(filter)->Get(n, reason, context, core);
    return Status();
  });
  if (!status.ok()) api->setFilterError(status.message().c_str(), context);
  return frame;
}

void VS_CC FreeFilter(void* filter, VSCore*, const VSAPI*) { delete static_cast<PairFilter*>(filter); }

void PairFilter::Create(std::unique_ptr<PairFilter> self, VSMap* out, VSCore* core) const {
  const int pattern = settings_.is_ordered || settings_.history > 0 ? rpGeneral : rpStrictSpatial;
  const std::array nodes = {reference_.Dependency(pattern), distorted_.Dependency(pattern)};
  api_->createVideoFilter(out, function_.name, &output_, GetFrame, FreeFilter,
                          settings_.is_ordered ? fmParallelRequests : fmParallel, nodes.data(),
                          static_cast<int>(nodes.size()), self.release(), core);
}

}  // namespace

void VS_CC CreatePairFilter(const VSMap* in, VSMap* out, void* function_value, VSCore* core, const VSAPI* api) {
  const Function& function = *static_cast<const Function*>(function_value);
  const Status status = CatchExceptions([&] {
    auto filter = std::make_unique<PairFilter>(function, in, api);
    const Outcome outcome = filter->Open(in, core);
    if (!outcome.ok()) return Error(StatusCode::kInvalidArgument, "{}", outcome.message);
    const PairFilter& made = *filter;
    made.Create(std::move(filter), out, core);
    return Status();
  });
  if (!status.ok()) api->mapSetError(out, fmt::format("{}: {}", function.label, status.message()).c_str());
}

}  // namespace acutance::vship
