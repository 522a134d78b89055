// Types and entry points that the files of ADM share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "metric/adm/adm_scale.h"
#include "metric/block_sums.h"
#include "metric/metric.h"

namespace acutance {

extern const Metric kAdmMetric;

std::unique_ptr<Workspace> MakeAdmFrameWorkspace(const AdmSetup& setup);
std::unique_ptr<Workspace> MakeAdmThreadWorkspace(const AdmSetup& setup);

/// Rows `band` of the bands of `scale`, of several distorted videos of one reference, with SIMD
/// (Highway): adds to sums and writes band a for the next scale, that of the reference to the first
/// video's workspace. Results are those of all videos by the first set-up, then by the next one; set-ups
/// have the same format and score the same scales. With a grid, sums are kAdmSumCount of each block.
void RunAdmBands(std::span<const AdmSetup* const> setups, std::span<const FrameView> views, int scale, RowBand band,
                 std::span<const Workspaces> workspaces, std::span<const BandResults> results,
                 const BlockGrid* grid = nullptr);

/// Adds the sums of a frame in plain loops over whole planes, the reference implementation. With a grid, the sums of
/// each block: rows of cubes are rounded, and a block has what the rounded sum of its row grows by in it, so that
/// blocks add up to the frame's sums.
void AddAdmReferenceSums(const AdmSetup& setup, const Picture& reference, const Picture& distorted,
                         const BlockGrid* grid, std::span<int64_t> sums);

}  // namespace acutance
