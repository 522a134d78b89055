// What the files of cvvdp share.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/plan.h"
#include "metric/cvvdp/cvvdp_input.h"
#include "metric/metric.h"
#include "simd/aligned_memory.h"

namespace acutance {

inline constexpr int kCvvdpChannels = 4;  // light, red and green, violet and yellow, changing light
inline constexpr int kCvvdpStrip = 64;    // rows of a partial sum

/// The temporal filter of a frame's channels: over its last frames, or over the frame alone for an image.
struct CvvdpFilter {
  int channels = 3;
  std::array<std::vector<float>, kCvvdpChannels> taps{};  // the oldest frame's first

  int length() const { return static_cast<int>(taps[0].size()); }
};

/// docs/spec/cvvdp.md 3.2
CvvdpFilter CvvdpVideoFilter(double frames_per_second);
CvvdpFilter CvvdpImageFilter();

/// The scales of a picture (docs/spec/cvvdp.md 4.1): `bands` with contrasts, then the base.
struct CvvdpScales {
  CvvdpScales(int width, int height, double pixels_per_degree);

  int bands() const { return static_cast<int>(sizes.size()) - 1; }
  int Strips(int band) const { return (sizes[band].height + kCvvdpStrip - 1) / kCvvdpStrip; }

  std::vector<PictureSize> sizes;
  std::vector<double> frequencies;  // cycles per degree
};

/// Contrast sensitivity of a band as log2, by channel and by the background's luminance.
struct CvvdpSensitivity {
  std::array<std::array<float, CVVDP_NODES>, kCvvdpChannels> nodes;
};

/// The sensitivity to band `band`; the base is the one after the last (docs/spec/cvvdp.md 5.5).
CvvdpSensitivity MakeCvvdpSensitivity(const CvvdpScales& scales, int band);

/// log2 of sensitivity between two nodes, and its power.
float CvvdpSensitivityAt(const CvvdpSensitivity& sensitivity, int channel, float node);

struct CvvdpPlane {
  float* data = nullptr;
  ptrdiff_t stride = 0;  // in floats
  int width = 0, height = 0;

  float* Row(int y) const { return data + y * stride; }
};

/// The channels of both videos at one scale, the reference first.
using CvvdpScale = std::array<std::array<CvvdpPlane, kCvvdpChannels>, 2>;

/// Samples of padding behind each row: finite, and free to be written.
inline constexpr int kCvvdpPadding = 32;

/// The input of a band's sums.
struct CvvdpBand {
  CvvdpScale scale, next;  // `next` is half as large
  int channels = kCvvdpChannels;
  const CvvdpSensitivity* sensitivity = nullptr;
  std::array<float, kCvvdpChannels> heat_weights{};
  const CvvdpPlane* heat = nullptr;  // where the band's heat goes; null: nowhere
};

/// Row buffers of one thread.
struct CvvdpBuffers : Workspace {
  explicit CvvdpBuffers(int width);

  /// The rows of a distorted video.
  struct OfVideo {
    hwy::AlignedFreeUniquePtr<float[]> rows;
    AlignedArray<double> columns;
  };
  /// Allocates the rows of the first `count` videos.
  void MakeVideos(size_t count);

  static constexpr int kAdded = 2,  // rows that are added up together
      kBlurred = kAdded + 2 * CVVDP_BLUR_RADIUS, kDifferences = kAdded + CVVDP_BLUR_RADIUS,
                       kVideoRows = (1 + 1 + kBlurred + kDifferences + 1) * kCvvdpChannels;
  /// Rows of a strip that several videos are compared with in turn.
  static constexpr int kTogether = 16, kKept = kTogether + CVVDP_BLUR_RADIUS * 2,
                       kReferenceRows = (1 + 2 * kKept) * kCvvdpChannels;

  ptrdiff_t stride;
  hwy::AlignedFreeUniquePtr<float[]> row, reference;  // `reference` is allocated for several videos
  std::vector<OfVideo> videos;
  std::vector<double> folded;
};

/// Each of these has a SIMD implementation (Highway), and a reference implementation (Ref).

/// A row of the channels; rows[i][c] is channel c of frame i, the oldest first.
void CvvdpFilterRow(const CvvdpFilter& filter, std::span<const std::array<const float*, 3>> rows, int width,
                    const std::array<float*, kCvvdpChannels>& to);
void CvvdpFilterRowRef(const CvvdpFilter& filter, std::span<const std::array<const float*, 3>> rows, int width,
                       const std::array<float*, kCvvdpChannels>& to);

/// Row y of a plane of half the size.
void CvvdpReduceRow(const CvvdpPlane& from, int y, const CvvdpPlane& to, CvvdpBuffers& buffers);
void CvvdpReduceRowRef(const CvvdpPlane& from, int y, const CvvdpPlane& to);

/// The sums of strips [begin, end), one partial result per strip and channel, of videos that share a reference.
void CvvdpStrips(std::span<const CvvdpBand> bands, int begin, int end, std::span<const std::span<int64_t>> words,
                 CvvdpBuffers& buffers);
void CvvdpStripsRef(const CvvdpBand& band, std::span<int64_t> words);  // of all

/// The sums of the base; `next` of it is not read.
void CvvdpBase(const CvvdpBand& base, std::span<int64_t> words);

/// The heat of a level and of all that are smaller, at its size; `share` is what its own counts.
void CvvdpExpandOnto(const CvvdpPlane& smaller, const CvvdpPlane& larger, float share);

/// How far a frame lies from the reference, from the partial results of its strips (docs/spec/cvvdp.md 4.6).
double CvvdpFrameDistance(const CvvdpScales& scales, int channels, std::span<const int64_t> words);

/// The squares of frames' distances add up; their mean and its root are the clip's distance.
double CvvdpSquare(double distance);
double CvvdpRoot(double mean);

/// In units of just objectionable differences: 10 is identical.
double CvvdpJod(double distance);

/// (10 - JOD) / 10, in floats.
struct CvvdpHeatCurve {
  float straight, factor;  // up to 0.1, and of the power beyond
  FloatExponent exponent;
};
CvvdpHeatCurve MakeCvvdpHeatCurve();
float CvvdpHeat(float distance);

inline constexpr double kCvvdpImage = 0.577918291091919;  // factor of an image's distance

/// Weights of the channels' differences.
inline constexpr std::array<double, kCvvdpChannels> kCvvdpWeights = {1.0, 1.0, 1.0, 0.8081134557723999};
inline constexpr std::array<double, kCvvdpChannels> kCvvdpBaseWeights = {0.0036334486212581396, 1.6627724170684814,
                                                                         4.11874532699585, 25.25969886779785};

/// Weights of differences in the heat map: an image's are lower than a video's.
std::array<float, kCvvdpChannels> CvvdpHeatWeights(bool is_image, bool is_base);

/// The metric's options.
struct CvvdpSettings {
  Display display;
  CvvdpConversion conversion;
  double frames_per_second = 25;
  bool is_temporal = true;
  std::string key_suffix{};  // of outputs

  CvvdpFilter Filter() const { return is_temporal ? CvvdpVideoFilter(frames_per_second) : CvvdpImageFilter(); }
};

enum CvvdpOutput { kCvvdpRunning, kCvvdpFrame };

/// The scores of frames, which keep their distances as words, and that of the clip under the name `aggregate`.
/// is_image: each frame is an image of its own.
std::unique_ptr<Sequence> MakeCvvdpSequence(bool is_image, std::string aggregate);

/// cvvdp on a device: the partial results of its Extractor, bit for bit.
Result<Plan> MakeCvvdpPlan(const CvvdpSettings& settings, const PlanContext& context);

extern const Metric kCvvdpMetric;

}  // namespace acutance
