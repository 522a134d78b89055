// An argument header as plans see it: a plain struct, with a BufferRef (exec/plan.h) in place of each address.
#pragma once

#include <cstdint>

#define BUFFER(T) uint64_t
#define CONST_BUFFER(T) uint64_t
