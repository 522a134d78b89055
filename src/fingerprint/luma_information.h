// Spatial and temporal information (SI, TI) of luma by ITU-T P.910: how hard a picture is to code.
#pragma once

#include <optional>

#include "image/picture.h"

namespace acutance {

/// In steps of 8-bit samples of full range.
struct LumaInformation {
  /// The standard deviation of Sobel's gradient over all samples that have eight neighbours. Not set: there is none.
  std::optional<double> spatial{};
  /// The standard deviation of the difference from the picture before. Not set: there is none before.
  std::optional<double> temporal{};

  bool operator==(const LumaInformation&) const = default;
};

/// before: the luma of the picture before, of the same size and bit depth; data is null where there is none.
/// full_range: samples use all values; else 16 to 235 of 256. Gradients are rounded to 1/1024 of a step of an 8-bit
/// sample, so that sums are whole numbers, in any order.
LumaInformation LumaInformationOf(const Plane& luma, const Plane& before, int bit_depth, bool full_range);

}  // namespace acutance
