// Fuzz target: what the doctor says of two short videos.
#include "run/doctor/doctor.h"
#include "tests/fuzz/clip.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const std::string first = fuzz::ClipOf(input), second = fuzz::ClipOf(input);
  const fuzz::FileOf reference(first, false), distorted(second, false);
  const Result<std::vector<Finding>> findings = Diagnose({reference.path(), distorted.path(), {}});
  if (!findings.ok()) return 0;
  if (findings->empty()) std::abort();
  for (const Finding& finding : *findings)
    if (finding.cause.empty() || finding.sentence.empty() || !(finding.confidence >= 0 && finding.confidence <= 1))
      std::abort();
  return 0;
}
