// Small synthetic clips with faults in time, and the frames that they truly show.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "align/frame_track.h"

namespace acutance::test {

/// What moves in a source.
enum class Content {
  kCuts,      // scenes of 1 to 4 s that pan
  kObjects,   // a small thing that moves before a background that stands
  kStops,     // motion and standing pictures in turn
  kSlow,      // less than half a sample a frame
  kGrain,     // motion under noise that is new in each frame
  kFades,     // to black and back, with flashes
  kTwos,      // drawn on twos: each picture is shown twice
  kScroll,    // text that scrolls up
  kPeriodic,  // a loop
  kStill,     // one picture
  // scenery.cc: those that alignment was developed with end with kWheel,
  kScreen,
  kHead,
  kDissolves,
  kStrobe,
  kFastCuts,
  kDark,
  kLetterbox,
  kWheel,
  // and these were added after it was finished.
  kZoom,
  kWater,
  kCrowd,
  kSlides,
  kTicker,
  kThrees,
  kRain,
  kGame,
};
inline constexpr int kContents = 26;
extern const char* const kContentNames[kContents];

enum class Fault {
  kNone,
  kLate,      // other frames come before
  kEarly,     // the first frames are missing
  kTrimmed,   // of both ends
  kDrops,     // missing frames
  kRepeats,   // frames that come twice
  kFreezes,   // a frame stands for the next ones
  kMixed,     // late or early, with drops and repeats
  kRate,      // a conversion between 24, 25, 30, 50 and 60 frames/s
  kPulldown,  // 3:2, in whole frames
  kSpeedUp,   // 24 played as 25
  kDrift,     // one frame in 1000 is missing
  kVariable,  // missing frames, with times that say so
  kForeign,   // another video
};
inline constexpr int kFaults = 14;
extern const char* const kFaultNames[kFaults];

struct TestPair {
  static constexpr size_t kNeighbours = 16;

  Content content;
  Fault fault;
  std::string text;  // what was done, for messages
  FrameTrack reference, distorted;
  std::vector<int64_t> shown;    // by distorted frame: the reference frame; -1: none
  std::vector<int64_t> same_as;  // by reference frame: the first with the same picture
  std::vector<float> apart;      // by reference frame: how far it is from each of the next ones
  std::vector<double> errors;    // by distorted frame: the mean square of its encode's error

  /// Whether frames i and k of the reference are the same, or differ so little that pairing distorted frame j with one
  /// for the other changes the error by less than a tenth.
  bool LookAlike(int64_t i, int64_t k, int64_t j) const;
};

/// FFmpeg's command and a folder for its files. Without it, noise and blocks stand for an encoder.
struct Encoder {
  std::string ffmpeg, folder;
};

TestPair MakePair(uint32_t seed, Content content, Fault fault, const Encoder& encoder = {});

}  // namespace acutance::test
