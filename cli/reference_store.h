// The references that `acutance serve` keeps decoded.
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

/// Keeps as many references as fit into `most_bytes`; those that were used longest ago make room. One thread uses it.
class ReferenceStore {
 public:
  /// most_device_bytes: see DeviceCache.
  ReferenceStore(size_t most_bytes, std::optional<size_t> most_device_bytes)
      : most_bytes_(most_bytes), devices_(std::make_shared<DeviceCache>(most_device_bytes)) {}

  /// The reference of a run, a regular file, kept from then on where it fits. No run may continue meanwhile.
  Result<std::shared_ptr<CachedReference>> Find(const std::string& path, const OpenOptions& options);

  /// Whether it was there.
  bool Drop(const std::string& path);

  /// The latest used first.
  std::vector<std::shared_ptr<CachedReference>> references() const;
  size_t most_bytes() const { return most_bytes_; }
  size_t device_bytes() const { return devices_->bytes(); }

 private:
  struct Entry {
    std::shared_ptr<CachedReference> reference;
    std::optional<size_t> needed;  // bytes, once all its pictures are kept; not set: it does not tell
    bool may_grow = false;         // it may take what it needs
  };

  /// What all references but the first take, or may take once they are read to their ends.
  size_t TakenByOthers() const;
  void MakeRoom(size_t bytes);
  void LetFirstGrow();

  const size_t most_bytes_;
  const std::shared_ptr<DeviceCache> devices_;
  std::list<Entry> entries_;
};

}  // namespace acutance::cli
