// Parity of picture conversions: colors, size, chroma and bit depth, on a device and on the CPU. All samples must be
// equal.
#pragma once

#include <string>
#include <vector>

#include "convert/scaler.h"
#include "exec/device.h"
#include "tests/parity/pictures.h"
#include "tests/parity/sweep.h"

namespace acutance {

/// The conversion of colors, which comes first. RGB is that of BT.709.
enum class Colors { kStay, kRgbToLimited, kRgbToFull, kFullToLimited, kLimitedToFull, kFullToFull };

struct ScalingCase {
  PictureFormat from;
  PictureFormat to;  // perhaps deeper
  ScaleOptions options;
  ChromaSiting to_siting{};  // of chroma of another format
  Colors colors = Colors::kStay;
  bool deepens_colors = false;  // samples get their bits with the colors, and else last
  Content content = Content::kNoise;
  int frames = 1;
  uint32_t seed = 1;

  std::string Name() const;
};

/// Larger and smaller pictures and those of the same size, odd ones and long ones, of all depths, from each format to
/// each, with all filters, and each change of colors with and without such others. kSizes: each size once.
std::vector<ScalingCase> ScalingCases(SweepExtent extent);

/// The sizes of ladders; for devices that are quick.
std::vector<ScalingCase> LargeScalingCases();

/// Fails with the first difference, or with what the device said.
Status CheckScalingCase(Device& device, const ScalingCase& which);

}  // namespace acutance
