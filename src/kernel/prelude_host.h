// Kernel sources as the rest of the C++ code reads them. An argument header is a plain struct, with a
// BufferRef (exec/plan.h) in place of each address. Arithmetic (<metric>_math.kernel.h) is constexpr
// functions, which a header of the metric includes inside the metric's namespace.
#pragma once

#include <bit>
#include <cstdint>

#define BUFFER(T) uint64_t
#define CONST_BUFFER(T) uint64_t
#define FUNCTION(R) constexpr R
#define IN_OUT(T) T&
#define CONSTANT(T, NAME) inline constexpr T NAME
#define TABLE(T, NAME, N) inline constexpr T NAME[N]
#define UNROLL
#define DOUBLE(X) X
#define leading_zeros(V) int32_t(std::countl_zero(V))
#define estimate_reciprocal(V) (1.0f / (V))
#define estimate_square_root(V) __builtin_sqrtf(V)
// IEEE 754 promises these.
#define exact_divide(A, B) ((A) / (B))
#define exact_sqrt(A) __builtin_sqrt(A)
#define exact_divide_float(A, B) ((A) / (B))
#define exact_divide_moderate(A, B) ((A) / (B))
#define exact_sqrt_float(A) __builtin_sqrtf(A)
#define exact_sqrt_moderate(A) __builtin_sqrtf(A)
#define double_bits(V) std::bit_cast<uint64_t>(double(V))
#define bits_double(V) std::bit_cast<double>(uint64_t(V))
#define float_bits(V) std::bit_cast<uint32_t>(float(V))
#define bits_float(V) std::bit_cast<float>(uint32_t(V))
