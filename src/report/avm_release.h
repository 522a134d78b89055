// The rate points of one release of an encoder as AVM's common test conditions write them: a folder of files
// RDResults_<encoder>_<codec>_<configuration>_Preset_<preset>.csv (docs/spec/avm.md 1).
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "stats/bd_rate.h"

namespace acutance {

/// The qualities that AVM compares, by their names in its summaries. "overall_psnr" and "overall_apsnr" are weighted
/// sums of others.
inline constexpr const char* kAvmQualities[] = {"psnr_y",    "psnr_u",  "psnr_v",   "overall_psnr", "ssim_y",
                                                "ms_ssim_y", "vmaf",    "vmaf_neg", "psnr_hvs",     "ciede2k",
                                                "apsnr_y",   "apsnr_u", "apsnr_v",  "overall_apsnr"};
/// The configurations in the order of AVM's summaries, by their names there.
inline constexpr const char* kAvmConfigurations[] = {"AI", "LD", "RA", "Still", "AS"};

/// A line of such a file; NaN: an empty cell, or a quality whose columns the file lacks.
struct AvmRatePoint {
  double rate = 0;  // kbit/s; of stills, bytes
  double qualities[std::size(kAvmQualities)] = {};
};

struct AvmClip {
  std::string name, test_class;
  std::map<std::pair<std::string, std::string>, AvmRatePoint> points;  // by coded size ("1920x1080") and QP

  /// What AVM makes a BD-rate of: the clip's points, or, of several sizes (AS), their hull; without points that lack a
  /// cell.
  std::vector<RatePoint> CurveOf(size_t quality, bool over_sizes) const;
};

/// The clips in the order of a file. Columns are found by their titles: those for times and checksums may lack. Of
/// lines with one name, size and QP the last counts.
Result<std::vector<AvmClip>> ReadAvmFile(const std::string& path);

/// By configuration; those that the folder has no file of are left out. An error if there is none, or two of one.
Result<std::map<std::string, std::vector<AvmClip>>> ReadAvmRelease(const std::string& folder);

}  // namespace acutance
