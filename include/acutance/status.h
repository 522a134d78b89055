// Status and Expected: errors as values.
#pragma once

#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace acutance {

enum class StatusCode {
  kOk,
  kInvalidArgument,  // a request that cannot be met: unknown name, value out of range, wrong size
  kNotFound,         // a file, model or feature that does not exist
  kBadData,          // a damaged or truncated file, or one with wrong counts
  kUnsupported,      // valid, but not supported by this build or this feature
  kNoDevice,         // no driver, no device, or none that passes its self-test
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

/// A T, or the Status that explains why there is none. The value may be read only when ok().
template <class T>
class [[nodiscard]] Expected {
 public:
  Expected(T value) : value_(std::move(value)) {}
  /// Where T is a pointer to a base class.
  template <class Derived>
  requires std::convertible_to<std::unique_ptr<Derived>, T> Expected(std::unique_ptr<Derived> value)
      : value_(std::move(value)) {}
  Expected(Status status) : status_(std::move(status)) {}

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Status& status() const { return status_; }

  T& value() & { return *value_; }
  const T& value() const& { return *value_; }
  T&& value() && { return *std::move(value_); }
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  T* operator->() { return &*value_; }
  const T* operator->() const { return &*value_; }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace acutance
