// Decoder of a video's packets in a device's memory, by the device's own engines.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

/// Codecs that define every bit of their output, so that devices' engines give what other decoders give.
enum class DeviceCodec { kH264, kHevc, kVp9 };

/// What a decoder gets and gives.
struct CodedVideo {
  DeviceCodec codec = DeviceCodec::kH264;
  PictureFormat format{};  // of all pictures
  bool luma_only = false;  // no chroma is needed

  bool operator==(const CodedVideo&) const = default;
};

/// For one thread at a time.
class DeviceDecoder {
 public:
  /// Receives pictures in the order in which they are shown, each with a packet's time. An error ends decoding.
  using Show = std::function<Status(Picture picture, int64_t time)>;

  virtual ~DeviceDecoder() = default;

  /// Decodes a packet that holds one picture; H.264 and HEVC with start codes. Its time is above 0 and orders pictures
  /// as they are shown. An error where the device reports one, or conceals damage, or where pictures are not as
  /// CodedVideo says; then the decoder is not used again.
  virtual Status Decode(std::span<const uint8_t> packet, int64_t time, const Show& show) = 0;

  /// Shows what it holds. What comes next starts anew.
  virtual Status Finish(const Show& show) = 0;
};

/// Makes a decoder; an error where the device does not decode such a video.
using OpenDeviceDecoder = std::function<Result<std::unique_ptr<DeviceDecoder>>(const CodedVideo& video)>;

}  // namespace acutance
