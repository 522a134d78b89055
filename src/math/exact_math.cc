#include "math/exact_math.h"

#include "math/exact_tables.h"
#include "math/exact_words.h"

// IEEE 754 and this file's compiler options promise these.
#define exact_divide(A, B) ((A) / (B))
#define exact_sqrt(A) __builtin_sqrt(A)
#define exact_divide_float(A, B) ((A) / (B))
#define exact_sqrt_float(A) __builtin_sqrtf(A)

#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
#define ACU_EXACT(FUNCTION_) fused::FUNCTION_
#elif defined(__x86_64__)
#define ACU_PORTABLE_TOO
#define ACU_EXACT(FUNCTION_) (__builtin_cpu_supports("fma") ? fused::FUNCTION_ : portable::FUNCTION_)
#else
#define ACU_PORTABLE_ONLY
#define ACU_EXACT(FUNCTION_) portable::FUNCTION_
#endif

namespace acutance {
namespace {

constexpr ConstBuffer<uint64_t> kTable = {kExactTable};

// The same source compiled twice gives the same bits; with the instruction it is several times as fast.
#if defined(ACU_PORTABLE_TOO) || defined(ACU_PORTABLE_ONLY)
namespace portable {
#include "math/exact_functions.h"
}  // namespace portable
#endif

#if defined(ACU_PORTABLE_TOO) && defined(__clang__)
#pragma clang attribute push(__attribute__((target("fma"))), apply_to = function)
#elif defined(ACU_PORTABLE_TOO)
#pragma GCC push_options
#pragma GCC target("fma")
#endif
#ifndef ACU_PORTABLE_ONLY
#define exact_fma(A, B, C) __builtin_fma(A, B, C)
namespace fused {
#include "math/exact_functions.h"
}  // namespace fused
#endif
#if defined(ACU_PORTABLE_TOO) && defined(__clang__)
#pragma clang attribute pop
#elif defined(ACU_PORTABLE_TOO)
#pragma GCC pop_options
#endif

}  // namespace

double Exp(double x) { return ACU_EXACT(exact_exp)(kTable, x); }
double Log(double x) { return ACU_EXACT(exact_log)(kTable, x); }
double Log2(double x) { return ACU_EXACT(exact_log2)(kTable, x); }
double Log10(double x) { return ACU_EXACT(exact_log10)(kTable, x); }
double Pow(double x, double y) { return ACU_EXACT(exact_pow)(kTable, x, y); }
float Powf(float x, float y) { return ACU_EXACT(exact_powf)(kTable, x, y); }
float Log2f(float x) { return ACU_EXACT(exact_log2f)(kTable, x); }
double Cbrt(double x) { return ACU_EXACT(exact_cbrt)(x); }
double Sin(double x) { return ACU_EXACT(exact_sin)(kTable, x); }
double Cos(double x) { return ACU_EXACT(exact_cos)(kTable, x); }
double Atan2(double y, double x) { return ACU_EXACT(exact_atan2)(kTable, y, x); }

void ExpAll(std::span<double> x) { ACU_EXACT(exact_exp_all)(kTable, x.data(), x.size()); }

}  // namespace acutance
