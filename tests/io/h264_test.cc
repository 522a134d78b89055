// Tests of H.264 parameter sets from x264: the chroma format and the reorder depth that they declare.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "io/ffmpeg/h264_bits.h"

namespace acutance {
namespace {

using Bytes = std::vector<uint8_t>;

const Bytes kHigh420Sps = {0x67, 0x64, 0x00, 0x0a, 0xac, 0xd9, 0x44, 0x7b, 0x01, 0x10, 0x00, 0x00,
                           0x03, 0x00, 0x10, 0x00, 0x00, 0x03, 0x03, 0x20, 0xf1, 0x22, 0x59, 0x60};
const Bytes kBaseline420Sps = {0x67, 0x42, 0xc0, 0x0a, 0xd9, 0x04, 0x7b, 0x01, 0x10, 0x00, 0x00, 0x03,
                               0x00, 0x10, 0x00, 0x00, 0x03, 0x03, 0x20, 0xf1, 0x22, 0x64, 0x80};
const Bytes k444Sps = {0x67, 0xf4, 0x00, 0x0a, 0x91, 0x9b, 0x28, 0x8f, 0x60, 0x22, 0x00, 0x00,
                       0x03, 0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x64, 0x1e, 0x24, 0x4b, 0x2c};
const Bytes kPps = {0x68, 0xeb, 0xe3, 0xcb, 0x22, 0xc0};

void Append(Bytes* to, const Bytes& bytes) { to->insert(to->end(), bytes.begin(), bytes.end()); }

Bytes Avcc(const std::vector<Bytes>& sets) {
  Bytes record = {1, sets[0][1], sets[0][2], sets[0][3], 0xff, static_cast<uint8_t>(0xe0 | sets.size())};
  for (const Bytes& sps : sets) {
    Append(&record, {0, static_cast<uint8_t>(sps.size())});
    Append(&record, sps);
  }
  Append(&record, {1, 0, static_cast<uint8_t>(kPps.size())});
  Append(&record, kPps);
  return record;
}

/// What `ask` says of the first `size` bytes, in an allocation of their size: sanitizers then see reads behind its end.
template <class Ask>
bool AskOfPart(const Ask& ask, const Bytes& bytes, size_t size) {
  const std::unique_ptr<uint8_t[]> exact(new uint8_t[size]);
  std::copy_n(bytes.begin(), size, exact.get());
  return ask(std::span<const uint8_t>(exact.get(), size));
}

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

TEST(H264DeclaresRange, IsOfTheLastSetInAPacket) {
  Bytes packet = {0, 0, 0, 1};
  Append(&packet, kPps);
  EXPECT_EQ(H264DeclaresRange(packet), std::nullopt);
  Append(&packet, {0, 0, 1});
  Append(&packet, kHigh420Sps);
  EXPECT_EQ(H264DeclaresRange(packet), false);
  for (size_t size = 0; size < packet.size(); ++size)
    EXPECT_NE(H264DeclaresRange(std::span(packet).first(size)), true) << size;
}

}  // namespace
}  // namespace acutance
