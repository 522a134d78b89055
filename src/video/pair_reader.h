// Synchronized reading of a reference and its distorted videos, ahead of the session that scores them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "io/video_source.h"
#include "video/fit_videos.h"

namespace acutance {

/// The pictures of one frame index: the k-th remaining picture of every video.
struct FramePair {
  int64_t index = 0;
  Picture reference;
  std::vector<Picture> distorted;
};

struct PairReaderOptions {
  std::optional<int64_t> frame_limit;  // how many pairs to read at most
  int read_ahead = 2;                  // pictures per video, where reading takes time; 0: read in Next()
};

/// Why two videos cannot be compared, in libvmaf's wording; empty: they can.
std::vector<std::string> Incompatibilities(const PictureFormat& reference, const PictureFormat& distorted);

/// Seconds of one video's reading.
struct ReadingTimes {
  double waited = 0;   // in PairReader::Next, for its pictures
  double busy = 0;     // making them: what follows, decoding and conversions
  double reading = 0;  // its bytes
};

class PairReader {
 public:
  /// Whether Open accepts them. It refuses incompatible videos: a line per problem.
  static Status Check(const PairReaderInput& reference, const std::vector<PairReaderInput>& distorted);
  static Result<std::unique_ptr<PairReader>> Open(PairReaderInput reference, std::vector<PairReaderInput> distorted,
                                                  const PairReaderOptions& options);
  ~PairReader();

  /// The format of all pictures.
  const PictureFormat& format() const;
  /// How many pairs there will be, where every video declares its length.
  std::optional<int64_t> frame_count() const;

  /// The next pair, in frame order; nullopt where the first of the videos ends or at the limit. A video that cannot be
  /// read further is an error at the frame where that happens.
  Result<std::optional<FramePair>> Next();

  /// After the end: "\"a\" ended before \"b\"." for each distorted video of another length than the reference.
  const std::vector<std::string>& length_warnings() const;

  /// Likewise, the distorted videos that have more pictures, as the reference has, where another one ended.
  const std::vector<size_t>& unfinished() const;

  /// The reference first; while nothing reads.
  std::vector<ReadingTimes> times() const;

  /// Ends reading, after the last Next(), and returns the videos, the reference first.
  std::vector<VideoSource*> Close();

  /// Once all pictures have been used: an error if a file lost bytes meanwhile (VideoSource::CheckIntact).
  Status CheckIntact() const;

  /// Makes Next() return kCancelled from now on. Callable on any thread.
  void Cancel();

 private:
  class Lane;
  class State;
  explicit PairReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace acutance
