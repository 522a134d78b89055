// Commands of FFmpeg that fix what the doctor finds.
#pragma once

#include <string>

#include "run/doctor/video_probe.h"

namespace acutance {

std::string Deinterlace(const std::string& path);
/// Makes each frame last `slower` times as long as the stream says, and aligns by time.
std::string Retime(const std::string& path, double slower, const std::string& reference);
std::string LimitRange(const std::string& path);

/// Converts HDR to SDR. `transfer` is given to FFmpeg, since the stream may not declare it.
std::string ToneMap(const std::string& path, Transfer transfer);

/// Declares the transfer in a stream, without encoding it again where its codec allows that.
std::string DeclareTransfer(const VideoProbe& video, Transfer transfer);

}  // namespace acutance
