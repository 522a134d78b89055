#include "log/number_format.h"

#include <array>
#include <charconv>
#include <cmath>

namespace acutance {
namespace {

constexpr int kMaxDigits = 17;  // enough to read any double back

// The longest: a sign, the 309 digits of DBL_MAX, a point and 16 decimals.
using Buffer = std::array<char, 352>;

std::string Print(double value, std::chars_format format, int precision) {
  if (std::isnan(value)) return std::signbit(value) ? "-nan" : "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  Buffer buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, precision);
  return std::string(buffer.data(), end.ptr);
}

/// How many times the fraction must be multiplied by ten to reach one; it stops counting past `limit`.
int LeadingZeros(double value, int limit) {
  double fraction = std::fabs(value) - std::trunc(std::fabs(value));
  if (fraction == 0) return 0;
  int count = 0;
  while (fraction < 1 && count <= limit) {
    fraction *= 10;
    ++count;
  }
  return count;
}

}  // namespace

Result<NumberFormat> NumberFormat::Parse(std::string_view precision) {
  NumberFormat format;
  if (precision.empty() || precision == "legacy") return format;
  int digits = 0;
  const auto [end, error] = std::from_chars(precision.data(), precision.data() + precision.size(), digits);
  if (precision == "max" || precision == "full") {
    digits = kMaxDigits;
  } else if (error != std::errc() || end != precision.data() + precision.size() || digits < 1 || digits > kMaxDigits) {
    return Error(StatusCode::kInvalidArgument, "precision '{}': expected 1 to {} digits, max or legacy", precision,
                 kMaxDigits);
  }
  format.significant_digits_ = digits;
  return format;
}

std::string NumberFormat::Format(double value) const {
  if (significant_digits_) return Print(value, std::chars_format::general, *significant_digits_);
  if (!std::isfinite(value)) return FormatFixed(value, 6);
  return FormatFixed(value, LeadingZeros(value, 6) <= 6 ? 6 : 16);
}

std::string NumberFormat::FormatJson(double value) const { return std::isfinite(value) ? Format(value) : "null"; }

std::string FormatFixed(double value, int decimals) { return Print(value, std::chars_format::fixed, decimals); }

}  // namespace acutance
