// Diagnosis of two videos that do not compare: likely causes, each with the command that fixes it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "io/video_source.h"

namespace acutance {

struct Probe;

/// A cause, its confidence, and the command that fixes it. `cause` is a stable name: offset, frame-rate, size, crop,
/// turned, range, color, swapped, transfer, interlaced, drops, model, damage, different,
/// raw-format, none.
struct Finding {
  std::string cause;
  double confidence = 0;  // 0 to 1
  std::string sentence;
  std::string command;  // what to type; empty: nothing helps
};

/// Facts that a model must suit.
struct PairFacts {
  PictureFormat pictures;  // the reference's, as displayed
  std::optional<double> frame_rate;
  bool is_hdr = false;  // both are
};

struct DoctorRequest {
  std::string reference;
  std::string distorted;
  OpenOptions open;
  /// What is wrong with the model that is meant to score such videos, and the options that fix it. Not set: nothing.
  std::function<std::optional<std::pair<std::string, std::string>>(const PairFacts&)> check_model = nullptr;
};

/// The findings, likely causes first; "none" alone where there are no others. What `acutance score` corrects by itself
/// comes last. An error: a video cannot be found, or is not a regular file.
Result<std::vector<Finding>> Diagnose(const DoctorRequest& request);

/// The same for videos that were read.
std::vector<Finding> FindCauses(const Probe& probe);

}  // namespace acutance
