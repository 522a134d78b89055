// Number formats of scores, the same in every C locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace acutance {

class NumberFormat {
 public:
  /// libvmaf's rule: %.6f, or %.16f where the first digit after the point comes later than the
  /// sixth (docs/spec/system.md 6).
  NumberFormat() = default;

  /// "" or "legacy": the rule; "1" to "17": that many significant digits (%.Ng); "max" or "full": 17, which read back
  /// to the same double.
  static Result<NumberFormat> Parse(std::string_view precision);

  bool IsLegacy() const { return !significant_digits_; }

  /// Non-finite values as C prints them: nan, -nan, inf, -inf.
  std::string Format(double value) const;

  std::string FormatJson(double value) const;  // non-finite values as null

 private:
  std::optional<int> significant_digits_;
};

std::string FormatFixed(double value, int decimals);  // %.<decimals>f

}  // namespace acutance
