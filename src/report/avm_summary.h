// AVM's tables of BD-rates: one line for each clip and release, and averages (docs/spec/avm.md 4, 6).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/avm_release.h"

namespace acutance {

using AvmRelease = std::map<std::string, std::vector<AvmClip>>;  // by configuration

struct AvmComparison {
  std::string tag;  // of the release, such as "v13.0.0"
  AvmRelease anchor, test;
};

struct AvmSummaryRow {
  std::string tag, configuration, test_class, clip;
  std::optional<double> values[std::size(kAvmQualities)];  // percent of the anchor's rate; not set: refused
};

struct AvmSummary {
  std::vector<AvmSummaryRow> rows;  // by configuration, by clip of the first comparison's anchor, by comparison
  std::vector<std::string> notes;   // why a BD-rate was refused, or a clip has no line
};

/// A clip has a line where anchor and test have six points each; of several sizes, six in each size that both have.
AvmSummary CompareAvmReleases(const std::vector<AvmComparison>& comparisons);

/// What stands for a refused BD-rate: nothing, and it is in no average; or 0.0, which counts as a result, as AVM has
/// it.
enum class AvmRefused { kEmpty, kZero };

/// A file's name in front of "-NAME.csv", and its text.
using AvmTable = std::pair<std::string, std::string>;

/// "Bdrate-Summary", "PerVideoBdrate-Summary", "AverageBdrateByTag-Summary" and "AverageBdrateByTagClass-Summary".
/// Where BD-rates were refused and cells are empty, averages with zeros in their place come, too
/// ("...-refused-as-zero").
std::vector<AvmTable> AvmTables(const AvmSummary& summary, AvmRefused refused);

}  // namespace acutance
