// libvship.so as a plugin of VapourSynth: vship's functions, arguments and frame properties (docs/vship.md).
#include <VapourSynth4.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/vship/handler.h"
#include "base/guarded.h"
#include "base/usable_cpus.h"

namespace acutance::vship {
namespace {

enum class Kind { kSsimulacra2, kButteraugli, kCvvdp };

constexpr const char* NameOf(Kind kind) {
  return kind == Kind::kSsimulacra2 ? "SSIMULACRA2" : kind == Kind::kButteraugli ? "BUTTERAUGLI" : "CVVDP";
}

/// Arguments of a call that a script may leave out.
class Arguments {
 public:
  Arguments(const VSMap* map, const VSAPI* api) : map_(map), api_(api) {}

  int Int(const char* name, int otherwise) const {
    int missing = 0;
    const int value = api_->mapGetIntSaturated(map_, name, 0, &missing);
    return missing ? otherwise : value;
  }
  double Float(const char* name, double otherwise) const {
    int missing = 0;
    const double value = api_->mapGetFloat(map_, name, 0, &missing);
    return missing ? otherwise : value;
  }
  std::string Text(const char* name, const char* otherwise) const {
    int missing = 0;
    const char* value = api_->mapGetData(map_, name, 0, &missing);
    return missing ? otherwise : std::string(value, api_->mapGetDataSize(map_, name, 0, nullptr));
  }

 private:
  const VSMap* map_;
  const VSAPI* api_;
};

std::optional<int> SampleOf(const VSVideoFormat& format) {
  if (format.sampleType != stInteger) return std::nullopt;
  switch (format.bitsPerSample) {
    case 8:
      return kUint8;
    case 9:
      return kUint9;
    case 10:
      return kUint10;
    case 12:
      return kUint12;
    case 14:
      return kUint14;
    case 16:
      return kUint16;
    default:
      return std::nullopt;
  }
}

/// A property of a frame; 2 stands for unknown in those of H.273.
int Property(const VSFrame* frame, const char* name, int unknown, int otherwise, const VSAPI* api) {
  const int value = Arguments(api->getFramePropertiesRO(frame), api).Int(name, unknown);
  return value == unknown ? otherwise : value;
}

/// What samples mean is said by properties of the reference's first frame, for both clips.
void ReadColors(const VSFrame* frame, Colorspace& colors, const VSAPI* api) {
  constexpr int kUnknown = 2, kLeastHdHeight = 651, kBt2020Transfer10 = 14, kBt2020Transfer12 = 15;
  const bool is_hd = colors.height >= kLeastHdHeight;
  colors.matrix = Property(frame, "_Matrix", kUnknown, is_hd ? kMatrixBt709 : kMatrixSt170M, api);
  colors.transfer = Property(frame, "_Transfer", kUnknown, kTransferBt709, api);
  if (colors.transfer == kBt2020Transfer10 || colors.transfer == kBt2020Transfer12) colors.transfer = kTransferBt709;
  colors.chroma_location = Property(frame, "_ChromaLocation", -1, kLeft, api);
  // VapourSynth's own numbers: 0 is full.
  colors.range = Property(frame, "_ColorRange", -1, 1, api) == 0 ? kFull : kLimited;
  colors.primaries = Property(frame, "_Primaries", kUnknown, 1, api);
}

struct FreeFrame {
  const VSAPI* api;
  void operator()(const VSFrame* frame) const { api->freeFrame(frame); }
};
using Frame = std::unique_ptr<const VSFrame, FreeFrame>;

/// One call of a function in a script.
class Filter {
 public:
  Filter(Kind kind, const VSMap* in, const VSAPI* api)
      : kind_(kind),
        api_(api),
        reference_(api->mapGetNode(in, "reference", 0, nullptr)),
        distorted_(api->mapGetNode(in, "distorted", 0, nullptr)) {}
  ~Filter() {
    api_->freeNode(reference_);
    api_->freeNode(distorted_);
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;

  Outcome Open(const VSMap* in, VSCore* core);
  void Create(std::unique_ptr<Filter> self, VSMap* out, VSCore* core) const;
  const VSFrame* Get(int n, int reason, void** frame_data, VSFrameContext* context, VSCore* core);

 private:
  bool is_ordered() const { return kind_ == Kind::kCvvdp; }
  Outcome OpenClips();
  Outcome OpenHandler(std::shared_ptr<Handler>& handler) const;
  Outcome Score(int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores);
  Outcome ScoreInOrder(int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores);
  Outcome Compute(Handler& handler, int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores) const;
  void SetProperties(VSFrame* frame, const std::vector<double>& scores) const;

  const Kind kind_;
  const VSAPI* const api_;
  VSNode *const reference_, *const distorted_;
  VSVideoInfo output_{};
  Colorspace reference_colors_{}, distorted_colors_{};
  bool makes_maps_ = false;
  int norm_ = 2;
  double intensity_ = 203.0;
  CvvdpSettings cvvdp_{};

  std::mutex mutex_;  // guards what follows
  std::condition_variable returned_;
  int most_handlers_ = 1, handlers_ = 0;
  std::vector<std::shared_ptr<Handler>> idle_;
  std::vector<double> running_;  // of frames in order
};

Outcome Filter::OpenClips() {
  const VSVideoInfo &first = *api_->getVideoInfo(reference_), &second = *api_->getVideoInfo(distorted_);
  for (const auto& [info, colors] : {std::pair{&first, &reference_colors_}, std::pair{&second, &distorted_colors_}}) {
    if (info->width == 0 || info->height == 0 || info->format.colorFamily == cfUndefined)
      return {kNotSupported, "clips must have one size and format throughout"};
    const std::optional<int> sample = SampleOf(info->format);
    if (!sample || info->format.colorFamily != cfYUV)
      return {kNotSupported, "clips must be YUV in integers of 8 to 16 bits; convert them, such as by resize.Bicubic"};
    *colors = {.width = info->width, .height = info->height, .target_width = -1, .target_height = -1};
    colors->sample = *sample;
    colors->sub_width = info->format.subSamplingW;
    colors->sub_height = info->format.subSamplingH;
  }
  if (first.width != second.width || first.height != second.height)
    return {kDifferingInputType, "both clips must have the same size"};
  if (first.numFrames != second.numFrames) return {kDifferingInputType, "both clips must have the same length"};
  char message[1024] = "";
  const Frame frame(api_->getFrame(0, reference_, message, sizeof message), FreeFrame{api_});
  if (!frame) return {kNotSupported, message};
  for (Colorspace* colors : {&reference_colors_, &distorted_colors_}) ReadColors(frame.get(), *colors, api_);
  output_ = second;
  cvvdp_.fps = first.fpsDen > 0 ? static_cast<float>(static_cast<double>(first.fpsNum) / first.fpsDen) : 0;
  if (!(cvvdp_.fps > 0)) cvvdp_.fps = 25;
  return {};
}

Outcome Filter::Open(const VSMap* in, VSCore* core) {
  const Arguments arguments(in, api_);
  if (Outcome bad = OpenClips(); !bad.ok()) return bad;
  VSCoreInfo info;
  api_->getCoreInfo(core, &info);
  makes_maps_ = arguments.Int("distmap", 0) != 0;
  norm_ = arguments.Int("qnorm", norm_);
  intensity_ = arguments.Float("intensity_multiplier", intensity_);
  cvvdp_.model = arguments.Text("model_name", "standard_fhd");
  cvvdp_.config = arguments.Text("model_config_json", "");
  cvvdp_.resize_to_display = arguments.Int("resizeToDisplay", 0) != 0;
  cvvdp_.is_temporal = arguments.Int("disableTemporal", 0) == 0;
  if (arguments.Int("gpu_id", 0) != 0) return {kBadDeviceArgument, "there is no such device; 0 is the processor"};
  most_handlers_ = arguments.Int("numStream", info.numThreads);
  if (most_handlers_ < 1) return {kNotSupported, "numStream must be at least 1"};
  if (is_ordered()) most_handlers_ = 1;
  if (makes_maps_) api_->queryVideoFormat(&output_.format, cfGray, stFloat, 32, 0, 0, core);
  std::shared_ptr<Handler> handler;
  if (Outcome bad = OpenHandler(handler); !bad.ok()) return bad;
  idle_.push_back(std::move(handler));
  handlers_ = 1;
  return {};
}

Outcome Filter::OpenHandler(std::shared_ptr<Handler>& handler) const {
  std::optional<FramePair> pair;
  if (Outcome bad = FramePair::Make(reference_colors_, distorted_colors_, pair); !bad.ok()) return bad;
  std::unique_ptr<Scorer> scorer;
  Outcome outcome = kind_ == Kind::kSsimulacra2 ? MakeSsimulacra2(*pair, scorer)
                    : kind_ == Kind::kButteraugli
                        ? MakeButteraugli(*pair, norm_, static_cast<float>(intensity_), scorer)
                        : MakeCvvdp(*pair, cvvdp_, scorer);
  if (!outcome.ok()) return outcome;
  return Handler::Make(std::move(*pair), std::move(scorer), is_ordered() ? UsableCpus() : 1, handler);
}

Outcome Filter::Compute(Handler& handler, int n, VSFrameContext* context, VSFrame* map,
                        std::vector<double>& scores) const {
  const Frame first(api_->getFrameFilter(n, reference_, context), FreeFrame{api_}),
      second(api_->getFrameFilter(n, distorted_, context), FreeFrame{api_});
  const uint8_t* data[2][3];
  int64_t strides[2][3];
  for (int v = 0; v < 2; ++v)
    for (int p = 0; p < 3; ++p) {
      const VSFrame* frame = v == 0 ? first.get() : second.get();
      data[v][p] = api_->getReadPtr(frame, p);
      strides[v][p] = api_->getStride(frame, p);
    }
  MapTarget target;
  if (map) target = {api_->getWritePtr(map, 0), api_->getStride(map, 0)};
  return handler.Compute({data[0], strides[0]}, {data[1], strides[1]}, target, [&](Scorer& scorer) {
    if (kind_ == Kind::kSsimulacra2) {
      scores = {static_cast<Ssimulacra2Scorer&>(scorer).score};
    } else if (kind_ == Kind::kButteraugli) {
      const ButteraugliNorms& norms = static_cast<ButteraugliScorer&>(scorer).norms;
      scores = {norms.norm_q, norms.norm_3, norms.norm_inf};
    } else {
      scores = {static_cast<CvvdpScorer&>(scorer).score};
    }
  });
}

Outcome Filter::Score(int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores) {
  std::shared_ptr<Handler> handler;
  {
    std::unique_lock lock(mutex_);
    returned_.wait(lock, [&] { return !idle_.empty() || handlers_ < most_handlers_; });
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
Outcome Filter::ScoreInOrder(int n, VSFrameContext* context, VSFrame* map, std::vector<double>& scores) {
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

void Filter::SetProperties(VSFrame* frame, const std::vector<double>& scores) const {
  VSMap* properties = api_->getFramePropertiesRW(frame);
  // Readers look for either spelling.
  const auto set = [&](const std::string& name, double value) {
    for (const std::string& spelling : {name, "_" + name})
      api_->mapSetFloat(properties, spelling.c_str(), value, maReplace);
  };
  if (kind_ != Kind::kButteraugli) return set(NameOf(kind_), scores[0]);
  set("BUTTERAUGLI_QNorm", scores[0]);
  set("BUTTERAUGLI_2Norm", scores[0]);
  set("BUTTERAUGLI_3Norm", scores[1]);
  set("BUTTERAUGLI_INFNorm", scores[2]);
}

const VSFrame* Filter::Get(int n, int reason, void** frame_data, VSFrameContext* context, VSCore* core) {
  static_cast<void>(frame_data);
  if (reason == arInitial) {
    int first = n;
    if (is_ordered()) {
      const std::lock_guard lock(mutex_);
      first = std::min(n, static_cast<int>(running_.size()));
    }
    for (int i = first; i <= n; ++i) {
      api_->requestFrameFilter(i, reference_, context);
      api_->requestFrameFilter(i, distorted_, context);
    }
    return nullptr;
  }
  if (reason != arAllFramesReady) return nullptr;
  const Frame distorted(api_->getFrameFilter(n, distorted_, context), FreeFrame{api_});
  VSFrame* out = makes_maps_
                     ? api_->newVideoFrame(&output_.format, output_.width, output_.height, distorted.get(), core)
                     : api_->copyFrame(distorted.get(), core);
  std::vector<double> scores;
  VSFrame* map = makes_maps_ ? out : nullptr;
  const Outcome outcome = is_ordered() ? ScoreInOrder(n, context, map, scores) : Score(n, context, map, scores);
  if (!outcome.ok()) {
    api_->setFilterError(fmt::format("vship: {}: {}", NameOf(kind_), outcome.message).c_str(), context);
    api_->freeFrame(out);
    return nullptr;
  }
  SetProperties(out, scores);
  return out;
}

const VSFrame* VS_CC GetFrame(int n, int reason, void* filter, void** frame_data, VSFrameContext* context, VSCore* core,
                              const VSAPI* api) {
  const VSFrame* frame = nullptr;
  const Status status = Guarded([&] {
    frame = static_cast<Filter*>(filter)->Get(n, reason, frame_data, context, core);
    return Status();
  });
  if (!status.ok()) api->setFilterError(status.message().c_str(), context);
  return frame;
}

void VS_CC FreeFilter(void* filter, VSCore*, const VSAPI*) { delete static_cast<Filter*>(filter); }

void Filter::Create(std::unique_ptr<Filter> self, VSMap* out, VSCore* core) const {
  const int pattern = is_ordered() ? rpGeneral : rpStrictSpatial;
  const VSFilterDependency dependencies[] = {{reference_, pattern}, {distorted_, pattern}};
  api_->createVideoFilter(out, NameOf(kind_), &output_, GetFrame, FreeFilter,
                          is_ordered() ? fmParallelRequests : fmParallel, dependencies, 2, self.release(), core);
}

void VS_CC CreateFilter(const VSMap* in, VSMap* out, void* kind_value, VSCore* core, const VSAPI* api) {
  const Kind kind = *static_cast<const Kind*>(kind_value);
  const Status status = Guarded([&] {
    auto filter = std::make_unique<Filter>(kind, in, api);
    const Outcome outcome = filter->Open(in, core);
    if (!outcome.ok()) return Error(StatusCode::kInvalidArgument, "{}", outcome.message);
    const Filter& made = *filter;
    made.Create(std::move(filter), out, core);
    return Status();
  });
  if (!status.ok()) api->mapSetError(out, fmt::format("vship: {}: {}", NameOf(kind), status.message()).c_str());
}

void VS_CC DeviceInformation(const VSMap* in, VSMap* out, void*, VSCore*, const VSAPI* api) {
  const Status status = Guarded([&] {
    const int device = Arguments(in, api).Int("gpu_id", -1);
    if (device > 0) return Error(StatusCode::kInvalidArgument, "there is no such device; 0 is the processor");
    std::string text = "GPU 0: CPU (acutance)\n";
    if (device == 0)
      text = fmt::format(
          "Name: CPU (acutance)\nMultiProcessorCount: {}\nMaxSharedMemoryPerBlock: 0\nWarpSize: 1\nVRAMCapacity: {}\n"
          "MemoryBusWidth: 0\nIntegrated: 0\nPassKernelCheck: 1\n",
          UsableCpus(), AvailableMemory().value_or(0));
    api->mapSetData(out, "gpu_human_data", text.data(), static_cast<int>(text.size()), dtUtf8, maReplace);
    return Status();
  });
  if (!status.ok()) api->mapSetError(out, fmt::format("vship: GpuInfo: {}", status.message()).c_str());
}

Kind kinds[] = {Kind::kSsimulacra2, Kind::kButteraugli, Kind::kCvvdp};

}  // namespace
}  // namespace acutance::vship

VS_EXTERNAL_API(void) VapourSynthPluginInit2(VSPlugin* plugin, const VSPLUGINAPI* api) {
  using namespace acutance::vship;  // NOLINT
  api->configPlugin("com.lumen.vship", "vship", "acutance's metrics under Vship's names", VS_MAKE_VERSION(5, 1),
                    VAPOURSYNTH_API_VERSION, 0, plugin);
  api->registerFunction("SSIMULACRA2", "reference:vnode;distorted:vnode;numStream:int:opt;gpu_id:int:opt;",
                        "clip:vnode;", CreateFilter, &kinds[0], plugin);
  api->registerFunction("BUTTERAUGLI",
                        "reference:vnode;distorted:vnode;qnorm:int:opt;intensity_multiplier:float:opt;distmap:int:opt;"
                        "numStream:int:opt;gpu_id:int:opt;",
                        "clip:vnode;", CreateFilter, &kinds[1], plugin);
  api->registerFunction("CVVDP",
                        "reference:vnode;distorted:vnode;model_name:data:opt;model_config_json:data:opt;"
                        "resizeToDisplay:int:opt;distmap:int:opt;gpu_id:int:opt;disableTemporal:int:opt;",
                        "clip:vnode;", CreateFilter, &kinds[2], plugin);
  api->registerFunction("GpuInfo", "gpu_id:int:opt;", "gpu_human_data:data;", DeviceInformation, nullptr, plugin);
}
