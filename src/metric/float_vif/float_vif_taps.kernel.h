// The usual filters (GaussianTaps of blocks/gaussian_taps.h): taps up to the middle, which the others mirror.
#pragma once

#include "kernel/kernel.h"

TABLE(float, kFloatVifTaps0, 9) = {0.00745626912f, 0.0142655009f, 0.0250313189f, 0.0402820669f, 0.059452612f,
                                   0.0804750994f,  0.0999041051f, 0.113746069f,  0.118773833f};
TABLE(float, kFloatVifTaps1, 5) = {0.0189780816f, 0.0558981709f, 0.120920911f, 0.192116067f, 0.224173561f};
TABLE(float, kFloatVifTaps2, 3) = {0.0544886813f, 0.244201332f, 0.402619928f};
TABLE(float, kFloatVifTaps3, 2) = {0.166378513f, 0.667242944f};
