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
#include "engine/device_cache.h"
#include "image/picture.h"
#include "io/video_source.h"
#include "video/replay_buffer.h"

namespace acutance {

/// Any thread may use it. A second reading at the same time, a device's decoder and a video that takes more memory than
/// it may read the file as if nothing were kept; so does a run after the file has changed, which is then kept anew.
/// Mapped files (y4m, raw yuv) are in memory anyway and are opened again. Devices keep what they were given of it, too.
class CachedReference {
 public:
  /// most_bytes: for its pictures in the host's memory. devices: those of runs, which other references may share.
  CachedReference(std::string path, size_t most_bytes, std::shared_ptr<DeviceCache> devices)
      : path_(std::move(path)), most_bytes_(most_bytes), devices_(std::move(devices)) {}
  ~CachedReference();
  CachedReference(const CachedReference&) = delete;

  const std::string& path() const { return path_; }
  const std::shared_ptr<DeviceCache>& devices() const { return devices_; }

  /// The video from its first picture. `name` becomes its PictureKey::video; 0: it has none.
  Result<std::unique_ptr<VideoSource>> Open(const OpenOptions& options, uint64_t& name);

  /// Whether the file is another one than was read; what is kept is of no use then.
  bool HasChanged() const;

  /// What is kept now in the host's memory, and what further runs may make of it.
  size_t bytes() const;
  size_t MostBytes() const;
  /// Another limit on that, at least what is kept. Not while a run continues.
  void KeepUpTo(size_t most_bytes);
  int64_t frames() const;
  /// The pictures that lie on a device; none while a run uses it.
  int64_t device_frames() const;

 private:
  class Lent;

  /// What tells whether a file is still the one that was read.
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
    off_t size = 0;
    int64_t nanoseconds = 0;  // of the last change of its contents
    bool operator==(const Identity&) const = default;
  };
  static std::optional<Identity> IdentityOf(const std::string& path);

  /// What the pictures depend on next to the file.
  struct Manner {
    std::optional<PictureFormat> raw;
    bool raw_is_semi_planar = false;
    bool film_grain = true, take_all = false;
    bool operator==(const Manner&) const = default;
  };
  static Manner MannerOf(const OpenOptions& options);

  void Rename();
  Result<std::unique_ptr<VideoSource>> OpenToKeep(const OpenOptions& options);
  Result<std::unique_ptr<VideoSource>> Lend();

  const std::string path_;
  mutable std::mutex mutex_;
  size_t most_bytes_;
  const std::shared_ptr<DeviceCache> devices_;
  std::optional<ReplayBuffer> video_;  // not set: the file is mapped, or not kept
  std::shared_ptr<bool> is_lent_;      // one reader holds it
  std::optional<Identity> identity_;   // not set: nothing was read yet, or it is no file
  Manner manner_;
  uint64_t name_ = 0;  // PictureKey::video
};

/// Bytes of all pictures of a video: 0 where the file is mapped, nullopt where it does not declare its number of
/// frames.
Result<std::optional<size_t>> PictureBytes(const std::string& path, const OpenOptions& options);

}  // namespace acutance
