// Packets of a stream in the form that devices' decoders take.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "image/device_decoder.h"
#include "io/ffmpeg/declarations.h"

namespace acutance {

/// Of H.264 and HEVC: start codes (Annex B) in place of lengths, and the container's parameter sets before the first.
class DevicePackets {
 public:
  DevicePackets(DeviceCodec codec, const AVCodecParameters& parameters);

  /// The packet, for a decoder that starts with it or that continues. Valid until the next call; empty where FFmpeg's
  /// decoder would do more than the codec defines: add film grain that a message describes.
  std::span<const uint8_t> Convert(std::span<const uint8_t> packet, bool starts);

 private:
  void Append(std::span<const uint8_t> unit);
  bool HasGrain(std::span<const uint8_t> unit) const;

  const DeviceCodec codec_;
  size_t length_bytes_ = 0;    // before each NAL unit; 0: start codes
  std::vector<uint8_t> sets_;  // with start codes
  std::vector<uint8_t> bytes_;
};

}  // namespace acutance
