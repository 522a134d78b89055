// "Did you mean ...?"
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace acutance {

/// The name closest to `wanted` by edit distance, case ignored; "" if none is near (more than a third differs).
std::string NearestName(std::string_view wanted, std::span<const std::string_view> names);

/// "; did you mean 'x'?", or "" if none is near.
std::string DidYouMean(std::string_view wanted, std::span<const std::string_view> names);

/// At most `most` of the names, the closest to `wanted` first, and how many others there are: "a, b, c and 12 others".
std::string NamesNear(std::string_view wanted, std::span<const std::string_view> names, size_t most = 5);

}  // namespace acutance
