// Contrast sensitivity of wavelet bands, which ADM and float_adm share (docs/spec/core.md 2.6).
// Scale 0 is the finest.
#pragma once

namespace acutance {

/// `view_distance` in display heights, `display_height` in pixels.
float PixelsPerDegree(double view_distance, int display_height);

/// Watson et al., "Visibility of wavelet quantization noise", 1997: 1 over the quantisation step.
float Watson97(int scale, float pixels_per_degree, bool is_diagonal);

/// Barten's model at 100 cd/m^2, times `csf_scale`.
float Barten(int scale, float pixels_per_degree, double csf_scale);

}  // namespace acutance
