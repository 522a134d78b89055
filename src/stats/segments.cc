#include "stats/segments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/files.h"
#include "base/system/file.h"

namespace acutance {
namespace {

Status MalformedPart(std::string_view text) {
  return Error(StatusCode::kInvalidArgument,
               "'{}': expected a length, such as 4s or 100f (frames), starts such as 0s,12.5s,300f, or a file with a "
               "start and a name in each line",
               text);
}

std::optional<SegmentSpec::Start> ParseStart(std::string_view text) {
  SegmentSpec::Start start;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), start.at, std::chars_format::fixed);
  const std::string_view unit(end, text.data() + text.size());
  start.is_frame = unit == "f";
  const bool is_whole = !start.is_frame || start.at == std::floor(start.at);
  if (error != std::errc() || !(unit.empty() || unit == "s" || unit == "f") || !(start.at >= 0 && start.at < 1e9) ||
      !is_whole)
    return std::nullopt;
  return start;
}

Result<SegmentSpec> ReadFile(const std::string& path) {
  std::ifstream file(SystemPath(path));
  if (!file) return Error(StatusCode::kIo, "could not open {}", path);
  SegmentSpec choice;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    while (line.ends_with('\r')) line.pop_back();
    std::istringstream words(line);
    std::string first;
    if (!(words >> first) || first[0] == '#') continue;
    auto start = ParseStart(first);
    if (!start) return Error(StatusCode::kBadData, "{}, line {}: {}", path, number, MalformedPart(first).message());
    std::getline(words >> std::ws, start->name);
    choice.starts.push_back(*std::move(start));
  }
  if (choice.starts.empty()) return Error(StatusCode::kBadData, "{} has no segment", path);
  return choice;
}

Result<int64_t> FrameOf(const SegmentSpec::Start& start, std::optional<double> frame_rate) {
  if (start.is_frame) return static_cast<int64_t>(start.at);
  if (!frame_rate)
    return Error(StatusCode::kInvalidArgument,
                 "the videos declare no frame rate, so {} s cannot be converted to frames; give frames, such as 100f",
                 start.at);
  return static_cast<int64_t>(std::llround(start.at * *frame_rate));
}

}  // namespace

Result<SegmentSpec> ParseParts(const std::string& text) {
  if (text.find(',') == text.npos) {
    if (IsRegularFile(text)) return ReadFile(text);
    const auto length = ParseStart(text);
    if (!length || length->at <= 0) return MalformedPart(text);
    return SegmentSpec{.every = length};
  }
  SegmentSpec choice;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto start = ParseStart(word);
    if (!start) return MalformedPart(text);
    choice.starts.push_back(*start);
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return choice;
}

Result<std::vector<Part>> SplitSegments(const SegmentSpec& choice, int64_t first, int64_t frames,
                                        std::optional<double> frame_rate) {
  std::vector<Part> parts;
  const int64_t end = first + frames;
  if (choice.every) {
    ACU_RETURN_IF_ERROR(FrameOf(*choice.every, frame_rate).status());
    // Each start is rounded on its own, so that parts of 4 s at 29.97 frames/s stay at their times.
    const double length = choice.every->is_frame ? choice.every->at : choice.every->at * *frame_rate;
    if (length < 1) return Error(StatusCode::kInvalidArgument, "segments are shorter than a frame");
    for (int64_t i = 0, begin = first; begin < end; ++i) {
      const int64_t next = first + std::llround(static_cast<double>(i + 1) * length);
      parts.push_back({begin, std::min(next, end)});
      begin = next;
    }
    return parts;
  }
  for (const SegmentSpec::Start& start : choice.starts) {
    ACU_ASSIGN_OR_RETURN(const int64_t begin, FrameOf(start, frame_rate));
    if (!parts.empty() && begin <= parts.back().begin)
      return Error(StatusCode::kInvalidArgument, "segments begin in order, and {}{} does not", start.at,
                   start.is_frame ? "f" : "s");
    parts.push_back({begin, end, start.name});
    if (parts.size() > 1) parts[parts.size() - 2].end = begin;
  }
  if (parts.empty() || parts.front().begin > first)
    parts.insert(parts.begin(), {first, parts.empty() ? end : parts.front().begin});
  for (Part& part : parts) part = {std::max(part.begin, first), std::min(part.end, end), part.name};
  std::erase_if(parts, [](const Part& part) { return part.begin >= part.end; });
  return parts;
}

}  // namespace acutance
