// Replacement of a Highway function that measures the clock's resolution for 3 ms whenever the library is loaded; only
// Highway's benchmarks use it. A program's function replaces a shared library's of the same name.
#include <cstdint>

#if defined(__ELF__)
namespace hwy::platform {

__attribute__((visibility("default"))) uint64_t TimerResolution();
uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
#endif
