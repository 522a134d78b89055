#include "exec/pack_samples.h"

#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "exec/pack_samples.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

/// Packs bit by bit from sample `first` on; its bits begin at a byte.
uint32_t PackRest(const std::byte* from, int first, int samples, int bit_depth, std::byte* to) {
  constexpr int kByteBits = 8;
  uint32_t pending = 0, seen = 0;
  int bits = 0;
  for (int i = first; i < samples; ++i) {
    uint16_t sample;
    std::memcpy(&sample, from + i * sizeof(sample), sizeof(sample));
    seen |= sample;
    pending |= static_cast<uint32_t>(sample) << bits;
    for (bits += bit_depth; bits >= kByteBits; bits -= kByteBits, pending >>= kByteBits)
      *to++ = static_cast<std::byte>(pending);
  }
  if (bits > 0) *to = static_cast<std::byte>(pending);
  return seen;
}

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

bool Pack(const std::byte* from, int samples, int bit_depth, std::byte* to) {
  return PackRest(from, 0, samples, bit_depth, to) >> bit_depth == 0;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using D16 = hn::Full128<uint16_t>;
using D32 = hn::Full128<uint32_t>;
using D64 = hn::Full128<uint64_t>;
using D8 = hn::Full128<uint8_t>;

/// Eight samples at a time: neighbours are joined to words of two, those to words of four, and a byte
/// shuffle closes the gap between the two words of a vector.
template <int kBits>
bool PackAs(const std::byte* from, int samples, std::byte* to) {
  constexpr int kStep = 8;
  constexpr uint8_t kNone = 0x80;
  alignas(16) static constexpr uint8_t kClose10[16] = {0,  1,  2,     3,     4,     8,     9,     10,
                                                       11, 12, kNone, kNone, kNone, kNone, kNone, kNone};
  alignas(16) static constexpr uint8_t kClose12[16] = {0,  1,  2,  3,  4,     5,     8,     9,
                                                       10, 11, 12, 13, kNone, kNone, kNone, kNone};
  const D16 d16;
  const D32 d32;
  const D64 d64;
  const auto close = hn::Load(D8(), kBits == 10 ? kClose10 : kClose12);
  const auto low16 = hn::Set(d32, 0xffff);
  const auto low32 = hn::Set(d64, 0xffffffff);
  auto seen = hn::Zero(d16);
  int i = 0;
  // A store writes a whole vector: the samples after it must be there to be written later.
  for (; i + 2 * kStep <= samples; i += kStep, to += kBits) {
    const auto in = hn::BitCast(d16, hn::LoadU(D8(), reinterpret_cast<const uint8_t*>(from) + i * sizeof(uint16_t)));
    seen = hn::Or(seen, in);
    const auto in32 = hn::BitCast(d32, in);
    const auto pairs = hn::BitCast(d64, hn::Or(hn::And(in32, low16), hn::ShiftLeft<kBits>(hn::ShiftRight<16>(in32))));
    const auto fours = hn::Or(hn::And(pairs, low32), hn::ShiftLeft<2 * kBits>(hn::ShiftRight<32>(pairs)));
    const auto closed = hn::TableLookupBytesOr0(hn::BitCast(D8(), fours), close);
    hn::StoreU(closed, D8(), reinterpret_cast<uint8_t*>(to));
  }
  alignas(16) uint16_t lanes[kStep];
  hn::Store(seen, d16, lanes);
  uint32_t all = PackRest(from, i, samples, kBits, to);
  for (const uint16_t lane : lanes) all |= lane;
  return all >> kBits == 0;
}

bool Pack(const std::byte* from, int samples, int bit_depth, std::byte* to) {
  return bit_depth == 10 ? PackAs<10>(from, samples, to) : PackAs<12>(from, samples, to);
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Pack);

bool PackSamples(const std::byte* from, int samples, int bit_depth, std::byte* to) {
  return HWY_DYNAMIC_DISPATCH(Pack)(from, samples, bit_depth, to);
}

}  // namespace acutance
#endif  // HWY_ONCE
