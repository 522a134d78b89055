// Fuzz target: the values of --model and --feature. A valid feature is instantiated for a small picture.
#include "engine/feature_set.h"
#include "run/model_spec.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

ACU_FUZZ_TARGET(input) {
  static_cast<void>(ParseModelSpec(input.Line()).ok());
  const Result<FeatureRequest> request = ParseFeatureSpec(input.Line());
  if (!request.ok()) return;
  FeatureSet features;
  if (!features.Add(*request).ok()) return;
  static_cast<void>(features.MakeExtractors({.width = 32, .height = 34}).ok());
}
