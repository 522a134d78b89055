#include "metric/adm/adm_scale.h"

#include "metric/adm/adm_math.h"

namespace acutance {
namespace {

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

AdmSetup::AdmSetup(const AdmSettings& settings, const PictureFormat& format)
    : settings(settings), bit_depth(format.bit_depth), scales{} {
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
