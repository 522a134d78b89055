// What the files of psnr_hvs share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/kernel.h"
#include "metric/metric.h"

namespace acutance {

namespace psnr_hvs {
#include "metric/psnr_hvs/psnr_hvs_math.kernel.h"
}  // namespace psnr_hvs

inline constexpr int kHvsPlanes = 3;

/// Contrast sensitivity and masking of the 64 coefficients of a plane, row by row.
struct HvsTables {
  alignas(64) float csf[psnr_hvs::kBlockSamples];
  alignas(64) float mask[psnr_hvs::kBlockSamples];
};

/// 0: Y, 1: Cb, 2: Cr. Chroma tables are those of 4:2:0 in all formats.
const HvsTables& HvsTablesOf(int plane);

/// Blocks along a side of n samples; up to 6 samples at its end belong to none.
constexpr int HvsBlocks(int n) {
  return n < psnr_hvs::kBlockSide ? 0 : (n - psnr_hvs::kBlockSide) / psnr_hvs::kBlockStep + 1;
}

/// Appends the terms of block row `row` that are not 0, in the order of blocks and coefficients,
/// with SIMD (Highway). `bit_depth` is at most 12.
void HvsRowTerms(const Plane& reference, const Plane& distorted, int bit_depth, const HvsTables& tables, int row,
                 std::vector<float>& terms);

/// The same in plain loops, the reference implementation.
void HvsRowTermsRef(const Plane& reference, const Plane& distorted, int bit_depth, const HvsTables& tables, int row,
                    std::vector<float>& terms);

extern const Metric kPsnrHvsMetric;

}  // namespace acutance
