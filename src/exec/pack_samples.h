// Samples of 10 or 12 bits without the gaps that their 16-bit words have: five or six eighths of the
// bytes on the way to a device. exec/unpack_bits.kernel.h is the way back.
#pragma once

#include <cstddef>
#include <cstdint>

namespace acutance {

/// Whether samples of this depth can be packed.
inline bool CanPack(int bit_depth) { return bit_depth == 10 || bit_depth == 12; }

/// Bytes of a packed row, without padding.
inline size_t PackedRowBytes(int samples, int bit_depth) {
  constexpr size_t kByteBits = 8;
  return (static_cast<size_t>(samples) * bit_depth + kByteBits - 1) / kByteBits;
}

/// Writes bits [i * bit_depth, (i + 1) * bit_depth) of `to`, counted from the lowest bit of the first
/// byte, as sample i. Returns false where a sample has bits above its depth: `to` is then unspecified. `from` are the
/// bytes of samples of two, at any address.
bool PackSamples(const std::byte* from, int samples, int bit_depth, std::byte* to);

}  // namespace acutance
