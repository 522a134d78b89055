// Highway's library measures how fine the clock is whenever it is loaded, 3 ms of each start
// (docs/history/performance-log.md). Only its benchmarks ask for that. A function of a program stands in for a shared
// library's one of the same name.
#include <cstdint>

#if defined(__ELF__)
namespace hwy::platform {

__attribute__((visibility("default"))) uint64_t TimerResolution();
uint64_t TimerResolution() { return 1; }

}  // namespace hwy::platform
#endif
