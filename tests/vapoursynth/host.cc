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
#include <sstream>
#include <string>
#include <utility>
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

class Host {
 public:
  explicit Host(const VSAPI* own) : api(own), core(own->createCore(0)) {}
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

  /// A clip of one color: codes of Y, U and V, of R, G and B, or a share of light.
  VSNode* Flat(int format, double a, double b, double c, int frames = kFrames, int width = 128, int height = 96) const {
    VSMap* arguments = api->createMap();
    api->mapSetInt(arguments, "width", width, maReplace);
    api->mapSetInt(arguments, "height", height, maReplace);
    api->mapSetInt(arguments, "format", format, maReplace);
    api->mapSetInt(arguments, "length", frames, maReplace);
    for (const double value : {a, b, c}) api->mapSetFloat(arguments, "color", value, maAppend);
    return Node(Call("std", "BlankClip", arguments), "BlankClip");
  }

  VSNode* Convert(VSNode* clip, int format) const {
    VSMap* arguments = api->createMap();
    api->mapSetNode(arguments, "clip", clip, maReplace);
    api->mapSetInt(arguments, "format", format, maReplace);
    api->mapSetData(arguments, "matrix_in_s", "170m", -1, dtUtf8, maReplace);
    return Node(Call("resize", "Bicubic", arguments), "Bicubic");
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

double ScoreDirectly(void* library, const Host& host, VSNode* reference, VSNode* distorted, int transfer) {
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

void ExpectError(const Host& host, const char* space, const char* name, VSMap* arguments, const std::string& part) {
  VSMap* result = host.Call(space, name, arguments);
  const char* error = host.api->mapGetError(result);
  Expect(error && std::string(error).find(part) != std::string::npos,
         std::string(name) + ": \"" + (error ? error : "no error") + "\" does not say \"" + part + "\"");
  host.api->freeMap(result);
}

void CheckVszip(const Host& host, void* library) {
  VSNode *grey = host.Flat(pfYUV420P8, 100, 100, 100), *lighter = host.Flat(pfYUV420P8, 110, 110, 110);
  constexpr int kSrgb = 13;
  const double expected = ScoreDirectly(library, host, grey, lighter, kSrgb);
  for (const char* name : {"SSIMULACRA2", "Metrics"}) {
    VSNode* scored = host.Node(host.Call("vszip", name, host.Pair(grey, lighter)), name);
    for (const char* property : {"SSIMULACRA2", "_SSIMULACRA2"})
      Expect(host.Score(scored, 1, property) == expected, std::string("vszip's ") + property);
    host.api->freeNode(scored);
  }
  // Frames in any order, each with those before it.
  const std::string printed = Printed([&] {
    VSNode* scored = host.Node(host.Call("vszip", "XPSNR", host.Pair(grey, lighter)), "XPSNR");
    for (int n = kFrames - 1; n >= 0; --n)
      for (const char* property : {"XPSNR_Y", "XPSNR_U", "XPSNR_V"})
        Expect(IsNear(host.Score(scored, n, property), n == 0 ? kFirstXpsnr : kXpsnr, 1e-6), property);
    host.api->freeNode(scored);
  });
  Expect(printed.starts_with("XPSNR average, 4 frames  y: 12.6202  u: "), "verbose XPSNR prints " + printed);
  VSMap* arguments = host.Pair(grey, grey);
  host.api->mapSetInt(arguments, "temporal", 0, maReplace);
  host.api->mapSetInt(arguments, "verbose", 0, maReplace);
  const std::string silence = Printed([&] {
    VSNode* scored = host.Node(host.Call("vszip", "XPSNR", arguments), "XPSNR");
    Expect(std::isinf(host.Score(scored, 2, "XPSNR_Y")), "XPSNR of identical planes");
    host.api->freeNode(scored);
  });
  Expect(silence.empty(), "XPSNR prints without verbose: " + silence);

  arguments = host.Pair(grey, lighter);
  host.api->mapSetInt(arguments, "mode", 1, maReplace);
  ExpectError(host, "vszip", "Metrics", arguments, "mode");
  VSNode* shorter = host.Flat(pfYUV420P8, 100, 100, 100, 2);
  ExpectError(host, "vszip", "SSIMULACRA2", host.Pair(grey, shorter), "length");
  VSNode* rgb = host.Flat(pfRGB24, 100, 100, 100);
  ExpectError(host, "vszip", "XPSNR", host.Pair(rgb, rgb), "YUV");
  for (VSNode* node : {grey, lighter, shorter, rgb}) host.api->freeNode(node);
}

/// RGB scores as the YUV that it was made of, up to what its own 8 bits or floats lose.
void CheckRgb(const Host& host, VSNode* reference, VSNode* distorted) {
  VSNode* scored = host.Node(host.Call("vszip", "SSIMULACRA2", host.Pair(reference, distorted)), "SSIMULACRA2");
  const double expected = host.Score(scored, 0, "SSIMULACRA2");
  host.api->freeNode(scored);
  for (const int format : {pfRGBS, pfRGBH, pfRGB48, pfRGB30, pfRGB24}) {
    VSNode *first = host.Convert(reference, format), *second = host.Convert(distorted, format);
    const std::pair<const char*, const char*> functions[] = {
        {"vszip", "SSIMULACRA2"}, {"vship", "SSIMULACRA2"}, {"julek", "SSIMULACRA"}};
    for (const auto& [space, name] : functions) {
      scored = host.Node(host.Call(space, name, host.Pair(first, second)), name);
      const double score = host.Score(scored, 0, "_SSIMULACRA2");
      Expect(IsNear(score, expected, format == pfRGB24 ? 1.0 : 0.1),
             std::string(space) + " of RGB: " + std::to_string(score) + " instead of " + std::to_string(expected));
      host.api->freeNode(scored);
    }
    for (const char* name : {"Butteraugli", "butteraugli"}) {
      VSMap* arguments = host.Pair(first, second);
      host.api->mapSetFloat(arguments, "intensity_target", 203.0, maReplace);
      host.api->mapSetInt(arguments, "distmap", 1, maReplace);
      scored = host.Node(host.Call("julek", name, arguments), name);
      Expect(host.Score(scored, 0, "_FrameButteraugli") > 1, "julek's Butteraugli");
      host.api->freeNode(scored);
    }
    host.api->freeNode(first);
    host.api->freeNode(second);
  }
  // Linear light is told by its function, and is another score.
  VSNode *dark = host.Flat(pfRGBS, 0.1, 0.1, 0.1), *light = host.Flat(pfRGBS, 0.11, 0.11, 0.11);
  scored = host.Node(host.Call("ssimulacra2", "SSIMULACRA2", host.Pair(dark, light)), "ssimulacra2");
  const double linear = host.Score(scored, 0, "SSIMULACRA2");
  host.api->freeNode(scored);
  scored = host.Node(host.Call("vszip", "SSIMULACRA2", host.Pair(dark, light)), "vszip");
  Expect(linear > 0 && linear < 100 && std::abs(host.Score(scored, 0, "SSIMULACRA2") - linear) > 0.1, "linear RGB");
  host.api->freeNode(scored);
  VSMap* arguments = host.Pair(dark, light);
  host.api->mapSetInt(arguments, "feature", 1, maReplace);
  ExpectError(host, "julek", "SSIMULACRA", arguments, "feature");
  host.api->freeNode(dark);
  host.api->freeNode(light);
}

/// Floats in any chroma format score as the integers that they were made of; a reference in other samples does, too.
void CheckFloats(const Host& host, VSNode* reference, VSNode* distorted) {
  VSNode* scored = host.Node(host.Call("vship", "SSIMULACRA2", host.Pair(reference, distorted)), "SSIMULACRA2");
  const double expected = host.Score(scored, 0, "_SSIMULACRA2");
  host.api->freeNode(scored);
  for (const int format : {pfYUV420PS, pfYUV444PS, pfYUV422P10}) {
    VSNode *first = host.Convert(reference, format), *second = host.Convert(distorted, format);
    for (VSNode* other : {second, distorted}) {
      scored = host.Node(host.Call("vship", "SSIMULACRA2", host.Pair(first, other)), "SSIMULACRA2");
      Expect(IsNear(host.Score(scored, 0, "_SSIMULACRA2"), expected, 1.0), "floats of luma and chroma");
      host.api->freeNode(scored);
    }
    host.api->freeNode(first);
    host.api->freeNode(second);
  }
  VSNode* floats = host.Flat(pfYUV444PS, 0.5, 0, 0);
  ExpectError(host, "vszip", "XPSNR", host.Pair(floats, floats), "integers");
  host.api->freeNode(floats);
}

/// The map has the size at which the display shows the clip, which is the value of another display.
void CheckResizing(const Host& host, VSNode* reference, VSNode* distorted) {
  double scores[2] = {};
  for (const bool resizes : {false, true}) {
    VSMap* arguments = host.Pair(reference, distorted);
    host.api->mapSetInt(arguments, "resizeToDisplay", resizes ? 1 : 0, maReplace);
    host.api->mapSetInt(arguments, "distmap", 1, maReplace);
    VSNode* scored = host.Node(host.Call("vship", "CVVDP", arguments), "CVVDP");
    const VSVideoInfo &clip = *host.api->getVideoInfo(reference), &map = *host.api->getVideoInfo(scored);
    if (resizes) Expect(map.width == 1920 || map.height == 1080, "the map fills the display");
    else Expect(map.width == clip.width && map.height == clip.height, "the map is as large as the clip");
    scores[resizes ? 1 : 0] = host.Score(scored, 1, "_CVVDP");
    const VSFrame* frame = host.Frame(scored, 1);
    Expect(frame && host.api->getFrameWidth(frame, 0) == map.width, "the map's frames");
    if (frame) host.api->freeFrame(frame);
    host.api->freeNode(scored);
  }
  Expect(scores[0] != scores[1] && scores[1] < 10, "resizeToDisplay is another score");
}

std::string FileText(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void CheckVmaf(const Host& host, VSNode* reference, VSNode* distorted) {
  const std::string path = "vapoursynth_vmaf.log";
  const std::pair<int, std::vector<std::string>> formats[] = {
      {0, {"<VMAF version=\"3.2.0\">", "vmaf_neg=\""}},
      {1, {"\"vmaf_neg\": ", "\"psnr_y\": ", "\"frameNum\": 3"}},
      {2, {"Frame,", "vmaf_neg"}},
      {3, {"{0}{1}frame: 0|"}}};
  for (const auto& [format, words] : formats) {
    std::remove(path.c_str());
    VSMap* arguments = host.Pair(reference, distorted);
    host.api->mapSetData(arguments, "log_path", path.c_str(), -1, dtUtf8, maReplace);
    host.api->mapSetInt(arguments, "log_format", format, maReplace);
    for (const int model : {1, 0}) host.api->mapSetInt(arguments, "model", model, maAppend);
    for (const int feature : {0, 4}) host.api->mapSetInt(arguments, "feature", feature, maAppend);
    VSNode* passing = host.Node(host.Call("vmaf", "VMAF", arguments), "VMAF");
    for (const int n : {2, 0, 3})
      if (const VSFrame* frame = host.Frame(passing, n)) host.api->freeFrame(frame);
    host.api->freeNode(passing);
    const std::string log = FileText(path);
    for (const std::string& word : words)
      Expect(log.find(word) != std::string::npos, "log " + std::to_string(format) + " lacks " + word + ": " + log);
  }
  VSNode *grey = host.Flat(pfYUV420P8, 100, 100, 100, kFrames, 256, 256),
         *lighter = host.Flat(pfYUV420P8, 110, 110, 110, kFrames, 256, 256);
  VSMap* arguments = host.Pair(grey, lighter);
  for (const int feature : {4, 0, 3, 1, 2, 0}) host.api->mapSetInt(arguments, "feature", feature, maAppend);
  VSNode* scored = host.Node(host.Call("vmaf", "Metric", arguments), "Metric");
  for (const char* property : {"psnr_y", "psnr_cb", "psnr_cr", "psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs",
                               "float_ssim", "float_ms_ssim", "ciede2000"})
    Expect(host.Score(scored, 1, property) > 0, property);
  Expect(IsNear(host.Score(scored, 1, "psnr_cb"), 20 * std::log10(255.0 / 10), 1e-6), "psnr_cb");
  host.api->freeNode(scored);
  ExpectError(host, "vmaf", "Metric", host.Pair(grey, lighter), "feature");

  arguments = host.api->createMap();
  host.api->mapSetNode(arguments, "clip", grey, maReplace);
  host.api->mapSetData(arguments, "log_path", path.c_str(), -1, dtUtf8, maReplace);
  host.api->mapSetInt(arguments, "log_format", 1, maReplace);
  host.api->mapSetFloat(arguments, "topk", 0.5, maReplace);
  scored = host.Node(host.Call("vmaf", "CAMBI", arguments), "CAMBI");
  if (const VSFrame* frame = host.Frame(scored, 1)) host.api->freeFrame(frame);
  host.api->freeNode(scored);
  const std::string log = FileText(path);
  Expect(log.find("cambi") != std::string::npos && log.find("\"frameNum\": 1") != std::string::npos,
         "CAMBI's log: " + log);
  host.api->freeNode(grey);
  host.api->freeNode(lighter);
  VSMap* unknown = host.Pair(reference, distorted);
  host.api->mapSetData(unknown, "log_path", path.c_str(), -1, dtUtf8, maReplace);
  host.api->mapSetInt(unknown, "model", 4, maReplace);
  ExpectError(host, "vmaf", "VMAF", unknown, "model 4");
  std::remove(path.c_str());
}

void Check(const Host& host, void* library) {
  VSNode *reference = host.Clip("20"), *distorted = host.Clip("41");
  VSMap* arguments = host.Pair(reference, distorted);
  host.api->mapSetInt(arguments, "numStream", 2, maReplace);
  VSNode* scored = host.Node(host.Call("vship", "SSIMULACRA2", arguments), "SSIMULACRA2");
  const double expected = ScoreDirectly(library, host, reference, distorted, 1);
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
  CheckVszip(host, library);
  CheckRgb(host, reference, distorted);
  CheckFloats(host, reference, distorted);
  CheckResizing(host, reference, distorted);
  CheckVmaf(host, reference, distorted);
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
  for (const char* space : {"vship", "vszip", "julek", "ssimulacra2", "vmaf"})
    if (!api->getPluginByNamespace(space, host.core)) {
      std::fprintf(stderr, "%s was not loaded\n", space);
      return 1;
    }
  Check(host, vship);
  return failures > 0;
}
