#include "align/alignment_request.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace acutance {
namespace {

bool ParseWhole(std::string_view text, int64_t& value) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

bool ParsePair(std::string_view line, std::pair<int64_t, int64_t>& pair) {
  const size_t comma = line.find(',');
  return comma != line.npos && ParseWhole(line.substr(0, comma), pair.first) &&
         ParseWhole(line.substr(comma + 1), pair.second) && pair.first >= 0 && pair.second >= 0;
}

}  // namespace

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
  if (std::error_code ignored; !std::filesystem::exists(text, ignored))
    return Error(
        StatusCode::kInvalidArgument,
        "expected auto, time, index, an offset with its sign (+12: the distorted video starts 12 frames late), "
        "or a CSV of pairs, and no such file exists");
  return AlignmentRequest{.mode = Mode::kFile, .file = text};
}

Result<std::vector<std::pair<int64_t, int64_t>>> ReadPairsFile(const std::string& path) {
  constexpr int64_t kMostFrames = 10'000'000;  // 46 hours at 60 frames/s: those without a partner are listed
  std::ifstream file(path);
  if (!file) return Error(StatusCode::kIo, "could not read {}", path);
  std::vector<std::pair<int64_t, int64_t>> pairs;
  int64_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (line.find_first_not_of(" \r") == line.npos) continue;
    if (number == 1 && line.find_first_of("0123456789") == line.npos) continue;
    std::pair<int64_t, int64_t> pair;
    if (!ParsePair(line, pair))
      return Error(StatusCode::kBadData, "{}, line {}: expected two frame numbers, such as 0,12", path, number);
    if (std::max(pair.first, pair.second) >= kMostFrames)
      return Error(StatusCode::kBadData, "{}, line {}: frame {} is not among the first {} of a video", path, number,
                   std::max(pair.first, pair.second), kMostFrames);
    if (!pairs.empty() && (pair.first <= pairs.back().first || pair.second <= pairs.back().second))
      return Error(StatusCode::kBadData, "{}, line {}: frames {},{} do not come after {},{}", path, number, pair.first,
                   pair.second, pairs.back().first, pairs.back().second);
    pairs.push_back(pair);
  }
  if (pairs.empty()) return Error(StatusCode::kBadData, "{} has no pairs of frames", path);
  return pairs;
}

}  // namespace acutance
