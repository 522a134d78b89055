#include "io/ffmpeg/library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "base/process.h"

namespace acutance {
namespace {

thread_local char t_complaint[300];  // an array, because C code fills it, where nothing may throw

/// Collects the log of FFmpeg, which hands over its lines in pieces.
void KeepFirstError(void*, int level, const char* format, va_list arguments) {
  const size_t length = std::strlen(t_complaint);
  const bool is_whole = length > 0 && t_complaint[length - 1] == '\n';
  if (level <= AV_LOG_ERROR && !is_whole)
    std::vsnprintf(t_complaint + length, sizeof t_complaint - length, format, arguments);
}

struct Loaded {
  FfmpegLibrary functions;
  Status status;

  Loaded() {
    void* avutil = Open("libavutil", LIBAVUTIL_VERSION_MAJOR);
    void* avcodec = Open("libavcodec", LIBAVCODEC_VERSION_MAJOR);
    void* avformat = Open("libavformat", LIBAVFORMAT_VERSION_MAJOR);
    if (!status.ok()) return;
#define ACU_FIND(name) Find(library, #name, &functions.name);
    void* library = avutil;
    ACU_AVUTIL_FUNCTIONS(ACU_FIND)
    library = avcodec;
    ACU_AVCODEC_FUNCTIONS(ACU_FIND)
    library = avformat;
    ACU_AVFORMAT_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
    if (status.ok() && IsMainProgram()) functions.av_log_set_callback(KeepFirstError);
  }

  void* Open(const char* name, int version) {
    const std::string file = fmt::format("{}.so.{}", name, version);
    void* library = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!library && status.ok())
      status = Error(StatusCode::kUnsupported, "FFmpeg's {} could not be loaded ({}); install the package {}{}", file,
                     ::dlerror(), name, version);
    return library;
  }

  template <class Function>
  void Find(void* library, const char* name, Function* function) {
    *function = reinterpret_cast<Function>(::dlsym(library, name));
    if (!*function && status.ok())
      status = Error(StatusCode::kUnsupported, "FFmpeg's libraries have no function {}", name);
  }
};

const Loaded& TheLibraries() {
  static const Loaded loaded;
  return loaded;
}

}  // namespace

const Status& LoadFfmpeg() { return TheLibraries().status; }

const FfmpegLibrary& Ffmpeg() { return TheLibraries().functions; }

std::string TakeLastFfmpegError() {
  std::string complaint = t_complaint;
  t_complaint[0] = '\0';
  while (complaint.ends_with('\n') || complaint.ends_with('.')) complaint.pop_back();
  return complaint;
}

}  // namespace acutance
