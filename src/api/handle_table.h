// Table of the objects that C clients hold by an opaque pointer. A stale or invented pointer is an error, not a crash.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/status.h"

namespace acutance {

template <class Handle, class Object>
class HandleTable {
 public:
  /// The table of the process: clients may still give things back while the program ends.
  static HandleTable& Get() {
    static HandleTable& table = *new HandleTable();
    return table;
  }

  /// The handle is a number that is never used again.
  Handle* Add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    auto* const handle = reinterpret_cast<Handle*>(next_);
    next_ += 16;
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  /// The handle is the address of the object, into which clients look.
  Handle* AddAtAddress(std::shared_ptr<Handle> object) {
    const std::lock_guard lock(mutex_);
    Handle* const handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  /// kInvalidArgument, with the argument's name, where it is NULL or not in the table.
  Result<std::shared_ptr<Object>> Find(const Handle* handle, std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return Unknown(handle, name);
    return found->second;
  }

  /// Takes the object out of the table.
  Result<std::shared_ptr<Object>> Remove(const Handle* handle, std::string_view name) {
    const std::lock_guard lock(mutex_);
    auto node = objects_.extract(handle);
    if (node.empty()) return Unknown(handle, name);
    return std::move(node.mapped());
  }

 private:
  static Status Unknown(const Handle* handle, std::string_view name) {
    if (!handle) return Error(StatusCode::kInvalidArgument, "{} is NULL", name);
    return Error(StatusCode::kInvalidArgument, "{} is not valid: it was never made, or already freed or given away",
                 name);
  }

  mutable std::mutex mutex_;
  std::unordered_map<const Handle*, std::shared_ptr<Object>> objects_;
  uintptr_t next_ = 16;
};

}  // namespace acutance
