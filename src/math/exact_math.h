// Elementary functions with the same bits on every processor, with and without FMA, and on every device:
// exact_*.kernel.h are kernel language too (kernel/exact_math.kernel.h). No score asks the C library's functions.
//
// exp, log, log2, log10, pow, powf and log2f return what glibc 2.36 (Debian 12) returns on x86-64
// with FMA, where libvmaf's scores were recorded. The largest error, in units in the last place of
// the correctly rounded value, is below
//   exp, pow 0.51; log 0.52; log2 0.55; log10 1.7; powf 0.52 and log2f 0.76 of a float;
//   cbrt, sin, cos, atan2 0.501
// (docs/develop/numbers.md has what was measured). sin and cos: |x| <= 2^20, NaN beyond. A NaN's sign and
// payload are free; errno and floating-point exceptions are not set. The rounding mode is to
// nearest, and subnormal numbers are not flushed to 0.
#pragma once

#include <cstdint>
#include <span>

namespace acutance {

double Exp(double x);
double Log(double x);
double Log2(double x);
inline constexpr double kNats = 0.69314718055994531;  // ln 2, of a bit
double Log10(double x);
double Pow(double x, double y);
float Powf(float x, float y);
float Log2f(float x);
double Cbrt(double x);
double Sin(double x);
double Cos(double x);
double Atan2(double y, double x);

/// Each element becomes Exp of it.
void ExpAll(std::span<double> x);

/// What kernels get as their table argument (math/exact_tables.h).
extern const uint64_t kExactTable[];

}  // namespace acutance
