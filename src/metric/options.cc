#include "metric/options.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <locale>
#include <new>
#include <optional>
#include <sstream>

#include "base/did_you_mean.h"

namespace acutance {
namespace {

std::string_view OptionAlias(const OptionSpec& spec) { return spec.alias.empty() ? spec.name : spec.alias; }

/// `text` as a number, read in the C locale; nullopt where it is none.
std::optional<double> ReadNumber(const std::string& text) {
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  if (stream.bad()) throw std::bad_alloc();  // which a stream catches
  if (!stream) return std::nullopt;
  stream.clear();
  if (static_cast<size_t>(stream.tellg()) != text.size()) return std::nullopt;
  return value;
}

/// A numeric text as libvmaf's feature dictionary has it: a float32, printed with six digits
/// (docs/spec/system.md 1.7).
std::string NormalizeNumber(const std::string& text) {
  const std::optional<double> value = ReadNumber(text);
  return value ? fmt::format("{:g}", static_cast<double>(static_cast<float>(*value))) : text;
}

Status ValueError(const OptionSpec& spec, const std::string& text, std::string_view expected) {
  return Error(StatusCode::kInvalidArgument, "option {}: '{}' is not {}", spec.name, text, expected);
}

Result<double> ParseNumber(const OptionSpec& spec, const std::string& text) {
  const std::optional<double> value = ReadNumber(NormalizeNumber(text));
  if (!value || !std::isfinite(*value)) return ValueError(spec, text, "a number");
  if (*value < spec.min || *value > spec.max)
    return ValueError(spec, text, fmt::format("within its range {:g} to {:g}", spec.min, spec.max));
  return *value;
}

Result<OptionValue> ParseOption(const OptionSpec& spec, const std::string& text) {
  if (std::holds_alternative<std::string>(spec.default_value)) return OptionValue(text);
  if (std::holds_alternative<bool>(spec.default_value)) {
    if (text == "true" || text == "false") return OptionValue(text == "true");
    return ValueError(spec, text, "true or false");
  }
  ACU_ASSIGN_OR_RETURN(const double value, ParseNumber(spec, text));
  if (std::holds_alternative<double>(spec.default_value)) return OptionValue(value);
  if (value != std::floor(value)) return ValueError(spec, text, "a whole number");
  return OptionValue(static_cast<int>(value));
}

Result<size_t> FindOption(std::span<const OptionSpec> specs, const std::string& name) {
  for (size_t i = 0; i < specs.size(); ++i)
    if (specs[i].name == name || OptionAlias(specs[i]) == name) return i;
  std::vector<std::string_view> names;
  for (const OptionSpec& spec : specs) names.push_back(spec.name);
  return Error(StatusCode::kInvalidArgument, "no such option '{}'{}", name, DidYouMean(name, names));
}

}  // namespace

std::string OptionText(const OptionValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const int* number = std::get_if<int>(&value)) return fmt::format("{}", *number);
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{:g}", *number);
  return std::get<std::string>(value);
}

OptionValues::OptionValues(std::span<const OptionSpec> specs) : specs_(specs) {
  for (const OptionSpec& spec : specs) values_.push_back(spec.default_value);
}

Result<OptionValues> OptionValues::Parse(std::span<const OptionSpec> specs, const OptionTexts& texts) {
  OptionValues values(specs);
  for (const auto& [name, text] : texts) {
    ACU_ASSIGN_OR_RETURN(const size_t i, FindOption(specs, name));
    ACU_ASSIGN_OR_RETURN(values.values_[i], ParseOption(specs[i], text));
  }
  return values;
}

const OptionValue& OptionValues::Get(std::string_view name) const {
  for (size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].name == name) return values_[i];
  std::abort();  // the metric asked for an option that it does not declare, as its first test shows
}

std::string OptionValues::KeySuffix() const {
  std::vector<size_t> shown;
  for (size_t i = 0; i < specs_.size(); ++i)
    if (specs_[i].in_key && values_[i] != specs_[i].default_value) shown.push_back(i);
  std::ranges::sort(shown, {}, [&](size_t i) { return specs_[i].name; });
  std::string suffix;
  for (size_t i : shown) {
    suffix += fmt::format("_{}", OptionAlias(specs_[i]));
    if (!std::holds_alternative<bool>(values_[i])) suffix += fmt::format("_{}", OptionText(values_[i]));
  }
  return suffix;
}

}  // namespace acutance
