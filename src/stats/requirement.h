// Requirements on pooled scores, such as vmaf_v0.6.1.p5>=90.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "stats/pool.h"

namespace acutance {

struct Requirement {
  enum class Relation { kAtLeast, kMore, kAtMost, kLess };  // >=, >, <=, <
  std::string text;                                         // "vmaf_v0.6.1.p5>=90"
  std::string score;                                        // "vmaf_v0.6.1"
  std::optional<NamedPool> pool;                            // not set: `score` is an aggregate
  Relation relation = Relation::kAtLeast;
  double bound = 0;

  bool Holds(double value) const;
  /// Whether the score of one frame can decide that the whole fails: a lower bound of the minimum, an upper one of the
  /// maximum.
  bool IsPerFrame() const;
};

/// "vmaf_v0.6.1.p5>=90, psnr_y.mean>38": what follows the last dot names the pooling; a name without a dot is an
/// aggregate, such as apsnr_y.
Result<std::vector<Requirement>> ParseRequirements(std::string_view text);

/// The result of a requirement.
struct Verdict {
  Requirement requirement;
  std::string video;
  std::optional<double> value;  // not set: there is none, and it fails
  bool holds = false;

  /// "a.mp4: vmaf_v0.6.1.p5 is 87.3, and must be at least 90"
  std::string Sentence() const;
};

Verdict Judge(const Requirement& requirement, std::string video, std::optional<double> value);

}  // namespace acutance
