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
  using State = std::array<uint32_t, 8>;  // the words a to h

  void Add(std::span<const std::byte> bytes);
  void Add(std::string_view text) { Add(std::as_bytes(std::span(text))); }
  /// Little-endian, on every machine.
  void AddNumber(uint64_t value);

  /// Ends the message; nothing may be added then.
  Digest Finish();

  /// Adds a block of 64 bytes to the state as FIPS 180-4 says it; processors with instructions for it do the same.
  static void CompressPlainly(const std::byte* block, State& state);
  static constexpr State kStart = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

 private:
  void Compress(const std::byte* block);

  State state_ = kStart;
  std::array<std::byte, 64> block_;
  size_t filled_ = 0;  // of block_
  uint64_t bytes_ = 0;
};

/// 64 hexadecimal digits.
std::string HexOf(const Sha256::Digest& digest);
std::string Sha256Hex(std::string_view text);

}  // namespace acutance
