#include "backend/cuda/testing/fake_nvcuvid.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <vector>

using namespace acutance::cuda;

namespace {

FakeNvcuvid g_controls;
constexpr CUresult kFailure = CUDA_ERROR_UNKNOWN;

struct FakeDecoder {
  CUVIDDECODECREATEINFO info;
  std::map<int, long long> time_of;     // by surface
  std::map<int, int> looks;             // at the status, by surface
  std::set<unsigned long long> mapped;  // addresses
};

struct FakeParser {
  CUVIDPARSERPARAMS parameters;
  int surfaces = 0, next = 0;
  bool is_new = true;
  std::map<long long, int> waiting;  // surfaces by time
};

long long g_decoding = 0;  // the time of the picture that the parser hands on

/// A function of the stand-in for the driver, whose memory surfaces are.
template <class Function>
Function* OfDriver(const char* name) {
  void* const library = ::dlopen(std::getenv("ACUTANCE_CUDA_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

void Free(unsigned long long address) { OfDriver<CUresult(CUdeviceptr)>("cuMemFree_v2")(address); }

bool Fails(std::string_view function) { return function == g_controls.fails; }

void Draw(const CUVIDDECODECREATEINFO& info, long long time, size_t pitch, std::byte* memory) {
  const int bytes = info.output_format % 2 == 1 ? 2 : 1, bits = 8 + static_cast<int>(info.bit_depth_minus8);
  const int width = static_cast<int>(info.target_width), height = static_cast<int>(info.target_height);
  const bool planar = info.output_format >= cudaVideoSurfaceFormat_YUV444;
  for (int p = 0; p < 3; ++p)
    for (int y = 0; y < (p == 0 || planar ? height : height / 2); ++y)
      for (int x = 0; x < (p == 0 || planar ? width : width / 2); ++x) {
        const size_t row = static_cast<size_t>(planar ? p * height + y : (p > 0 ? height : 0) + y);
        const size_t column = static_cast<size_t>(planar || p == 0 ? x : 2 * x + (p - 1));
        const auto sample = static_cast<uint16_t>(FakeSample(time, p, x, y, bits) << (8 * bytes - bits));
        std::memcpy(memory + row * pitch + column * static_cast<size_t>(bytes), &sample, static_cast<size_t>(bytes));
      }
}

CUresult ShowFirst(FakeParser& parser) {
  const auto [time, surface] = *parser.waiting.begin();
  parser.waiting.erase(parser.waiting.begin());
  CUVIDPARSERDISPINFO info{surface, 1, 0, 0, time};
  return parser.parameters.on_display(parser.parameters.user, &info) ? CUDA_SUCCESS : kFailure;
}

CUresult Take(FakeParser& parser, const CUVIDSOURCEDATAPACKET& packet) {
  if (parser.is_new) parser.surfaces = parser.parameters.on_sequence(parser.parameters.user, &g_controls.format);
  parser.is_new = false;
  if (parser.surfaces == 0) return kFailure;
  CUVIDPICPARAMS picture{0, 0, parser.next++ % parser.surfaces};
  g_decoding = packet.timestamp;
  if (!parser.parameters.on_decode(parser.parameters.user, &picture)) return kFailure;
  parser.waiting[packet.timestamp] = picture.index;
  return parser.waiting.size() > parser.parameters.display_delay ? ShowFirst(parser) : CUDA_SUCCESS;
}

}  // namespace

extern "C" {

FakeNvcuvid* FakeNvcuvidControls() { return &g_controls; }

CUresult cuvidGetDecoderCaps(CUVIDDECODECAPS* caps) {
  if (Fails("cuvidGetDecoderCaps")) return kFailure;
  caps->is_supported = g_controls.supports;
  caps->engines = g_controls.engines;
  caps->output_formats = 15;
  caps->max_width = caps->max_height = 8192;
  caps->max_macroblocks = 1 << 18;
  return CUDA_SUCCESS;
}

CUresult cuvidCreateVideoParser(FakeParser** parser, CUVIDPARSERPARAMS* parameters) {
  if (Fails("cuvidCreateVideoParser")) return kFailure;
  *parser = new FakeParser{*parameters};
  ++g_controls.parsers;
  return CUDA_SUCCESS;
}

CUresult cuvidParseVideoData(FakeParser* parser, CUVIDSOURCEDATAPACKET* packet) {
  if (packet->size > 0) return Take(*parser, *packet);
  CUresult result = CUDA_SUCCESS;
  while (result == CUDA_SUCCESS && !parser->waiting.empty()) result = ShowFirst(*parser);
  parser->is_new = true;
  return result;
}

CUresult cuvidDestroyVideoParser(FakeParser* parser) {
  delete parser;
  --g_controls.parsers;
  return CUDA_SUCCESS;
}

CUresult cuvidCreateDecoder(FakeDecoder** decoder, CUVIDDECODECREATEINFO* info) {
  if (Fails("cuvidCreateDecoder")) return kFailure;
  *decoder = new FakeDecoder{*info, {}, {}, {}};
  ++g_controls.decoders;
  ++g_controls.made;
  return CUDA_SUCCESS;
}

CUresult cuvidDestroyDecoder(FakeDecoder* decoder) {
  g_controls.mapped -= static_cast<int>(decoder->mapped.size());
  for (const unsigned long long address : decoder->mapped) Free(address);
  delete decoder;
  --g_controls.decoders;
  return CUDA_SUCCESS;
}

CUresult cuvidDecodePicture(FakeDecoder* decoder, CUVIDPICPARAMS* picture) {
  if (Fails("cuvidDecodePicture")) return kFailure;
  decoder->time_of[picture->index] = g_decoding;
  decoder->looks[picture->index] = 0;
  return CUDA_SUCCESS;
}

CUresult cuvidGetDecodeStatus(FakeDecoder* decoder, int index, CUVIDGETDECODESTATUS* status) {
  const bool is_concealed = g_controls.concealed.contains(decoder->time_of[index]);
  status->status = is_concealed ? cuvidDecodeStatus_Error_Concealed : cuvidDecodeStatus_Success;
  if (decoder->looks[index]++ < g_controls.looks_in_progress) status->status = cuvidDecodeStatus_InProgress;
  return CUDA_SUCCESS;
}

CUresult cuvidMapVideoFrame64(FakeDecoder* decoder, int index, unsigned long long* address, unsigned* pitch,
                              CUVIDPROCPARAMS*) {
  if (Fails("cuvidMapVideoFrame64") || decoder->mapped.size() >= decoder->info.output_surfaces) return kFailure;
  const CUVIDDECODECREATEINFO& info = decoder->info;
  *pitch = static_cast<unsigned>((info.target_width * 2 + 511) / 512 * 512);
  const size_t bytes = size_t{*pitch} * info.target_height * 3;
  if (OfDriver<CUresult(CUdeviceptr*, size_t)>("cuMemAlloc_v2")(address, bytes) != CUDA_SUCCESS) return kFailure;
  Draw(info, decoder->time_of[index], *pitch, reinterpret_cast<std::byte*>(*address));
  decoder->mapped.insert(*address);
  ++g_controls.mapped;
  return CUDA_SUCCESS;
}

CUresult cuvidUnmapVideoFrame64(FakeDecoder* decoder, unsigned long long address) {
  if (decoder->mapped.erase(address) == 0) return kFailure;
  --g_controls.mapped;
  Free(address);
  return CUDA_SUCCESS;
}

}  // extern "C"
