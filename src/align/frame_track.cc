#include "align/frame_track.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace acutance {
namespace {

constexpr int kMostSteps = 25;
constexpr double kAnyRate = 25;  // where no rate is declared: frames are evenly spaced at least

double RateOf(const FrameTrack& track, const FrameTrack& other) {
  return track.rate.value_or(other.rate.value_or(kAnyRate));
}

/// The times of the frames: declared, or even.
std::vector<double> TimesOf(const FrameTrack& track, double rate) {
  if (std::ssize(track.times) == track.size()) return track.times;
  std::vector<double> times(track.size());
  for (size_t i = 0; i < times.size(); ++i) times[i] = static_cast<double>(i) / rate;
  return times;
}

/// The position of time `t` among `times`, which increase: 2.5 lies between frames 2 and 3.
double PositionOf(double t, const std::vector<double>& times, double rate) {
  if (t <= times.front()) return (t - times.front()) * rate;
  if (t >= times.back()) return static_cast<double>(times.size() - 1) + (t - times.back()) * rate;
  const auto after = std::ranges::upper_bound(times, t);
  const double before = *(after - 1);
  return static_cast<double>(after - 1 - times.begin()) + (t - before) / (*after - before);
}

/// The smallest number of steps that makes a whole number of the frames between two distorted ones.
int StepsOf(double per_frame) {
  for (int steps = 1; steps < kMostSteps; ++steps)
    if (std::abs(per_frame * steps - std::round(per_frame * steps)) < 0.01) return steps;
  return kMostSteps;
}

/// Containers round times to milliseconds, which must not decide which frame is shown at a step. Clocks that drift stay
/// as they are.
void RoundToSteps(double rate, FrameClock& clock) {
  constexpr double kRounding = 0.002;  // seconds: half a millisecond of four times
  const double first = clock.positions.front();
  const double tolerance = std::min(kRounding * rate, 0.25 / clock.steps);
  std::vector<double> rounded;
  for (size_t j = 0; j < clock.positions.size(); ++j) {
    rounded.push_back(first + static_cast<double>(j) * clock.per_frame / clock.steps);
    if (std::abs(clock.positions[j] - rounded.back()) > tolerance) return;
  }
  clock.positions = std::move(rounded);
}

bool IsEven(std::span<const double> times) {
  if (times.size() < 3) return true;
  const double first = times.front();
  const double mean = (times.back() - first) / static_cast<double>(times.size() - 1);
  for (size_t i = 0; i < times.size(); ++i)
    if (std::abs(times[i] - first - static_cast<double>(i) * mean) > 0.5 * mean) return false;
  return true;
}

DeclaredTimes DeclaredBy(const FrameTrack& track) {
  const bool of_all = std::ssize(track.times) == track.size();
  return {track.rate, of_all ? std::span(track.times) : std::span<const double>()};
}

}  // namespace

std::optional<double> PlausibleRate(std::optional<double> rate) {
  constexpr double kSlowest = 1e-3, kFastest = 1e5;
  return rate && *rate >= kSlowest && *rate <= kFastest ? rate : std::nullopt;
}

std::optional<double> PlausibleTime(std::optional<double> time) {
  constexpr double kMost = 1e9;  // 31 years
  return time && std::abs(*time) <= kMost ? time : std::nullopt;
}

int64_t CellDifference(const FrameFingerprint& a, const FrameFingerprint& b) {
  int64_t sum = 0;
  for (size_t i = 0; i < a.cells.size(); ++i) sum += std::abs(int{a.cells[i]} - int{b.cells[i]});
  return sum;
}

FrameClock IndexClock(int64_t count) {
  FrameClock clock;
  clock.positions.resize(count);
  std::iota(clock.positions.begin(), clock.positions.end(), 0.0);
  return clock;
}

FrameClock RateClock(int64_t count, double per_frame) {
  FrameClock clock;
  for (int64_t j = 0; j < count; ++j) clock.positions.push_back(static_cast<double>(j) * per_frame);
  clock.steps = StepsOf(per_frame);
  clock.per_frame = static_cast<int>(std::lround(std::max(1.0, per_frame * clock.steps)));
  clock.by_time = true;
  return clock;
}

FrameClock TimeClock(const FrameTrack& reference, const FrameTrack& distorted) {
  const double rate = RateOf(reference, distorted);
  const std::vector<double> own = TimesOf(reference, rate);
  const std::vector<double> times = TimesOf(distorted, RateOf(distorted, reference));
  FrameClock clock;
  clock.by_time = true;
  for (const double t : times) clock.positions.push_back(PositionOf(t, own, rate));
  const auto last = static_cast<double>(std::max<size_t>(times.size(), 2) - 1);
  const double per_frame = times.empty() ? 1 : (clock.positions.back() - clock.positions.front()) / last;
  const bool are_even = IsEven(DeclaredBy(reference).times) && IsEven(DeclaredBy(distorted).times);
  clock.steps = are_even ? StepsOf(per_frame) : 4;
  constexpr double kMost = 1e6;  // far beyond what a path can advance by
  clock.per_frame = static_cast<int>(std::lround(std::clamp(per_frame * clock.steps, 1.0, kMost)));
  if (are_even && !times.empty() && clock.steps < kMostSteps) RoundToSteps(rate, clock);
  return clock;
}

bool ClocksAgree(const FrameTrack& reference, const FrameTrack& distorted) {
  return ClocksAgree(DeclaredBy(reference), DeclaredBy(distorted));
}

bool ClocksAgree(const DeclaredTimes& reference, const DeclaredTimes& distorted) {
  constexpr double kTolerance = 1e-5;  // far below the difference of 59.94 and 60
  if (!IsEven(reference.times) || !IsEven(distorted.times)) return false;
  if (!reference.rate || !distorted.rate) return true;
  return std::abs(*reference.rate - *distorted.rate) <= kTolerance * *reference.rate;
}

}  // namespace acutance
