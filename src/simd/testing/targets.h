// Runs a check of a test with each instruction set in turn.
#pragma once

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>

namespace acutance {

/// Makes dynamic dispatch choose `target`, or with 0 again what suits this CPU best.
inline void UseTarget(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Runs `check` once for every instruction set that this CPU has and this build compiled.
template <class Check>
void ForEachTarget(Check check) {
  for (const int64_t target : hwy::SupportedAndGeneratedTargets()) {
    SCOPED_TRACE(hwy::TargetName(target));
    UseTarget(target);
    check();
  }
  UseTarget(0);
}

}  // namespace acutance
