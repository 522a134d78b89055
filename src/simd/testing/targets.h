// Runs a check of a test with each instruction set in turn.
#pragma once

#ifndef HWY_WANT_AVX3_DL  // some metrics are compiled for it; others run what they have below it
#define HWY_WANT_AVX3_DL
#endif

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <cstdint>
#include <vector>

namespace acutance {

/// Makes dynamic dispatch choose `target`, or with 0 again what suits this CPU best.
inline void UseTarget(int64_t target) {
  hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

/// Runs `check` once for each of `targets`, by default all instruction sets that this CPU has.
template <class Check>
void ForEachTarget(Check check, const std::vector<int64_t>& targets = hwy::SupportedAndGeneratedTargets()) {
  for (const int64_t target : targets) {
    SCOPED_TRACE(hwy::TargetName(target));
    UseTarget(target);
    check();
  }
  UseTarget(0);
}

}  // namespace acutance
