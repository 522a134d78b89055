// A CPU feature that Highway has no target for.
#pragma once

#include <atomic>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace acutance {

/// For tests: as if the CPU lacked it.
inline std::atomic<bool> hides_avx_vnni = false;

inline bool CpuHasAvxVnni() {
#if defined(__x86_64__)
  uint32_t a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & 1u << 4) != 0;
#else
  return false;
#endif
}

/// Whether the CPU has AVX-VNNI: AVX-512's sums of products of pairs (vpdpwssd) in the registers of AVX2.
inline bool HasAvxVnni() {
  static const bool has = CpuHasAvxVnni();
  return has && !hides_avx_vnni;
}

}  // namespace acutance
