// Pool of idle video decoders of devices: to open or close one takes a driver as long as decoding a hundred pictures.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/system/process.h"
#include "image/device_decoder.h"

namespace acutance {

/// Thread-safe. Decoders that end between two streams without an error come back.
class DecoderPool : public std::enable_shared_from_this<DecoderPool> {
 public:
  ~DecoderPool();

  /// An idle decoder of such videos on that device, or one that `open` makes.
  Result<std::unique_ptr<DeviceDecoder>> Open(const std::string& device, const CodedVideo& video,
                                              const OpenDeviceDecoder& open);
  /// Closes all that are idle.
  void Clear();

 private:
  class Pooled;
  struct Idle {
    std::string device;
    CodedVideo video;
    std::unique_ptr<DeviceDecoder> decoder;
  };

  void GiveBack(Idle idle);

  const ProcessGuard process_;  // drivers do not survive a fork
  std::mutex mutex_;
  std::vector<Idle> idle_;
};

}  // namespace acutance
