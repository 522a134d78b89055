// What a call of libvship's interface comes to: a code and, where it failed, what there is to say about it.
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

/// What a code means; "" for a number that is none.
std::string_view MessageOf(int code);

/// Writes a text as the interface hands them out: cut to `length` with the end's NUL, nothing where `to` is null.
/// Returns the bytes that the whole of it needs.
int CopyText(std::string_view text, char* to, int length);

/// The last failure of any call, of any thread. Success does not clear it.
void SetLastError(const std::string& message);
std::string LastError();

}  // namespace acutance::vship
