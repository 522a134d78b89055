#include "tests/nvdec/fake_nvidia.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

// Functions that FFmpeg loads but never calls to decode a file.
// clang-format off
#define UNUSED_FUNCTIONS(X) \
  X(cuInit) X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) X(cuDeviceComputeCapability) X(cuCtxCreate_v2) \
  X(cuCtxSetLimit) X(cuCtxDestroy_v2) X(cuMemAlloc_v2) X(cuMemAllocPitch_v2) X(cuMemAllocManaged) X(cuMemsetD8Async) \
  X(cuMemFree_v2) X(cuMemcpy) X(cuMemcpyAsync) X(cuMemcpy2D_v2) X(cuMemcpy2DAsync_v2) X(cuMemcpyHtoD_v2) \
  X(cuMemcpyHtoDAsync_v2) X(cuMemcpyDtoH_v2) X(cuMemcpyDtoHAsync_v2) X(cuMemcpyDtoD_v2) X(cuMemcpyDtoDAsync_v2) \
  X(cuCtxGetDevice) X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease) X(cuDevicePrimaryCtxSetFlags) \
  X(cuDevicePrimaryCtxGetState) X(cuDevicePrimaryCtxReset) X(cuStreamCreate) X(cuStreamQuery) X(cuStreamSynchronize) \
  X(cuStreamDestroy_v2) X(cuStreamAddCallback) X(cuEventCreate) X(cuEventDestroy_v2) X(cuEventSynchronize) \
  X(cuEventQuery) X(cuEventRecord) X(cuLaunchKernel) X(cuLinkCreate) X(cuLinkAddData) X(cuLinkComplete) \
  X(cuLinkDestroy) X(cuModuleLoadData) X(cuModuleUnload) X(cuModuleGetFunction) X(cuModuleGetGlobal) \
  X(cuTexObjectCreate) X(cuTexObjectDestroy) X(cuGLGetDevices_v2) X(cuGraphicsGLRegisterImage) \
  X(cuGraphicsUnregisterResource) X(cuGraphicsMapResources) X(cuGraphicsUnmapResources) \
  X(cuGraphicsSubResourceGetMappedArray) X(cuGraphicsResourceGetMappedPointer_v2) X(cuArray3DCreate_v2) \
  X(cuArrayDestroy) X(cuvidGetDecodeStatus) X(cuvidReconfigureDecoder) X(cuvidCtxLockCreate) X(cuvidCtxLockDestroy) \
  X(cuvidCtxLock) X(cuvidCtxUnlock) X(cuvidCreateVideoSource) X(cuvidCreateVideoSourceW) X(cuvidDestroyVideoSource) \
  X(cuvidSetVideoSourceState) X(cuvidGetVideoSourceState) X(cuvidGetSourceVideoFormat) X(cuvidGetSourceAudioFormat) \
  X(cuvidCreateVideoParser) X(cuvidParseVideoData) X(cuvidDestroyVideoParser) X(cuDriverGetVersion) X(cuArrayCreate_v2) \
  X(cuCtxGetCurrent) X(cuDestroyExternalMemory) X(cuDestroyExternalSemaphore) X(cuDeviceGetByPCIBusId) \
  X(cuDeviceGetPCIBusId) X(cuDeviceGetUuid) X(cuDeviceGetUuid_v2) X(cuEGLStreamConsumerDisconnect) \
  X(cuEGLStreamProducerConnect) X(cuEGLStreamProducerDisconnect) X(cuEGLStreamProducerPresentFrame) \
  X(cuEGLStreamProducerReturnFrame) X(cuExternalMemoryGetMappedBuffer) X(cuExternalMemoryGetMappedMipmappedArray) \
  X(cuImportExternalMemory) X(cuImportExternalSemaphore) X(cuMipmappedArrayDestroy) X(cuMipmappedArrayGetLevel) \
  X(cuSignalExternalSemaphoresAsync) X(cuStreamWaitEvent) X(cuWaitExternalSemaphoresAsync)
// clang-format on

namespace {

constexpr int kSuccess = 0, kInvalidValue = 1, kInvalidContext = 201, kUnknown = 999;

// The members that are used, of NVIDIA's structs (Video Codec SDK).
struct DecodeCaps {
  int codec, chroma_format;
  unsigned bit_depth_minus_8, reserved[3];
  unsigned char is_supported, decoders;
  unsigned short output_formats;
  unsigned max_width, max_height, max_macroblocks;
  unsigned short min_width, min_height;
};
struct CreateInfo {
  unsigned long width, height, decode_surfaces;
  int codec, chroma_format;
  unsigned long flags, bit_depth_minus_8, intra_only, max_width, max_height, reserved;
  short display_area[4];
  int output_format, deinterlacing;  // format: 0 NV12, 1 P016, 2 YUV444, 3 YUV444 of 16 bits
  unsigned long target_width, target_height, output_surfaces;
};
struct PictureParameters {
  int width_in_macroblocks, height_in_macroblocks, index;
};

struct Decoder {
  CreateInfo info;
  int decoded = 0;
  std::map<int, int> picture_of;                                // by surface
  std::map<unsigned long long, std::vector<std::byte>> mapped;  // by address
};

std::mutex g_mutex;
acutance::FakeNvidia g_controls;
thread_local std::vector<void*> g_contexts;

bool HasContext() {
  if (!g_contexts.empty() && g_contexts.back()) return true;
  ++g_controls.without_context;
  return false;
}

void Draw(const CreateInfo& info, int picture, size_t pitch, std::vector<std::byte>& memory) {
  const int bytes = info.output_format % 2 == 1 ? 2 : 1;
  const int bits = 8 + static_cast<int>(info.bit_depth_minus_8);
  const int width = static_cast<int>(info.target_width), height = static_cast<int>(info.target_height);
  const auto put = [&](size_t at, uint32_t sample) {
    const uint16_t stored = static_cast<uint16_t>(sample << (8 * bytes - bits));
    std::memcpy(memory.data() + at, &stored, bytes);
  };
  const bool planar = info.output_format >= 2;
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < (p == 0 || planar ? height : height / 2); ++y)
      for (int x = 0; x < (p == 0 || planar ? width : width / 2); ++x) {
        const size_t row = planar ? static_cast<size_t>(p) * height + y : (p > 0 ? height : 0) + y;
        const size_t column = planar || p == 0 ? x : 2 * x + (p - 1);
        put(row * pitch + column * bytes, acutance::FakeSample(picture, p, x, y, bits));
      }
}

}  // namespace

extern "C" {

#define DEFINE_UNUSED(name) \
  int name() { return kUnknown; }
UNUSED_FUNCTIONS(DEFINE_UNUSED)

acutance::FakeNvidia* FakeNvidiaControls() { return &g_controls; }

int cuGetErrorName(int, const char** name) { return *name = "FAKE", kSuccess; }
int cuGetErrorString(int, const char** text) { return *text = "a fake's error", kSuccess; }
int cuDeviceGetAttribute(int* value, int, int) { return *value = 256, kSuccess; }
int cuCtxPushCurrent_v2(void* context) { return g_contexts.push_back(context), kSuccess; }
int cuCtxPopCurrent_v2(void** context) {
  if (g_contexts.empty()) return kInvalidContext;
  *context = g_contexts.back();
  g_contexts.pop_back();
  return kSuccess;
}

int cuvidGetDecoderCaps(DecodeCaps* caps) {
  const std::lock_guard lock(g_mutex);
  if (!HasContext()) return kInvalidContext;
  caps->is_supported = g_controls.supports;
  caps->output_formats = 15;
  caps->max_width = caps->max_height = 8192;
  caps->max_macroblocks = 1 << 18;
  return kSuccess;
}

int cuvidCreateDecoder(Decoder** decoder, const CreateInfo* info) {
  const std::lock_guard lock(g_mutex);
  if (!HasContext()) return kInvalidContext;
  if (!g_controls.creates) return kUnknown;
  *decoder = new Decoder{*info};
  ++g_controls.decoders;
  return kSuccess;
}

int cuvidDestroyDecoder(Decoder* decoder) {
  const std::lock_guard lock(g_mutex);
  delete decoder;
  --g_controls.decoders;
  return kSuccess;
}

int cuvidDecodePicture(Decoder* decoder, const PictureParameters* picture) {
  const std::lock_guard lock(g_mutex);
  if (!HasContext()) return kInvalidContext;
  if (g_controls.pictures_left == 0) return kUnknown;
  if (g_controls.pictures_left > 0) --g_controls.pictures_left;
  decoder->picture_of[picture->index] = decoder->decoded++;
  return kSuccess;
}

int cuvidMapVideoFrame64(Decoder* decoder, int index, unsigned long long* address, unsigned* pitch, const void*) {
  const std::lock_guard lock(g_mutex);
  if (!HasContext()) return kInvalidContext;
  if (decoder->mapped.size() >= decoder->info.output_surfaces) return kInvalidValue;
  const CreateInfo& info = decoder->info;
  *pitch = static_cast<unsigned>((info.target_width * 2 + 511) / 512 * 512);
  std::vector<std::byte> memory(*pitch * info.target_height * 3);
  Draw(info, decoder->picture_of[index], *pitch, memory);
  *address = reinterpret_cast<uintptr_t>(memory.data());
  decoder->mapped[*address] = std::move(memory);
  g_controls.most_mapped = std::max(g_controls.most_mapped, ++g_controls.mapped);
  return kSuccess;
}

int cuvidUnmapVideoFrame64(Decoder* decoder, unsigned long long address) {
  const std::lock_guard lock(g_mutex);
  if (!HasContext()) return kInvalidContext;
  g_controls.mapped -= static_cast<int>(decoder->mapped.erase(address));
  return kSuccess;
}

}  // extern "C"
