// The functions of libvship.so as a plugin, called in the real VapourSynth: host LIBVAPOURSYNTH LIBVSHIP
// Scores are those of the C interface on the same planes.
#include <VapourSynth4.h>
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kFrames = 4;
int failures = 0;

void Expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what.c_str());
  ++failures;
}

class Host {
 public:
  explicit Host(const VSAPI* own) : api(own), core(own->createCore(ccfDisableAutoLoading)) {}
  ~Host() { api->freeCore(core); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  VSMap* Call(const char* space, const char* name, VSMap* arguments) const {
    VSPlugin* plugin = api->getPluginByNamespace(space, core);
    VSMap* result = api->invoke(plugin, name, arguments);
    api->freeMap(arguments);
    return result;
  }

  VSNode* Node(VSMap* result, const char* what) const {
    const char* error = api->mapGetError(result);
    Expect(!error, std::string(what) + ": " + (error ? error : ""));
    VSNode* node = error ? nullptr : api->mapGetNode(result, "clip", 0, nullptr);
    api->freeMap(result);
    return node;
  }

  /// A grey clip of 4:2:0 with frames numbered by an expression that depends on x, y and the frame.
  VSNode* Clip(const char* expression) const {
    VSMap* arguments = api->createMap();
    api->mapSetInt(arguments, "width", 128, maReplace);
    api->mapSetInt(arguments, "height", 96, maReplace);
    api->mapSetInt(arguments, "format", pfYUV420P8, maReplace);
    api->mapSetInt(arguments, "length", kFrames, maReplace);
    api->mapSetInt(arguments, "fpsnum", 25, maReplace);
    api->mapSetInt(arguments, "fpsden", 1, maReplace);
    for (const double value : {100.0, 128.0, 128.0}) api->mapSetFloat(arguments, "color", value, maAppend);
    VSNode* blank = Node(Call("std", "BlankClip", arguments), "BlankClip");
    arguments = api->createMap();
    api->mapConsumeNode(arguments, "clip", blank, maReplace);
    api->mapSetInt(arguments, "left", expression[0] - '0', maReplace);
    api->mapSetInt(arguments, "right", 8 - (expression[0] - '0'), maReplace);
    api->mapSetInt(arguments, "top", 4, maReplace);
    for (const double value : {static_cast<double>(40 + 20 * (expression[1] - '0')), 90.0, 150.0})
      api->mapSetFloat(arguments, "color", value, maAppend);
    return Node(Call("std", "AddBorders", arguments), "AddBorders");
  }

  VSMap* Pair(VSNode* reference, VSNode* distorted) const {
    VSMap* arguments = api->createMap();
    api->mapSetNode(arguments, "reference", reference, maReplace);
    api->mapSetNode(arguments, "distorted", distorted, maReplace);
    return arguments;
  }

  const VSFrame* Frame(VSNode* node, int n) const {
    char error[1024] = "";
    const VSFrame* frame = api->getFrame(n, node, error, sizeof error);
    Expect(frame, "frame " + std::to_string(n) + ": " + error);
    return frame;
  }

  double Score(VSNode* node, int n, const char* property) const {
    const VSFrame* frame = Frame(node, n);
    if (!frame) return -1e9;
    int error = 0;
    const double score = api->mapGetFloat(api->getFramePropertiesRO(frame), property, 0, &error);
    Expect(error == 0, std::string(property) + " is missing or no float");
    api->freeFrame(frame);
    return score;
  }

  const VSAPI* const api;
  VSCore* const core;
};

// The C interface's side.
struct Colorspace {
  int64_t width, height, target_width, target_height;
  int sample, range, subw, subh, location, family, matrix, transfer, primaries, top, bottom, left, right;
};
struct Init {
  int type;
  Colorspace src, dis;
  int gpu;
};
struct Score {
  int type;
  double score;
};

double ScoreDirectly(void* library, const Host& host, VSNode* reference, VSNode* distorted) {
  const auto init = reinterpret_cast<int (*)(void**, void*)>(dlsym(library, "Vship_InitHandler"));
  const auto compute =
      reinterpret_cast<int (*)(void*, void*, const uint8_t* const*, const uint8_t* const*, const int64_t*,
                               const int64_t*)>(dlsym(library, "Vship_ComputeHandler"));
  const auto free = reinterpret_cast<int (*)(void*)>(dlsym(library, "Vship_FreeHandler"));
  const VSVideoInfo& info = *host.api->getVideoInfo(reference);
  Colorspace colors = {};
  colors.width = info.width;
  colors.height = info.height;
  colors.target_width = colors.target_height = -1;
  colors.sample = 2;
  colors.subw = colors.subh = 1;
  colors.matrix = 6;
  colors.transfer = 1;
  Init arguments = {1, colors, colors, 0};
  void* handler = nullptr;
  Expect(init(&handler, &arguments) == 0, "InitHandler");
  const VSFrame* frames[2] = {host.Frame(reference, 0), host.Frame(distorted, 0)};
  const uint8_t* planes[2][3];
  int64_t strides[2][3];
  for (int v = 0; v < 2; ++v)
    for (int p = 0; p < 3; ++p) {
      planes[v][p] = host.api->getReadPtr(frames[v], p);
      strides[v][p] = host.api->getStride(frames[v], p);
    }
  Score score = {4, 0};
  Expect(compute(handler, &score, planes[0], planes[1], strides[0], strides[1]) == 0, "ComputeHandler");
  Expect(free(handler) == 0, "FreeHandler");
  for (const VSFrame* frame : frames) host.api->freeFrame(frame);
  return score.score;
}

void Check(const Host& host, void* library) {
  VSNode *reference = host.Clip("20"), *distorted = host.Clip("41");
  VSMap* arguments = host.Pair(reference, distorted);
  host.api->mapSetInt(arguments, "numStream", 2, maReplace);
  VSNode* scored = host.Node(host.Call("vship", "SSIMULACRA2", arguments), "SSIMULACRA2");
  const double expected = ScoreDirectly(library, host, reference, distorted);
  Expect(expected < 99, "the clips are too alike for a test");
  for (const int n : {3, 0, 2})
    for (const char* property : {"SSIMULACRA2", "_SSIMULACRA2"})
      Expect(host.Score(scored, n, property) == expected, property);
  host.api->freeNode(scored);

  arguments = host.Pair(reference, distorted);
  host.api->mapSetInt(arguments, "distmap", 1, maReplace);
  host.api->mapSetFloat(arguments, "intensity_multiplier", 203.0, maReplace);
  scored = host.Node(host.Call("vship", "BUTTERAUGLI", arguments), "BUTTERAUGLI");
  const VSFrame* map = host.Frame(scored, 1);
  Expect(map && host.api->getVideoFrameFormat(map)->sampleType == stFloat, "the map is no GrayS");
  float most = 0;
  for (int y = 0; map && y < host.api->getFrameHeight(map, 0); ++y)
    for (int x = 0; x < host.api->getFrameWidth(map, 0); ++x) {
      float value = 0;
      std::memcpy(&value, host.api->getReadPtr(map, 0) + y * host.api->getStride(map, 0) + x * sizeof value,
                  sizeof value);
      most = value > most ? value : most;
    }
  if (map) host.api->freeFrame(map);
  Expect(most > 0 && host.Score(scored, 1, "_BUTTERAUGLI_INFNorm") == static_cast<double>(most),
         "INFNorm is the largest");
  Expect(host.Score(scored, 1, "BUTTERAUGLI_3Norm") > 0, "3Norm");
  Expect(host.Score(scored, 1, "_BUTTERAUGLI_QNorm") > 0, "QNorm");
  host.api->freeNode(scored);

  // The running value does not depend on the order of requests.
  std::vector<double> in_order;
  for (const bool backwards : {false, true}) {
    arguments = host.Pair(reference, distorted);
    host.api->mapSetData(arguments, "model_name", "standard_fhd", -1, dtUtf8, maReplace);
    scored = host.Node(host.Call("vship", "CVVDP", arguments), "CVVDP");
    for (int i = 0; i < kFrames; ++i) {
      const int n = backwards ? kFrames - 1 - i : i;
      const double score = host.Score(scored, n, "_CVVDP");
      if (!backwards) in_order.push_back(score);
      else Expect(score == in_order[n], "CVVDP backwards");
    }
    host.api->freeNode(scored);
  }
  Expect(in_order[0] < 9.99, "CVVDP sees the difference");

  VSMap* result = host.Call("vship", "SSIMULACRA2", host.api->createMap());
  Expect(host.api->mapGetError(result), "no clips, no error");
  host.api->freeMap(result);
  arguments = host.Pair(reference, distorted);
  host.api->mapSetInt(arguments, "gpu_id", 7, maReplace);
  result = host.Call("vship", "SSIMULACRA2", arguments);
  Expect(host.api->mapGetError(result), "no device, no error");
  host.api->freeMap(result);
  result = host.Call("vship", "GpuInfo", host.api->createMap());
  Expect(!host.api->mapGetError(result), "GpuInfo");
  host.api->freeMap(result);
  host.api->freeNode(reference);
  host.api->freeNode(distorted);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  void* library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    std::printf("skipped: %s\n", dlerror());
    return 77;
  }
  const auto get = reinterpret_cast<VSGetVapourSynthAPI>(dlsym(library, "getVapourSynthAPI"));
  const VSAPI* api = get ? get(VAPOURSYNTH_API_VERSION) : nullptr;
  if (!api) {
    std::printf("skipped: no VapourSynth API 4\n");
    return 77;
  }
  void* vship = dlopen(argv[2], RTLD_NOW);
  if (!vship) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  const Host host(api);
  VSMap* arguments = api->createMap();
  api->mapSetData(arguments, "path", argv[2], -1, dtUtf8, maReplace);
  VSMap* loaded = host.Call("std", "LoadPlugin", arguments);
  const char* error = api->mapGetError(loaded);
  if (error) {
    std::fprintf(stderr, "%s\n", error);
    return 1;
  }
  api->freeMap(loaded);
  Check(host, vship);
  return failures > 0;
}
