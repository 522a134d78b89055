// Fuzz target: the doctor's findings on two short videos.
#include "run/doctor/doctor.h"
#include "tests/fuzz/clip.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

ACU_FUZZ_TARGET(input) {
  const std::string first = fuzz::ClipOf(input), second = fuzz::ClipOf(input);
  const fuzz::FileOf reference(first), distorted(second);
  const Result<std::vector<Finding>> findings = Diagnose({reference.path(), distorted.path(), {}});
  if (!findings.ok()) return;
  if (findings->empty()) std::abort();
  for (const Finding& finding : *findings)
    if (finding.cause.empty() || finding.sentence.empty() || !(finding.confidence >= 0 && finding.confidence <= 1))
      std::abort();
}
