// Large pages for memory that is touched as a whole.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace acutance {

inline constexpr size_t kLargePage = size_t{2} << 20;

/// The first place from `memory` on where such a page can begin.
inline std::byte* FirstLargePage(std::byte* memory) {
  return memory + (kLargePage - reinterpret_cast<uintptr_t>(memory) % kLargePage) % kLargePage;
}

/// Asks for large pages where the system has them: the first access to a page costs a microsecond or more, at any
/// size. Without large pages nothing changes.
inline void PreferLargePages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<uintptr_t>(memory) + bytes) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

}  // namespace acutance
