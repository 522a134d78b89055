// Fuzz target: what stands after --model and --feature. A feature that is understood is made for a small picture.
#include "engine/feature_set.h"
#include "run/model_spec.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  static_cast<void>(ParseModelSpec(input.Line()).ok());
  const Result<FeatureRequest> request = ParseFeatureSpec(input.Line());
  if (!request.ok()) return 0;
  FeatureSet features;
  if (!features.Add(*request).ok()) return 0;
  static_cast<void>(features.MakeExtractors({.width = 32, .height = 34}).ok());
  return 0;
}
