// What the files of ciede share.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernel/kernel.h"
#include "metric/metric.h"

namespace acutance {

namespace ciede {
#include "metric/ciede/ciede_math.kernel.h"
}  // namespace ciede

/// Where the chroma of a pixel's row stands (docs/spec/siblings.md 6.4). In 4:2:2 libvmaf halves the row and not the
/// column, and reads on in the memory behind the row: zeros up to a multiple of 32 samples, then the next row.
struct CiedeChroma {
  PixelFormat format;
  int width;  // of the chroma planes
  int height;
  int stride;  // in samples, of libvmaf's planes
};

CiedeChroma MakeCiedeChroma(const PictureFormat& format);

using CiedeSampleRows = std::array<std::vector<uint16_t>, 3>;  // a row of each plane, as wide as luma

using CiedeColour = std::array<float, 4>;  // L, a, b and chroma

/// 131,072 colours of one thread, each in the place that its samples say, where it stays until another one takes it:
/// 2.5 MB.
struct CiedeColours {
  static constexpr int kPlaceBits = 17;
  static constexpr int kChunk = 512;  // pixels at a time

  /// A key is the samples of a pixel and the bit depth. Keys that differ in the lowest bits alone, lumas of one
  /// chroma, have neighbouring places: a group's number is the upper bits of a product.
  static constexpr int kSideBits = 5;
  static constexpr uint32_t kFactor = 0x9e3779b1u;
  static constexpr int kGroupShift = 32 - (kPlaceBits - kSideBits);

  static constexpr uint32_t kEmpty = ~uint32_t{0};  // no pixel's key

  std::vector<uint32_t> keys = std::vector<uint32_t>(size_t{1} << kPlaceBits, kEmpty);
  std::vector<CiedeColour> colours = std::vector<CiedeColour>(size_t{1} << kPlaceBits);
};

/// Row buffers of one thread.
struct CiedeBuffers : Workspace {
  explicit CiedeBuffers(int width);

  static constexpr int kPadding = 32;  // whole vectors are read
  static constexpr int kKnown = 8192;  // a power of 2; 192 KB, for the L2 cache

  static constexpr int kRowsWithoutLookup = 31;

  /// The samples of a pixel in both pictures, and their difference. Pictures of 8 bits have few thousand such pairs.
  struct Known {
    uint64_t luma_cb = 0;
    uint64_t cr_depth = ~uint64_t{0};  // no pixel's
    float difference = 0;
    int32_t missing = -1;  // where it stands among those that the row still lacks
  };

  /// A pixel that takes a difference that the row still lacks.
  struct Waiting {
    int32_t pixel;
    int32_t missing;
  };

  std::array<CiedeSampleRows, 2> samples;
  std::vector<uint16_t> luma_cb, cr;       // of pixel after pixel: both pictures' side by side
  std::array<CiedeSampleRows, 2> missing;  // pixels whose difference is to be computed
  std::vector<float> missing_differences;
  std::vector<int32_t> missing_known;  // their places in `known`
  std::vector<Waiting> waiting;
  std::vector<float> differences;  // of the pixels that differ
  std::vector<Known> known;
  int rows_without_lookup = 0;  // still to come: the last row that looked up found few
  CiedeColours colours;
};

/// The planes of a picture for the functions below.
struct CiedePicture {
  std::array<Plane, 3> planes;
};

/// The running sum, in double, of the colour differences of row y, with SIMD (Highway).
double CiedeRow(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth, const CiedeChroma& chroma,
                int y, CiedeBuffers& buffers);

/// The same in plain loops, the reference implementation.
double CiedeRowRef(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth,
                   const CiedeChroma& chroma, int y);

extern const Metric kCiedeMetric;

}  // namespace acutance
