// A stand-in for libcuda.so.1 and libnvcuvid.so.1 as FFmpeg uses them, without a GPU. Its memory
// is the host's, and a formula makes the n-th decoded picture.
#pragma once

#include <cstdint>

namespace acutance {

struct FakeNvidia {
  bool supports = true;    // whether it claims to decode all videos
  bool creates = true;     // whether it makes the decoders that it claims
  int pictures_left = -1;  // pictures until decoding fails; -1: it never fails
  int mapped = 0;          // surfaces that were not given back
  int most_mapped = 0;
  int decoders = 0;
  int without_context = 0;  // calls that the real libraries would refuse
};

/// Type of the function FakeNvidiaControls, which the library exports.
using FakeNvidiaControlsFunction = FakeNvidia*();

/// A sample of `bits` bits.
constexpr uint32_t FakeSample(int picture, int plane, int x, int y, int bits) {
  const uint32_t mixed = (static_cast<uint32_t>(picture) * 977 + plane * 331 + y * 131 + x * 17 + 7) * 2654435761u;
  return mixed >> (32 - bits);
}

}  // namespace acutance
