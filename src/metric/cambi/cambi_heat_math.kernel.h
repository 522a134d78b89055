// Arithmetic of cambi's heatmaps, which needs doubles (docs/spec/siblings.md 1.7).
#pragma once

#include "kernel/kernel.h"

// The contrast as a sample of a 16-bit picture.
FUNCTION(int32_t) heat_of(float contrast, double scale) { return int32_t(scale * double(contrast)); }
