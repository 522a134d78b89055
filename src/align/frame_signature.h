// The signature of a frame: its luma, reduced by area to 32 x 18 cells and what is finer in them, in whole numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "image/picture.h"

namespace acutance {

struct FrameSignature {
  static constexpr int kColumns = 32;
  static constexpr int kRows = 18;
  static constexpr int kCells = kColumns * kRows;

  /// The means of the cells, row by row, as 16-bit samples: 256 is a step of an 8-bit sample.
  std::array<uint16_t, kCells> cells{};

  static constexpr int kDetailsOfCell = 3, kDetails = kCells * kDetailsOfCell;
  static constexpr int kDetailStep = 64;  // a fourth of a step of an 8-bit sample

  /// How the quarters of each cell differ: left and right, upper and lower, and across. Haar's coefficients in steps of
  /// kDetailStep, cut at 127: strong ones show in cells, too.
  std::array<int8_t, kDetails> details{};
};

/// The picture has luma in the host's memory. Of tall cells some rows are read, evenly spaced, so that a picture costs
/// less than one pass over it.
FrameSignature SignatureOf(const Picture& picture);

/// What a container says of its frames a second, and of when one is shown; nullopt: nothing, or what no video has and
/// frame numbers could not be computed from.
std::optional<double> PlausibleRate(std::optional<double> rate);
std::optional<double> PlausibleTime(std::optional<double> time);

/// A video's frames as far as pairing knows them.
struct FrameTrack {
  std::vector<FrameSignature> signatures;
  std::vector<double> times;   // seconds from the container's start, plausible ones; empty: not told
  std::optional<double> rate;  // frames a second, a plausible number
  bool is_whole = true;        // false: the video goes on, or may

  int64_t size() const { return static_cast<int64_t>(signatures.size()); }
};

}  // namespace acutance
