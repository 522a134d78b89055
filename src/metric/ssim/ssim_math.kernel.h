// Arithmetic of the SSIM metrics (docs/spec/siblings.md 5), which the reference implementation and kernels share.
#pragma once

#include "kernel/kernel.h"

// The window: 11 taps each way, of which the last five mirror the first.
CONSTANT(int32_t, kWindow) = 11;
TABLE(float, kWindowTaps, 6) = {.001028f, .007599f, .036001f, .109361f, .213006f, .266012f};

// Sums of a window start here: at 3 times the largest mean (of samples, of products). A power of two above it, all sums
// have the same exponent.
CONSTANT(float, kMeanAnchor) = 768.0f;
CONSTANT(float, kProductAnchor) = 196608.0f;

// The low-pass filter before halving: 9 x 9, symmetric about the middle and the diagonal. [i][j]: i rows and j columns
// from the middle.
TABLE(float, kHalvingTaps, 25) = {
    .363505f,  .160885f,  -.047149f, -.010146f, .016114f,   //
    .160885f,  .071207f,  -.020867f, -.004490f, .007132f,   //
    -.047149f, -.020867f, .006115f,  .001316f,  -.002090f,  //
    -.010146f, -.004490f, .001316f,  .000283f,  -.000450f,  //
    .016114f,  .007132f,  -.002090f, -.000450f, .000714f,
};

// Columns of a strip, which is summed on its own in lanes: column x goes to lane x % 8.
CONSTANT(int32_t, kStripColumns) = 64;
CONSTANT(int32_t, kStripLanes) = 8;

// A sum of floats in two: `high` from an anchor on, `low` what was rounded off.
struct SplitSum {
  float high, low;
};

// The anchor is larger than any term, so that the differences are exact.
FUNCTION(SplitSum) split_add(SplitSum sum, float term) {
  SplitSum next = {sum.high + term, 0.0f};
  next.low = sum.low + (term - (next.high - sum.high));
  return next;
}

FUNCTION(float) split_high(SplitSum sum, float anchor) { return sum.high - anchor; }

FUNCTION(float) split_total(SplitSum sum, float anchor) { return split_high(sum, anchor) + sum.low; }

// The sample that stands for index `i` of a side of n samples: mirrored with the edge sample.
FUNCTION(int32_t) mirrored_with_edge(int32_t i, int32_t n) { return i < 0 ? -1 - i : i >= n ? 2 * n - 1 - i : i; }

FUNCTION(double)
sum_of_lanes(double l0, double l1, double l2, double l3, double l4, double l5, double l6, double l7) {
  return ((l0 + l4) + (l2 + l6)) + ((l1 + l5) + (l3 + l7));
}
