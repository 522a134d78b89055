// Errors are values: what can fail returns a Status, or an Expected that holds the value or the Status.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace acutance::api {

enum class StatusCode {
  kOk,
  kInvalidArgument,  // a request that cannot be met: unknown name, value out of range, wrong size
  kNotFound,         // a file, model or feature that does not exist
  kBadData,          // a file that is not what it should be: damaged, truncated, wrong counts
  kUnsupported,      // valid, but not supported by this build or this feature
  kNoDevice,         // the backend that was asked for has no device that works
  kIo,               // the operating system refused to read or write
  kOutOfMemory,
  kCancelled,  // stopped on request
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // ok
  Status(StatusCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  /// Names the input, the value and the remedy; empty when ok.
  const std::string& message() const { return message_; }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

/// A T, or the Status that says why there is none. The value may be read only when ok().
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  Expected(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }

  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace acutance::api
