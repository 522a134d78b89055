// Features that score HDR videos where a user asks for no model: VMAF's models know SDR alone.
#pragma once

#include <acutance/facts.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/feature_set.h"

namespace acutance {

/// The names of their metrics.
std::vector<std::string_view> HdrMetrics();

struct HdrFeatures {
  std::vector<FeatureRequest> features;
  std::vector<std::string> reasons;  // human-readable sentences
};

/// For a reference that is HDR.
HdrFeatures ChooseHdrFeatures(const Input& reference);

}  // namespace acutance
