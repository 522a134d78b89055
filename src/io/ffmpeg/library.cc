#include "io/ffmpeg/library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

#include "base/process.h"
#include "base/shared_library.h"
#include "io/ffmpeg/damage_watch.h"

namespace acutance {
namespace {

thread_local char t_complaint[300];  // an array, because C code fills it, where nothing may throw

/// FFmpeg hands over its lines in pieces.
void KeepFirstError(int level, const char* format, va_list arguments) {
  const size_t length = std::strlen(t_complaint);
  const bool is_whole = length > 0 && t_complaint[length - 1] == '\n';
  if (level <= AV_LOG_ERROR && !is_whole)
    std::vsnprintf(t_complaint + length, sizeof t_complaint - length, format, arguments);
}

void HandleLog(void* context, int level, const char* format, va_list arguments) {
  if (level <= AV_LOG_INFO && DamageWatch::NoteLog(context, level, format, arguments)) return;
  if (IsMainProgram()) KeepFirstError(level, format, arguments);
  else Ffmpeg().av_log_default_callback(context, level, format, arguments);
}

bool IsLoaded(const std::string& file) {
  void* const library = ::dlopen(file.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (library) ::dlclose(library);
  return library != nullptr;
}

struct Loaded {
  FfmpegLibrary functions;
  Status status;
  bool reads_log = false;

  Loaded() {
    const bool is_shared = IsLoaded(fmt::format("libavutil.so.{}", LIBAVUTIL_VERSION_MAJOR));
    status = Load();
    reads_log = status.ok() && (IsMainProgram() || !is_shared);
    if (reads_log) functions.av_log_set_callback(HandleLog);
  }

 private:
  Status Load() {
    ACU_ASSIGN_OR_RETURN(SharedLibrary avutil, Open("libavutil", LIBAVUTIL_VERSION_MAJOR));
    ACU_ASSIGN_OR_RETURN(SharedLibrary avcodec, Open("libavcodec", LIBAVCODEC_VERSION_MAJOR));
    ACU_ASSIGN_OR_RETURN(SharedLibrary avformat, Open("libavformat", LIBAVFORMAT_VERSION_MAJOR));
#define ACU_FIND(name) library->Require(#name, functions.name);
    SharedLibrary* library = &avutil;
    ACU_AVUTIL_FUNCTIONS(ACU_FIND)
    library = &avcodec;
    ACU_AVCODEC_FUNCTIONS(ACU_FIND)
    library = &avformat;
    ACU_AVFORMAT_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
    for (const SharedLibrary* whole : {&avutil, &avcodec, &avformat})
      if (!whole->missing().empty())
        return Error(StatusCode::kUnsupported, "FFmpeg's libraries have no function {}", whole->missing());
    return {};
  }

  static Result<SharedLibrary> Open(const char* name, int version) {
    const std::string file = fmt::format("{}.so.{}", name, version);
    Result<SharedLibrary> opened = SharedLibrary::Open({file}, RTLD_LAZY);
    if (opened.ok()) return opened;
    return Error(StatusCode::kUnsupported, "FFmpeg's {} could not be loaded ({}); install the package {}{}", file,
                 opened.status().message(), name, version);
  }
};

const Loaded& TheLibraries() {
  static const Loaded loaded;
  return loaded;
}

}  // namespace

const Status& LoadFfmpeg() { return TheLibraries().status; }

bool ReadsFfmpegLog() { return TheLibraries().reads_log; }

const FfmpegLibrary& Ffmpeg() { return TheLibraries().functions; }

std::string TakeLastFfmpegError() {
  std::string complaint = t_complaint;
  t_complaint[0] = '\0';
  while (complaint.ends_with('\n') || complaint.ends_with('.')) complaint.pop_back();
  return complaint;
}

}  // namespace acutance
