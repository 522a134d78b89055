// Errors are values. A Status carries a code and a message that names the input, the value and the remedy.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace acutance {

enum class StatusCode {
  kOk,
  kInvalidArgument,  // a request that cannot be met: unknown name, value out of range, wrong size
  kNotFound,         // a file, model or feature that does not exist
  kBadData,          // a file that is not what it should be: damaged, truncated, wrong counts
  kUnsupported,      // valid, but not supported by this build or this metric
  kNoDevice,         // no driver, no device, or none that the kernels can run on
  kIo,               // the operating system refused to read or write
  kOutOfMemory,
  kCancelled,  // stopped on request (Ctrl-C)
};

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

/// Error(StatusCode::kIo, "could not open {}: {}", path, reason)
template <class... Args>
Status Error(StatusCode code, fmt::format_string<Args...> format, Args&&... args) {
  return {code, fmt::format(format, std::forward<Args>(args)...)};
}

/// A value or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }
  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace acutance

#define ACU_CONCAT_INNER(a, b) a##b
#define ACU_CONCAT(a, b) ACU_CONCAT_INNER(a, b)

#define ACU_RETURN_IF_ERROR(expr)                                                    \
  do {                                                                               \
    if (::acutance::Status acu_status = (expr); !acu_status.ok()) return acu_status; \
  } while (0)

#define ACU_ASSIGN_OR_RETURN(decl, expr) ACU_ASSIGN_OR_RETURN_INNER(ACU_CONCAT(acu_result_, __LINE__), decl, expr)
#define ACU_ASSIGN_OR_RETURN_INNER(tmp, decl, expr) \
  auto tmp = (expr);                                \
  if (!tmp.ok()) return tmp.status();               \
  decl = std::move(tmp).value()
