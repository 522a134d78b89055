#include "base/number.h"

#include <charconv>
#include <cmath>

namespace acutance {
namespace {

template <class T>
std::errc ParseWhole(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return error;
  return end == text.data() + text.size() ? std::errc() : std::errc::invalid_argument;
}

}  // namespace

std::optional<double> ParseFiniteDouble(std::string_view text) {
  double value = 0;
  if (ParseWhole(text, value) != std::errc() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<long long> ParseInteger(std::string_view text) {
  long long value = 0;
  if (ParseWhole(text, value) != std::errc()) return std::nullopt;
  return value;
}

std::optional<std::string> OptionTextOfNumber(std::string_view text) {
  const std::optional<double> exact = ParseFiniteDouble(text);
  if (!exact) return std::nullopt;
  float rounded = 0;
  // Beyond float32's range, the cast gives zero for small numbers and infinity for large ones.
  if (ParseWhole(text, rounded) != std::errc()) rounded = static_cast<float>(*exact);
  if (!std::isfinite(rounded)) return std::nullopt;
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof(buffer), static_cast<double>(rounded), std::chars_format::general, 6);
  return std::string(buffer, end.ptr);
}

}  // namespace acutance
