// Conformance test of a program that computes quality metrics: its scores of generated clips against golden values.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/status.h"
#include "report/conform/golden.h"
#include "report/conform/tool.h"

namespace acutance {

/// A column whose scores differ.
struct ConformDifference {
  std::string column;
  double largest = 0;   // the largest absolute difference; infinite: a score is missing
  int first_frame = 0;  // the first that differs
  int frames = 0;       // how many differ
};

enum class ConformState { kEqual, kDiffers, kFailed, kNotOffered };

/// An item on a clip.
struct ConformOutcome {
  const ClipSpec* clip;
  ConformItem item;
  ConformState state = ConformState::kEqual;
  std::vector<ConformDifference> differences{};
  std::vector<std::string> missing_columns{};  // that the program does not log at all
  std::string reason{};                        // of kFailed and kNotOffered: what the program said
};

struct ConformOptions {
  double tolerance = 0;             // added to the rounding of a log's six decimals
  int jobs = 1;                     // runs at a time
  std::vector<std::string> only{};  // clips, metrics or items; empty: all
  std::function<void(int done, int of)> on_progress{};
};

struct ConformResult {
  std::vector<ConformOutcome> outcomes;
  double seconds = 0;

  int Count(ConformState state) const;
  /// Whether something was compared, and nothing differs or failed.
  bool Conforms() const;
};

Result<ConformResult> TestConformance(const ConformTool& tool, const GoldenValues& golden, const std::string& folder,
                                      const ConformOptions& options);

/// The columns of `found` that differ from `expected`, and those that it lacks. Lacking all of them is a failure.
void CompareScores(const ConformScores& expected, const ConformScores& found, double tolerance,
                   ConformOutcome& outcome);

}  // namespace acutance
