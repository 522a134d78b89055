// Cache of open devices between sessions, with the runners that lanes recorded on them and planes of references; and
// devices opened for decoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/status.h"
#include "base/system/process.h"
#include "devices/backends.h"
#include "engine/decoder_pool.h"
#include "engine/lane_part.h"
#include "exec/device.h"
#include "exec/plane_cache.h"
#include "exec/run_plan.h"
#include "image/device_decoder.h"
#include "image/picture.h"

namespace acutance {

/// The runners of a lane, for another lane of the same work.
struct CachedRunners {
  /// What decides how a lane makes its batches.
  struct Key {
    PictureFormat format;
    int frames = 0;  // of a batch, before the limit on memory
    std::optional<size_t> max_memory;
    int subsample = 1;
    bool operator==(const Key&) const = default;
  };

  Key key;
  int batch = 0;
  size_t memory_bytes = 0, wanted_bytes = 0;
  std::vector<LanePart::Work> works;                              // of the parts
  std::vector<std::vector<std::unique_ptr<PlanRunner>>> runners;  // of the slots, by part
};

/// An open device with what is cached on it. Each member uses those before it.
struct CachedDevice {
  std::unique_ptr<Device> device;
  std::unique_ptr<PlaneCache> planes;  // null: no planes are cached
  std::unique_ptr<CachedRunners> kit;  // null: none yet
};

/// Sessions take the devices of their choice and give them back unless one has failed; a session that finds them taken
/// opens its own, which are cached, too. Thread-safe. Caches nothing in a forked child: drivers do not survive a fork.
class DeviceCache : public std::enable_shared_from_this<DeviceCache> {
 public:
  /// most_bytes: of each device's memory, for planes; not set: half of what is free when it is opened, a quarter of all
  /// where the driver does not report that.
  explicit DeviceCache(std::optional<size_t> most_bytes) : most_bytes_(most_bytes) {}
  ~DeviceCache();

  /// All devices that an earlier session of this choice used; empty: there are none.
  std::vector<CachedDevice> Take(const DeviceChoice& choice);
  /// What Take would return now.
  std::vector<DeviceInfo> Peek(const DeviceChoice& choice) const;
  /// A device that was opened for a session which will give it back.
  CachedDevice Adopt(std::unique_ptr<Device> device) const;
  void GiveBack(const DeviceChoice& choice, std::vector<CachedDevice> devices);

  /// A device for the decoder of one video, which holds it and gives it back.
  Result<std::shared_ptr<Device>> OpenDecoder(const DeviceInfo& info);
  /// The video decoders of these devices.
  const std::shared_ptr<DecoderPool>& decoder_pool() const { return pool_; }
  /// Closes those that were given back, after an error that one may have caused.
  void CloseDecoders();

  void Remember(uint64_t video);  // its planes are cached from now on
  void Forget(uint64_t video);    // its planes are dropped

  /// The pictures of a video that lie on one device, none while a session has it.
  int64_t Frames(uint64_t video) const;
  /// Bytes of the devices' memory that planes take, likewise.
  size_t bytes() const;

 private:
  struct Group {
    DeviceChoice choice;
    std::vector<CachedDevice> devices;
  };

  const std::optional<size_t> most_bytes_;
  const ProcessGuard process_;
  size_t CountChoices() const;
  std::unique_ptr<Device> TakeDecoder(const DeviceInfo& info);  // null: there is none

  mutable std::mutex mutex_;                       // guards what follows
  std::list<Group> groups_;                        // most recently used first
  std::vector<std::unique_ptr<Device>> decoders_;  // idle
  std::set<uint64_t> videos_;
  const std::shared_ptr<DecoderPool> pool_ = std::make_shared<DecoderPool>();
};

/// The cache of this process' runs, whose devices stay open as long as a caller holds it; made where none does.
std::shared_ptr<DeviceCache> ShareDevices();
/// Null where no caller holds it.
std::shared_ptr<DeviceCache> SharedDevices();

/// Video decoding by the device that scores.
struct DecodingDevice {
  OpenDeviceDecoder open;
  int engines = 1;  // that decode at the same time
};

/// Fails where the device has no video engines, or cannot copy known frames to the bit.
Result<DecodingDevice> OpenForDecoding(const DeviceInfo& device, DeviceCache& cache);

}  // namespace acutance
