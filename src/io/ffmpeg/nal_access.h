// Random access points of H.264 and HEVC, whose packets are NAL units.
#pragma once

#include <memory>

#include "io/ffmpeg/random_access.h"

namespace acutance {

std::unique_ptr<RandomAccess> MakeH264Access(PacketBytes extradata);
std::unique_ptr<RandomAccess> MakeHevcAccess(PacketBytes extradata);

}  // namespace acutance
