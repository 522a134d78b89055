// Documents of docs/schema/acutance-1.json, their common pieces, and JUnit XML.
#pragma once

#include <acutance/facts.h>
#include <acutance/run.h>

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

/// "h264, 25 frames/s, SDR, BT.709, limited range": what the stream declares; empty: nothing.
std::string Describe(const Input& input);

/// The inputs as docs/schema/acutance-1.json describes them.
Json InputsJson(const std::vector<Input>& inputs);

/// A test case for each requirement of each video.
std::string JunitXml(const Summary& summary);

/// As docs/schema/acutance-1.json describes it.
Json MeanVerdictJson(const MeanVerdict& verdict);

}  // namespace acutance
