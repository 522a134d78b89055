#include "align/alignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <string_view>

#include "base/files.h"
#include "base/system/file.h"

namespace acutance {
namespace {

std::string Count(int64_t count, const char* what) {
  return fmt::format("{} frame{} {}", count, count == 1 ? "" : "s", what);
}

int64_t Between(const std::vector<int64_t>& frames, int64_t first, int64_t last) {
  return std::ranges::count_if(frames, [&](int64_t frame) { return first < frame && frame < last; });
}

using Pair = std::pair<int64_t, int64_t>;

/// The frames of `count` that are not in pairs.
std::vector<int64_t> Rest(int64_t count, const PairList& pairs, int64_t Pair::*member) {
  std::vector<int64_t> rest;
  auto next = pairs.begin();
  for (int64_t frame = 0; frame < count; ++frame) {
    if (next == pairs.end() || (*next).*member != frame) rest.push_back(frame);
    while (next != pairs.end() && (*next).*member == frame) ++next;
  }
  return rest;
}

bool ParseWhole(std::string_view text, int64_t& value) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

bool ParsePair(std::string_view line, Pair& pair) {
  const size_t comma = line.find(',');
  return comma != line.npos && ParseWhole(line.substr(0, comma), pair.first) &&
         ParseWhole(line.substr(comma + 1), pair.second) && pair.first >= 0 && pair.second >= 0;
}

/// "3-7, 15, 31-36 and others" of numbers that increase.
std::string Ranges(const std::vector<int64_t>& numbers) {
  constexpr size_t kMost = 6;
  std::vector<std::string> ranges;
  for (size_t begin = 0, end = 0; begin < numbers.size(); begin = end) {
    for (end = begin + 1; end < numbers.size() && numbers[end] == numbers[end - 1] + 1;) ++end;
    if (ranges.size() == kMost) return fmt::format("{} and others", fmt::join(ranges, ", "));
    ranges.push_back(end - begin == 1 ? fmt::format("{}", numbers[begin])
                                      : fmt::format("{}-{}", numbers[begin], numbers[end - 1]));
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

std::string StepText(int64_t step) {
  return step == 2 ? "every second frame" : step == 3 ? "every third frame" : fmt::format("every {}th frame", step);
}

/// Frames of both videos after the last pair, which fit none of the other: one of them stands still.
int64_t LostAtTheEnd(const Alignment& alignment) {
  if (alignment.pairs.empty()) return 0;
  constexpr int64_t kEnd = std::numeric_limits<int64_t>::max();
  const auto [reference, distorted] = alignment.pairs.back();
  const int64_t fit_none =
      Between(alignment.unmatched_distorted, distorted, kEnd) - Between(alignment.doubtful, distorted, kEnd);
  return std::clamp<int64_t>(fit_none, 0, Between(alignment.unmatched_reference, reference, kEnd));
}

}  // namespace

int64_t UsualStep(const PairList& pairs) {
  constexpr double kUsual = 0.9;
  std::map<int64_t, int64_t> counts;
  int64_t steps = 0;
  Pair last = pairs.empty() ? Pair() : pairs[0];  // the first with its distorted frame
  for (const Pair& pair : pairs) {
    if (pair.second == last.second) continue;
    ++steps;
    if (pair.second == last.second + 1) ++counts[pair.first - last.first];
    last = pair;
  }
  for (const auto& [step, count] : counts)
    if (static_cast<double>(count) >= kUsual * static_cast<double>(steps)) return step;
  return 1;
}

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

int64_t Alignment::held_count() const {
  return pairs.empty() ? 0 : Between(held, pairs.front().first - 1, pairs.back().first + 1);
}

bool Alignment::IsShifted(int64_t late) const {
  int64_t next = std::max<int64_t>(0, -late);
  return std::ranges::all_of(pairs, [&](const Pair& pair) {
    const bool is_next = pair == Pair(next, next + late);
    ++next;
    return is_next;
  });
}

std::string Alignment::Describe() const {
  std::vector<std::string> parts;
  if (late() != 0)
    parts.push_back(fmt::format("distorted[{}] = reference[{}] ({} at the start)", std::max<int64_t>(0, late()),
                                std::max<int64_t>(0, -late()),
                                Count(std::abs(late()), late() > 0 ? "more" : "missing")));
  if (const int64_t step = UsualStep(pairs); step > 1) parts.push_back(StepText(step));
  else if (dropped() > 0) parts.push_back(Count(dropped(), "missing"));
  if (const int64_t lost = LostAtTheEnd(*this); lost > 0)
    parts.push_back(fmt::format("{} at the end", Count(lost, "missing")));
  if (held_count() > 0) parts.push_back(Count(held_count(), "held"));
  if (repeated() > 0) parts.push_back(Count(repeated(), "repeated"));
  if (parts.empty()) parts.emplace_back("frame by frame");
  if (!doubtful.empty())
    parts.push_back(fmt::format("{} (distorted {})", Count(std::ssize(doubtful), "left out that fit two places"),
                                Ranges(doubtful)));
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
  if (window > 0) parts.push_back(fmt::format("in windows of {} frames", window));
  // Never 1.00: nothing is certain.
  if (by == By::kFingerprints) parts.push_back(fmt::format("confidence {:.2f}", std::min(0.99, confidence)));
  return fmt::format("{}", fmt::join(parts, "; "));
}

bool ReachesEnd(const Alignment& alignment, int64_t frames) {
  const int64_t next = std::ssize(alignment.pairs);
  const int64_t doubtful =
      std::ranges::count_if(alignment.doubtful, [&](int64_t j) { return j >= next && j < frames; });
  return doubtful >= frames - next;
}

void NoteUnmatched(int64_t reference_count, int64_t distorted_count, Alignment& alignment) {
  alignment.unmatched_reference = Rest(reference_count, alignment.pairs, &Pair::first);
  alignment.unmatched_distorted = Rest(distorted_count, alignment.pairs, &Pair::second);
}

std::string PairsCsv(const PairList& pairs) {
  std::string text = "reference_frame,distorted_frame\n";
  for (const auto& [i, j] : pairs) text += fmt::format("{},{}\n", i, j);
  return text;
}

Result<AlignmentRequest> ParsePairing(const std::string& text) {
  using Mode = AlignmentRequest::Mode;
  if (text == "auto") return AlignmentRequest{.mode = Mode::kAuto, .file = {}};
  if (text == "time") return AlignmentRequest{.mode = Mode::kTimes, .file = {}};
  if (text == "index") return AlignmentRequest{.mode = Mode::kIndex, .file = {}};
  AlignmentRequest request{.mode = Mode::kOffset, .file = {}};
  constexpr int64_t kMost = int64_t{1} << 40;
  if ((text.starts_with('+') || text.starts_with('-')) && ParseWhole(std::string_view(text).substr(1), request.late) &&
      request.late >= 0 && request.late < kMost) {
    if (text[0] == '-') request.late = -request.late;
    return request;
  }
  if (!Exists(text))
    return Error(
        StatusCode::kInvalidArgument,
        "expected auto, time, index, an offset with its sign (+12: the distorted video starts 12 frames late), "
        "or a CSV of pairs, and no such file exists");
  return AlignmentRequest{.mode = Mode::kFile, .file = text};
}

Result<PairList> ReadPairsFile(const std::string& path) {
  constexpr int64_t kMostFrames = 10'000'000;  // 46 hours at 60 frames/s: those without a partner are listed
  std::ifstream file(SystemPath(path));
  if (!file) return Error(StatusCode::kIo, "could not read {}", path);
  PairList pairs;
  int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find_first_not_of(" \r") == line.npos) continue;
    if (number == 1 && line.find_first_of("0123456789") == line.npos) continue;
    Pair pair;
    if (!ParsePair(line, pair))
      return Error(StatusCode::kBadData, "{}, line {}: expected two frame numbers, such as 0,12", path, number);
    if (std::max(pair.first, pair.second) >= kMostFrames)
      return Error(StatusCode::kBadData, "{}, line {}: frame {} is not among the first {} of a video", path, number,
                   std::max(pair.first, pair.second), kMostFrames);
    if (!pairs.empty() && (pair.first <= pairs.back().first || pair.second < pairs.back().second))
      return Error(StatusCode::kBadData, "{}, line {}: frames {},{} do not come after {},{}", path, number, pair.first,
                   pair.second, pairs.back().first, pairs.back().second);
    pairs.push_back(pair);
  }
  if (pairs.empty()) return Error(StatusCode::kBadData, "{} has no pairs of frames", path);
  return pairs;
}

}  // namespace acutance
