// The pieces that the documents of docs/schema/acutance-1.json have in common.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "decide/bootstrap.h"
#include "decide/pool.h"
#include "decide/requirement.h"
#include "report/summary.h"

namespace acutance {

/// The number, or null where it is not finite: JSON cannot spell that.
nlohmann::ordered_json JsonNumber(double value);

/// An indented text, or one line. Paths may hold bytes that are not UTF-8; they become U+FFFD.
std::string JsonText(const nlohmann::ordered_json& document);
std::string JsonLine(const nlohmann::ordered_json& document);

/// {name: number or null}
nlohmann::ordered_json PoolsJson(std::span<const double> scores, const std::vector<NamedPool>& pools,
                                 const PoolContext& context);

/// Fixed statistics, the pools, and the interval of the mean.
nlohmann::ordered_json StatisticsJson(std::span<const double> scores, const std::vector<NamedPool>& pools,
                                      const PoolContext& context);

/// {"low", "high", "confidence"}, or null.
nlohmann::ordered_json IntervalJson(const std::optional<Interval>& interval, double confidence);

nlohmann::ordered_json VerdictsJson(const std::vector<Verdict>& verdicts);

/// The document of SummaryJson.
nlohmann::ordered_json SummaryDocument(const Summary& summary);

}  // namespace acutance
