// Device that several sessions use at the same time, and memory of the host that it reads without a copy.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/system/process.h"
#include "exec/device.h"

namespace acutance {

/// Any thread may call any member.
class SharedDevice : public std::enable_shared_from_this<SharedDevice> {
 public:
  /// The device of a backend that this process shares: opened by the first call, and from then on open until the
  /// process ends. A forked child has none.
  static Result<std::shared_ptr<SharedDevice>> Open(std::string_view backend, int index);
  /// Makes a device that is open that device.
  static std::shared_ptr<SharedDevice> Insert(std::unique_ptr<Device> device);

  explicit SharedDevice(std::unique_ptr<Device> device) : device_(std::move(device)) {}

  Device& device() const { return *device_; }
  /// The device for one session. Its time limit is the usual one: others may be waiting for the device.
  std::unique_ptr<Device> Lend();

  /// Memory for a program's pictures, until Free. Freeing other memory is an error.
  Result<std::byte*> Allocate(size_t bytes);
  Status Free(std::byte* memory);

  /// Memory for a picture, which returns for later ones with the last reference to it. Null where there is none.
  std::shared_ptr<std::byte> Take(size_t bytes);

  /// A session that Lend served has ended: after the last one idle memory for pictures is freed.
  void TakeBack();

  /// Device::FindUpload.
  Device::UploadPlace Find(const std::byte* data, size_t bytes) const;

 private:
  using Buffers = std::vector<std::unique_ptr<Buffer>>;
  Buffers RemoveIdle();

  const ProcessGuard process_;
  const std::unique_ptr<Device> device_;
  mutable std::shared_mutex mutex_;                             // guards what follows
  std::map<const std::byte*, std::unique_ptr<Buffer>> memory_;  // by its first byte
  std::multimap<size_t, std::byte*> idle_;                      // of Take, by size
  size_t taken_bytes_ = 0;                                      // of Take, idle ones too
  int lent_ = 0;
};

}  // namespace acutance
