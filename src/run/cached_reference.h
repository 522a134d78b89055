// Cached reference: decoded pictures that stay in memory from run to run, for many encodes of one reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>

#include "base/status.h"
#include "base/system/file.h"
#include "engine/device_cache.h"
#include "image/picture.h"
#include "io/video_source.h"
#include "video/replay_buffer.h"

namespace acutance {

/// Thread-safe. The file is read without the cache by a second reading at the same time, by a device's decoder, and
/// where the pictures exceed the limit; after the file has changed it is read and cached anew. Mapped files (y4m, raw
/// yuv) are in memory anyway and are opened again. Devices cache the planes that they received, too.
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

  /// Whether the file is no longer the one that was read, so that the cache is useless.
  bool HasChanged() const;

  /// What is cached now in the host's memory, and how much that may become.
  size_t bytes() const;
  size_t MostBytes() const;
  /// Sets that limit, to at least what is cached. Not during a run.
  void KeepUpTo(size_t most_bytes);
  int64_t frames() const;
  /// The pictures that lie on a device; none while a run uses it.
  int64_t device_frames() const;

 private:
  class Reading;

  static std::optional<FileIdentity> IdentityOf(const std::string& path);

  /// Options that change the pictures: raw, raw_is_semi_planar, film_grain, take_all, track,
  /// stop_at_damage.
  using Settings = std::tuple<std::optional<PictureFormat>, bool, bool, bool, std::string, bool>;
  static Settings SettingsOf(const OpenOptions& options);

  void Invalidate();
  Result<std::unique_ptr<VideoSource>> OpenForCache(const OpenOptions& options);
  Result<std::unique_ptr<VideoSource>> OpenCached();

  const std::string path_;
  mutable std::mutex mutex_;
  size_t most_bytes_;
  const std::shared_ptr<DeviceCache> devices_;
  std::optional<ReplayBuffer> video_;     // not set: the file is mapped, or not cached
  std::shared_ptr<bool> reading_token_;   // one reader holds it
  std::optional<FileIdentity> identity_;  // not set: nothing was read yet, or it is no file
  Settings settings_;
  uint64_t name_ = 0;  // PictureKey::video
};

/// Bytes of all pictures of a video: 0 where the file is mapped, nullopt where it does not declare its number of
/// frames.
Result<std::optional<size_t>> PictureBytes(const std::string& path, const OpenOptions& options);

}  // namespace acutance
