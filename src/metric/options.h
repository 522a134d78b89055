// Options of a metric: declared as data, parsed once, the same for every backend.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"

namespace acutance {

using OptionValue = std::variant<bool, int, double, std::string>;  // its alternative is the option's type

struct OptionSpec {
  std::string_view name;
  std::string_view alias;  // in output keys; empty: the name
  std::string_view help;
  OptionValue default_value;
  double min = 0;  // inclusive range of int and double options
  double max = 0;
  bool in_key = false;  // a value other than the default shows in keys (docs/spec/core.md 0.3)
};

std::string OptionText(const OptionValue& value);  // "true", "3", "0.5"

using OptionTexts = std::map<std::string, std::string>;  // option name or alias -> text, as the user gave it

/// One value per OptionSpec, in its order.
class OptionValues {
 public:
  explicit OptionValues(std::span<const OptionSpec> specs);  // defaults

  /// Parses texts by libvmaf's rules (docs/spec/core.md 0.2, docs/spec/system.md 1.7): a numeric
  /// text is first rounded to float32 and printed with six digits. An unknown name, a malformed
  /// value or one out of range is an error that names the option, the value and the range, and
  /// suggests the nearest name.
  static Result<OptionValues> Parse(std::span<const OptionSpec> specs, const OptionTexts& texts);

  bool Bool(std::string_view name) const { return std::get<bool>(Get(name)); }
  int Int(std::string_view name) const { return std::get<int>(Get(name)); }
  double Double(std::string_view name) const { return std::get<double>(Get(name)); }
  const std::string& String(std::string_view name) const { return std::get<std::string>(Get(name)); }

  /// "_egl_1_nw_0.02": what non-default in_key options append to an output key; empty if there is none.
  std::string KeySuffix() const;

  bool operator==(const OptionValues& other) const {
    return specs_.data() == other.specs_.data() && values_ == other.values_;
  }

 private:
  const OptionValue& Get(std::string_view name) const;

  std::span<const OptionSpec> specs_;
  std::vector<OptionValue> values_;
};

}  // namespace acutance
