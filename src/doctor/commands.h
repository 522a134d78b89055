// What to type against what the doctor finds, where FFmpeg's command mends it.
#pragma once

#include <string>

#include "doctor/watch.h"

namespace acutance {

std::string Deinterlace(const std::string& path);
std::string LimitRange(const std::string& path);

/// Makes SDR of HDR. It says what the stream is, for that may not tell all of it.
std::string ToneMap(const std::string& path, Transfer transfer);

/// Has a stream tell its transfer without coding it again, where its codec allows that.
std::string TellTransfer(const Watched& video, Transfer transfer);

}  // namespace acutance
