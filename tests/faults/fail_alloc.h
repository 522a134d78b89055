// Makes the n-th allocation of a program fail (fail_alloc.cc).
#pragma once

#include <cstdint>

/// From now on allocation `n` fails, counted from here; -1: none. Returns how many there were since the last call.
extern "C" int64_t fail_allocation_at(int64_t n);
