// Short y4m videos whose shape, rate and motion an input selects.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>

#include "tests/fuzz/fuzz.h"

namespace acutance::fuzz {

/// Six bytes and a line: the size, the chroma format, the number of frames, the first frame of the motion and its
/// speed; then the header's rate.
inline std::string ClipOf(Input& input) {
  struct Layout {
    const char* tag;
    int step_x, step_y, planes, bytes;
  };
  constexpr Layout kLayouts[] = {{"420jpeg", 2, 2, 3, 1}, {"422", 2, 1, 3, 1},    {"444", 1, 1, 3, 1},
                                 {"mono", 1, 1, 1, 1},    {"420p10", 2, 2, 3, 2}, {"420paldv", 2, 2, 3, 1}};
  constexpr int kMostSide = 72, kMostFrames = 24;
  const int width = 1 + input.Byte() % kMostSide, height = 1 + input.Byte() % kMostSide;
  const Layout& layout = kLayouts[input.Byte() % std::size(kLayouts)];
  const int frames = input.Byte() % (kMostFrames + 1), first = input.Byte(), speed = input.Byte() % 4;
  std::string clip = fmt::format("YUV4MPEG2 W{} H{} {} C{}\n", width, height, input.Line(), layout.tag);
  for (int k = 0; k < frames; ++k) {
    clip += "FRAME\n";
    const int at = first + k * speed;
    for (int p = 0; p < layout.planes; ++p) {
      const int columns = p ? (width + layout.step_x - 1) / layout.step_x : width;
      const int rows = p ? (height + layout.step_y - 1) / layout.step_y : height;
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
          clip += static_cast<char>((x * 7 + y * 13 + at * at * 3 + ((x ^ y) & at)) & 0xff);
          if (layout.bytes == 2) clip += static_cast<char>(at & 3);
        }
    }
  }
  return clip;
}

}  // namespace acutance::fuzz
