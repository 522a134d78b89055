// Arithmetic of speed_chroma and speed_temporal (docs/spec/siblings.md 2.3 to 2.7), which the reference
// implementation, the SIMD implementation's scalar parts and the kernels share. Arguments of roots and divisors are
// neither negative nor zero where the callers say so.
#pragma once

#include "kernel/kernel.h"

// A step of a running sum of products: of a filter, a resized sample or a product of matrices.
FUNCTION(float) add_product(float sum, float factor, float value) { return sum + factor * value; }

// A step of the sum of a covariance.
FUNCTION(double) add_covariance(double sum, float x, float mean_x, float y, float mean_y) {
  return sum + (double(x) - double(mean_x)) * (double(y) - double(mean_y));
}

// The eight sums of a covariance.
FUNCTION(double)
total_of_eight(double s0, double s1, double s2, double s3, double s4, double s5, double s6, double s7) {
  return ((s0 + s4) + (s2 + s6)) + ((s1 + s5) + (s3 + s7));
}

// --- The eigenvalues (2.5)

FUNCTION(float) magnitude(float x) { return x < 0.0f ? -x : x; }

FUNCTION(float) away_from(float sign_of, float size) { return sign_of >= 0.0f ? -size : size; }

// What makes a column (alpha, rest) a multiple of a unit vector: beta takes alpha's place.
struct Reflection {
  float beta, tau;
  float divisor;  // of the rest; 0: it stays as it is
};

// norm: of the rest; not 0.
FUNCTION(Reflection) make_reflection(float alpha, float norm) {
  Reflection made = {0.0f, 0.0f, 0.0f};
  if (norm == 0.0f) return made;
  made.beta = away_from(alpha, exact_sqrt_float(alpha * alpha + norm * norm));
  made.tau = exact_divide_float(made.beta - alpha, made.beta);
  made.divisor = alpha - made.beta;
  return made;
}

// An element of the trailing square after the reflection.
FUNCTION(float) reflected(float a, float p_row, float v_row, float p_column, float v_column) {
  return a - (p_row * v_column + v_row * p_column);
}

// Whether e, between the diagonal elements d0 and d1, counts as 0.
FUNCTION(bool) is_negligible(float e, float d0, float d1) {
  return double(magnitude(e)) < DOUBLE(1e-6) * double(magnitude(d0) + magnitude(d1));
}

// The eigenvalue of the symmetric matrix (a e; e b) that is nearer to b.
FUNCTION(float) trailing_eigenvalue(float a, float b, float e) {
  const float middle = (a - b) * 0.5f;
  if (middle == 0.0f) return b - magnitude(e);
  const float size = exact_sqrt_float(middle * middle + e * e);
  if (middle > 0.0f) return b - e * exact_divide_float(e, middle + size);
  return b + e * exact_divide_float(e, size - middle);
}

struct Rotation {
  float c, s;
};

FUNCTION(Rotation) make_rotation(float x, float z) {
  Rotation made = {1.0f, 0.0f};
  if (z == 0.0f) return made;
  const bool steep = magnitude(z) > magnitude(x);
  const float t = steep ? -exact_divide_float(x, z) : -exact_divide_float(z, x);
  const float whole = float(exact_divide(DOUBLE(1.0), exact_sqrt(double(1.0f + t * t))));
  made.s = steep ? whole : whole * t;
  made.c = steep ? whole * t : whole;
  return made;
}

// The part of a tridiagonal matrix that a QR step works on: diagonal a p q, next to it b (a to p), p (p to q), and z,
// the element that the rotations push down.
struct Chase {
  float ak, bk, zk, ap, bp, aq, bq;
};

FUNCTION(Chase) rotated(Chase t, Rotation g) {
  const float c = g.c;
  const float s = g.s;
  const float u1 = c * t.ap - s * t.bp;
  const float u2 = s * t.aq - c * t.bp;
  const float u3 = s * t.ap + c * t.bp;
  const float u4 = s * t.bp + c * t.aq;
  const Chase next = {c * u1 + s * u2, c * u3 - s * u4, -s * t.bq, s * u3 + c * u4, c * t.bq, t.aq, t.bq};
  return next;
}

// --- The solution of the linear equations (2.6)

// Element (i, j) of a Householder matrix of the unit vector v.
FUNCTION(float) householder(float vi, float vj, bool diagonal) {
  const float product = (-2.0f * vi) * vj;
  return diagonal ? product + 1.0f : product;
}
