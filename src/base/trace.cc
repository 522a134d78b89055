#include "base/trace.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "base/system/file.h"
#include "base/system/process.h"

namespace acutance {
namespace {

using Clock = std::chrono::steady_clock;

struct File {
  std::mutex mutex;
  std::unique_ptr<FILE, int (*)(FILE*)> file{nullptr, std::fclose};  // guarded by mutex
  Clock::time_point begin;
};

// Threads of the program may outlive static objects.
File& TheFile() {
  static File* const file = new File;
  return *file;
}

std::atomic<bool> g_is_on = false;

/// Small numbers, in the order in which threads appear.
int ThreadNumber() {
  static std::atomic<int> count = 0;
  thread_local const int number = ++count;
  return number;
}

double Microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

/// {"frame":3,"video":"ref.mp4"}; bytes that are not ASCII are shown one by one.
std::string ArgsOf(int64_t frame, std::string_view video) {
  std::string args = frame < 0 ? "" : fmt::format("\"frame\":{}", frame);
  if (!video.empty()) args += args.empty() ? "\"video\":\"" : ",\"video\":\"";
  for (const unsigned char c : video) {
    if (c < ' ' || c > '~' || c == '"' || c == '\\') args += fmt::format("\\u{:04x}", c);
    else args += static_cast<char>(c);
  }
  return fmt::format(",\"args\":{{{}{}}}", args, video.empty() ? "" : "\"");
}

void Write(const char* name, int64_t frame, std::string_view video, Clock::time_point begin, Clock::time_point end) {
  File& to = TheFile();
  const std::lock_guard lock(to.mutex);
  if (!to.file) return;
  const std::string args = ArgsOf(frame, video);
  std::fprintf(to.file.get(), "{\"name\":\"%s\",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f%s},\n",
               name, ProcessId(), ThreadNumber(), Microseconds(begin - to.begin), Microseconds(end - begin),
               args.c_str());
}

}  // namespace

Status Trace::Start(const std::string& path) {
  File& to = TheFile();
  const std::lock_guard lock(to.mutex);
  if (to.file) return Error(StatusCode::kInvalidArgument, "a trace is being written already");
  to.file.reset(OpenStream(path, "wb"));
  if (!to.file) return Error(StatusCode::kIo, "cannot write the trace {}", path);
  to.begin = Clock::now();
  std::fputs("[\n", to.file.get());
  g_is_on = true;
  return {};
}

Status Trace::Stop() {
  g_is_on = false;
  File& to = TheFile();
  const std::lock_guard lock(to.mutex);
  if (!to.file) return {};
  std::fprintf(to.file.get(), "{\"name\":\"end\",\"ph\":\"i\",\"s\":\"g\",\"pid\":%d,\"tid\":0,\"ts\":%.3f}\n]\n",
               ProcessId(), Microseconds(Clock::now() - to.begin));
  const bool failed = std::ferror(to.file.get()) != 0;
  return std::fclose(to.file.release()) != 0 || failed ? Error(StatusCode::kIo, "cannot write the whole trace")
                                                       : Status();
}

bool Trace::is_on() { return g_is_on.load(std::memory_order_relaxed); }

TraceSpan::TraceSpan(const char* name, int64_t frame, std::string_view video)
    : name_(Trace::is_on() ? name : nullptr), frame_(frame), video_(video) {
  if (name_) begin_ = Clock::now();
}

TraceSpan::~TraceSpan() {
  if (name_) Write(name_, frame_, video_, begin_, Clock::now());
}

}  // namespace acutance
