#include "metric/adm/adm_scale.h"

#include <cmath>

#include "metric/adm/adm_math.h"
#include "metric/blocks/contrast_sensitivity.h"

namespace acutance {
namespace {

// --- Contrast sensitivity.

constexpr double kMinDistancePixels = 3240;  // 3 x 1080

struct BandFactors {
  float hv;
  float d;
};

BandFactors Watson97Factors(int scale, const AdmCsfOptions& options) {
  const float r = PixelsPerDegree(options.view_distance, options.display_height);
  return {Watson97(scale, r, false), Watson97(scale, r, true)};
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
  if (options.mode == AdmCsfMode::kBarten) {
    const float r = PixelsPerDegree(options.view_distance, options.display_height);
    return {Barten(scale, r, options.scale), Barten(scale, r, options.diagonal_scale)};
  }
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
  // libvmaf has older, slightly larger constants for its default viewing distance.
  if (options.mode == AdmCsfMode::kWatson97 && std::abs(pixels - kMinDistancePixels) < 1e-8)
    return {36453, 36453, 49417};
  const uint32_t hv = ToFixed(f.hv, 21) & 0xffff;
  return {hv, hv, ToFixed(f.d, 23) & 0xffff};
}

// --- Scales.

AdmScale MakeScale(int scale, int in_width, int in_height, const AdmCsf& csf) {
  AdmScale s{};
  s.scored = true;
  s.in_width = in_width;
  s.in_height = in_height;
  s.width = CeilDiv(in_width, 2);
  s.height = CeilDiv(in_height, 2);
  s.columns = AdmScoreRange(s.width);
  s.rows = AdmScoreRange(s.height);
  s.factor = csf.fixed[scale];
  const int width_bits = CeilLog2(s.width);
  s.row_shift = CeilLog2(s.height);
  if (scale == 0) {
    const auto cube_shift = [&](int band) { return adm::cube_shift(0, band, width_bits - 4); };
    s.cube_shift = {cube_shift(0), cube_shift(1), cube_shift(2)};
    s.den_row_shift = std::max(0, CeilLog2(static_cast<uint64_t>(s.columns.size()) * s.rows.size()) - 20);
  } else {
    s.cube_shift = {width_bits, width_bits, width_bits};
    s.den_cube_shift = CeilLog2(s.columns.size());
    s.den_row_shift = CeilLog2(s.rows.size());
  }
  return s;
}

/// Above these, a weighted band leaves int16 at scale 0 (22929 * c >> 15), or the factor leaves int32.
bool IsWide(const AdmCsf& csf) {
  constexpr uint32_t kMaxFactor0 = 36453, kMaxFactor0d = 49417, kMaxFactor = 0x0fffffff;
  bool wide = csf.fixed[0][0] > kMaxFactor0 || csf.fixed[0][2] > kMaxFactor0d;
  for (int scale = 1; scale < kAdmScales; ++scale)
    for (const uint32_t factor : csf.fixed[scale]) wide |= factor > kMaxFactor;
  return wide;
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

Result<AdmSettings> ReadAdmSettings(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const AdmCsf csf, MakeAdmCsf({.mode = static_cast<AdmCsfMode>(options.Int("adm_csf_mode")),
                                                     .view_distance = options.Double("adm_norm_view_dist"),
                                                     .display_height = options.Int("adm_ref_display_height"),
                                                     .scale = options.Double("adm_csf_scale"),
                                                     .diagonal_scale = options.Double("adm_csf_diag_scale")}));
  return AdmSettings{.csf = csf,
                     .gain_limit = options.Double("adm_enhn_gain_limit"),
                     .aim = !options.Bool("adm_skip_aim"),
                     .scale0 = !options.Bool("adm_skip_scale0"),
                     .wide = IsWide(csf),
                     .noise_weight = options.Double("adm_noise_weight"),
                     .dlm_weight = options.Double("adm_dlm_weight"),
                     .min_val = options.Double("adm_min_val"),
                     .debug = options.Bool("debug")};
}

AdmSetup::AdmSetup(const AdmSettings& of, const PictureFormat& format)
    : settings(of), bit_depth(format.bit_depth), scales{} {
  int width = format.width, height = format.height;
  for (int scale = 0; scale < kAdmScales; ++scale) {
    scales[scale] = MakeScale(scale, width, height, settings.csf);
    width = scales[scale].width;
    height = scales[scale].height;
  }
  scales[0].scored = settings.scale0;
}

std::vector<AdmRange> AdmBlockColumns(const AdmScale& s, int scale, const BlockGrid* grid) {
  if (!grid) return {{0, s.columns.size()}};
  std::vector<AdmRange> parts;
  int block = -1;
  for (int x = 0; x < s.columns.size(); ++x) {
    const int here = AdmBlock(*grid, s.columns.begin + x, 0, scale);
    if (here != block) parts.push_back({x, x});
    parts.back().end = x + 1;
    block = here;
  }
  return parts;
}

}  // namespace acutance
