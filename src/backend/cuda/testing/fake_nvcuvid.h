// Stand-in for libnvcuvid.so.1 without a GPU: each packet is one picture, drawn by a formula, and pictures are shown in
// the order of their times, some packets late. Memory is the host's.
#pragma once

#include <cstdint>
#include <set>

#include "backend/cuda/nvcuvid.h"

namespace acutance::cuda {

struct FakeNvcuvid {
  CUVIDEOFORMAT format{};  // what the parser finds in the stream
  bool supports = true;
  unsigned char engines = 7;
  std::set<long long> concealed;  // times of pictures with damage
  int looks_in_progress = 0;      // at a picture's status, before the engine has decoded it
  const char* fails = "";         // a function that returns an error
  int decoders = 0, parsers = 0;  // that are open
  int made = 0;                   // decoders so far
  int mapped = 0;                 // surfaces that were not given back
};

using FakeNvcuvidControlsFunction = FakeNvcuvid*();

/// A sample of `bits` bits, at a place of the coded picture.
constexpr uint32_t FakeSample(long long time, int plane, int x, int y, int bits) {
  const uint32_t mixed = (static_cast<uint32_t>(time) * 977 + plane * 331 + y * 131 + x * 17 + 7) * 2654435761u;
  return mixed >> (32 - bits);
}

}  // namespace acutance::cuda
