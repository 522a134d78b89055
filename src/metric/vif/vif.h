// Types and entry points that the files of VIF share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "image/picture.h"
#include "metric/metric.h"
#include "metric/vif/vif_math.h"

namespace acutance {

extern const Metric kVifMetric;

/// How an image holds its samples. Images of scales 1 to 3 are stored as int16: the 16-bit sample minus 32768.
enum class VifSample { k8, k16, kCentred };

struct VifImage : Plane {
  VifSample sample = VifSample::k8;

  int At(int x, int y) const {
    if (sample == VifSample::k8) return Row<uint8_t>(y)[x];
    if (sample == VifSample::k16) return Row<uint16_t>(y)[x];
    return Row<int16_t>(y)[x] + 32768;
  }
};

struct VifJob {
  int scale = 0;
  int bit_depth = 8;               // of the samples; 16 at scales 1 to 3
  std::array<VifImage, 2> images;  // reference, distorted
  std::array<int16_t*, 2> next{};  // images of scale + 1, centred; null at scale 3
  ptrdiff_t next_stride = 0;       // samples; at least VifPaddedWidth(width of the next image)
  bool statistics = true;          // false: only the next images
  double gain_limit = 100;
};

inline constexpr int kVifStrip = 1920;     // columns worked on at a time: their rows stay in L2
inline constexpr int kVifManyStrip = 960;  // the same with several distorted videos
inline constexpr int kVifMaxVideos = 7;    // distorted videos worked on at a time
inline constexpr int kVifMaxLanes = 16;    // 32-bit lanes of the widest vector
inline constexpr int kVifMaxColumns = kVifStrip + 2 * kVifMaxLanes;  // with the filter's reach, 2 * 8, in whole blocks
inline constexpr int kVifMoments = 8;  // planes of 16 bits that carry the two means and three second moments
inline constexpr int kVifGroup = 4;    // rows filtered at a time
inline constexpr int kVifMaxPairs = (kVifGroup + 2 * 8) / 2;

/// Columns of all images in the ring.
inline constexpr int kVifRingColumns = (1 + kVifMaxVideos) * (kVifManyStrip + 2 * kVifMaxLanes);
static_assert(kVifRingColumns >= 2 * kVifMaxColumns);

/// Whole vectors are stored, so rows of the images in between are padded.
constexpr int VifPaddedWidth(int width) { return (width + 31) / 32 * 32 + 32; }

/// Row buffers of one thread; they hold nothing from band to band.
struct VifBuffers : Workspace {
  alignas(64) int16_t ring[kVifMaxPairs * 2 * kVifRingColumns] = {};      // pairs of rows of all images
  alignas(64) uint16_t lines[2][kVifMaxColumns] = {};                     // mirrored pieces of the pictures' rows
  alignas(64) int16_t rows[kVifGroup][kVifMoments][kVifMaxColumns] = {};  // after the vertical pass
  alignas(64) int16_t halved_rows[kVifGroup / 2][kVifMaxColumns] = {};    // the same for the next scale

  // The reference's part of a group of rows, for all distorted videos.
  alignas(64) int32_t reference_sums[kVifGroup][kVifMaxColumns] = {};              // vertical sums of r'
  alignas(64) int32_t reference_moments[kVifGroup][2][kVifStrip] = {};             // M1, and X that becomes s1
  alignas(64) int32_t textured_s1[kVifGroup * kVifStrip + 3 * kVifMaxLanes] = {};  // s1 of pixels that are not flat

  alignas(64) int32_t moments[kVifGroup][3][kVifStrip] = {};           // of one distorted video: M2 Y Z
  alignas(64) int32_t textured[2][kVifStrip + 3 * kVifMaxLanes] = {};  // its s2 s12 of pixels that are not flat

  alignas(64) int32_t piece[5][kVifStrip + 2 * kVifMaxLanes] = {};  // of RunVifColumns: M1 X M2 Y Z of a row
};

using VifSums = std::span<int64_t, kVifSumsPerScale>;

/// Adds the sums of rows `band` (VifSum order) and writes the rows of the next images whose double
/// lies in the band; with SIMD (Highway). The jobs are those of several
/// distorted videos of one reference, and differ in the distorted images alone.
void RunVifBands(std::span<const VifJob> jobs, RowBand band, VifBuffers& buffers, std::span<const VifSums> sums);

/// The same for one job, whose columns are divided: sums[i] are those of columns [i * columns, (i + 1) * columns), an
/// even number below scale 3, and kVifStrip at most.
void RunVifColumns(const VifJob& job, RowBand band, int columns, VifBuffers& buffers, std::span<const VifSums> sums);

/// Instruction sets (HWY_AVX2, ...) that the SIMD implementation was compiled for and this CPU has.
std::vector<int64_t> VifTargets();

/// T by VifLogPolynomial (or the table, where vectors are too short for it), for all 32768 entries: of numbers that
/// enter as floats, or as high halves of doubles.
void VifLogTableByVectors(bool of_doubles, std::span<uint16_t, 32768> table);

/// RunVifBands in plain loops for one job, the reference implementation.
void RunVifBandRef(const VifJob& job, RowBand band, VifSums sums);
/// RunVifColumns likewise.
void RunVifColumnsRef(const VifJob& job, RowBand band, int columns, std::span<const VifSums> sums);

/// The options.
struct VifSettings {
  double gain_limit;
  bool skip_scale0;
  bool debug;
};

}  // namespace acutance
