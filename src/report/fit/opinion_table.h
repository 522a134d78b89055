// Opinions of viewers about encodes, and scores of the same encodes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace acutance {

struct ScoredColumn {
  std::string name;
  std::vector<double> scores;  // by encode
};

struct OpinionTable {
  std::vector<std::string> names;     // of encodes; empty ones where the table has none
  std::vector<std::string> contents;  // what an encode is made of; each encode's own name where the table has none
  std::vector<double> opinions;       // mean opinion scores
  std::vector<double> half_widths;    // of the opinions' 95 % intervals; empty: not known
  std::vector<ScoredColumn> columns;
  std::vector<std::string> notes;  // what was left out, and why

  const ScoredColumn* Find(const std::string& name) const;
};

/// A CSV file whose first line names its columns: mos; where known name, content, and ci (half of the 95 % interval) or
/// std and votes; any other columns of numbers are scores. Columns of texts are passed over.
Result<OpinionTable> ReadOpinions(const std::string& path);

/// Adds the means of models and features that `acutance batch` wrote into `folder`, by the encodes' names, as columns;
/// scores that one of them lacks are left out.
Status AddBatchScores(const std::string& folder, OpinionTable& table);

}  // namespace acutance
