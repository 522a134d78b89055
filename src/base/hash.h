// Fast hash (FNV-1a) for inputs that differ by chance; it does not withstand deliberate collisions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace acutance {

/// FNV-1a of 64 bits. `hash` continues the hash of what comes before.
inline uint64_t Hash(std::span<const std::byte> bytes, uint64_t hash = 0xcbf29ce484222325) {
  for (const std::byte byte : bytes) hash = (hash ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  return hash;
}
inline uint64_t Hash(std::string_view text, uint64_t hash = 0xcbf29ce484222325) {
  return Hash(std::as_bytes(std::span(text)), hash);
}

}  // namespace acutance
