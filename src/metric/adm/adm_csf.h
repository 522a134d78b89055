// Contrast sensitivity factors of ADM (docs/spec/core.md 2.6): how much a band's difference counts
// at a viewing distance.
#pragma once

#include <array>
#include <cstdint>

#include "base/status.h"

namespace acutance {

inline constexpr int kAdmScales = 4;
inline constexpr int kAdmBands = 3;  // h, v, d: the order of every array of bands

enum class AdmCsfMode { kWatson97 = 0, kBarten = 1, kBlend = 2, kBlendMae = 3 };

struct AdmCsfOptions {
  AdmCsfMode mode = AdmCsfMode::kWatson97;
  double view_distance = 3.0;   // in display heights
  int display_height = 1080;    // in pixels
  double scale = 1.0;           // kBarten alone: multiplies the factor of h and v
  double diagonal_scale = 1.0;  // kBarten alone: multiplies the factor of d
};

struct AdmCsf {
  std::array<std::array<float, kAdmBands>, kAdmScales> factor;
  /// factor in fixed point: 16 bits at scale 0, 32 bits at scales 1 to 3. Larger values wrap, as libvmaf's do on x86.
  std::array<std::array<uint32_t, kAdmBands>, kAdmScales> fixed;
};

/// Fails for a display closer than 3240 pixels of height times distance, and for a pair that the tables of kBlend and
/// kBlendMae do not list.
Result<AdmCsf> MakeAdmCsf(const AdmCsfOptions& options);

}  // namespace acutance
