// Arithmetic of toy, which the reference implementation and the kernels share.
#pragma once

#include "kernel/kernel.h"

FUNCTION(float) mean_of_four(float a, float b, float c, float d) { return (a + b + c + d) * 0.25f; }

FUNCTION(float) absolute(float x) { return x < 0.0f ? -x : x; }
