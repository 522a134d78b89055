// Tests of the reorder depth that H.264 parameter sets declare.
#include "io/ffmpeg/h264_reorder_depth.h"

#include <gtest/gtest.h>

#include "tests/io/h264_sets.h"

namespace acutance {
namespace {

/// Bits of a parameter set, padded to whole bytes.
class BitWriter {
 public:
  BitWriter& Bits(uint32_t value, int count) {
    for (int bit = count; bit-- > 0;) Bit(value >> bit & 1);
    return *this;
  }
  BitWriter& Golomb(uint32_t value) {
    int length = 0;
    while ((value + 1) >> (length + 1) != 0) ++length;
    return Bits(0, length).Bits(value + 1, length + 1);
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  void Bit(uint32_t bit) {
    if (count_ % 8 == 0) bytes_.push_back(0);
    bytes_.back() = static_cast<uint8_t>(bytes_.back() | bit << (7 - count_++ % 8));
  }
  Bytes bytes_;
  int count_ = 0;
};

struct Set {
  bool frames_only = true;
  bool has_vui = true;
  bool has_hrd = false;
  bool has_pic_struct = false;
  bool has_restriction = true;
};

/// A parameter set of the main profile with every field before the bounds of reordering.
Bytes MakeSps(const Set& set) {
  BitWriter bits;
  bits.Bits(0x67, 8).Bits(77, 8).Bits(0, 8).Bits(30, 8).Golomb(0).Golomb(0);
  bits.Golomb(1).Bits(0, 1).Golomb(3).Golomb(4).Golomb(2).Golomb(7).Golomb(9);  // the order count's second type
  bits.Golomb(4).Bits(0, 1).Golomb(10).Golomb(8).Bits(set.frames_only, 1);
  if (!set.frames_only) bits.Bits(0, 1);
  bits.Bits(1, 1).Bits(1, 1).Golomb(0).Golomb(1).Golomb(0).Golomb(1).Bits(set.has_vui, 1);
  if (!set.has_vui) return bits.bytes();
  bits.Bits(1, 1).Bits(255, 8).Bits(0xffff, 16).Bits(0xfffe, 16);                         // aspect
  bits.Bits(1, 1).Bits(1, 1);                                                             // overscan
  bits.Bits(1, 1).Bits(0xa, 4).Bits(1, 1).Bits(0x010101, 24);                             // colors
  bits.Bits(1, 1).Golomb(1).Golomb(1).Bits(1, 1).Bits(~0u, 32).Bits(~0u, 32).Bits(1, 1);  // chroma, timing
  for (int hrd = 0; hrd < 2; ++hrd) {
    bits.Bits(set.has_hrd, 1);
    if (set.has_hrd) bits.Golomb(0).Bits(0xff, 8).Golomb(99).Golomb(98).Bits(1, 1).Bits(0xfffff, 20);
  }
  if (set.has_hrd) bits.Bits(0, 1);
  bits.Bits(set.has_pic_struct, 1).Bits(set.has_restriction, 1);
  if (set.has_restriction) bits.Bits(1, 1).Golomb(0).Golomb(0).Golomb(9).Golomb(9).Golomb(2).Golomb(4);
  return bits.bytes();
}

TEST(H264DeclaresReorderDepth, IsTrueOfWhatX264Writes) {
  EXPECT_TRUE(H264DeclaresReorderDepth(Avcc({kHigh420Sps})));
  EXPECT_TRUE(H264DeclaresReorderDepth(Avcc({kBaseline420Sps, k444Sps})));
}

TEST(H264DeclaresReorderDepth, NeedsBoundsAndWholeFrames) {
  EXPECT_TRUE(H264DeclaresReorderDepth(Avcc({MakeSps({})})));
  EXPECT_TRUE(H264DeclaresReorderDepth(Avcc({MakeSps({.has_hrd = true})})));
  EXPECT_FALSE(H264DeclaresReorderDepth(Avcc({MakeSps({.frames_only = false})})));
  EXPECT_FALSE(H264DeclaresReorderDepth(Avcc({MakeSps({.has_vui = false})})));
  EXPECT_FALSE(H264DeclaresReorderDepth(Avcc({MakeSps({.has_pic_struct = true})})));
  EXPECT_FALSE(H264DeclaresReorderDepth(Avcc({MakeSps({.has_restriction = false})})));
  EXPECT_FALSE(H264DeclaresReorderDepth(Avcc({kHigh420Sps, MakeSps({.has_restriction = false})})));
  EXPECT_FALSE(H264DeclaresReorderDepth({}));
}

TEST(H264DeclaresReorderDepth, IsFalseOfASetThatEndsTooEarly) {
  const Bytes bytes = Avcc({kHigh420Sps});
  const size_t needed = bytes.size() - kPps.size() - 3;
  for (size_t size = 0; size <= bytes.size(); ++size)
    EXPECT_EQ(AskOfPart(H264DeclaresReorderDepth, bytes, size), size >= needed) << size;
}

}  // namespace
}  // namespace acutance
