#include "api/libvmaf/log.h"

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "base/system/terminal.h"

namespace acutance::libvmaf {
namespace {

// The level before the first vmaf_init, so that failures to load a model are logged.
std::atomic<int> g_level = VMAF_LOG_LEVEL_WARNING;

struct LevelText {
  const char* name;
  int color;
};

LevelText TextOf(VmafLogLevel level) {
  switch (level) {
    case VMAF_LOG_LEVEL_ERROR:
      return {"ERROR", 31};
    case VMAF_LOG_LEVEL_WARNING:
      return {"WARNING", 33};
    case VMAF_LOG_LEVEL_INFO:
      return {"INFO", 32};
    default:
      return {"DEBUG", 34};
  }
}

int ErrnoOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return 0;
    case StatusCode::kInvalidArgument:
    case StatusCode::kNotFound:
    case StatusCode::kBadData:
    case StatusCode::kUnsupported:
      return EINVAL;
    case StatusCode::kNoDevice:
      return ENODEV;
    case StatusCode::kIo:
      return EIO;
    case StatusCode::kOutOfMemory:
      return ENOMEM;
    case StatusCode::kCancelled:
      return ECANCELED;
  }
  return EINVAL;
}

}  // namespace

void SetLogLevel(VmafLogLevel level) { g_level = level; }

void Log(VmafLogLevel level, std::string_view message) {
  if (level > g_level) return;
  const LevelText text = TextOf(level);
  const int length = static_cast<int>(message.size());
  if (IsTerminal(kStandardError)) {
    std::fprintf(stderr, "\x1b[35mlibvmaf\x1b[0m \x1b[%dm%s\x1b[0m %.*s\n", text.color, text.name, length,
                 message.data());
  } else {
    std::fprintf(stderr, "libvmaf %s %.*s\n", text.name, length, message.data());
  }
}

int Report(const char* function, const Status& status) {
  if (!status.ok()) Log(VMAF_LOG_LEVEL_ERROR, fmt::format("{}: {}", function, status.message()));
  return -ErrnoOf(status.code());
}

int ReportOutOfMemory(const char* function) {
  if (g_level >= VMAF_LOG_LEVEL_ERROR) std::fprintf(stderr, "libvmaf ERROR %s: not enough memory\n", function);
  return -ENOMEM;
}

int ReportUnexpected(const char* function) {
  if (g_level >= VMAF_LOG_LEVEL_ERROR) std::fprintf(stderr, "libvmaf ERROR %s: unexpected exception\n", function);
  return -EINVAL;
}

}  // namespace acutance::libvmaf
