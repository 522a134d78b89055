#include "exec/plane_cache.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace acutance {
namespace {

/// Allocating makes a device wait for all of its work, so that many planes share a piece of memory.
constexpr size_t kSlabBytes = size_t{64} << 20;
constexpr size_t kSlabPlanes = 64;
constexpr size_t kLeastSlabs = 8;  // that the memory is divided into, for several planes of a picture

/// Planes of frames that follow one another lie side by side here and in a batch.
void AppendCopy(const CopyCommand& copy, std::vector<CopyCommand>& copies) {
  if (!copies.empty()) {
    CopyCommand& last = copies.back();
    if (last.from == copy.from && last.to == copy.to && last.from_offset + last.bytes == copy.from_offset &&
        last.to_offset + last.bytes == copy.to_offset)
      return void(last.bytes += copy.bytes);
  }
  copies.push_back(copy);
}

}  // namespace

void PlaneCache::BeginRun() {
  const std::lock_guard lock(mutex_);
  ++run_;
  is_full_ = false;
  for (auto& [key, group] : groups_)
    std::erase_if(group.frames, [&group = group](const auto& frame) {
      if (!frame.second.is_filled) group.free.push_back(frame.second.number);
      return !frame.second.is_filled;
    });
}

PlaneCache::Group* PlaneCache::FindGroup(const Key& key) {
  const auto found = groups_.find(GroupOf(key));
  return found != groups_.end() && found->second.plane_bytes == key.bytes ? &found->second : nullptr;
}

std::optional<PlaneCache::Place> PlaneCache::Find(const Key& key) {
  const std::lock_guard lock(mutex_);
  Group* group = FindGroup(key);
  if (!group) return std::nullopt;
  group->last_run = run_;
  const auto slot = group->frames.find(key.picture.frame);
  if (slot == group->frames.end() || !slot->second.is_filled) return std::nullopt;
  return group->At(slot->second.number);
}

std::optional<PlaneCache::Place> PlaneCache::Reserve(const Key& key) {
  const std::lock_guard lock(mutex_);
  if (is_full_) return std::nullopt;
  Group& group = groups_[GroupOf(key)];
  if (group.plane_bytes == 0) group.plane_bytes = key.bytes;
  group.last_run = run_;
  if (group.plane_bytes != key.bytes || group.frames.contains(key.picture.frame)) return std::nullopt;
  size_t number = group.used;
  if (!group.free.empty()) {
    number = group.free.back();
    group.free.pop_back();
  } else {
    if (number == group.slabs.size() * group.per_slab && !AddSlab(group)) return std::nullopt;
    ++group.used;
  }
  group.frames[key.picture.frame] = {number, false};
  return group.At(number);
}

bool PlaneCache::AddSlab(Group& group) {
  if (group.per_slab == 0) {
    const size_t most = std::min(kSlabBytes, most_bytes_ / kLeastSlabs) / group.plane_bytes;
    group.per_slab = std::clamp<size_t>(most, 1, kSlabPlanes);
  }
  const size_t bytes = group.per_slab * group.plane_bytes;
  bool fits = true;
  while (fits && bytes_ + bytes > most_bytes_) fits = DropOldest();
  while (fits) {
    Result<std::unique_ptr<Buffer>> slab = device_.Allocate(bytes, MemoryKind::kDevice);
    if (slab.ok()) {
      group.slabs.push_back(std::move(slab).value());
      bytes_ += bytes;
      return true;
    }
    fits = DropOldest();  // other programs have the memory
  }
  is_full_ = true;
  return false;
}

/// Drops the least recently used group. False: this run has used all of them.
bool PlaneCache::DropOldest() {
  const auto oldest = std::ranges::min_element(groups_, {}, [](const auto& group) { return group.second.last_run; });
  if (oldest == groups_.end() || oldest->second.last_run == run_) return false;
  Drop(oldest);
  return true;
}

void PlaneCache::Drop(std::map<GroupKey, Group>::iterator group) {
  bytes_ -= group->second.slabs.size() * group->second.per_slab * group->second.plane_bytes;
  groups_.erase(group);
}

void PlaneCache::Fill(const Key& key) {
  const std::lock_guard lock(mutex_);
  if (Group* group = FindGroup(key))
    if (const auto slot = group->frames.find(key.picture.frame); slot != group->frames.end())
      slot->second.is_filled = true;
}

void PlaneCache::Release(const Key& key) {
  const std::lock_guard lock(mutex_);
  Group* group = FindGroup(key);
  if (!group) return;
  const auto slot = group->frames.find(key.picture.frame);
  if (slot == group->frames.end() || slot->second.is_filled) return;
  group->free.push_back(slot->second.number);
  group->frames.erase(slot);
}

void PlaneCache::Forget(const std::function<bool(uint64_t)>& which) {
  const std::lock_guard lock(mutex_);
  for (auto group = groups_.begin(); group != groups_.end();) {
    const auto next = std::next(group);
    if (which(group->first.video)) Drop(group);
    group = next;
  }
}

void PlaneCache::Clear() {
  const std::lock_guard lock(mutex_);
  groups_.clear();
  bytes_ = 0;
}

size_t PlaneCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

int64_t PlaneCache::Frames(uint64_t video) const {
  const std::lock_guard lock(mutex_);
  int64_t most = 0;
  for (const auto& [key, group] : groups_) {
    if (key.video != video) continue;
    const auto filled = std::ranges::count_if(group.frames, [](const auto& frame) { return frame.second.is_filled; });
    most = std::max<int64_t>(most, filled);
  }
  return most;
}

bool PlaneCacheCopies::TakeFrom(PlaneCache& planes, const PlaneCache::Key& key, const Buffer& to, size_t offset) {
  const std::optional<PlaneCache::Place> place = planes.Find(key);
  if (!place) return false;
  AppendCopy({place->buffer, place->offset, &to, offset, key.bytes}, in_);
  return true;
}

void PlaneCacheCopies::PutInto(PlaneCache& planes, const PlaneCache::Key& key, const Buffer& from, size_t offset) {
  const std::optional<PlaneCache::Place> place = planes.Reserve(key);
  if (!place) return;
  written_.push_back(key);
  AppendCopy({&from, offset, place->buffer, place->offset, key.bytes}, out_);
}

Status PlaneCacheCopies::Submit(Queue& queue) const {
  if (!in_.empty()) ACU_RETURN_IF_ERROR(queue.Copy(in_));
  return out_.empty() ? Status() : queue.Copy(out_);
}

void PlaneCacheCopies::Fill(PlaneCache& planes) {
  for (const PlaneCache::Key& key : std::exchange(written_, {})) planes.Fill(key);
}

void PlaneCacheCopies::Release(PlaneCache& planes) {
  in_.clear();
  out_.clear();
  for (const PlaneCache::Key& key : std::exchange(written_, {})) planes.Release(key);
}

}  // namespace acutance
