// The functions of libvship.so as plugins, which the real VapourSynth finds itself: host LIBVAPOURSYNTH LIBVSHIP
// VAPOURSYNTH_EXTRA_PLUGIN_PATH names the folder of the plugins. Scores of vship are those of the C interface on the
// same planes; those of vszip and the plugin vmaf were computed by them (docs/use/vship.md).
#include <VapourSynth4.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace {

constexpr int kFrames = 4;
constexpr double kXpsnr = 10.521494, kFirstXpsnr = 27.511194;  // vszip's of grey 100 and 110, 128x96
int failures = 0;

void Expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "failed: %s\n", what.c_str());
  ++failures;
}

/// A value of an argument; several where a function takes a list.
using Value = std::variant<int, double, const char*, VSNode*, std::vector<int>, std::vector<double>>;
using Values = std::vector<std::pair<const char*, Value>>;

struct FreeNode {
  const VSAPI* api;
  void operator()(VSNode* node) const { api->freeNode(node); }
};
using Node = std::unique_ptr<VSNode, FreeNode>;

class Host {
 public:
  explicit Host(const VSAPI* own) : api(own), core(own->createCore(0)) {}
  ~Host() { api->freeCore(core); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  VSMap* Call(const char* space, const char* name, const Values& values) const {
    VSMap* arguments = api->createMap();
    for (const auto& [key, value] : values) std::visit([&](const auto& each) { Set(arguments, key, each); }, value);
    VSMap* result = api->invoke(api->getPluginByNamespace(space, core), name, arguments);
    api->freeMap(arguments);
    return result;
  }

  /// The clip that a function returns.
  Node Run(const char* space, const char* name, const Values& values) const {
    VSMap* result = Call(space, name, values);
    const char* error = api->mapGetError(result);
    Expect(!error, std::string(name) + ": " + (error ? error : ""));
    VSNode* node = error ? nullptr : api->mapGetNode(result, "clip", 0, nullptr);
    api->freeMap(result);
    return {node, FreeNode{api}};
  }

  /// A grey clip of 4:2:0 with borders, whose width and color the digits of `shape` say.
  Node Clip(const char* shape) const {
    const int left = shape[0] - '0', luma = 40 + 20 * (shape[1] - '0');
    const Node blank = Run("std", "BlankClip",
                           {{"width", 128},
                            {"height", 96},
                            {"format", int{pfYUV420P8}},
                            {"length", kFrames},
                            {"fpsnum", 25},
                            {"fpsden", 1},
                            {"color", std::vector{100.0, 128.0, 128.0}}});
    return Run("std", "AddBorders",
               {{"clip", blank.get()},
                {"left", left},
                {"right", 8 - left},
                {"top", 4},
                {"color", std::vector{static_cast<double>(luma), 90.0, 150.0}}});
  }

  /// A clip of one color: codes of Y, U and V, of R, G and B, or a share of light.
  Node Flat(int format, std::vector<double> color, int frames = kFrames, int width = 128, int height = 96) const {
    return Run(
        "std", "BlankClip",
        {{"width", width}, {"height", height}, {"format", format}, {"length", frames}, {"color", std::move(color)}});
  }

  Node Convert(const Node& clip, int format) const {
    return Run("resize", "Bicubic", {{"clip", clip.get()}, {"format", format}, {"matrix_in_s", "170m"}});
  }

  Node Score(const char* space, const char* name, const Node& reference, const Node& distorted,
             const Values& more = {}) const {
    return Run(space, name, Pair(reference, distorted, more));
  }

  static Values Pair(const Node& reference, const Node& distorted, const Values& more = {}) {
    Values values = {{"reference", reference.get()}, {"distorted", distorted.get()}};
    values.insert(values.end(), more.begin(), more.end());
    return values;
  }

  const VSFrame* Frame(const Node& node, int n) const {
    char error[1024] = "";
    const VSFrame* frame = api->getFrame(n, node.get(), error, sizeof error);
    Expect(frame, "frame " + std::to_string(n) + ": " + error);
    return frame;
  }

  double Property(const Node& node, int n, const char* property) const {
    const VSFrame* frame = Frame(node, n);
    if (!frame) return -1e9;
    int error = 0;
    const double score = api->mapGetFloat(api->getFramePropertiesRO(frame), property, 0, &error);
    Expect(error == 0, std::string(property) + " is missing or no float");
    api->freeFrame(frame);
    return score;
  }

  /// Expects a failure whose message has `part`.
  void ExpectError(const char* space, const char* name, const Values& values, const std::string& part) const {
    VSMap* result = Call(space, name, values);
    const char* error = api->mapGetError(result);
    Expect(error && std::string(error).find(part) != std::string::npos,
           std::string(name) + ": \"" + (error ? error : "no error") + "\" does not say \"" + part + "\"");
    api->freeMap(result);
  }

  const VSAPI* const api;
  VSCore* const core;

 private:
  void Set(VSMap* map, const char* key, int value) const { api->mapSetInt(map, key, value, maAppend); }
  void Set(VSMap* map, const char* key, double value) const { api->mapSetFloat(map, key, value, maAppend); }
  void Set(VSMap* map, const char* key, VSNode* node) const { api->mapSetNode(map, key, node, maAppend); }
  void Set(VSMap* map, const char* key, const char* text) const {
    api->mapSetData(map, key, text, -1, dtUtf8, maAppend);
  }
  template <class Each>
  void Set(VSMap* map, const char* key, const std::vector<Each>& values) const {
    for (const Each& value : values) Set(map, key, value);
  }
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

double ScoreDirectly(void* library, const Host& host, const Node& reference, const Node& distorted, int transfer) {
  const auto init = reinterpret_cast<int (*)(void**, void*)>(dlsym(library, "Vship_InitHandler"));
  const auto compute =
      reinterpret_cast<int (*)(void*, void*, const uint8_t* const*, const uint8_t* const*, const int64_t*,
                               const int64_t*)>(dlsym(library, "Vship_ComputeHandler"));
  const auto free = reinterpret_cast<int (*)(void*)>(dlsym(library, "Vship_FreeHandler"));
  const VSVideoInfo& info = *host.api->getVideoInfo(reference.get());
  Colorspace colors = {};
  colors.width = info.width;
  colors.height = info.height;
  colors.target_width = colors.target_height = -1;
  colors.sample = 2;
  colors.subw = colors.subh = 1;
  colors.matrix = 6;
  colors.transfer = transfer;
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

/// What standard output gets while `body` runs.
template <class Body>
std::string Printed(Body&& body) {
  std::fflush(stdout);
  const int own = dup(STDOUT_FILENO);
  std::FILE* file = std::tmpfile();
  dup2(fileno(file), STDOUT_FILENO);
  body();
  std::fflush(stdout);
  dup2(own, STDOUT_FILENO);
  close(own);
  std::rewind(file);
  char text[4096];
  const size_t bytes = std::fread(text, 1, sizeof text, file);
  std::fclose(file);
  return {text, bytes};
}

bool IsNear(double value, double expected, double tolerance) {
  if (std::abs(value - expected) <= tolerance) return true;
  std::fprintf(stderr, "%.6f instead of %.6f: ", value, expected);
  return false;
}

void CheckVszip(const Host& host, void* library) {
  const Node grey = host.Flat(pfYUV420P8, {100, 100, 100}), lighter = host.Flat(pfYUV420P8, {110, 110, 110});
  constexpr int kSrgb = 13;
  const double expected = ScoreDirectly(library, host, grey, lighter, kSrgb);
  for (const char* name : {"SSIMULACRA2", "Metrics"}) {
    const Node scored = host.Score("vszip", name, grey, lighter);
    for (const char* property : {"SSIMULACRA2", "_SSIMULACRA2"})
      Expect(host.Property(scored, 1, property) == expected, std::string("vszip's ") + property);
  }
  // Frames in any order, each with those before it.
  const std::string printed = Printed([&] {
    const Node scored = host.Score("vszip", "XPSNR", grey, lighter);
    for (int n = kFrames - 1; n >= 0; --n)
      for (const char* property : {"XPSNR_Y", "XPSNR_U", "XPSNR_V"})
        Expect(IsNear(host.Property(scored, n, property), n == 0 ? kFirstXpsnr : kXpsnr, 1e-6), property);
  });
  Expect(printed.starts_with("XPSNR average, 4 frames  y: 12.6202  u: "), "verbose XPSNR prints " + printed);
  const std::string silence = Printed([&] {
    const Node scored = host.Score("vszip", "XPSNR", grey, grey, {{"temporal", 0}, {"verbose", 0}});
    Expect(std::isinf(host.Property(scored, 2, "XPSNR_Y")), "XPSNR of identical planes");
  });
  Expect(silence.empty(), "XPSNR prints without verbose: " + silence);

  host.ExpectError("vszip", "Metrics", Host::Pair(grey, lighter, {{"mode", 1}}), "mode");
  const Node shorter = host.Flat(pfYUV420P8, {100, 100, 100}, 2), rgb = host.Flat(pfRGB24, {100, 100, 100});
  host.ExpectError("vszip", "SSIMULACRA2", Host::Pair(grey, shorter), "length");
  host.ExpectError("vszip", "XPSNR", Host::Pair(rgb, rgb), "YUV");
}

/// RGB scores as the YUV that it was made of, up to what its own 8 bits or floats lose.
void CheckRgb(const Host& host, const Node& reference, const Node& distorted) {
  const Node yuv = host.Score("vszip", "SSIMULACRA2", reference, distorted);
  const double expected = host.Property(yuv, 0, "SSIMULACRA2");
  for (const int format : {pfRGBS, pfRGBH, pfRGB48, pfRGB30, pfRGB24}) {
    const Node first = host.Convert(reference, format), second = host.Convert(distorted, format);
    const std::pair<const char*, const char*> functions[] = {
        {"vszip", "SSIMULACRA2"}, {"vship", "SSIMULACRA2"}, {"julek", "SSIMULACRA"}};
    for (const auto& [space, name] : functions) {
      const double score = host.Property(host.Score(space, name, first, second), 0, "_SSIMULACRA2");
      Expect(IsNear(score, expected, format == pfRGB24 ? 1.0 : 0.1), std::string(space) + " of RGB");
    }
    for (const char* name : {"Butteraugli", "butteraugli"}) {
      const Node scored = host.Score("julek", name, first, second, {{"intensity_target", 203.0}, {"distmap", 1}});
      Expect(host.Property(scored, 0, "_FrameButteraugli") > 1, "julek's Butteraugli");
    }
  }
  // Linear light is a function of its own, and is another score.
  const Node dark = host.Flat(pfRGBS, {0.1, 0.1, 0.1}), light = host.Flat(pfRGBS, {0.11, 0.11, 0.11});
  const double linear = host.Property(host.Score("ssimulacra2", "SSIMULACRA2", dark, light), 0, "SSIMULACRA2");
  const double encoded = host.Property(host.Score("vszip", "SSIMULACRA2", dark, light), 0, "SSIMULACRA2");
  Expect(linear > 0 && linear < 100 && std::abs(encoded - linear) > 0.1, "linear RGB");
  host.ExpectError("julek", "SSIMULACRA", Host::Pair(dark, light, {{"feature", 1}}), "feature");
}

/// Floats in any chroma format score as the integers that they were made of; a reference in other samples does, too.
void CheckFloats(const Host& host, const Node& reference, const Node& distorted) {
  const Node whole = host.Score("vship", "SSIMULACRA2", reference, distorted);
  const double expected = host.Property(whole, 0, "_SSIMULACRA2");
  for (const int format : {pfYUV420PS, pfYUV444PS, pfYUV422P10}) {
    const Node first = host.Convert(reference, format), second = host.Convert(distorted, format);
    for (const Node* other : {&second, &distorted})
      Expect(IsNear(host.Property(host.Score("vship", "SSIMULACRA2", first, *other), 0, "_SSIMULACRA2"), expected, 1.0),
             "floats of luma and chroma");
  }
  const Node floats = host.Flat(pfYUV444PS, {0.5, 0, 0});
  host.ExpectError("vszip", "XPSNR", Host::Pair(floats, floats), "integers");
}

/// The map has the size at which the display shows the clip, which is the value of another display.
void CheckResizing(const Host& host, const Node& reference, const Node& distorted) {
  double scores[2] = {};
  for (const bool resizes : {false, true}) {
    const Node scored =
        host.Score("vship", "CVVDP", reference, distorted, {{"resizeToDisplay", resizes ? 1 : 0}, {"distmap", 1}});
    const VSVideoInfo &clip = *host.api->getVideoInfo(reference.get()), &map = *host.api->getVideoInfo(scored.get());
    if (resizes) Expect(map.width == 1920 || map.height == 1080, "the map fills the display");
    else Expect(map.width == clip.width && map.height == clip.height, "the map is as large as the clip");
    scores[resizes ? 1 : 0] = host.Property(scored, 1, "_CVVDP");
    const VSFrame* frame = host.Frame(scored, 1);
    Expect(frame && host.api->getFrameWidth(frame, 0) == map.width, "the map's frames");
    if (frame) host.api->freeFrame(frame);
  }
  Expect(scores[0] != scores[1] && scores[1] < 10, "resizeToDisplay is another score");
}

/// The log of a function that lets frames pass, after it was asked for the frames `numbers`.
std::string LogOf(const Host& host, const char* name, Values values, int format, const std::vector<int>& numbers) {
  const char* path = "vapoursynth_vmaf.log";
  std::remove(path);
  values.insert(values.end(), {{"log_path", path}, {"log_format", format}});
  {
    const Node passing = host.Run("vmaf", name, values);
    for (const int n : numbers)
      if (const VSFrame* frame = host.Frame(passing, n)) host.api->freeFrame(frame);
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::remove(path);
  return text.str();
}

void CheckVmaf(const Host& host, const Node& reference, const Node& distorted) {
  const Values pair = Host::Pair(reference, distorted, {{"model", std::vector{1, 0}}, {"feature", std::vector{0, 4}}});
  const std::pair<int, std::vector<std::string>> formats[] = {
      {0, {"<VMAF version=\"3.2.1\">", "vmaf_neg=\""}},
      {1, {"\"vmaf_neg\": ", "\"psnr_y\": ", "\"frameNum\": 3"}},
      {2, {"Frame,", "vmaf_neg"}},
      {3, {"{0}{1}frame: 0|"}}};
  for (const auto& [format, parts] : formats) {
    const std::string log = LogOf(host, "VMAF", pair, format, {2, 0, 3});
    for (const std::string& part : parts)
      Expect(log.find(part) != std::string::npos, "log " + std::to_string(format) + " lacks " + part + ": " + log);
  }
  const Node grey = host.Flat(pfYUV420P8, {100, 100, 100}, kFrames, 256, 256),
             lighter = host.Flat(pfYUV420P8, {110, 110, 110}, kFrames, 256, 256);
  const Node scored = host.Score("vmaf", "Metric", grey, lighter, {{"feature", std::vector{4, 0, 3, 1, 2, 0}}});
  for (const char* property : {"psnr_y", "psnr_cb", "psnr_cr", "psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs",
                               "float_ssim", "float_ms_ssim", "ciede2000"})
    Expect(host.Property(scored, 1, property) > 0, property);
  Expect(IsNear(host.Property(scored, 1, "psnr_cb"), 20 * std::log10(255.0 / 10), 1e-6), "psnr_cb");
  host.ExpectError("vmaf", "Metric", Host::Pair(grey, lighter), "feature");
  const std::string log = LogOf(host, "CAMBI", {{"clip", grey.get()}, {"topk", 0.5}}, 1, {1});
  Expect(log.find("cambi") != std::string::npos && log.find("\"frameNum\": 1") != std::string::npos,
         "CAMBI's log: " + log);
  host.ExpectError("vmaf", "VMAF", Host::Pair(reference, distorted, {{"log_path", "none.log"}, {"model", 4}}),
                   "model 4");
}

void CheckButteraugli(const Host& host, const Node& reference, const Node& distorted) {
  const Node scored =
      host.Score("vship", "BUTTERAUGLI", reference, distorted, {{"distmap", 1}, {"intensity_multiplier", 203.0}});
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
  Expect(most > 0 && host.Property(scored, 1, "_BUTTERAUGLI_INFNorm") == static_cast<double>(most),
         "INFNorm is the largest");
  Expect(host.Property(scored, 1, "BUTTERAUGLI_3Norm") > 0, "3Norm");
  Expect(host.Property(scored, 1, "_BUTTERAUGLI_QNorm") > 0, "QNorm");
}

/// The running value does not depend on the order of requests.
void CheckCvvdp(const Host& host, const Node& reference, const Node& distorted) {
  std::vector<double> in_order;
  for (const bool backwards : {false, true}) {
    const Node scored = host.Score("vship", "CVVDP", reference, distorted, {{"model_name", "standard_fhd"}});
    for (int i = 0; i < kFrames; ++i) {
      const int n = backwards ? kFrames - 1 - i : i;
      const double score = host.Property(scored, n, "_CVVDP");
      if (!backwards) in_order.push_back(score);
      else Expect(score == in_order[n], "CVVDP backwards");
    }
  }
  Expect(in_order[0] < 9.99, "CVVDP sees the difference");
}

/// Device 0 is the emulator (VSHIP_BACKEND in the test's environment), 1 the processor, whose scores it has.
void CheckDevices(const Host& host, const Node& reference, const Node& distorted) {
  VSMap* listed = host.Call("vship", "GpuInfo", {});
  const char* text = host.api->mapGetData(listed, "gpu_human_data", 0, nullptr);
  Expect(text && std::string(text) == "GPU 0: emulation on the CPU\nGPU 1: CPU (acutance)\n", "the list of devices");
  host.api->freeMap(listed);
  for (const char* function : {"SSIMULACRA2", "BUTTERAUGLI", "CVVDP"})
    for (int n = 0; n < 2; ++n) {
      std::vector<double> scores;
      for (const int device : {0, 1}) {
        const Node scored = host.Score("vship", function, reference, distorted, {{"gpu_id", device}});
        scores.push_back(
            host.Property(scored, n, std::string(function) == "BUTTERAUGLI" ? "BUTTERAUGLI_3Norm" : function));
      }
      Expect(scores[0] == scores[1], function);
    }
}

void Check(const Host& host, void* library) {
  const Node reference = host.Clip("20"), distorted = host.Clip("41");
  const Node scored = host.Score("vship", "SSIMULACRA2", reference, distorted, {{"numStream", 2}});
  const double expected = ScoreDirectly(library, host, reference, distorted, 1);
  Expect(expected < 99, "the clips are too alike for a test");
  for (const int n : {3, 0, 2})
    for (const char* property : {"SSIMULACRA2", "_SSIMULACRA2"})
      Expect(host.Property(scored, n, property) == expected, property);
  host.ExpectError("vship", "SSIMULACRA2", {}, "reference");
  host.ExpectError("vship", "SSIMULACRA2", Host::Pair(reference, distorted, {{"gpu_id", 7}}), "device");
  VSMap* devices = host.Call("vship", "GpuInfo", {});
  Expect(!host.api->mapGetError(devices), "GpuInfo");
  host.api->freeMap(devices);
  CheckDevices(host, reference, distorted);
  CheckButteraugli(host, reference, distorted);
  CheckCvvdp(host, reference, distorted);
  CheckVszip(host, library);
  CheckRgb(host, reference, distorted);
  CheckFloats(host, reference, distorted);
  CheckResizing(host, reference, distorted);
  CheckVmaf(host, reference, distorted);
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
  for (const char* space : {"vship", "vszip", "julek", "ssimulacra2", "vmaf"})
    if (!api->getPluginByNamespace(space, host.core)) {
      std::fprintf(stderr, "%s was not loaded\n", space);
      return 1;
    }
  Check(host, vship);
  return failures > 0;
}
