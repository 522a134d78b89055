// Why two videos do not compare: the usual suspects, each in a sentence with the command that helps.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "io/video_source.h"

namespace acutance {

/// `cause` is a stable name: offset, frame-rate, size, crop, range, swapped, transfer, interlaced, drops, damage,
/// different, none.
struct Finding {
  std::string cause;
  double confidence = 0;  // 0 to 1
  std::string sentence;
  std::string command;  // what to type; empty: nothing helps
};

struct DoctorRequest {
  std::string reference;
  std::string distorted;
  OpenOptions open;
};

/// The findings, likely causes first; "none" alone where there are no others. What `acutance score` mends by itself
/// comes last. An error: a video cannot be found, or is no file.
Result<std::vector<Finding>> Diagnose(const DoctorRequest& request);

}  // namespace acutance
