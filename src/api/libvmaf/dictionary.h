// VmafFeatureDictionary: options as texts.
#pragma once

#include <libvmaf/feature.h>

#include "api/handle_table.h"
#include "metric/options.h"

namespace acutance::libvmaf {

using Dictionaries = HandleTable<VmafFeatureDictionary, OptionTexts>;

}  // namespace acutance::libvmaf
