#include "run/fingerprint_tap.h"

#include <string>
#include <utility>

#include "metric/registry.h"

namespace acutance {

bool CanTapFingerprints(const SessionNeeds& needs, const SessionSpec& spec) {
  return FindMetric(kFingerprintMetric) && spec.subsample == 1 && needs.reference && needs.distorted;
}

ResultTap TapFingerprints(FingerprintSink sink) {
  return {std::string(kFingerprintMetric), [sink = std::move(sink)](const RunResult& result) {
            sink(result.distorted, FingerprintOf(result.words.first(kFingerprintWords)),
                 FingerprintOf(result.words.subspan(kFingerprintWords)));
          }};
}

}  // namespace acutance
