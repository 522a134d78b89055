// Decimal text to binary and back, the same in every C locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace acutance {

/// The double nearest to the number in `text`; nullopt if the whole of it is not a number, or not finite as a double.
std::optional<double> ParseFiniteDouble(std::string_view text);

/// The decimal integer in `text`; nullopt if the whole of it is none.
std::optional<long long> ParseInteger(std::string_view text);

/// Rounds a JSON number to float32 and prints it as %g: the text that extractor options see
/// (docs/spec/system.md 1.1). nullopt when float32 cannot hold it.
std::optional<std::string> OptionTextOfNumber(std::string_view text);

}  // namespace acutance
