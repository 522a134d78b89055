// Cache of decoded references for `acutance serve`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "run/cached_reference.h"

namespace acutance::cli {

/// Caches the references that fit into `most_bytes`; the least recently used are dropped first. Not thread-safe.
class ReferenceStore {
 public:
  /// most_device_bytes: see DeviceCache.
  ReferenceStore(size_t most_bytes, std::optional<size_t> most_device_bytes)
      : most_bytes_(most_bytes), devices_(std::make_shared<DeviceCache>(most_device_bytes)) {}

  /// The reference of a run, a regular file, which is cached where it fits. Called between runs only.
  Result<std::shared_ptr<CachedReference>> Find(const std::string& path, const OpenOptions& options);

  /// Whether it was there.
  bool Drop(const std::string& path);

  /// The most recently used first.
  std::vector<std::shared_ptr<CachedReference>> references() const;
  size_t most_bytes() const { return most_bytes_; }
  size_t device_bytes() const { return devices_->bytes(); }

 private:
  struct Entry {
    std::shared_ptr<CachedReference> reference;
    std::optional<size_t> needed;  // bytes of all its pictures; not set: the file does not declare it
    bool may_grow = false;         // it may cache all its pictures
  };

  /// Bytes of all references except the first, including what they may still take up to their ends.
  size_t TakenByOthers() const;
  void MakeRoom(size_t bytes);
  void LetFirstGrow();

  const size_t most_bytes_;
  const std::shared_ptr<DeviceCache> devices_;
  std::list<Entry> entries_;
};

}  // namespace acutance::cli
