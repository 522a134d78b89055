// Hash of a video's decoded samples, taken as the video is read.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "image/picture.h"
#include "io/video_source.h"

namespace acutance {

/// SHA-256 over the digests of the frames in their order. A frame's digest covers one row in kRowsPerHashed of each
/// plane, from a row that its number decides: SHA-256 reads 0.2 to 0.4 GB/s, so that all rows would cost as much as the
/// scores.
struct SampleHash {
  std::string luma, chroma;  // empty: not all frames had such samples in the host's memory
  int64_t frames = 0;
};

inline constexpr int kRowsPerHashed = 128;

class SampleHasher {
 public:
  /// The picture as it is decoded; frames in their order, from one thread at a time.
  void Add(int64_t frame, const Picture& picture);
  /// Frames were read out of order.
  void Invalidate();

  /// Of the frames below `end`. Any thread.
  SampleHash Hash(int64_t end) const;

 private:
  struct Frame {
    int64_t number = 0;
    Sha256::Digest luma{}, chroma{};
    bool has_luma = false, has_chroma = false;
  };
  mutable std::mutex mutex_;
  std::vector<Frame> frames_;
  bool is_valid_ = true;
};

/// The same video, whose samples `hasher` gets as they are read.
std::unique_ptr<VideoSource> HashSamples(std::unique_ptr<VideoSource> video, std::shared_ptr<SampleHasher> hasher);

}  // namespace acutance
