// libvship's C functions: checks of arguments, codes, and nothing that leaves as an exception.
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "api/libvmaf/handle_table.h"
#include "api/vship/handler.h"
#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"

namespace acutance::vship {
namespace {

constexpr int kMostThreads = 16;  // of one handler

/// Handles are numbers that are never used again: 5.1's as pointers, 4's divided by the table's step.
using Handles = libvmaf::HandleTable<void, Handler>;
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

Outcome CheckDevice(int device) {
  if (device == 0) return {};
  return Failure(kBadDeviceArgument, "there is no device {}; device 0 is the processor", device);
}

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

using MakeScorer = std::function<Outcome(const FramePair&, std::unique_ptr<Scorer>&)>;

Outcome Open(const Colorspace& reference, const Colorspace& distorted, int device, const MakeScorer& make,
             void*& handle) {
  if (Outcome bad = CheckDevice(device); !bad.ok()) return bad;
  std::optional<FramePair> pair;
  if (Outcome bad = FramePair::Make(reference, distorted, FramePair::Use::kColors, pair); !bad.ok()) return bad;
  std::unique_ptr<Scorer> scorer;
  if (Outcome bad = make(*pair, scorer); !bad.ok()) return bad;
  std::shared_ptr<Handler> handler;
  const int threads = std::min(UsableCpus(), kMostThreads);
  if (Outcome bad = Handler::Make(std::move(*pair), std::move(scorer), threads, handler); !bad.ok()) return bad;
  handle = Handles::Get().Add(std::move(handler));
  return {};
}

MakeScorer ButteraugliOf(int norm, float intensity) {
  return [=](const FramePair& pair, auto& scorer) { return MakeButteraugli(pair, norm, intensity, scorer); };
}

MakeScorer CvvdpOf(float fps, bool resizes, const char* model, const char* config) {
  return
      [settings =
           CvvdpSettings{
               .fps = fps, .resize_to_display = resizes, .model = model ? model : "", .config = config ? config : ""}](
          const FramePair& pair, auto& scorer) { return MakeCvvdp(pair, settings, scorer); };
}

Outcome OpenAny(const void* init, void*& handle) {
  switch (*static_cast<const int*>(init)) {
    case kInitSsimulacra2: {
      const auto& own = *static_cast<const InitSsimulacra2*>(init);
      return Open(own.reference, own.distorted, own.device, MakeSsimulacra2, handle);
    }
    case kInitButteraugli: {
      const auto& own = *static_cast<const InitButteraugli*>(init);
      return Open(own.reference, own.distorted, own.device, ButteraugliOf(own.norm, own.intensity), handle);
    }
    case kInitCvvdp: {
      const auto& own = *static_cast<const InitCvvdp*>(init);
      return Open(own.reference, own.distorted, own.device,
                  CvvdpOf(own.fps, own.resize_to_display, own.model, own.config), handle);
    }
    default:
      return Failure(kBadInputStructType, "structure type {}: there are 1 to 3", *static_cast<const int*>(init));
  }
}

/// 4's constructors.
int Open4(Handler4* out, const Colorspace& reference, const Colorspace& distorted, int device,
          const std::function<MakeScorer()>& make) {
  return Call([&]() -> Outcome {
    if (!out) return Null("the handler's place");
    out->id = 0;
    void* handle = nullptr;
    if (Outcome bad = Open(reference, distorted, device, make(), handle); !bad.ok()) return bad;
    const uintptr_t id = reinterpret_cast<uintptr_t>(handle) / kHandleStep;
    if (id <= std::numeric_limits<unsigned>::max()) {
      out->id = static_cast<unsigned>(id);
      return {};
    }
    static_cast<void>(Handles::Get().Remove(handle, "the handler"));
    return {kOutOfRam, "no handler's number is left"};
  });
}

Outcome ComputeSsimulacra2(Handler& handler, double& score, const Planes& reference, const Planes& distorted) {
  return handler.Compute(reference, distorted, {},
                         [&](Scorer& scorer) { score = static_cast<Ssimulacra2Scorer&>(scorer).score; });
}

Outcome ComputeButteraugli(Handler& handler, ButteraugliNorms& norms, const MapTarget& map, const Planes& reference,
                           const Planes& distorted) {
  return handler.Compute(reference, distorted, map,
                         [&](Scorer& scorer) { norms = static_cast<ButteraugliScorer&>(scorer).norms; });
}

Outcome ComputeCvvdp(Handler& handler, double& score, const MapTarget& map, const Planes& reference,
                     const Planes& distorted) {
  return handler.Compute(reference, distorted, map,
                         [&](Scorer& scorer) { score = static_cast<CvvdpScorer&>(scorer).score; });
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
  ButteraugliNorms norms = {};
  Outcome outcome = ComputeButteraugli(handler, norms, {own.map, own.map_stride}, reference, distorted);
  if (outcome.ok()) own.norm_q = norms.norm_q, own.norm_3 = norms.norm_3, own.norm_inf = norms.norm_inf;
  return outcome;
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
      OnHandler(handle, init_type, [&](Handler& handler) { bytes = CopyText(handler.LastError(), out, length); });
  return code == kNoError ? bytes : 0;
}

int Allocate(void** memory, uint64_t bytes, int device) {
  constexpr size_t kAlignment = 64;
  return Call([&]() -> Outcome {
    if (!memory) return Null("the memory's place");
    *memory = nullptr;
    if (Outcome bad = CheckDevice(device); !bad.ok()) return bad;
    if (bytes > std::numeric_limits<size_t>::max() - kAlignment) return Failure(kOutOfRam, "{} bytes", bytes);
    const size_t whole = (std::max<size_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
    *memory = std::aligned_alloc(kAlignment, whole);
    return *memory ? Outcome() : Failure(kOutOfRam, "no memory for {} bytes", bytes);
  });
}

int Release(void* memory, int device) {
  return Call([&]() -> Outcome {
    if (!memory) return Null("the memory");
    if (Outcome bad = CheckDevice(device); !bad.ok()) return bad;
    std::free(memory);
    return {};
  });
}

}  // namespace
}  // namespace acutance::vship

using namespace acutance::vship;  // NOLINT: this file is the interface

extern "C" {

Version Vship_GetVersion() { return {5, 1, 2, kBackendCpu}; }

int Vship_GetDeviceCount(int* count) {
  return Call([&]() -> Outcome {
    if (!count) return Null("the count");
    *count = 1;
    return {};
  });
}

int Vship_GetDeviceInfo(DeviceInfo* info, int device) {
  return Call([&]() -> Outcome {
    if (!info) return Null("the information's place");
    if (Outcome bad = CheckDevice(device); !bad.ok()) return bad;
    *info = {};
    CopyText("CPU (acutance)", info->name, sizeof info->name);
    info->memory = acutance::AvailableMemory().value_or(0);
    info->processors = acutance::UsableCpus();
    info->warp_size = 1;
    return {};
  });
}

int Vship_GPUFullCheck(int device) {
  return Call([&] { return CheckDevice(device); });
}

int Vship_SetDevice(int device) {
  return Call([&] { return CheckDevice(device); });
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
  return OnHandler(handle, 0, [](Handler& handler) { handler.ResetHistory(); });
}

int Vship_ResetScore(void* handle) {
  return OnHandler(handle, 0, [](Handler& handler) { handler.ResetScore(); });
}

int Vship_PinnedMalloc2(void** memory, uint64_t bytes, int device) { return Allocate(memory, bytes, device); }
int Vship_PinnedFree2(void* memory, int device) { return Release(memory, device); }
int Vship_PinnedMalloc(void** memory, uint64_t bytes) { return Allocate(memory, bytes, 0); }
int Vship_PinnedFree(void* memory) { return Release(memory, 0); }

// The names of 4.

#define ACU_FRAMES                                                                                          \
  const uint8_t *const reference[3], const uint8_t *const distorted[3], const int64_t reference_strides[3], \
      const int64_t distorted_strides[3]
#define ACU_PAIR \
  Planes{reference, reference_strides}, Planes { distorted, distorted_strides }

int Vship_SSIMU2Init2(Handler4* out, Colorspace reference, Colorspace distorted, int device) {
  return Open4(out, reference, distorted, device, [] { return MakeScorer(MakeSsimulacra2); });
}

int Vship_SSIMU2Init(Handler4* out, Colorspace reference, Colorspace distorted) {
  return Vship_SSIMU2Init2(out, reference, distorted, 0);
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
  return Open4(out, reference, distorted, device, [=] { return ButteraugliOf(norm, intensity); });
}

int Vship_ButteraugliInit(Handler4* out, Colorspace reference, Colorspace distorted, int norm, float intensity) {
  return Vship_ButteraugliInit2(out, reference, distorted, norm, intensity, 0);
}

int Vship_ButteraugliFree(Handler4 handler) { return Free(PointerOf(handler), kInitButteraugli); }

int Vship_ComputeButteraugli(Handler4 id, ButteraugliNorms* score, uint8_t* map, int64_t map_stride, ACU_FRAMES) {
  return Compute4(id, kInitButteraugli, score, ACU_PAIR, [&](Handler& handler) {
    return ComputeButteraugli(handler, *score, {map, map_stride}, ACU_PAIR);
  });
}

int Vship_ButteraugliGetDetailedLastError(Handler4 id, char* out, int length) {
  return HandlerError(PointerOf(id), kInitButteraugli, out, length);
}

int Vship_CVVDPInit3(Handler4* out, Colorspace reference, Colorspace distorted, float fps, bool resize_to_display,
                     const char* model, const char* config, int device) {
  return Open4(out, reference, distorted, device, [=] { return CvvdpOf(fps, resize_to_display, model, config); });
}

int Vship_CVVDPInit2(Handler4* out, Colorspace reference, Colorspace distorted, float fps, bool resize_to_display,
                     const char* model, const char* config) {
  return Vship_CVVDPInit3(out, reference, distorted, fps, resize_to_display, model, config, 0);
}

int Vship_CVVDPInit(Handler4* out, Colorspace reference, Colorspace distorted, float fps, bool resize_to_display,
                    const char* model) {
  return Vship_CVVDPInit3(out, reference, distorted, fps, resize_to_display, model, nullptr, 0);
}

int Vship_CVVDPFree(Handler4 handler) { return Free(PointerOf(handler), kInitCvvdp); }

int Vship_CVVDPGetDistmapResolution(Handler4 id, int64_t* width, int64_t* height) {
  if (!width || !height) return Call([] { return Null("the width or the height"); });
  return OnHandler(PointerOf(id), kInitCvvdp, [&](Handler& handler) {
    *width = handler.map_size().width;
    *height = handler.map_size().height;
  });
}

int Vship_ResetCVVDP(Handler4 id) {
  return OnHandler(PointerOf(id), kInitCvvdp, [](Handler& handler) { handler.ResetHistory(); });
}

int Vship_ResetScoreCVVDP(Handler4 id) {
  return OnHandler(PointerOf(id), kInitCvvdp, [](Handler& handler) { handler.ResetScore(); });
}

int Vship_LoadTemporalCVVDP(Handler4 id, ACU_FRAMES) {
  const int none = 0;
  return Compute4(id, kInitCvvdp, &none, ACU_PAIR, [&](Handler& handler) { return handler.Load(ACU_PAIR); });
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
