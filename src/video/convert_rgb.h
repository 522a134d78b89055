// A video of red, green and blue as one of luma and chroma.
#pragma once

#include <memory>

#include "convert/color_weights.h"
#include "io/video_source.h"

namespace acutance {

/// Unknown and other matrices are BT.709.
LumaShares SharesOf(Matrix matrix);

/// `source` gives 4:4:4 pictures whose planes are red, green and blue, of full range. The result is YUV 4:4:4 by BT.709
/// of limited range, unless SetRgbColor says another.
std::unique_ptr<VideoSource> ConvertRgb(std::unique_ptr<VideoSource> source);

}  // namespace acutance
