// A reference whose pictures stay in memory, decoded, from run to run: for many encodes of it, one after another.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/status.h"
#include "image/picture.h"
#include "io/kept_video.h"
#include "io/video_source.h"

namespace acutance {

/// Any thread may use it. A second reading at the same time, a device's decoder and a video that takes more memory than
/// it may read the file as if nothing were kept; so does a run after the file has changed, which is then kept anew.
/// Mapped files (y4m, raw yuv) are in memory anyway and are opened again.
class KeptReference {
 public:
  /// most_bytes: for its pictures.
  KeptReference(std::string path, size_t most_bytes) : path_(std::move(path)), most_bytes_(most_bytes) {}

  const std::string& path() const { return path_; }

  /// The video from its first picture.
  Result<std::unique_ptr<VideoSource>> Open(const OpenOptions& options);

  /// What is kept now.
  size_t bytes() const;
  int64_t frames() const;

 private:
  class Lent;

  /// What tells whether a file is still the one that was read.
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    int64_t nanoseconds = 0;
    bool operator==(const Identity&) const = default;
  };
  static std::optional<Identity> IdentityOf(const std::string& path);

  bool Fits(const OpenOptions& options, const std::optional<Identity>& identity) const;
  Result<std::unique_ptr<VideoSource>> OpenToKeep(const OpenOptions& options, const std::optional<Identity>& identity);
  Result<std::unique_ptr<VideoSource>> Lend();

  const std::string path_;
  mutable std::mutex mutex_;
  const size_t most_bytes_;
  std::optional<KeptVideo> video_;
  std::shared_ptr<bool> is_lent_;  // one reader holds it
  std::optional<Identity> identity_;
  std::optional<PictureFormat> raw_;
  bool raw_is_semi_planar_ = false;
  bool film_grain_ = true, take_all_ = false;
};

/// The reference of a run, kept or not.
inline Result<std::unique_ptr<VideoSource>> OpenReference(const std::shared_ptr<KeptReference>& kept,
                                                          const std::string& path, const OpenOptions& options) {
  return kept ? kept->Open(options) : OpenVideo(path, options);
}

}  // namespace acutance
