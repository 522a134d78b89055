// How well scores agree with opinions, and whether one agrees better than another (ITU-T P.1401; docs/use/opinions.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/fit/opinion_table.h"
#include "stats/correlation.h"

namespace acutance {

/// A statistic with its 95 % interval.
struct Statistic {
  double value = 0, low = 0, high = 0;
};

struct Agreement {
  std::string score;
  LogisticCurve curve;  // from scores to opinions; the last three statistics are of what it gives
  Statistic srcc, krcc, plcc, rmse;
  std::optional<Statistic> outlier_ratio;  // where the opinions' intervals are known
  double linear = 0;                       // Pearson's correlation without the curve
  double squared_errors = 0;
};

/// Of two scores: the difference of correlations in absolute value, and the probability of such differences by chance.
struct AgreementDifference {
  std::string one, other;
  Statistic srcc;  // one's less the other's
  double srcc_p, plcc_p, rmse_p;
};

struct Agreements {
  size_t encodes = 0, contents = 0;
  std::vector<Agreement> scores;
  std::vector<AgreementDifference> differences;  // of each score and the first
};

/// Intervals come from 2,000 draws of contents, with the curve of all encodes. An error where there are fewer than five
/// encodes, or a score is constant.
Result<Agreements> CompareWithOpinions(const OpinionTable& table);

Json AgreementsJson(const Agreements& agreements);
std::string AgreementsText(const Agreements& agreements);

}  // namespace acutance
