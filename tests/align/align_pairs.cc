// Alignment of synthetic pairs of clips with known faults in time: every frame must be right, or the pair refused.
//
// usage: align_pairs [--pairs N] [--seed S] [--contents FIRST-LAST] [--ffmpeg COMMAND] [--least PERCENT] [--verbose]
//
// --least: percent of right answers, for a status of 0 (99.5). --contents: numbers of Content. --ffmpeg: with x264,
// x265, SVT-AV1 and MPEG encodes in place of noise.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "align/align_tracks.h"
#include "clips.h"

namespace acutance::test {
namespace {

enum class Outcome { kRight, kRefusedRightly, kRefused, kWrong };

/// Frames in pairs must show the same picture, and each picture that both videos have must be in a pair.
std::string Check(const TestPair& pair, const Alignment& alignment) {
  std::set<int64_t> found, wanted;
  int64_t wrong = 0;
  std::string first;
  for (const auto& [i, j] : alignment.pairs) {
    const int64_t truth = pair.shown[j];
    const bool right = truth >= 0 && pair.LookAlike(i, truth, j);
    if (!right && wrong++ == 0) first = fmt::format(" (distorted {} shows {}, paired with {})", j, truth, i);
    found.insert(pair.same_as[i]);
    if (right) found.insert(pair.same_as[truth]);
  }
  for (const int64_t i : pair.shown)
    if (i >= 0) wanted.insert(pair.same_as[i]);
  for (const int64_t j : alignment.doubtful)
    if (const int64_t i = pair.shown[j]; i >= 0) wanted.erase(pair.same_as[i]);
  int64_t missing = 0;
  for (const int64_t i : wanted) {
    const auto near = [&](int64_t k) {
      return k >= 0 && k < pair.reference.size() && found.contains(k) && pair.LookAlike(i, k, 0);
    };
    if (found.contains(i) || near(i - 1) || near(i + 1)) continue;
    if (missing++ == 0) first += fmt::format(" (frame {} is in no pair)", i);
  }
  if (wrong + missing == 0) return "";
  return fmt::format("{} of {} pairs wrong, {} frames missing{}", wrong, alignment.pairs.size(), missing, first);
}

struct Options {
  int pairs = 420, first = 0, last = static_cast<int>(Content::kWheel);
  uint32_t seed = 1;
  std::string ffmpeg;
  double least = 99.5;  // percent of right answers, for a status of 0; no wrong ones at 99.5 or more
  bool verbose = false;
};

TestPair PairOf(const Options& options, int k) {
  const int contents = options.last - options.first + 1, round = std::lcm(contents, kFaults);
  const auto content = static_cast<Content>(options.first + k % contents);
  const auto fault = static_cast<Fault>((k + k / round) % kFaults);  // two rounds have all
  const uint32_t seed = options.seed + static_cast<uint32_t>(k);
  return MakePair(seed, content, fault, {options.ffmpeg, std::filesystem::temp_directory_path().string()});
}

int Run(const Options& options) {
  int outcomes[4] = {};
  double seconds = 0;
  int64_t frames = 0, doubtful = 0;
  std::map<std::string, std::pair<int, int>> tally;  // by content: right, all
  for (int k = 0; k < options.pairs; ++k) {
    const TestPair pair = PairOf(options, k);
    const auto start = std::chrono::steady_clock::now();
    const Result<Alignment> alignment = AlignPlaced(pair.reference, pair.distorted).alignment;
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    frames += pair.distorted.size();
    // A standing or a repeating picture may be refused where it is not at its times.
    const bool may_refuse =
        pair.fault == Fault::kForeign || pair.content == Content::kPeriodic || pair.content == Content::kStill;
    Outcome outcome = Outcome::kRight;
    std::string problem;
    if (!alignment.ok()) {
      outcome = may_refuse ? Outcome::kRefusedRightly : Outcome::kRefused;
      problem = alignment.status().message();
    } else {
      problem = Check(pair, *alignment);
      doubtful += std::ssize(alignment->doubtful);
      if (!problem.empty()) outcome = Outcome::kWrong;
      if (options.verbose || !problem.empty()) problem += (problem.empty() ? "" : "; ") + alignment->Describe();
    }
    ++outcomes[static_cast<int>(outcome)];
    auto& [right, all] = tally[kContentNames[static_cast<int>(pair.content)]];
    right += outcome == Outcome::kRight || outcome == Outcome::kRefusedRightly, ++all;
    static constexpr const char* kNames[] = {"right", "refused rightly", "REFUSED", "WRONG"};
    if (options.verbose || outcome == Outcome::kRefused || outcome == Outcome::kWrong)
      fmt::print("{} {}: {}: {}\n", k, pair.text, kNames[static_cast<int>(outcome)], problem);
  }
  for (const auto& [name, score] : tally)
    if (score.first < score.second) fmt::print("{}: {} of {}; ", name, score.first, score.second);
  const int right = outcomes[0] + outcomes[1];
  fmt::print(
      "\n{} pairs: {} right, {} refused rightly, {} refused, {} wrong; {:.2f} % of frames left out as "
      "doubtful; {:.1f} us a frame\n",
      options.pairs, outcomes[0], outcomes[1], outcomes[2], outcomes[3],
      100.0 * static_cast<double>(doubtful) / static_cast<double>(frames), 1e6 * seconds / static_cast<double>(frames));
  const bool may_err = options.least < 99.5;
  return (may_err || outcomes[3] == 0) && 100.0 * right >= options.least * options.pairs ? 0 : 1;
}

}  // namespace
}  // namespace acutance::test

int main(int argc, char** argv) {
  acutance::test::Options options;
  for (int k = 1; k < argc; ++k) {
    const std::string name = argv[k];
    if (name == "--verbose") {
      options.verbose = true;
      continue;
    }
    const char* value = k + 1 < argc ? argv[++k] : "";
    if (name == "--pairs") options.pairs = std::atoi(value);
    else if (name == "--seed") options.seed = static_cast<uint32_t>(std::atoi(value));
    else if (name == "--least") options.least = std::atof(value);
    else if (name == "--contents") std::sscanf(value, "%d-%d", &options.first, &options.last);
    else if (name == "--ffmpeg") options.ffmpeg = value;
    else return fmt::print(stderr, "align_pairs: {}? Its first lines list the options.\n", name), 2;
  }
  return acutance::test::Run(options);
}
