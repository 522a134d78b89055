// Handles of libvmaf: VmafModel, VmafModelCollection and VmafFeatureDictionary.
#pragma once

#include <libvmaf/feature.h>
#include <libvmaf/model.h>

#include <cstdint>
#include <memory>
#include <string>

#include "api/handle_table.h"
#include "metric/options.h"
#include "model/model.h"
#include "model/predict.h"

namespace acutance::libvmaf {

/// A model as a context sees it; stays valid after vmaf_model_destroy.
struct ModelRef {
  std::shared_ptr<const Model> model;
  ModelFlags flags;
  uint64_t id = 0;  // number of the loading; distinguishes models of one name
};

}  // namespace acutance::libvmaf

/// Clients read `name` at offset 8 (docs/spec/system.md 3.1).
struct VmafModel {
  const char* path;  // or version
  const char* name;
  acutance::libvmaf::ModelRef content;
};

namespace acutance::libvmaf {

using Models = HandleTable<VmafModel, VmafModel>;
using Collections = HandleTable<VmafModelCollection, ModelRef>;
using Dictionaries = HandleTable<VmafFeatureDictionary, OptionTexts>;

}  // namespace acutance::libvmaf
