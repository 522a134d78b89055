#include "report/summary.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/pooling.h"
#include "model/statistics.h"

namespace acutance {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kPercentiles[] = {1, 5, 10, 25, 75, 90, 95, 99};

/// The number, or null where it is not finite: JSON cannot spell that.
Json Number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json Statistics(const ScoreTable::Column& column, const FrameRange& range) {
  const auto scores = ScoresInRange(column, range);
  if (!scores) return {};
  const std::vector<double> sorted = Sorted(*scores);
  Json result;
  result["mean"] = Number(Mean(*scores));
  result["harmonic_mean"] = Number(HarmonicMean(*scores));
  result["min"] = Number(Minimum(*scores));
  result["max"] = Number(Maximum(*scores));
  result["median"] = Number(Percentile(sorted, 50));
  result["stddev"] = Number(StandardDeviation(*scores));
  for (const int p : kPercentiles) result["percentiles"][std::to_string(p)] = Number(Percentile(sorted, p));
  return result;
}

Json AlignmentJson(const Alignment& alignment) {
  static constexpr const char* kBy[] = {"signatures", "times", "index", "given"};
  return {{"by", kBy[static_cast<int>(alignment.by)]},
          {"text", alignment.Describe()},
          {"confidence", alignment.by == Alignment::By::kSignatures ? Number(alignment.confidence) : Json()},
          {"late", alignment.late()},
          {"dropped", alignment.dropped()},
          {"repeated", alignment.repeated()},
          {"pairs", alignment.pairs.size()},
          {"unmatched_reference", alignment.unmatched_reference},
          {"unmatched_distorted", alignment.unmatched_distorted}};
}

Json Video(const Summary& summary, const SummaryVideo& video) {
  const FrameRange range{0, summary.frame_count - 1, summary.n_subsample};
  Json models = Json::object();
  Json features = Json::object();
  for (const ScoreTable::Column& column : video.scores->columns()) {
    const auto model = std::find_if(summary.models.begin(), summary.models.end(),
                                    [&](const SummaryModel& candidate) { return candidate.column == column.stored; });
    Json statistics = Statistics(column, range);
    if (model == summary.models.end()) {
      features[column.shown] = std::move(statistics);
      continue;
    }
    if (statistics.is_object()) statistics["model"] = model->source;
    models[column.shown] = std::move(statistics);
  }
  Json aggregates = Json::object();
  for (const auto& [name, value] : video.scores->aggregates()) aggregates[name] = Number(value);
  Json result = {{"distorted", video.distorted},
                 {"models", std::move(models)},
                 {"features", std::move(features)},
                 {"aggregates", std::move(aggregates)}};
  if (video.alignment) result["alignment"] = AlignmentJson(*video.alignment);
  return result;
}

}  // namespace

std::string SummaryJson(const Summary& summary) {
  Json results = Json::array();
  for (const SummaryVideo& video : summary.videos) results.push_back(Video(summary, video));
  Json devices = Json::array();
  for (const SummaryDevice& device : summary.devices)
    devices.push_back({{"backend", device.backend},
                       {"device", device.index},
                       {"name", device.name},
                       {"batch", device.batch},
                       {"memory_bytes", device.memory_bytes}});
  const Json document = {{"version", summary.version},
                         {"reference",
                          {{"path", summary.reference},
                           {"width", summary.width},
                           {"height", summary.height},
                           {"bit_depth", summary.bit_depth},
                           {"pixel_format", summary.pixel_format}}},
                         {"frames", summary.frame_count},
                         {"subsample", summary.n_subsample},
                         {"seconds", Number(summary.seconds)},
                         {"fps", Number(static_cast<double>(summary.frame_count) / summary.seconds)},
                         {"threads", summary.threads},
                         {"devices", std::move(devices)},
                         {"results", std::move(results)},
                         {"model_reasons", summary.model_reasons},
                         {"warnings", summary.warnings}};
  // Paths may hold bytes that are not UTF-8; they become U+FFFD.
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace acutance
