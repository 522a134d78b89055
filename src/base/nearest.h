// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace acutance {

/// The name closest to `wanted` by edit distance, case ignored; "" if none is near (more than a third differs).
std::string NearestName(std::string_view wanted, std::span<const std::string_view> names);

/// "; did you mean 'x'?", or "" if none is near.
std::string Suggestion(std::string_view wanted, std::span<const std::string_view> names);

}  // namespace acutance
