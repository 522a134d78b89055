// Fingerprint of a frame: luma reduced by area to 32 x 18 cells, with finer detail, in whole numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "image/picture.h"

namespace acutance {

struct FrameFingerprint {
  static constexpr int kColumns = 32;
  static constexpr int kRows = 18;
  static constexpr int kCells = kColumns * kRows;

  /// The means of the cells, row by row, as 16-bit samples: 256 is a step of an 8-bit sample.
  std::array<uint16_t, kCells> cells{};

  static constexpr int kDetailsOfCell = 3, kDetails = kCells * kDetailsOfCell;
  static constexpr int kDetailStep = 64;  // a fourth of a step of an 8-bit sample

  /// How the quarters of each cell differ: left and right, upper and lower, and across. Haar's coefficients in steps of
  /// kDetailStep, limited to 127: stronger ones also show in the cells.
  std::array<int8_t, kDetails> details{};

  bool operator==(const FrameFingerprint&) const = default;
};

/// How many rows of each quarter of a cell are read, evenly spaced: a picture costs less than one pass over it.
int FingerprintRows(int height);

FrameFingerprint FingerprintOf(const Plane& luma, int bit_depth);
/// The picture has luma in the host's memory.
FrameFingerprint FingerprintOf(const Picture& picture);

/// The 64-bit results that devices return for a fingerprint, one per cell: the mean in the lowest 16 bits, above it the
/// three details in 8 bits each.
inline constexpr int kFingerprintWords = FrameFingerprint::kCells;
/// The engine's own metric, whose partial results are the reference's fingerprint, then the distorted picture's.
inline constexpr std::string_view kFingerprintMetric = "frame_fingerprint";
void ToWords(const FrameFingerprint& fingerprint, std::span<int64_t> words);
FrameFingerprint FingerprintOf(std::span<const int64_t> words);

}  // namespace acutance
