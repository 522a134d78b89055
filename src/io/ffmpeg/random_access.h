// Random access points: packets of a stream at which a new decoder can start, found by their headers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "io/ffmpeg/declarations.h"

namespace acutance {

using PacketBytes = std::span<const uint8_t>;

/// What a packet is to decoders that start within its stream.
struct PacketRole {
  bool starts = false;      // a new decoder gives the pictures from here on that one from the first packet gives
  bool is_open = false;     // except the leading ones: they need what came before
  bool is_leading = false;  // coded after a start, shown before it
};

/// Reads the packets of one stream in their order. Only starts after which nothing depends on what came before count:
/// IDR pictures of H.264, IDR and CRA pictures of HEVC, shown key frames of VP9 and AV1, closed groups of MPEG-2, key
/// frames of FFV1 and all pictures of ProRes, DNxHD and JPEG 2000.
class RandomAccess {
 public:
  /// Null for other codecs.
  static std::unique_ptr<RandomAccess> Of(const AVCodecParameters& codec);
  virtual ~RandomAccess() = default;

  virtual PacketRole Look(PacketBytes packet, bool is_key) = 0;

  /// Why no start is found from here on; empty: there may be one.
  const std::string& refusal() const { return refusal_; }

 protected:
  std::string refusal_;
};

/// Those of H.264 and HEVC, whose packets are NAL units (nal_access.cc).
std::unique_ptr<RandomAccess> MakeH264Access(PacketBytes extradata);
std::unique_ptr<RandomAccess> MakeHevcAccess(PacketBytes extradata);

}  // namespace acutance
