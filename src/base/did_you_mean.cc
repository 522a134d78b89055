#include "base/did_you_mean.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>
#include <vector>

namespace acutance {
namespace {

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

int EditDistance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int substituted = diagonal + (Lower(a[i - 1]) != Lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

constexpr size_t kLongestName = 128;  // the distance takes quadratic time; no name is longer

}  // namespace

std::string NearestName(std::string_view wanted, std::span<const std::string_view> names) {
  if (wanted.size() > kLongestName) return "";
  std::string_view best;
  int best_distance = static_cast<int>(wanted.size()) / 3 + 2;
  for (std::string_view name : names) {
    const int distance = EditDistance(wanted, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  if (best.empty() && wanted.size() >= 3) {  // "vmaf" for "vmaf_v0.6.1"
    const auto longer = std::ranges::find_if(names, [&](std::string_view name) { return name.starts_with(wanted); });
    if (longer != names.end()) best = *longer;
  }
  return std::string(best);
}

std::string DidYouMean(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string name = NearestName(wanted, names);
  return name.empty() ? "" : "; did you mean '" + name + "'?";
}

std::string NamesNear(std::string_view wanted, std::span<const std::string_view> names, size_t most) {
  wanted = wanted.substr(0, kLongestName);
  std::vector<std::pair<int, std::string_view>> ranked;
  for (std::string_view name : names) ranked.emplace_back(EditDistance(wanted, name), name);
  std::ranges::stable_sort(ranked, {}, &std::pair<int, std::string_view>::first);
  const size_t shown = std::min(most, ranked.size());
  std::vector<std::string_view> near;
  for (size_t i = 0; i < shown; ++i) near.push_back(ranked[i].second);
  const size_t others = ranked.size() - shown;
  return fmt::format("{}{}", fmt::join(near, ", "),
                     others == 0   ? ""
                     : others == 1 ? " and one other"
                                   : fmt::format(" and {} others", others));
}

}  // namespace acutance
