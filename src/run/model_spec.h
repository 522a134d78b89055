// Values of --model and --feature, the same for both commands (docs/spec/system.md 5.1), and the models that they name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "engine/feature_set.h"
#include "metric/options.h"

namespace acutance {

struct RunRequest;

/// A model as --model names it: version=vmaf_v0.6.1:name=a:disable_clip:adm.adm_enhn_gain_limit=1
struct ModelSpec {
  std::string version;  // a built-in model; wins over path
  std::string path;
  std::string name = "vmaf";
  bool disable_clip = false;
  bool enable_transform = false;
  bool disable_transform = false;
  std::map<std::string, OptionTexts> overloads;  // by metric name

  const std::string& label() const { return version.empty() ? path : version; }
};

Result<ModelSpec> ParseModelSpec(const std::string& text);

/// Parses a feature as --feature names it: psnr=enable_chroma=false:enable_mse=true
Result<FeatureRequest> ParseFeatureSpec(const std::string& text);

/// How options are handled that their metric does not have, or whose metric does not exist.
enum class UnknownOptions {
  kRefused,
  kIgnored,  // with a warning; libvmaf's tool is silent
};

/// Adds the models of `request.choice` to those of the request and appends warnings, each once. predict: false computes
/// the models' features only.
Status LoadModels(RunRequest& request, std::vector<std::string>& warnings,
                  UnknownOptions unknown = UnknownOptions::kRefused, bool predict = true);

}  // namespace acutance
