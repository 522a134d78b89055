// Cache of picture planes in a device's memory, so that later runs need not upload them again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "image/picture_key.h"

namespace acutance {

/// Runs go one after another; within a run any thread may use it. A run with more planes than there is room for caches
/// the first ones. The least recently used planes make room for those of another video.
class PlaneCache {
 public:
  struct Key {
    PictureKey picture;
    int plane = 0;
    size_t bytes = 0;  // with the padding of rows
  };
  struct Place {
    const Buffer* buffer = nullptr;
    size_t offset = 0;
  };

  /// The device must outlive it.
  PlaneCache(Device& device, size_t most_bytes) : device_(device), most_bytes_(most_bytes) {}

  /// Frees what the run before reserved and did not fill. The device has ended all work that reads or writes planes.
  void BeginRun();

  /// The place of a plane; nullopt: it is not cached.
  std::optional<Place> Find(const Key& key);

  /// Room for a plane that is not cached. Find() returns it after Fill. nullopt: there is none, or another batch has
  /// it.
  std::optional<Place> Reserve(const Key& key);
  /// Called when the device has written it.
  void Fill(const Key& key);
  /// Gives up a place that will not be written.
  void Release(const Key& key);

  /// Frees all planes of the videos that `which` names. Between runs.
  void Forget(const std::function<bool(uint64_t video)>& which);
  void Clear();

  /// Bytes of the device's memory that the planes take.
  size_t bytes() const;
  /// How many pictures of a video have cached planes.
  int64_t Frames(uint64_t video) const;

 private:
  /// The same plane of all pictures of a video with the same preparation.
  struct GroupKey {
    uint64_t video = 0;
    uint32_t preparation = 0;
    int plane = 0;
    // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes the 0 in it for a pointer
    auto operator<=>(const GroupKey&) const = default;
  };
  struct Slot {
    size_t number = 0;
    bool is_filled = false;
  };
  struct Group {
    Place At(size_t slot) const { return {slabs[slot / per_slab].get(), slot % per_slab * plane_bytes}; }

    size_t plane_bytes = 0;
    size_t per_slab = 0;  // planes
    std::vector<std::unique_ptr<Buffer>> slabs;
    size_t used = 0;  // slots before it are in use or free
    std::vector<size_t> free;
    std::unordered_map<int64_t, Slot> frames;
    int64_t last_run = 0;
  };

  static GroupKey GroupOf(const Key& key) { return {key.picture.video, key.picture.preparation, key.plane}; }
  Group* FindGroup(const Key& key);
  bool AddSlab(Group& group);
  bool DropOldest();
  void Drop(std::map<GroupKey, Group>::iterator group);

  Device& device_;
  const size_t most_bytes_;
  mutable std::mutex mutex_;  // guards what follows
  std::map<GroupKey, Group> groups_;
  size_t bytes_ = 0;
  int64_t run_ = 0;
  bool is_full_ = false;  // for the rest of the run
};

/// The copies of a batch from cached planes, and to them.
class PlaneCacheCopies {
 public:
  /// Copies the plane to `to` from `offset` on; false where it is not cached.
  bool TakeFrom(PlaneCache& planes, const PlaneCache::Key& key, const Buffer& to, size_t offset);
  /// Caches the plane, which the batch uploads to `from`, where there is room.
  void PutInto(PlaneCache& planes, const PlaneCache::Key& key, const Buffer& from, size_t offset);

  /// Called after the batch's uploads.
  Status Submit(Queue& queue) const;
  /// The batch is done.
  void Fill(PlaneCache& planes);
  /// The batch is given up, or begins anew.
  void Release(PlaneCache& planes);

 private:
  std::vector<CopyCommand> in_, out_;
  std::vector<PlaneCache::Key> written_;
};

}  // namespace acutance
