#include "backend/vulkan/spirv.h"

#include <cstring>

namespace acutance::vulkan {
namespace {

constexpr uint32_t kMagic = 0x07230203;
constexpr size_t kHeaderWords = 5;
constexpr uint32_t kOpExecutionMode = 16;
constexpr uint32_t kOpCapability = 17;
constexpr uint32_t kCapabilityFloat64 = 10;
constexpr uint32_t kCapabilityDenormPreserve = 4464;
constexpr uint32_t kModeDenormPreserve = 4459;

constexpr uint32_t Instruction(uint32_t operation, uint32_t words) { return words << 16 | operation; }
uint32_t OperationOf(uint32_t first_word) { return first_word & 0xffff; }
uint32_t LengthOf(uint32_t first_word) { return first_word >> 16; }

/// Where the first instruction of a kind begins, or the module's end.
size_t Find(std::span<const uint32_t> words, uint32_t operation) {
  size_t at = kHeaderWords;
  while (at < words.size() && OperationOf(words[at]) != operation) {
    if (LengthOf(words[at]) == 0) return words.size();
    at += LengthOf(words[at]);
  }
  return at;
}

}  // namespace

std::vector<uint32_t> Words(std::span<const std::byte> spirv) {
  std::vector<uint32_t> words(spirv.size() / sizeof(uint32_t));
  std::memcpy(words.data(), spirv.data(), words.size() * sizeof(uint32_t));
  return words;
}

bool IsSpirv(std::span<const std::byte> spirv) {
  if (spirv.size() % sizeof(uint32_t) != 0 || spirv.size() <= kHeaderWords * sizeof(uint32_t)) return false;
  uint32_t magic = 0;
  std::memcpy(&magic, spirv.data(), sizeof(magic));
  return magic == kMagic;
}

bool UsesDoubles(std::span<const std::byte> spirv) {
  const std::vector<uint32_t> words = Words(spirv);
  // Capabilities are a module's first instructions, each of two words.
  for (size_t at = kHeaderWords; at + 2 <= words.size(); at += 2) {
    if (words[at] != Instruction(kOpCapability, 2)) return false;
    if (words[at + 1] == kCapabilityFloat64) return true;
  }
  return false;
}

std::vector<uint32_t> KeepingSubnormals(std::span<const std::byte> spirv) {
  std::vector<uint32_t> words = Words(spirv);
  // Every kernel has a mode, the size of its workgroup, which names the entry point in its second word.
  const size_t modes = Find(words, kOpExecutionMode);
  if (modes + 1 >= words.size()) return words;
  const uint32_t mode[] = {Instruction(kOpExecutionMode, 4), words[modes + 1], kModeDenormPreserve, 32};
  words.insert(words.begin() + static_cast<ptrdiff_t>(modes), std::begin(mode), std::end(mode));
  const uint32_t capability[] = {Instruction(kOpCapability, 2), kCapabilityDenormPreserve};
  words.insert(words.begin() + kHeaderWords, std::begin(capability), std::end(capability));
  return words;
}

}  // namespace acutance::vulkan
