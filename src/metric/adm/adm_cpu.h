// ADM on the CPU: one Highway text for every instruction set, equal to adm_ref.h to the bit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "metric/adm/adm_scale.h"
#include "metric/metric.h"

namespace acutance {

std::unique_ptr<Workspace> MakeAdmFrameWorkspace(const AdmSetup& setup);
std::unique_ptr<Workspace> MakeAdmThreadWorkspace(const AdmSetup& setup);

/// Rows `band` of the bands of `scale`: adds to sums and writes band a for the next scale.
void RunAdmBand(const AdmSetup& setup, const FrameView& view, int scale, RowBand band, const Workspaces& workspaces,
                std::span<int64_t> sums);

}  // namespace acutance
