// The pieces that the documents of docs/schema/acutance-1.json have in common.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/summary.h"
#include "stats/bootstrap.h"
#include "stats/pool.h"
#include "stats/requirement.h"

namespace acutance {

/// {name: number or null}
Json PoolsJson(std::span<const double> scores, const std::vector<NamedPool>& pools, const PoolContext& context);

/// Fixed statistics, the pools, and the interval of the mean.
Json StatisticsJson(std::span<const double> scores, const std::vector<NamedPool>& pools, const PoolContext& context);

/// {"low", "high", "confidence"}, or null.
Json IntervalJson(const std::optional<Interval>& interval, double confidence);

Json VerdictsJson(const std::vector<Verdict>& verdicts);

/// The document of SummaryJson.
Json SummaryDocument(const Summary& summary);

}  // namespace acutance
