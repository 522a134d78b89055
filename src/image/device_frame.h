// A frame that a decoder left in a device's memory.
#pragma once

#include <array>

#include "image/picture.h"

namespace acutance {

struct DeviceFrame {
  /// Samples of the format's BytesPerSample().
  struct Component {
    DevicePlane plane;  // address 0: there is none, or no metric needs it
    int step = 1;       // distance between samples, in samples: 2 where Cb and Cr alternate (NV12)
    int shift = 0;      // bits below the value: 6 where 10 bits stand at the top of 16 (P010)
  };

  PictureFormat format;
  std::array<Component, 3> components;
};

}  // namespace acutance
