// The part of each video of a run that is compared.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "run/score_run.h"
#include "video/fit_videos.h"

namespace acutance {

/// The part of `input`, the reference or a distorted video; nullopt: all of it. open: how videos are opened, to look
/// for bars in them.
Result<std::optional<Rectangle>> ChooseCrop(const CropChoice& choice, const PairReaderInput& input,
                                            const PairReaderInput& reference, const OpenOptions& open,
                                            const std::function<void(std::string)>& warn);

/// Where contents within bars have different shapes: crops them to what both show, if pictures tell that rows or
/// columns were cut off.
Status CropToSharedShape(const OpenOptions& open, PairReaderInput& reference, PairReaderInput& distorted);

}  // namespace acutance
