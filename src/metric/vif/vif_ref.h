// VIF in plain loops straight from spec/core.md section 1, slow on purpose: the truth that tests compare with.
#pragma once

#include "metric/vif/vif_cpu.h"

namespace acutance {

/// What RunVifBand does.
void RunVifBandRef(const VifJob& job, RowBand band, std::span<int64_t, kVifSumsPerScale> sums);

}  // namespace acutance
