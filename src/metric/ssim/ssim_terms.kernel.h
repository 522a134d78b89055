// The terms of a window of the SSIM metrics (docs/spec/siblings.md 5), for the reference implementation and kernels. A
// kernel includes the exact functions first.
#pragma once

#include "kernel/kernel.h"

// (0.01 * 255)^2, (0.03 * 255)^2 and half of that, each step rounded to a float.
CONSTANT(float, kLuminanceConstant) = 6.5024996f;
CONSTANT(float, kContrastConstant) = 58.522495f;
CONSTANT(float, kStructureConstant) = 29.261248f;

// The same floats as doubles. glslang does not round a float constant that it converts to a double.
CONSTANT(double, kLuminanceDouble) = DOUBLE(6.502499580383301);
CONSTANT(double, kContrastDouble) = DOUBLE(58.522495269775391);

// Means over a window.
struct SsimWindow {
  float reference, distorted, reference_square, distorted_square, product;
};

struct SsimDetail {
  double contrast;
  float structure;
};

struct SsimTerms {
  double luminance, contrast;
  float structure;
};

// A mean square less the square of the mean, at least 0.
FUNCTION(float) window_variance(float square, float mean) {
  const float variance = square - mean * mean;
  return variance > 0.0f ? variance : 0.0f;
}

FUNCTION(double) ssim_luminance(float mean_r, float mean_d) {
  const float means = mean_r * mean_r + mean_d * mean_d + kLuminanceConstant;
  return exact_divide(DOUBLE(2.0) * double(mean_r) * double(mean_d) + kLuminanceDouble, double(means));
}

FUNCTION(SsimDetail) ssim_detail(SsimWindow w) {
  const float variance_r = window_variance(w.reference_square, w.reference);
  const float variance_d = window_variance(w.distorted_square, w.distorted);
  const float covariance = w.product - w.reference * w.distorted;
  const float deviations = exact_sqrt_moderate(variance_r * variance_d);
  const float variances = variance_r + variance_d + kContrastConstant;
  const float joint = covariance < 0.0f && deviations <= 0.0f ? 0.0f : covariance;
  SsimDetail detail = {DOUBLE(0.0), 0.0f};
  detail.contrast = exact_divide(DOUBLE(2.0) * double(deviations) + kContrastDouble, double(variances));
  detail.structure = exact_divide_moderate(joint + kStructureConstant, deviations + kStructureConstant);
  return detail;
}

FUNCTION(SsimTerms) ssim_terms(SsimWindow w) {
  const SsimDetail detail = ssim_detail(w);
  SsimTerms terms = {ssim_luminance(w.reference, w.distorted), detail.contrast, detail.structure};
  return terms;
}
