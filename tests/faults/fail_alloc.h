// Makes the n-th allocation of a program fail (fail_alloc.cc).
#pragma once

#include <cstdint>

/// From now on `count` allocations fail: number `n`, counted from here, and each `step` after it; -1: none. Returns the
/// number of allocations since the last call. More than one failure shows whether handling one needs memory itself.
extern "C" int64_t fail_allocations(int64_t n, int64_t count, int64_t step);
extern "C" int64_t fail_allocation_at(int64_t n);  // one

/// From now on the system starts at most `count` threads; -1: no limit. Returns the number of threads since the last
/// call.
extern "C" int64_t start_threads(int64_t count);
