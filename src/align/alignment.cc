#include "align/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace acutance {
namespace {

std::string Count(int64_t count, const char* what) {
  return fmt::format("{} frame{} {}", count, count == 1 ? "" : "s", what);
}

int64_t Between(const std::vector<int64_t>& frames, int64_t first, int64_t last) {
  return std::ranges::count_if(frames, [&](int64_t frame) { return first < frame && frame < last; });
}

std::vector<int64_t> Rest(int64_t count, const std::vector<int64_t>& taken) {
  std::vector<int64_t> rest;
  auto next = taken.begin();
  for (int64_t frame = 0; frame < count; ++frame) {
    if (next != taken.end() && *next == frame) ++next;
    else rest.push_back(frame);
  }
  return rest;
}

}  // namespace

int64_t Alignment::dropped() const {
  if (pairs.empty()) return 0;
  const int64_t missing = Between(unmatched_reference, pairs.front().first, pairs.back().first);
  return std::max<int64_t>(0, missing - Between(doubtful, pairs.front().second, pairs.back().second));
}

int64_t Alignment::repeated() const {
  if (pairs.empty()) return 0;
  const int64_t first = pairs.front().second, last = pairs.back().second;
  return Between(unmatched_distorted, first, last) - Between(doubtful, first, last);
}

bool Alignment::IsShifted(int64_t late) const {
  std::pair<int64_t, int64_t> next{std::max<int64_t>(0, -late), std::max<int64_t>(0, late)};
  return std::ranges::all_of(pairs, [&next](const auto& pair) {
    const bool is_next = pair == next;
    ++next.first, ++next.second;
    return is_next;
  });
}

std::string Alignment::Describe() const {
  std::vector<std::string> parts;
  if (late() != 0)
    parts.push_back(fmt::format("distorted starts {}", Count(std::abs(late()), late() > 0 ? "late" : "early")));
  if (dropped() > 0) parts.push_back(Count(dropped(), "dropped"));
  if (repeated() > 0) parts.push_back(Count(repeated(), "repeated"));
  if (parts.empty()) parts.emplace_back("frame by frame");
  if (!doubtful.empty()) parts.push_back(Count(std::ssize(doubtful), "left out that fit two places"));
  if (doubt == Doubt::kStill) parts.emplace_back("the picture stands still, so that times decide");
  if (doubt == Doubt::kShort) parts.emplace_back("too little to compare, so that times decide");
  if (doubt == Doubt::kLost)
    parts.push_back(fmt::format("too little is left of how frames differ, so that {} decide",
                                by == By::kIndex ? "their numbers" : "times"));
  if (doubt == Doubt::kPeriodic)
    parts.push_back(fmt::format("the picture comes again every {} frames, so that times decide", period));
  if (by == By::kTimes && doubt == Doubt::kNone) parts.emplace_back("by times");
  if (by == By::kIndex && doubt == Doubt::kNone) parts.emplace_back("by index");
  if (by == By::kGiven) parts.emplace_back("as given");
  // Never 1.00: nothing is certain.
  if (by == By::kFingerprints) parts.push_back(fmt::format("confidence {:.2f}", std::min(0.99, confidence)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

void NoteUnmatched(int64_t reference_count, int64_t distorted_count, Alignment& alignment) {
  std::vector<int64_t> reference, distorted;
  for (const auto& [i, j] : alignment.pairs) {
    reference.push_back(i);
    distorted.push_back(j);
  }
  alignment.unmatched_reference = Rest(reference_count, reference);
  alignment.unmatched_distorted = Rest(distorted_count, distorted);
}

std::string PairsCsv(const std::vector<std::pair<int64_t, int64_t>>& pairs) {
  std::string text = "reference_frame,distorted_frame\n";
  for (const auto& [i, j] : pairs) text += fmt::format("{},{}\n", i, j);
  return text;
}

}  // namespace acutance
