// libvship's C functions: checks of arguments, codes, and nothing that leaves as an exception.
#include <acutance/frame_scorer.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <mutex>

#include "api/handle_table.h"
#include "api/vship/client_devices.h"
#include "api/vship/translate.h"
#include "base/system/process.h"
#include "base/threads/exception_barrier.h"

namespace acutance::vship {
namespace {

using api::FrameScorer;

constexpr int kMostThreads = 16;  // of one handler

/// A client's handler: one metric over pairs of frames.
class Handler {
 public:
  Handler(StructType init_type, FrameScorer scorer) : init_type_(init_type), scorer_(std::move(scorer)) {}

  /// A forked child has none of the handler's threads.
  const ProcessGuard& process() const { return process_; }
  StructType init_type() const { return init_type_; }
  FrameScorer& scorer() { return scorer_; }
  size_t place_of(std::string_view output) const { return *scorer_.IndexOf(output); }

  /// The call's outcome, whose message the handler retains where it failed; success does not clear it.
  Outcome Retain(const Status& status) {
    if (status.ok()) return {};
    const std::lock_guard lock(mutex_);
    last_error_ = status.message();
    Outcome outcome(status);
    if (status.code() == StatusCode::kInvalidArgument) outcome.code = kBadPointer;
    return outcome;
  }
  std::string last_error() const {
    const std::lock_guard lock(mutex_);
    return last_error_;
  }

 private:
  const ProcessGuard process_;
  const StructType init_type_;
  FrameScorer scorer_;
  mutable std::mutex mutex_;  // guards the error
  std::string last_error_;
};

/// Handles are numbers that are never used again: 5.1's as pointers, 4's divided by the table's step.
using Handles = HandleTable<void, Handler>;
constexpr uintptr_t kHandleStep = 16;

void* PointerOf(Handler4 handler) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(handler.id) * kHandleStep);  // NOLINT
}

/// Runs a call; its failure becomes the last error.
template <class Body>
int Call(Body&& body) noexcept {
  Exception code = kOutOfRam;
  try {
    Outcome outcome;
    try {
      outcome = body();
    } catch (...) {
      outcome = Outcome(StatusFromException());
    }
    code = outcome.code;
    if (!outcome.ok()) SetLastError(outcome.message);
  } catch (...) {
    return kOutOfRam;
  }
  return code;
}

Outcome Null(std::string_view name) { return Failure(kBadPointer, "{} is null", name); }

Outcome FindOfAnyProcess(void* handle, int init_type, std::shared_ptr<Handler>& handler) {
  Result<std::shared_ptr<Handler>> found = Handles::Get().Find(handle, "the handler");
  if (!found.ok()) return {kBadHandler, found.status().message()};
  if (init_type != 0 && (*found)->init_type() != init_type) return {kBadHandler, "the handler is another metric's"};
  handler = std::move(found).value();
  return {};
}

Outcome Find(void* handle, int init_type, std::shared_ptr<Handler>& handler) {
  if (Outcome bad = FindOfAnyProcess(handle, init_type, handler); !bad.ok()) return bad;
  const Status status = handler->process().CheckSession();
  return status.ok() ? Outcome() : Outcome(kBadHandler, status.message());
}

int Free(void* handle, int init_type) {
  return Call([&]() -> Outcome {
    std::shared_ptr<Handler> handler;
    if (Outcome bad = FindOfAnyProcess(handle, init_type, handler); !bad.ok()) return bad;
    const Result<std::shared_ptr<Handler>> removed = Handles::Get().Remove(handle, "the handler");
    // A forked child has none of the threads that would be joined, and leaves all as it is.
    if (handler->process().forked()) new std::shared_ptr<Handler>(std::move(handler));
    return removed.ok() ? Outcome() : Outcome(kBadHandler, removed.status().message());
  });
}

Outcome CheckPlanes(const Planes& planes, std::string_view name) {
  if (!planes.data) return Null(fmt::format("the list of the {} planes", name));
  if (!planes.strides) return Null(fmt::format("the list of the {} strides", name));
  return {};
}

Outcome CheckPair(const Planes& reference, const Planes& distorted) {
  if (Outcome bad = CheckPlanes(reference, "reference's"); !bad.ok()) return bad;
  return CheckPlanes(distorted, "distorted video's");
}

/// Makes the feature for videos of the reference's format.
using MakeFeature = std::function<Outcome(const FrameFormat&, api::Feature&)>;

Outcome Open(StructType type, const Colorspace& reference, const Colorspace& distorted, int device,
             const MakeFeature& make, void*& handle) {
  api::FrameScorerOptions options = {.features = {{}}, .threads = std::min(api::DescribeCpu().threads, kMostThreads)};
  options.on_warning = SetLastError;
  if (Outcome bad = ChooseDevice(device, options); !bad.ok()) return bad;
  if (Outcome bad = FormatOf(reference, options.reference); !bad.ok()) return bad;
  if (Outcome bad = FormatOf(distorted, options.distorted); !bad.ok()) return bad;
  const FrameFormat &a = options.reference, &b = options.distorted;
  if (a.scored_width() != b.scored_width() || a.scored_height() != b.scored_height())
    return Failure(kDifferingInputType, "the reference has {}x{} pixels, the distorted video {}x{}", a.scored_width(),
                   a.scored_height(), b.scored_width(), b.scored_height());
  if (Outcome bad = make(a, options.features[0]); !bad.ok()) return bad;
  Result<FrameScorer> scorer = FrameScorer::Create(options);
  if (!scorer.ok()) {
    Outcome outcome(scorer.status());
    if (type == kInitCvvdp && scorer.status().code() == StatusCode::kInvalidArgument) outcome.code = kBadDisplayModel;
    return outcome;
  }
  handle = Handles::Get().Add(std::make_shared<Handler>(type, std::move(scorer).value()));
  return {};
}

Outcome OpenSsimulacra2(const Colorspace& reference, const Colorspace& distorted, int device, void*& handle) {
  const auto make = [](const FrameFormat&, api::Feature& feature) { return feature = Ssimulacra2Feature(), Outcome(); };
  return Open(kInitSsimulacra2, reference, distorted, device, make, handle);
}

Outcome OpenButteraugli(const InitButteraugli& init, void*& handle) {
  const auto make = [&](const FrameFormat&, api::Feature& feature) {
    return feature = ButteraugliFeature(init.norm, init.intensity), Outcome();
  };
  return Open(kInitButteraugli, init.reference, init.distorted, init.device, make, handle);
}

Outcome OpenCvvdp(const InitCvvdp& init, void*& handle) {
  const auto make = [&](const FrameFormat& format, api::Feature& feature) {
    return CvvdpFeature(init, format, feature);
  };
  return Open(kInitCvvdp, init.reference, init.distorted, init.device, make, handle);
}

Outcome OpenAny(const void* init, void*& handle) {
  switch (*static_cast<const int*>(init)) {
    case kInitSsimulacra2: {
      const auto& own = *static_cast<const InitSsimulacra2*>(init);
      return OpenSsimulacra2(own.reference, own.distorted, own.device, handle);
    }
    case kInitButteraugli:
      return OpenButteraugli(*static_cast<const InitButteraugli*>(init), handle);
    case kInitCvvdp:
      return OpenCvvdp(*static_cast<const InitCvvdp*>(init), handle);
    default:
      return Failure(kBadInputStructType, "structure type {}: there are 1 to 3", *static_cast<const int*>(init));
  }
}

/// 4's constructors.
int Open4(Handler4* out, const std::function<Outcome(void*&)>& open) {
  return Call([&]() -> Outcome {
    if (!out) return Null("the handler's place");
    out->id = 0;
    void* handle = nullptr;
    if (Outcome bad = open(handle); !bad.ok()) return bad;
    const uintptr_t id = reinterpret_cast<uintptr_t>(handle) / kHandleStep;
    if (id <= std::numeric_limits<unsigned>::max()) {
      out->id = static_cast<unsigned>(id);
      return {};
    }
    static_cast<void>(Handles::Get().Remove(handle, "the handler"));
    return {kOutOfRam, "no handler's number is left"};
  });
}

/// Scores a pair; `values` are pointers to where outputs go, by their names.
Outcome Compute(Handler& handler, std::initializer_list<std::pair<const char*, double*>> values,
                const api::FrameMap& map, const Planes& reference, const Planes& distorted) {
  const Result<api::FrameScores> scores = handler.scorer().Score(reference.view(), distorted.view(), map);
  if (!scores.ok()) return handler.Retain(scores.status());
  for (const auto& [output, value] : values) *value = scores->values[handler.place_of(output)];
  return {};
}

Outcome ComputeSsimulacra2(Handler& handler, double& score, const Planes& reference, const Planes& distorted) {
  return Compute(handler, {{"ssimulacra2", &score}}, {}, reference, distorted);
}

Outcome ComputeButteraugli(Handler& handler, double& norm_q, double& norm_3, double& norm_inf, const api::FrameMap& map,
                           const Planes& reference, const Planes& distorted) {
  return Compute(handler, {{"butteraugli_qnorm", &norm_q}, {"butteraugli_p3", &norm_3}, {"butteraugli_max", &norm_inf}},
                 map, reference, distorted);
}

Outcome ComputeCvvdp(Handler& handler, double& score, const api::FrameMap& map, const Planes& reference,
                     const Planes& distorted) {
  return Compute(handler, {{"cvvdp", &score}}, map, reference, distorted);
}

Outcome ComputeAny(Handler& handler, void* score, const Planes& reference, const Planes& distorted) {
  const int type = *static_cast<const int*>(score);
  const int own_type = handler.init_type() + kScoreSsimulacra2 - kInitSsimulacra2;
  if (type != own_type)
    return Failure(kBadInputStructType, "structure type {}: this handler's scores have {}", type, own_type);
  if (type == kScoreSsimulacra2)
    return ComputeSsimulacra2(handler, static_cast<ScoreSsimulacra2*>(score)->score, reference, distorted);
  if (type == kScoreCvvdp) {
    auto& own = *static_cast<ScoreCvvdp*>(score);
    return ComputeCvvdp(handler, own.score, {own.map, own.map_stride}, reference, distorted);
  }
  auto& own = *static_cast<ScoreButteraugli*>(score);
  return ComputeButteraugli(handler, own.norm_q, own.norm_3, own.norm_inf, {own.map, own.map_stride}, reference,
                            distorted);
}

int Compute4(Handler4 id, int init_type, const void* score, const Planes& reference, const Planes& distorted,
             const std::function<Outcome(Handler&)>& compute) {
  return Call([&]() -> Outcome {
    std::shared_ptr<Handler> handler;
    if (Outcome bad = Find(PointerOf(id), init_type, handler); !bad.ok()) return bad;
    if (!score) return Null("the score");
    if (Outcome bad = CheckPair(reference, distorted); !bad.ok()) return bad;
    return compute(*handler);
  });
}

int OnHandler(void* handle, int init_type, const std::function<void(Handler&)>& body) {
  return Call([&]() -> Outcome {
    std::shared_ptr<Handler> handler;
    if (Outcome bad = Find(handle, init_type, handler); !bad.ok()) return bad;
    body(*handler);
    return {};
  });
}

/// 0 where the handler is none: ask for the last error of all.
int HandlerError(void* handle, int init_type, char* out, int length) {
  int bytes = 0;
  const int code =
      OnHandler(handle, init_type, [&](Handler& handler) { bytes = CopyText(handler.last_error(), out, length); });
  return code == kNoError ? bytes : 0;
}

int Allocate(void** memory, uint64_t bytes, int device) {
  return Call([&]() -> Outcome {
    if (!memory) return Null("the memory's place");
    *memory = nullptr;
    return AllocatePinned(device, bytes, *memory);
  });
}

int Release(void* memory, int device) {
  return Call([&]() -> Outcome {
    if (!memory) return Null("the memory");
    if (Outcome bad = CheckDevice(device); !bad.ok()) return bad;
    return FreePinned(memory);
  });
}

Backend BackendOf(const std::vector<api::FrameDevice>& gpus) {
  constexpr std::pair<std::string_view, Backend> kNames[] = {
      {"hip", kBackendHip}, {"cuda", kBackendCuda}, {"vulkan", kBackendVulkan}};
  for (const auto& [name, backend] : kNames)
    if (!gpus.empty() && gpus.front().backend == name) return backend;
  return kBackendCpu;
}

/// Clients prefer devices that are not integrated: the CPU is, where there is another.
void DescribeDevice(int device, DeviceInfo& info) {
  info = {};
  const std::vector<api::FrameDevice> gpus = Gpus();
  if (device < static_cast<int>(gpus.size())) {
    const api::FrameDevice& gpu = gpus[device];
    CopyText(gpu.name, info.name, sizeof info.name);
    info.memory = gpu.memory_bytes;
    info.integrated = gpu.is_integrated ? 1 : 0;
    info.warp_size = gpu.wave_size;
    return;
  }
  const api::CpuInfo cpu = api::DescribeCpu();
  CopyText("CPU (acutance)", info.name, sizeof info.name);
  info.memory = cpu.memory_bytes.value_or(0);
  info.integrated = gpus.empty() ? 0 : 1;
  info.processors = cpu.threads;
  info.warp_size = 1;
}

}  // namespace
}  // namespace acutance::vship

using namespace acutance::vship;  // NOLINT: this file is the interface

extern "C" {

Version Vship_GetVersion() {
  Version version = {5, 1, 2, kBackendCpu};
  static_cast<void>(Call([&] { return version.backend = BackendOf(Gpus()), Outcome(); }));
  return version;
}

int Vship_GetDeviceCount(int* count) {
  return Call([&]() -> Outcome {
    if (!count) return Null("the count");
    if (Outcome bad = CheckBackend(); !bad.ok()) return bad;
    *count = static_cast<int>(Gpus().size()) + 1;
    return {};
  });
}

int Vship_GetDeviceInfo(DeviceInfo* info, int device) {
  return Call([&]() -> Outcome {
    if (!info) return Null("the information's place");
    if (Outcome bad = CheckDevice(device); !bad.ok()) return bad;
    return DescribeDevice(device, *info), Outcome();
  });
}

int Vship_GPUFullCheck(int device) {
  return Call([&] { return CheckDevice(device); });
}

int Vship_SetDevice(int device) {
  return Call([&] { return SetCurrentDevice(device); });
}

int Vship_GetErrorMessage(int code, char* out, int length) {
  const std::string_view text = MessageOf(code);
  return CopyText(text.empty() ? MessageOf(kBadErrorType) : text, out, length);
}

int Vship_GetDetailedLastError(char* out, int length) {
  int bytes = 0;
  return Call([&] { return bytes = CopyText(LastError(), out, length), Outcome(); }) == kNoError ? bytes : 0;
}

int Vship_GetDetailedLastErrorHandler(void* handle, char* out, int length) {
  return HandlerError(handle, 0, out, length);
}

int Vship_InitHandler(void** out, void* init) {
  return Call([&]() -> Outcome {
    if (!out) return Null("the handler's place");
    *out = nullptr;
    if (!init) return Null("the structure");
    return OpenAny(init, *out);
  });
}

int Vship_ComputeHandler(void* handle, void* score, const uint8_t* const reference[3],
                         const uint8_t* const distorted[3], const int64_t reference_strides[3],
                         const int64_t distorted_strides[3]) {
  return Call([&]() -> Outcome {
    std::shared_ptr<Handler> handler;
    if (Outcome bad = Find(handle, 0, handler); !bad.ok()) return bad;
    if (!score) return Null("the score");
    const Planes first = {reference, reference_strides}, second = {distorted, distorted_strides};
    if (Outcome bad = CheckPair(first, second); !bad.ok()) return bad;
    return ComputeAny(*handler, score, first, second);
  });
}

int Vship_FreeHandler(void* handle) { return Free(handle, 0); }

int Vship_Reset(void* handle) {
  return OnHandler(handle, 0, [](Handler& handler) { handler.scorer().ResetHistory(); });
}

int Vship_ResetScore(void* handle) {
  return OnHandler(handle, 0, [](Handler& handler) { handler.scorer().ResetScores(); });
}

int Vship_PinnedMalloc2(void** memory, uint64_t bytes, int device) { return Allocate(memory, bytes, device); }
int Vship_PinnedFree2(void* memory, int device) { return Release(memory, device); }
int Vship_PinnedMalloc(void** memory, uint64_t bytes) { return Allocate(memory, bytes, CurrentDevice()); }
int Vship_PinnedFree(void* memory) { return Release(memory, CurrentDevice()); }

// The names of 4.

#define ACU_FRAMES                                                                                          \
  const uint8_t *const reference[3], const uint8_t *const distorted[3], const int64_t reference_strides[3], \
      const int64_t distorted_strides[3]
#define ACU_PAIR \
  Planes{reference, reference_strides}, Planes { distorted, distorted_strides }

int Vship_SSIMU2Init2(Handler4* out, Colorspace reference, Colorspace distorted, int device) {
  return Open4(out, [&](void*& handle) { return OpenSsimulacra2(reference, distorted, device, handle); });
}

int Vship_SSIMU2Init(Handler4* out, Colorspace reference, Colorspace distorted) {
  return Vship_SSIMU2Init2(out, reference, distorted, CurrentDevice());
}

int Vship_SSIMU2Free(Handler4 handler) { return Free(PointerOf(handler), kInitSsimulacra2); }

int Vship_ComputeSSIMU2(Handler4 id, double* score, ACU_FRAMES) {
  return Compute4(id, kInitSsimulacra2, score, ACU_PAIR,
                  [&](Handler& handler) { return ComputeSsimulacra2(handler, *score, ACU_PAIR); });
}

int Vship_SSIMU2GetDetailedLastError(Handler4 id, char* out, int length) {
  return HandlerError(PointerOf(id), kInitSsimulacra2, out, length);
}

int Vship_ButteraugliInit2(Handler4* out, Colorspace reference, Colorspace distorted, int norm, float intensity,
                           int device) {
  const InitButteraugli init = {kInitButteraugli, reference, distorted, norm, intensity, device};
  return Open4(out, [&](void*& handle) { return OpenButteraugli(init, handle); });
}

int Vship_ButteraugliInit(Handler4* out, Colorspace reference, Colorspace distorted, int norm, float intensity) {
  return Vship_ButteraugliInit2(out, reference, distorted, norm, intensity, CurrentDevice());
}

int Vship_ButteraugliFree(Handler4 handler) { return Free(PointerOf(handler), kInitButteraugli); }

int Vship_ComputeButteraugli(Handler4 id, ButteraugliNorms* score, uint8_t* map, int64_t map_stride, ACU_FRAMES) {
  return Compute4(id, kInitButteraugli, score, ACU_PAIR, [&](Handler& handler) {
    return ComputeButteraugli(handler, score->norm_q, score->norm_3, score->norm_inf, {map, map_stride}, ACU_PAIR);
  });
}

int Vship_ButteraugliGetDetailedLastError(Handler4 id, char* out, int length) {
  return HandlerError(PointerOf(id), kInitButteraugli, out, length);
}

int Vship_CVVDPInit3(Handler4* out, Colorspace reference, Colorspace distorted, float fps, bool resize_to_display,
                     const char* model, const char* config, int device) {
  const InitCvvdp init = {kInitCvvdp, reference, distorted, fps, resize_to_display, model, config, device};
  return Open4(out, [&](void*& handle) { return OpenCvvdp(init, handle); });
}

int Vship_CVVDPInit2(Handler4* out, Colorspace reference, Colorspace distorted, float fps, bool resize_to_display,
                     const char* model, const char* config) {
  return Vship_CVVDPInit3(out, reference, distorted, fps, resize_to_display, model, config, CurrentDevice());
}

int Vship_CVVDPInit(Handler4* out, Colorspace reference, Colorspace distorted, float fps, bool resize_to_display,
                    const char* model) {
  return Vship_CVVDPInit3(out, reference, distorted, fps, resize_to_display, model, nullptr, 0);
}

int Vship_CVVDPFree(Handler4 handler) { return Free(PointerOf(handler), kInitCvvdp); }

int Vship_CVVDPGetDistmapResolution(Handler4 id, int64_t* width, int64_t* height) {
  if (!width || !height) return Call([] { return Null("the width or the height"); });
  return OnHandler(PointerOf(id), kInitCvvdp, [&](Handler& handler) {
    *width = handler.scorer().map_width();
    *height = handler.scorer().map_height();
  });
}

int Vship_ResetCVVDP(Handler4 id) {
  return OnHandler(PointerOf(id), kInitCvvdp, [](Handler& handler) { handler.scorer().ResetHistory(); });
}

int Vship_ResetScoreCVVDP(Handler4 id) {
  return OnHandler(PointerOf(id), kInitCvvdp, [](Handler& handler) { handler.scorer().ResetScores(); });
}

int Vship_LoadTemporalCVVDP(Handler4 id, ACU_FRAMES) {
  const int none = 0;
  return Compute4(id, kInitCvvdp, &none, ACU_PAIR, [&](Handler& handler) {
    return handler.Retain(handler.scorer().Load(Planes{reference, reference_strides}.view(),
                                                Planes{distorted, distorted_strides}.view()));
  });
}

int Vship_ComputeCVVDP(Handler4 id, double* score, uint8_t* map, int64_t map_stride, ACU_FRAMES) {
  return Compute4(id, kInitCvvdp, score, ACU_PAIR, [&](Handler& handler) {
    return ComputeCvvdp(handler, *score, {map, map_stride}, ACU_PAIR);
  });
}

int Vship_CVVDPGetDetailedLastError(Handler4 id, char* out, int length) {
  return HandlerError(PointerOf(id), kInitCvvdp, out, length);
}

#undef ACU_FRAMES
#undef ACU_PAIR

}  // extern "C"
