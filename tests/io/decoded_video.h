// What a test learns from reading a video to its end.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/io/io_test_util.h"

namespace acutance::test {

/// All that a reader of a video learns.
struct Decoded {
  std::vector<std::string> frames;  // samples and time
  std::string error;
  std::vector<std::string> findings;
  Decoding decoding;
};

inline uint64_t HashOf(const Picture& picture) {
  uint64_t hash = 14695981039346656037u;
  for (int p = 0; p < picture.format.PlaneCount(); ++p)
    for (int y = 0; y < picture.planes[p].height; ++y)
      for (int x = 0; x < picture.planes[p].width; ++x)
        hash = (hash ^ static_cast<uint64_t>(SampleAt(picture, p, x, y))) * 1099511628211u;
  return hash;
}

/// Reads what is left of a video, after frames that were read before.
inline Decoded ReadAll(VideoSource& video, std::vector<std::string> frames = {}) {
  Decoded decoded{.frames = std::move(frames), .error = {}, .findings = {}, .decoding = {}};
  for (;;) {
    const Result<std::optional<Picture>> next = video.Next();
    if (!next.ok()) decoded.error = next.status().message();
    if (!next.ok() || !*next) break;
    decoded.frames.push_back(fmt::format("{:x} at {}", HashOf(**next), video.time().value_or(-1)));
  }
  decoded.findings = video.warnings();
  for (const InputChange& change : video.frame_changes()) decoded.findings.push_back(change.text);
  const StreamDamage damage = video.damage();
  decoded.findings.push_back(fmt::format("{} {} {}", damage.reason, damage.lost, fmt::join(damage.frames, " ")));
  decoded.decoding = video.decoding();
  return decoded;
}

inline Decoded Decode(const std::string& path, const OpenOptions& options) {
  Result<std::unique_ptr<VideoSource>> opened = OpenVideo(path, options);
  return opened.ok() ? ReadAll(**opened) : Decoded{{}, opened.status().message(), {}, {}};
}

}  // namespace acutance::test
