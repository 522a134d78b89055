#include "report/mean_verdict.h"

#include <fmt/format.h>

#include <cmath>

#include "report/summary_json.h"

namespace acutance {

std::string MeanVerdictText(const MeanVerdict& verdict) {
  const MeanGateChoice& gate = verdict.gate;
  const char* const is = gate.at_least ? (verdict.holds ? "at least" : "below") : (verdict.holds ? "at most" : "above");
  return fmt::format(
      "{}: {} is {} {} on average, {}: {} of {} frames were read ({:.1f} %){}; {}", verdict.distorted, verdict.score,
      is, gate.bound, verdict.is_certain ? "for certain" : fmt::format("at {:g} %", gate.confidence * 100),
      verdict.frames_read, verdict.frames,
      100.0 * static_cast<double>(verdict.frames_read) / static_cast<double>(verdict.frames),
      std::isfinite(verdict.mean_of_read) ? fmt::format(", whose mean is {:.4f}", verdict.mean_of_read)
                                          : ", and no other score is possible",
      verdict.holds ? "as required"
                    : fmt::format("{} {:g} is required", gate.at_least ? "at least" : "at most", gate.bound));
}

Json MeanVerdictJson(const MeanVerdict& verdict) {
  return {{"schema", kSchemaName},
          {"kind", "mean"},
          {"version", ACUTANCE_VERSION},
          {"reference", verdict.reference},
          {"distorted", verdict.distorted},
          {"score", verdict.score},
          {"relation", verdict.gate.at_least ? "at_least" : "at_most"},
          {"bound", verdict.gate.bound},
          {"holds", verdict.holds},
          {"certain", verdict.is_certain},
          {"confidence", verdict.confidence()},
          {"mean_of_read", verdict.mean_of_read},
          {"least_mean", verdict.least_mean},
          {"greatest_mean", verdict.greatest_mean},
          {"frames", verdict.frames},
          {"frames_read", verdict.frames_read},
          {"seed", verdict.gate.seed},
          {"text", MeanVerdictText(verdict)},
          {"warnings", verdict.warnings}};
}

}  // namespace acutance
