#pragma once

#include <libvmaf/feature.h>

#include "metric/options.h"

struct VmafFeatureDictionary {
  acutance::OptionTexts texts;
};
