// Models compiled into the library: the files of models/, byte for byte.
#pragma once

#include <span>
#include <string_view>

#include "base/status.h"
#include "model/model.h"

namespace acutance {

struct BuiltinModel {
  std::string_view name;     // "vmaf_v0.6.1"
  std::string_view viewing;  // display and distance that the model was made for
  std::string_view description;
  std::string_view json;
};

std::span<const BuiltinModel> BuiltinModels();  // the default one first

const BuiltinModel* FindBuiltinModel(std::string_view name);  // null when there is none

/// An unknown version is an error that suggests the nearest name.
Result<Model> LoadBuiltinModel(std::string_view version, std::string_view name);

}  // namespace acutance
