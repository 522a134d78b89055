#include "api/vship/call_status.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

namespace acutance::vship {
namespace {

Exception CodeOf(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return kNoError;
    case StatusCode::kOutOfMemory:
      return kOutOfRam;
    case StatusCode::kNotFound:
    case StatusCode::kIo:
      return kBadPath;
    case StatusCode::kBadData:
      return kBadJson;
    default:
      return kNotSupported;
  }
}

struct LastErrorText {
  std::mutex mutex;
  std::string text;
};

/// Never destroyed: clients may call while the program ends.
LastErrorText& Last() {
  static LastErrorText& last = *new LastErrorText();
  return last;
}

}  // namespace

Outcome::Outcome(const Status& status) : code(CodeOf(status.code())), message(status.message()) {}

std::string_view MessageOf(int code) {
  static constexpr std::array<std::string_view, 18> kMessages = {
      "no error",
      "the device has too little memory",
      "there is too little memory",
      "the display model is unknown or incomplete",
      "both videos must have the same size, and the same layout where this library asks for it",
      "the input is not RGB of floats",
      "the devices could not be counted",
      "there is no device",
      "there is no device of that number; device 0 is always there",
      "the device cannot run this library's code",
      "the handler is null, was never made, was freed already, or is another metric's",
      "a pointer is null, or a stride is shorter than its row",
      "the device's driver reported an error",
      "the file could not be read",
      "the display models are not valid JSON",
      "valid, but not supported here",
      "the structure's type is none that this call takes",
      "the code is none of this library's",
  };
  return code >= 0 && code < static_cast<int>(kMessages.size()) ? kMessages[code] : std::string_view();
}

int CopyText(std::string_view text, char* to, int length) {
  if (to && length > 0) {
    const size_t count = std::min(text.size(), static_cast<size_t>(length) - 1);
    std::memcpy(to, text.data(), count);
    to[count] = '\0';
  }
  return static_cast<int>(text.size()) + 1;
}

void SetLastError(const std::string& message) {
  const std::lock_guard lock(Last().mutex);
  Last().text = message;
}

std::string LastError() {
  const std::lock_guard lock(Last().mutex);
  return Last().text;
}

}  // namespace acutance::vship
