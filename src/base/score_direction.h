// Which way a score says that pictures are better.
#pragma once

namespace acutance {

/// kNeither: it says nothing of quality, such as how much moves.
enum class ScoreDirection { kHigher, kLower, kNeither };

/// Whether the first of two scores is the worse one. Of a score that says nothing the lower one counts as worse.
inline bool IsWorse(double score, double than, ScoreDirection better) {
  return better == ScoreDirection::kLower ? score > than : score < than;
}

}  // namespace acutance
