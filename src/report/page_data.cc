#include "report/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "report/picture_image.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr double kSteps = 65534;
constexpr int kMissing = 65535;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Append(double value, const PackedCurve& curve, std::string& words) {
  int word = kMissing;
  if (std::isfinite(value))
    word = curve.high > curve.low
               ? static_cast<int>(std::lround((value - curve.low) / (curve.high - curve.low) * kSteps))
               : 0;
  words += static_cast<char>(word & 255);
  words += static_cast<char>(word >> 8);
}

}  // namespace

PackedCurve PackCurve(const std::vector<std::optional<double>>& scores, int64_t frames, int64_t step) {
  const auto usable = [](const std::optional<double>& score) { return score && std::isfinite(*score); };
  PackedCurve curve{kInfinity, -kInfinity, step, {}, {}};
  const int64_t count = std::min<int64_t>(frames, static_cast<int64_t>(scores.size()));
  for (int64_t i = 0; i < count; ++i)
    if (usable(scores[i])) {
      curve.low = std::min(curve.low, *scores[i]);
      curve.high = std::max(curve.high, *scores[i]);
    }
  if (curve.low > curve.high) curve.low = curve.high = 0;
  std::string minima, maxima;
  for (int64_t first = 0; first < frames; first += step) {
    double low = kInfinity, high = -kInfinity;
    for (int64_t i = first; i < std::min(first + step, count); ++i)
      if (usable(scores[i])) {
        low = std::min(low, *scores[i]);
        high = std::max(high, *scores[i]);
      }
    Append(low, curve, minima);
    if (step > 1) Append(high, curve, maxima);
  }
  curve.minimum = Base64(minima);
  curve.maximum = Base64(maxima);
  return curve;
}

int64_t StepOf(int64_t frames, int64_t curves, int64_t most) {
  const int64_t points = frames * curves;
  return points <= most ? 1 : (2 * points + most - 1) / most;
}

std::vector<WorstSecond> FindWorstSeconds(const Page& page, size_t video, int count) {
  if (page.quality_column < 0) return {};
  const ScoreTable::Column& column = page.summary->videos[video].scores->columns()[page.quality_column];
  const int64_t all =
      std::min<int64_t>(FramesOf(*page.summary, page.summary->videos[video]), std::ssize(column.scores));
  std::vector<int64_t> frames;
  std::vector<double> scores;  // of these frames
  for (int64_t frame = 0; frame < all; ++frame)
    if (const auto score = column.scores[static_cast<size_t>(frame)]; score && std::isfinite(*score)) {
      frames.push_back(frame);
      scores.push_back(*score);
    }
  if (frames.empty()) return {};
  const double rate = page.frame_rate.value_or(24) / page.summary->n_subsample;
  const int64_t length = std::clamp<int64_t>(std::llround(std::min(rate, 1e6)), 1, std::ssize(scores));
  std::vector<WorstSecond> windows;
  for (int64_t begin = 0; begin + length <= std::ssize(scores); ++begin) {
    const std::span<const double> window(scores.data() + begin, static_cast<size_t>(length));
    const auto worst =
        std::ranges::min_element(window, [&](double a, double b) { return IsWorse(a, b, column.better); });
    windows.push_back({frames[begin], frames[begin + length - 1] + 1 - frames[begin], Mean(window),
                       frames[begin + (worst - window.begin())]});
  }
  std::ranges::stable_sort(
      windows, [&](const WorstSecond& a, const WorstSecond& b) { return IsWorse(a.score, b.score, column.better); });
  std::vector<WorstSecond> seconds;
  for (const WorstSecond& window : windows) {
    const auto overlaps = [&](const WorstSecond& taken) {
      return window.first < taken.first + taken.frames && taken.first < window.first + window.frames;
    };
    if (std::ssize(seconds) == count) break;
    if (std::ranges::none_of(seconds, overlaps)) seconds.push_back(window);
  }
  return seconds;
}

std::string Clock(const Page& page, int64_t frame) {
  return page.frame_rate ? ClockOf(static_cast<double>(frame) / *page.frame_rate) : fmt::format("frame {}", frame);
}

std::string ClockOf(double time) {
  const auto hundredths = std::llround(time * 100);
  const auto seconds = hundredths / 100;
  const std::string tail = fmt::format("{:02}.{:02}", seconds % 60, hundredths % 100);
  if (seconds < 3600) return fmt::format("{}:{}", seconds / 60, tail);
  return fmt::format("{}:{:02}:{}", seconds / 3600, seconds / 60 % 60, tail);
}

}  // namespace acutance
