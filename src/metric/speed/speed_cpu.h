// The SIMD implementation: the results of the reference implementation (speed.h), bit for bit.
#pragma once

#include <span>

#include "metric/speed/speed.h"
#include "simd/aligned_memory.h"

namespace acutance {

/// A thread's memory. Nothing in it outlives a call.
struct SpeedScratch : Workspace {
  static constexpr int kMostLanes = 16;  // floats of the widest vector used
  static constexpr int kMargin = 32;     // values before and after a row, for mirrored ones and whole vectors
  static constexpr int kOrder = 32;      // the 25 rows or columns of a matrix, in whole vectors
  static constexpr int kTile = 3;        // rows and columns of covariances at a time

  explicit SpeedScratch(const SpeedLayout& layout);

  // --- Sampling
  AlignedArray<float> filtered;  // a row
  AlignedArray<float> widened;   // rows that a resized row reads
  AlignedArray<float> resized;   // rows that a filtered row reads

  // --- Analysis
  int sharp_stride;
  AlignedArray<float> sharp;
  int centred_stride;
  AlignedArray<double> centred;      // [shift][column] of a row of the window
  AlignedArray<double> covariances;  // [tile][partial sum][row of the tile][column of the tile]
  int block_stride;
  AlignedArray<float> values;    // [value][block]: Y
  AlignedArray<float> solution;  // likewise: X
};

void SampleSpeed(const SpeedLayout& layout, const SpeedSource& source, RowBand band, SpeedScratch& scratch,
                 float* samples);

void AnalyseSpeed(const SpeedLayout& layout, float sigma_nn, std::span<const float> samples, SpeedScratch& scratch,
                  std::span<int64_t> words);

}  // namespace acutance
