// A stand-in for libcuda.so.1 and libnvcuvid.so.1 as FFmpeg uses them, without a GPU: memory is the host's, and the
// n-th picture that is decoded is one that a formula makes.
#pragma once

#include <cstdint>

namespace acutance {

struct FakeNvidia {
  bool supports = true;    // whatever is asked for
  bool creates = true;     // what it supports
  int pictures_left = -1;  // until decoding fails; -1: it never does
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
