// Environment variables.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace acutance {

/// The value of a variable; null when it is not set or empty, and in a program that runs with more rights than
/// its caller, because a variable may name a library or a folder that is believed.
const char* Variable(const char* name);

/// Sets a variable, for libraries and child processes that read it.
void SetVariable(const char* name, const std::string& value);

/// A switch: "0" is off, and anything else is on.
bool IsOn(const char* name, bool otherwise);

/// Bytes: "800M", "2GB", "64KiB" (each unit is 1024 of the one before), or a plain number.
Result<size_t> ParseBytes(std::string_view text);

/// Reads a size in bytes from a variable, unless that is not set, or `bytes` is.
Status ReadBytes(const char* name, std::optional<size_t>& bytes);

/// Reads a number from a variable and leaves it alone where that is not set.
template <class Number>
Status ReadVariable(const char* name, Number& number) {
  const char* text = Variable(name);
  if (!text) return {};
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, number);
  if (error == std::errc() && rest == end) return {};
  return Error(StatusCode::kInvalidArgument, "{}={} is not a number", name, text);
}

}  // namespace acutance
