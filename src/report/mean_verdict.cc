#include "report/mean_verdict.h"

#include "report/summary_json.h"

namespace acutance {

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
          {"certain", verdict.certain},
          {"confidence", verdict.confidence},
          {"mean_of_read", verdict.mean_of_read},
          {"least_mean", verdict.least_mean},
          {"greatest_mean", verdict.greatest_mean},
          {"frames", verdict.frames},
          {"frames_read", verdict.frames_read},
          {"seed", verdict.gate.seed},
          {"text", verdict.text},
          {"warnings", verdict.warnings}};
}

}  // namespace acutance
