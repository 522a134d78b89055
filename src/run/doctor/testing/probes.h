// Synthetic probes of two videos for tests of the doctor's checks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "align/align_tracks.h"
#include "run/doctor/probe.h"

namespace acutance {

/// A frame of a spot that moves before a slope; `change` maps its luma, in 8-bit samples.
inline FrameFingerprint ScenePicture(double t, const std::function<double(double)>& change = {}) {
  FrameFingerprint picture;
  const double cx = 16 + 11 * std::sin(0.11 * t), cy = 9 + 6 * std::sin(0.083 * t + 1);
  for (int y = 0; y < FrameFingerprint::kRows; ++y)
    for (int x = 0; x < FrameFingerprint::kColumns; ++x) {
      const double apart = (x - cx) * (x - cx) + (y - cy) * (y - cy);
      const double luma = 40 + 2 * x + 110 * std::exp(-apart / 8);
      picture.cells[static_cast<size_t>(y * FrameFingerprint::kColumns + x)] =
          static_cast<uint16_t>(256 * std::clamp(change ? change(luma) : luma, 0.0, 255.0));
    }
  return picture;
}

/// Frames that show the scene at times time(0), time(1), ...
inline FrameTrack SceneTrack(int64_t count, const std::function<double(int64_t)>& time = {},
                             const std::function<double(double)>& change = {}) {
  FrameTrack track{.rate = 25};
  for (int64_t k = 0; k < count; ++k)
    track.fingerprints.push_back(ScenePicture(time ? time(k) : static_cast<double>(k), change));
  return track;
}

inline VideoProbe VideoOf(std::string name, FrameTrack track, int width = 640, int height = 360) {
  VideoProbe video;
  video.name = std::move(name);
  video.format = {width, height, 8, PixelFormat::k420};
  video.frame_rate = track.rate;
  video.frames = track.size();
  video.content = Rectangle{width, height};
  video.track = std::move(track);
  return video;
}

/// A reference and an encode of it that differ in nothing, before they are compared.
inline Probe EqualPair(int64_t count = 80) {
  Probe probe;
  probe.reference = VideoOf("ref", SceneTrack(count));
  probe.distorted = VideoOf("dis", SceneTrack(count));
  return probe;
}

/// The same, aligned by these pairs.
inline Probe AlignedPair(Alignment alignment) {
  Probe probe = EqualPair();
  probe.alignment = std::move(alignment);
  return probe;
}

inline Alignment IdentityOf(int64_t count = 80) { return AlignPlainly(count, count); }

}  // namespace acutance
