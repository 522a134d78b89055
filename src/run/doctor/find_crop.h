// Whether one video shows a part of the other's picture, by small pictures.
#pragma once

#include <optional>
#include <vector>

#include "run/doctor/match.h"
#include "run/doctor/video_probe.h"

namespace acutance {

struct Cut {
  bool is_of_reference = true;  // the distorted video shows a part of the reference's picture
  Rectangle part;
  std::vector<BrightnessFit> fits;  // of the distorted pictures with what the reference has of them
};

/// The part of one that the other shows, if that explains its pictures clearly better than the whole does.
std::optional<Cut> FindCrop(const VideoProbe& reference, const VideoProbe& distorted, const Match& match);

/// How such parts fit, one of which is all of its video; else none.
std::vector<BrightnessFit> FitsOfParts(const VideoProbe& reference, const Rectangle& of_reference,
                                       const VideoProbe& distorted, const Rectangle& of_distorted, const Match& match);

}  // namespace acutance
