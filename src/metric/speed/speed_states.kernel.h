// What becomes of the covariances of a picture (speed_algebra.kernel.h).
#pragma once

#define SPEED_REGULAR 0
#define SPEED_SINGULAR 1
#define SPEED_UNDEFINED 2  // the definition divides 0 by 0: all numbers are NaN
