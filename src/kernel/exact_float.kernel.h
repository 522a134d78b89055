// exact_divide_float(a, b) and exact_sqrt_float(a): rounded correctly on every device, without doubles.
#pragma once

#include "kernel/kernel.h"

#include "math/exact_float.kernel.h"
