// Direction of a score: whether higher or lower values mean better pictures.
#pragma once

namespace acutance {

/// kNeither: it says nothing of quality, such as how much moves.
enum class ScoreDirection { kHigher, kLower, kNeither };

/// Whether the first of two scores is the worse one. For kNeither, lower counts as worse.
inline bool IsWorse(double score, double than, ScoreDirection better) {
  return better == ScoreDirection::kLower ? score > than : score < than;
}

}  // namespace acutance
