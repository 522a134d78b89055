// Self-test of the kernels that convert colors, size, chroma and bit depth of pictures (exec/batch_converter.h).
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "base/status.h"
#include "convert/picture_conversion.h"
#include "exec/device.h"
#include "image/picture.h"

namespace acutance {

/// From pictures of one format to those of another: of its size, its chroma and its bits. Chroma samples of another
/// format lie at `to_siting`. Colors are changed first.
Result<std::shared_ptr<const PictureConversion>> MakeScaling(const PictureFormat& from, const PictureFormat& to,
                                                             const ScaleOptions& options, const ChromaSiting& to_siting,
                                                             const std::optional<ColorWeights>& colors = std::nullopt);

/// Converts the pictures on the device, as a batch, and compares all samples of converted planes with the host's
/// results. The error names the first wrong sample.
Status CheckScaling(Device& device, const std::shared_ptr<const PictureConversion>& scaling,
                    std::span<const Picture> sources);

/// Seconds that the kernels take for a picture, in batches of `frames`.
Result<double> TimeScaling(Device& device, const std::shared_ptr<const PictureConversion>& scaling, int frames);

/// Runs CheckScaling on small pictures of both sample sizes, with each filter, to smaller and larger sizes, other
/// chroma, more bits and other colors.
Status TestScaling(Device& device);

}  // namespace acutance
