// Models compiled into the library: the files of models/, byte for byte.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "model/model.h"

namespace acutance {

struct BuiltinModel {
  std::string_view name;     // "vmaf_v0.6.1"
  std::string_view viewing;  // display and distance that the model was made for
  std::string_view description;
  std::span<const uint16_t> lines;  // numbers of the file's lines, which the models share

  std::string Json() const;  // the file's bytes

 private:
  static const char* const kText;        // all distinct lines
  static const uint32_t* const kBegins;  // line i: kText[kBegins[i]] to kText[kBegins[i + 1]]
};

/// The models of models/models.txt in its order, the default one first; embed_models.py writes it at build time.
std::span<const BuiltinModel> BuiltinModels();

const BuiltinModel* FindBuiltinModel(std::string_view name);  // null when there is none

/// An unknown version is an error that suggests the nearest name. No model is parsed but the one asked for.
Result<Model> LoadBuiltinModel(std::string_view version, std::string_view name);

}  // namespace acutance
