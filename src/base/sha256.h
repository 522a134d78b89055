// SHA-256 (FIPS 180-4).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace acutance {

class Sha256 {
 public:
  using Digest = std::array<uint8_t, 32>;

  void Add(std::span<const std::byte> bytes);
  void Add(std::string_view text) { Add(std::as_bytes(std::span(text))); }
  /// Little-endian, on every machine.
  void AddNumber(uint64_t value);

  /// Ends the message; nothing may be added then.
  Digest Finish();

 private:
  void Compress(const std::byte* block);

  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> block_;
  size_t filled_ = 0;  // of block_
  uint64_t bytes_ = 0;
};

/// 64 hexadecimal digits.
std::string HexOf(const Sha256::Digest& digest);
std::string Sha256Hex(std::string_view text);

}  // namespace acutance
