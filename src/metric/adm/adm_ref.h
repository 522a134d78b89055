// ADM as plain loops over whole planes, straight from spec/core.md 2: the truth that tests compare with.
#pragma once

#include <array>
#include <cstdint>

#include "image/picture.h"
#include "metric/adm/adm_scale.h"

namespace acutance {

std::array<int64_t, kAdmSumCount> AdmReferenceSums(const AdmSetup& setup, const Picture& reference,
                                                   const Picture& distorted);

}  // namespace acutance
