// While it lives, this thread takes subnormal numbers for 0, as Vulkan lets a device do with floats. On x86 alone, and
// there with doubles, too.
#pragma once

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace acutance {

class FlushSubnormals {
 public:
#ifdef __SSE2__
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON); }
  ~FlushSubnormals() { _mm_setcsr(before_); }

 private:
  const unsigned before_;

 public:
#else
  FlushSubnormals() {}
#endif
  FlushSubnormals(const FlushSubnormals&) = delete;
  FlushSubnormals& operator=(const FlushSubnormals&) = delete;
};

}  // namespace acutance
