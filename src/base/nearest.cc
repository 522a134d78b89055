#include "base/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>
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

}  // namespace

std::string NearestName(std::string_view wanted, std::span<const std::string_view> names) {
  constexpr size_t kLongestName = 128;  // the distance takes quadratic time; no name is longer
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

std::string Suggestion(std::string_view wanted, std::span<const std::string_view> names) {
  const std::string name = NearestName(wanted, names);
  return name.empty() ? "" : "; did you mean '" + name + "'?";
}

}  // namespace acutance
