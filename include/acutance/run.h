// Values of a run from files: its progress, verdicts on a mean score, the videos of a folder.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace acutance {

struct Progress {
  int64_t frames = 0;            // scored so far
  std::optional<int64_t> total;  // not set: the files do not declare it
  std::optional<double> score;   // the first model's mean so far
  std::string model{};           // the first model's name; empty: there is none
};

/// What a run does after a frame.
enum class FrameAction {
  kContinue,
  kStop,  // this frame is the last, as if the videos ended here: the scores so far are the Result
  /// The same because of a score, which is meaningless if the frames are misaligned: some seconds of the videos are
  /// checked first, and if they are not aligned frame by frame, the run starts again.
  kStopAfterAlignmentCheck,
  kCancel,  // the run fails with kCancelled
};

/// A bound for the mean of the first model's score, and how sure a verdict has to be.
struct MeanGate {
  bool at_least = true;  // false: at most
  double bound = 0;
  double confidence = 0.999;  // the share of verdicts that are right, above 0 and below 1, for any scores
  bool certain = false;       // accept only a verdict that holds for any scores of the frames that were not read
  uint64_t seed = 1;          // of the order in which blocks of frames are read
};

struct MeanVerdict {
  bool holds = false;
  bool certain = false;                      // it holds for any scores of the frames that were not read
  double confidence = 0;                     // 1 where it is certain
  std::string score;                         // the model's name
  double mean_of_read = 0;                   // of the scores that were read; NaN: none was needed
  double least_mean = 0, greatest_mean = 0;  // bounds of the mean of all frames
  int64_t frames = 0, frames_read = 0;       // read: including frames around the scored blocks
  std::string text;                          // a sentence with these values
  std::vector<std::string> warnings;
  MeanGate gate;
  std::string reference, distorted;  // paths
};

struct FolderVideos {
  std::vector<std::string> files;        // in the order of their names
  std::vector<std::string> passed_over;  // files that do not open as a video, such as an encoder's log, and why
};

}  // namespace acutance
