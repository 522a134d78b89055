#include "model/model.h"

namespace acutance {

int OverloadFeature(Model& model, std::string_view extractor, const std::string& option, const std::string& value,
                    const ExtractorOf& extractor_of) {
  int count = 0;
  for (ModelFeature& feature : model.features) {
    if (extractor_of(feature.name) != extractor) continue;
    feature.options[option] = value;
    ++count;
  }
  for (Model& member : model.members) count += OverloadFeature(member, extractor, option, value, extractor_of);
  return count;
}

}  // namespace acutance
