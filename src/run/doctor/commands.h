// What to type against what the doctor finds, where FFmpeg's command mends it.
#pragma once

#include <string>

#include "run/doctor/video_probe.h"

namespace acutance {

std::string Deinterlace(const std::string& path);
/// Has each frame last so many times as long as the stream says, and pairs what is shown at one time.
std::string Retime(const std::string& path, double slower, const std::string& reference);
std::string LimitRange(const std::string& path);

/// Makes SDR of HDR. It says what the stream is, for that may not tell all of it.
std::string ToneMap(const std::string& path, Transfer transfer);

/// Has a stream tell its transfer without coding it again, where its codec allows that.
std::string TellTransfer(const VideoProbe& video, Transfer transfer);

}  // namespace acutance
