// Makes pairs of clips with known faults in time, and checks that pairing finds them: every frame right, or refused.
//
// usage: align_pairs [--pairs N] [--seed S] [--verbose]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
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
    const int64_t truth = pair.shown[static_cast<size_t>(j)];
    const bool right = truth >= 0 && pair.LookAlike(i, truth, j);
    if (!right && wrong++ == 0) first = fmt::format(" (distorted {} shows {}, paired with {})", j, truth, i);
    found.insert(pair.same_as[static_cast<size_t>(i)]);
    if (right) found.insert(pair.same_as[static_cast<size_t>(truth)]);
  }
  for (const int64_t i : pair.shown)
    if (i >= 0) wanted.insert(pair.same_as[static_cast<size_t>(i)]);
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

int Run(int count, uint32_t seed, bool verbose) {
  int outcomes[4] = {};
  double seconds = 0;
  int64_t frames = 0;
  for (int k = 0; k < count; ++k) {
    const auto content = static_cast<Content>(k % kContents);
    const auto fault = static_cast<Fault>((k + k / 70) % kFaults);  // 140 pairs have all, 70 half of them
    const TestPair pair = MakePair(seed + static_cast<uint32_t>(k), content, fault);
    const auto start = std::chrono::steady_clock::now();
    const Result<Alignment> alignment = AlignTracks(pair.reference, pair.distorted);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    frames += pair.distorted.size();
    // A standing or a repeating picture may be refused where it is not at its times.
    const bool may_refuse = fault == Fault::kForeign || content == Content::kPeriodic || content == Content::kStill;
    Outcome outcome = Outcome::kRight;
    std::string problem;
    if (!alignment.ok()) {
      outcome = may_refuse ? Outcome::kRefusedRightly : Outcome::kRefused;
      problem = alignment.status().message();
    } else {
      problem = Check(pair, *alignment);
      if (!problem.empty()) outcome = Outcome::kWrong;
      if (verbose || !problem.empty()) problem += (problem.empty() ? "" : "; ") + alignment->Describe();
    }
    ++outcomes[static_cast<int>(outcome)];
    static constexpr const char* kNames[] = {"right", "refused rightly", "REFUSED", "WRONG"};
    if (verbose || outcome == Outcome::kRefused || outcome == Outcome::kWrong)
      fmt::print("{} {}: {}: {}\n", k, pair.text, kNames[static_cast<int>(outcome)], problem);
  }
  const int right = outcomes[0] + outcomes[1];
  fmt::print("{} pairs: {} right, {} refused rightly, {} refused, {} wrong; {:.1f} us a frame\n", count, outcomes[0],
             outcomes[1], outcomes[2], outcomes[3], 1e6 * seconds / static_cast<double>(frames));
  return outcomes[3] == 0 && 1000 * right >= 995 * count ? 0 : 1;
}

}  // namespace
}  // namespace acutance::test

int main(int argc, char** argv) {
  int pairs = 420;
  uint32_t seed = 1;
  bool verbose = false;
  for (int k = 1; k < argc; ++k) {
    if (!std::strcmp(argv[k], "--verbose")) verbose = true;
    else if (!std::strcmp(argv[k], "--pairs") && k + 1 < argc) pairs = std::atoi(argv[++k]);
    else if (!std::strcmp(argv[k], "--seed") && k + 1 < argc) seed = static_cast<uint32_t>(std::atoi(argv[++k]));
    else return fmt::print(stderr, "usage: align_pairs [--pairs N] [--seed S] [--verbose]\n"), 2;
  }
  return acutance::test::Run(pairs, seed, verbose);
}
