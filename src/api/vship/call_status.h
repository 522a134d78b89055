// Outcome of a call of libvship's interface: a code and, where it failed, a message.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/vship/abi.h"
#include "base/status.h"

namespace acutance::vship {

struct [[nodiscard]] Outcome {
  Outcome() = default;
  Outcome(Exception failed, std::string text) : code(failed), message(std::move(text)) {}
  /// An error of the engine's.
  explicit Outcome(const Status& status);

  bool ok() const { return code == kNoError; }

  Exception code = kNoError;
  std::string message;
};

/// Outcome of a failure: Failure(kNotSupported, "{} planes", 4)
template <class... Args>
Outcome Failure(Exception code, fmt::format_string<Args...> format, Args&&... args) {
  return {code, fmt::format(format, std::forward<Args>(args)...)};
}

/// The meaning of a code; "" for another number.
std::string_view MessageOf(int code);

/// Writes a text as the interface returns it: truncated to `length` bytes with its NUL; nothing where `to` is null.
/// Returns the bytes that all of it needs.
int CopyText(std::string_view text, char* to, int length);

/// The last failure of any call, of any thread. Success does not clear it.
void SetLastError(const std::string& message);
std::string LastError();

}  // namespace acutance::vship
