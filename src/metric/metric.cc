#include "metric/metric.h"

namespace acutance {

OutputKey MakeOutputKey(const OutputSpec& output, const OptionValues& options) {
  const std::string name(output.name);
  const std::string alias(output.alias.empty() ? output.name : output.alias);
  const std::string suffix = options.KeySuffix();
  if (suffix.empty()) return {name, alias};
  constexpr size_t kMaxKeyBytes = 255;  // spec/system.md 1.6
  const std::string key = (alias + suffix).substr(0, kMaxKeyBytes);
  return {key, key};
}

}  // namespace acutance
