// What the files of float_ssim and float_ms_ssim share.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "image/picture.h"
#include "kernel/kernel.h"
#include "metric/blocks/float_rows.h"
#include "metric/metric.h"

namespace acutance {

namespace ssim {
#include "metric/ssim/ssim_math.kernel.h"
#include "metric/ssim/ssim_terms.kernel.h"
}  // namespace ssim

extern const Metric kFloatSsimMetric;
extern const Metric kFloatMsSsimMetric;

/// Rows and columns that a picture loses to the window.
inline constexpr int kSsimLoss = ssim::kWindow - 1;

/// Samples within these bounds are bright: all sums of their products are exact (README.md).
namespace ssim {
inline constexpr int kDimmest = 8, kBrightest = 256;
}

/// Partial results of a row of windows: words[4y + s] is the double of sum s (WordFromDouble).
enum SsimSum { kSsimProduct, kSsimLuminance, kSsimContrast, kSsimStructure, kSsimSums };

/// Luma of both videos. Samples have `bit_depth` bits, or are floats (kFloatDepth).
struct SsimPlanes {
  Plane reference;
  Plane distorted;
  int bit_depth;
};

/// Rows and filters' states of one thread.
class SsimRows;
std::unique_ptr<Workspace> MakeSsimRows(int width);

/// Writes the sums of rows `band` of windows; with `all` those of all terms, otherwise contrast and structure alone.
/// SIMD (Highway).
void SumSsimRows(const SsimPlanes& planes, RowBand band, bool all, Workspace& rows, int64_t* words);
void SumSsimRowsRef(const SsimPlanes& planes, RowBand band, bool all, int64_t* words);

/// A side of a picture that float_ssim shrinks by `factor`.
constexpr int ShrunkLength(int length, int factor) { return length / factor + length % 2; }

/// Rows `band` of a plane shrunk by 2 to 10: means of factor x factor samples.
void ShrinkRows(const Plane& plane, int bit_depth, int factor, RowBand band, Workspace& rows, PaddedPlane& shrunk);
void ShrinkRowsRef(const Plane& plane, int bit_depth, int factor, RowBand band, PaddedPlane& shrunk);

constexpr int HalvedLength(int length) { return (length + 1) / 2; }

/// Rows `band` of a plane filtered by kHalvingTaps and halved. Sides of 11 or more.
void HalveRows(const Plane& plane, int bit_depth, RowBand band, Workspace& rows, PaddedPlane& halved);
void HalveRowsRef(const Plane& plane, int bit_depth, RowBand band, PaddedPlane& halved);

/// The means of the sums over all windows, each rounded to a float; NaN or 0 where no window fits.
struct SsimMeans {
  float mean[kSsimSums];
};
SsimMeans MeansOfSsimRows(std::span<const int64_t> words, int width, int height);

/// A plane that is compared on a device.
struct SsimDeviceScale {
  int width, height;
  int first_word;
  bool all;  // all terms, or contrast and structure alone
};

/// What a device compares: the videos' planes, perhaps shrunk, and those halved again and again.
struct SsimDevicePlan {
  int factor;
  std::vector<SsimDeviceScale> scales;  // none: no window fits
  int words;
};
Result<Plan> MakeSsimPlan(const SsimDevicePlan& work, const PlanContext& context);

/// "dB" where enable_db is set.
std::string_view SsimUnit(const OptionValues& options);

/// The options that both metrics have.
struct SsimSettings {
  bool lcs;
  bool decibels;
  bool clips;  // decibels
};

SsimSettings ReadSsimSettings(const OptionValues& options);

/// -10 log10(1 - score) and its limit (options enable_db and clip_db).
class SsimDecibels {
 public:
  SsimDecibels(const SsimSettings& settings, const PictureFormat& format);

  /// The score, in dB where the options say so.
  double Convert(double score) const;

 private:
  bool enabled_;
  double limit_;
};

}  // namespace acutance
