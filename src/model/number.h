// Decimal text to binary and back, the same in every C locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace acutance {

/// The double nearest to the whole of `text`; nullopt for anything else, and for what no finite double can hold.
std::optional<double> ParseFiniteDouble(std::string_view text);

/// A whole decimal integer; nullopt for anything else.
std::optional<long long> ParseInteger(std::string_view text);

/// Rounds a JSON number to float32 and prints it as %g: the text that extractor options see (system.md 1.1).
/// nullopt when float32 cannot hold it.
std::optional<std::string> OptionTextOfNumber(std::string_view text);

}  // namespace acutance
