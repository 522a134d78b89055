#include "metric/adm/adm_csf.h"

#include <cmath>

#include "base/exact_math.h"

namespace acutance {
namespace {

constexpr double kMinDistancePixels = 3240;  // 3 x 1080

struct BandFactors {
  float hv;
  float d;
};

/// Pixels per degree of visual angle.
float PixelsPerDegree(const AdmCsfOptions& options) {
  constexpr double kPi = 3.14159265358979323846;
  return static_cast<float>(options.view_distance * options.display_height * kPi / 180.0);
}

// --- Watson et al., "Visibility of wavelet quantization noise", 1997: 1 / quantisation step.

float Watson97(int scale, float pixels_per_degree, float orientation, float amplitude) {
  constexpr float kA = 0.495f, kK = 0.466f, kF0 = 0.401f;
  const float t = static_cast<float>(Log10(std::ldexp(1.0, scale + 1) * kF0 * orientation / pixels_per_degree));
  const float kt = kK * t;
  const float exponent = kt * t;
  const float step = static_cast<float>(2.0 * kA * Pow(10.0, static_cast<double>(exponent)) / amplitude);
  return 1.0f / step;
}

BandFactors Watson97Factors(int scale, const AdmCsfOptions& options) {
  constexpr float kAmplitudeHv[kAdmScales] = {0.67234f, 0.41317f, 0.22727f, 0.11792f};
  constexpr float kAmplitudeD[kAdmScales] = {0.72709f, 0.49428f, 0.28688f, 0.15214f};
  const float r = PixelsPerDegree(options);
  return {Watson97(scale, r, 1.0f, kAmplitudeHv[scale]), Watson97(scale, r, 0.534f, kAmplitudeD[scale])};
}

// --- Barten's model at 100 cd/m^2. Its fit depends on luminance through anchors; 100 lies between the last two.

float Interpolate(float left_pos, float left, float right_pos, float right, float pos) {
  return left + ((right - left) / (right_pos - left_pos)) * (pos - left_pos);
}

float OpticalTransfer(float frequency) {
  constexpr float kAmplitude[] = {0.424838596301290f, 0.572435103936480f, 0.000167576239164937f, 0.00255872352306433f};
  constexpr float kRate[] = {0.028f, 0.37f, 37.f, 360.f};
  float sum = 0;
  for (int i = 0; i < 4; ++i)
    sum = static_cast<float>(sum + kAmplitude[i] * Exp(static_cast<double>(-kRate[i] * frequency)));
  return sum;
}

float Barten(int scale, const AdmCsfOptions& options, double csf_scale) {
  constexpr double kLuminance = 100;
  constexpr float kAt20[] = {0.334278f, 3.79542f, 1.07327f, 6.4635f};
  constexpr float kAt150[] = {0.394533f, 2.7755f, 1.16577f, 7.45665f};
  const float left = static_cast<float>(Log10(20.0));
  const float right = static_cast<float>(Log10(150.0));
  const float pos = static_cast<float>(Log10(kLuminance));
  float p[4];
  for (int i = 0; i < 4; ++i) p[i] = Interpolate(left, kAt20[i], right, kAt150[i], pos);

  const float s = static_cast<float>(PixelsPerDegree(options) / std::ldexp(1.0, scale + 1));
  const float a = static_cast<float>(1.0 + Pow(static_cast<double>(p[0] * s), static_cast<double>(p[1])));
  const double cut = static_cast<double>(s / 7.f);
  const double low = 1 - Exp(-(cut * cut));
  const float b = static_cast<float>(1.0 / Pow(low, static_cast<double>(p[2])));
  const float csf = static_cast<float>(p[3] / Pow(static_cast<double>(a * b), 0.5));
  const double adaptation =
      Pow(static_cast<double>(4.0627f / static_cast<float>(kLuminance)), static_cast<double>(1.6596f)) + 1;
  const float rc = static_cast<float>(30.162f * Pow(adaptation, -static_cast<double>(0.2712f)));
  return static_cast<float>(static_cast<double>(csf * OpticalTransfer(s) * rc) * csf_scale);
}

// --- Tables blended from both.

struct BlendRow {
  int display_height;
  double view_distance;
  float hv[2][kAdmScales];  // kBlend, kBlendMae
  float d[2][kAdmScales];
};

constexpr BlendRow kBlendRows[] = {
    {1080,
     3.0,
     {{.01183f, .025026f, .04295f, .058621f}, {.011249f, .022606f, .035930f, .045673f}},
     {{.004302f, .011778f, .023918f, .035901f}, {.004097f, .010921f, .021430f, .031313f}}},
    {2160,
     1.5,
     {{.01183f, .025026f, .04295f, .058621f}, {.011249f, .022606f, .035930f, .045673f}},
     {{.004302f, .011778f, .023918f, .035901f}, {.004097f, .010921f, .021430f, .031313f}}},
    {1080,
     5.0,
     {{.004212f, .014809f, .029642f, .047464f}, {.004052f, .013939f, .026298f, .038833f}},
     {{.000984f, .005852f, .0146f, .027574f}, {.000927f, .005544f, .013415f, .024515f}}},
    {2160,
     3.0,
     {{.00226f, .01183f, .025026f, .04295f}, {.002166f, .011249f, .022606f, .035930f}},
     {{.000479f, .004302f, .011778f, .023918f}, {.000447f, .004097f, .010921f, .021430f}}},
    {2160,
     5.0,
     {{.000092f, .004212f, .014809f, .029642f}, {.000077f, .004052f, .013939f, .026298f}},
     {{.000050f, .000984f, .005852f, .0146f}, {.000045f, .000927f, .005544f, .013415f}}},
    {720,
     5.0,
     {{.010144f, .022561f, .040309f, .05672f}, {.009689f, .020577f, .034162f, .044523f}},
     {{.003463f, .010282f, .021839f, .034641f}, {.003302f, .009579f, .019661f, .030318f}}},
};

const BlendRow* FindBlendRow(const AdmCsfOptions& options) {
  for (const BlendRow& row : kBlendRows)
    if (row.display_height == options.display_height && row.view_distance == options.view_distance) return &row;
  return nullptr;
}

bool IsBlend(AdmCsfMode mode) { return mode == AdmCsfMode::kBlend || mode == AdmCsfMode::kBlendMae; }

BandFactors Factors(int scale, const AdmCsfOptions& options) {
  if (options.mode == AdmCsfMode::kBarten)
    return {Barten(scale, options, options.scale), Barten(scale, options, options.diagonal_scale)};
  if (IsBlend(options.mode)) {
    const BlendRow& row = *FindBlendRow(options);
    const int table = options.mode == AdmCsfMode::kBlendMae;
    return {row.hv[table][scale], row.d[table][scale]};
  }
  return Watson97Factors(scale, options);
}

uint32_t ToFixed(float factor, int bits) {
  return static_cast<uint32_t>(static_cast<int64_t>(std::ldexp(static_cast<double>(factor), bits)));
}

std::array<uint32_t, kAdmBands> FixedFactors(int scale, const BandFactors& f, const AdmCsfOptions& options) {
  if (scale > 0) return {ToFixed(f.hv, 32), ToFixed(f.hv, 32), ToFixed(f.d, 32)};
  const double pixels = options.view_distance * options.display_height;
  // libvmaf keeps older, slightly larger constants for its default viewing distance.
  if (options.mode == AdmCsfMode::kWatson97 && std::abs(pixels - kMinDistancePixels) < 1e-8)
    return {36453, 36453, 49417};
  const uint32_t hv = ToFixed(f.hv, 21) & 0xffff;
  return {hv, hv, ToFixed(f.d, 23) & 0xffff};
}

}  // namespace

Result<AdmCsf> MakeAdmCsf(const AdmCsfOptions& options) {
  const double pixels = options.view_distance * options.display_height;
  if (!(pixels >= kMinDistancePixels))
    return Error(StatusCode::kInvalidArgument,
                 "adm: adm_norm_view_dist {:g} times adm_ref_display_height {} is {:g}; it must be at least {:g} "
                 "(such as 3 x 1080 or 1.5 x 2160)",
                 options.view_distance, options.display_height, pixels, kMinDistancePixels);
  if (IsBlend(options.mode) && !FindBlendRow(options))
    return Error(StatusCode::kInvalidArgument,
                 "adm: adm_csf_mode {} has no factors for adm_ref_display_height {} at adm_norm_view_dist {:g}; it has "
                 "1080 at 3 and 5, 2160 at 1.5, 3 and 5, and 720 at 5",
                 static_cast<int>(options.mode), options.display_height, options.view_distance);
  AdmCsf csf;
  for (int scale = 0; scale < kAdmScales; ++scale) {
    const BandFactors f = Factors(scale, options);
    csf.factor[scale] = {f.hv, f.hv, f.d};
    csf.fixed[scale] = FixedFactors(scale, f, options);
  }
  return csf;
}

}  // namespace acutance
