// Video filters: sources that crop, rotate, scale, convert or select the pictures of another source.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/status.h"
#include "convert/chroma_scaler.h"
#include "convert/color_converter.h"
#include "convert/scaler.h"
#include "image/rectangle.h"
#include "io/video_source.h"

namespace acutance {

/// Rotates and mirrors pictures as the source's facts declare. Fails where rows of 4:2:2 would become columns.
Result<std::unique_ptr<VideoSource>> AutoRotate(std::unique_ptr<VideoSource> source);

/// That part of each picture, without a copy. Fails if the part is not inside the pictures or splits chroma samples.
Result<std::unique_ptr<VideoSource>> CropVideo(std::unique_ptr<VideoSource> source, const Rectangle& rectangle);

/// Crops as the container declares, and says so in VideoFacts::changed_samples.
Result<std::unique_ptr<VideoSource>> CropAsDeclared(std::unique_ptr<VideoSource> source);

/// The frames of these numbers, which do not decrease: a frame may come several times. A video that ends before the
/// last of them ends there.
std::unique_ptr<VideoSource> SelectFrames(std::unique_ptr<VideoSource> source, std::vector<int64_t> frames);

// Conversions that devices can do, too: their pictures may be lazy (image/lazy_picture.h).

/// Pictures copied to aligned memory, for samples of two bytes at odd addresses of a mapped file, after a y4m header of
/// odd length; aligned ones are left in place, and so are lazy ones, since devices copy bytes.
std::unique_ptr<VideoSource> AlignSamples(std::unique_ptr<VideoSource> source);

/// Pictures scaled to `width` x `height`. Fails where they cannot be: Scaler::Make, or pictures that lie on a device.
Result<std::unique_ptr<VideoSource>> ScaleVideo(std::unique_ptr<VideoSource> source, int width, int height,
                                                const ScaleOptions& options);

/// Pictures of another chroma format. Luma stays as it is. 4:0:0 gets chroma without color, or drops others'.
Result<std::unique_ptr<VideoSource>> ConvertChroma(std::unique_ptr<VideoSource> source, const ChromaChange& change);

/// Samples converted between full and limited range, or expanded to a deeper full range (ITU-R BT.2100, table 9;
/// convert/color_converter.h has the numbers). A video that declares no range has the limited one. `source` must not
/// lie on a device, nor be deeper than `to`.
std::unique_ptr<VideoSource> ConvertRange(std::unique_ptr<VideoSource> source, const SampleRange& to);

/// The luma coefficients of a matrix; those of BT.709 for unknown and other ones.
LumaShares SharesOf(Matrix matrix);

/// YUV 4:4:4 of 4:4:4 pictures whose planes are red, green and blue of full range: by BT.709 in limited range, unless
/// SetRgbColor says another.
std::unique_ptr<VideoSource> ConvertRgb(std::unique_ptr<VideoSource> source);

/// Samples shifted left to `bit_depth`, which is deeper than the source's (docs/spec/system.md 5.4).
std::unique_ptr<VideoSource> ExpandBitDepth(std::unique_ptr<VideoSource> source, int bit_depth);

}  // namespace acutance
