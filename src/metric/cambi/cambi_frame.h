// Memory of cambi's fast path, and its steps.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metric/cambi/cambi.h"
#include "simd/aligned_memory.h"

namespace acutance {

/// In the words of an image: the pixel's mask is 1. The bits below are its 10-bit code.
inline constexpr uint16_t kCambiCounts = 0x8000;

inline constexpr int kCambiMaxLanes = 32;  // of the widest vector used
inline constexpr int kCambiStrip = 256;    // columns that are counted at once: their table stays in the L2 cache
inline constexpr int kCambiCountStride = kCambiStrip + 4 * kCambiMaxLanes;  // four vectors may begin at the last one
inline constexpr int kCambiRowMultiple = 64;  // rows of words begin at multiples of 128 bytes

/// A picture with its mask, halved or not. Words after a row's end hold anything.
struct CambiImage {
  int width = 0;
  int height = 0;
  int stride = 0;
  uint16_t* words = nullptr;   // of CambiPassFrame
  uint8_t* counted = nullptr;  // likewise: not 0 for blocks of a row where the mask of a pixel may be 1

  static constexpr int kBlock = 64;  // columns
  static int Blocks(int width) { return (width + kBlock - 1) / kBlock; }

  uint16_t* Row(int y) { return words + static_cast<size_t>(y) * stride; }
  const uint16_t* Row(int y) const { return words + static_cast<size_t>(y) * stride; }

  /// One more block than the row has.
  uint8_t* Counted(int y) { return counted + static_cast<size_t>(y) * (Blocks(width) + 1); }
  const uint8_t* Counted(int y) const { return counted + static_cast<size_t>(y) * (Blocks(width) + 1); }

  /// Whether the mask of a pixel in these columns may be 1.
  bool HasCounted(int y, int begin, int end) const {
    const uint8_t* blocks = Counted(y);
    uint8_t has = 0;
    for (int block = begin / kBlock; block < Blocks(end); ++block) has |= blocks[block];
    return has != 0;
  }
};

/// The contrasts of a row of a strip, except for some that are 0.
struct CambiList {
  const float* first = nullptr;
  int length = 0;
};

/// Contrasts of a scale. The lists of a strip follow each other from the first row of a band on, so that pictures with
/// few contrasts touch little memory.
struct CambiContrasts {
  static constexpr int kSlack = 16;  // values behind a list, which vectors touch

  /// Where the lists of a band from row y on begin.
  float* Place(int strip, int y) {
    return values.get() + (static_cast<size_t>(strip) * sums.size() + y) * (strip_width + kSlack);
  }

  int strips = 0;
  int strip_width = 0;
  hwy::AlignedFreeUniquePtr<float[]> values{};
  std::vector<CambiList> lists{};  // [row * strips + strip]
  std::vector<CambiSum> sums{};    // [row]: of this one and some above it
};

/// The images of a pass, at half size the whole one first, then those of the scales, and their contrasts.
struct CambiPassFrame {
  CambiPassFrame(const CambiSettings& settings, const CambiPass& pass);

  CambiImage& scale(int s) { return images[images.size() - kCambiScales + s]; }

  hwy::AlignedFreeUniquePtr<std::byte[]> memory;  // of the images
  std::vector<uint8_t> counted;                   // likewise
  std::vector<CambiImage> images;
  std::array<CambiContrasts, kCambiScales> contrasts;
};

struct CambiFrame : Workspace {
  explicit CambiFrame(const CambiSettings& settings) {
    for (const CambiPass& pass : settings.passes) passes.emplace_back(settings, pass);
  }
  std::vector<CambiPassFrame> passes;
};

/// A row with room before and after it: a vector may begin three values beyond its end.
template <class Value>
class CambiRow {
 public:
  void Resize(int width) { values_ = AlignedArray<Value>(static_cast<size_t>(width) + 2 * kRoom); }
  Value* get() { return values_.data() + kRoom; }

 private:
  static constexpr size_t kRoom = 4 * kCambiMaxLanes;
  AlignedArray<Value> values_;
};

/// A run of pixels of one value whose mask is 1, in columns of a strip and its halo.
struct CambiRun {
  uint16_t begin;
  uint16_t end;
  uint16_t value;
};

/// The runs of a row of a strip.
class CambiRuns {
 public:
  CambiRun* first() { return runs_.data(); }
  void SetEnd(const CambiRun* end) { count_ = end - runs_.data(); }
  std::span<const CambiRun> all() const { return {runs_.data(), count_}; }

 private:
  std::array<CambiRun, kCambiStrip + kCambiMaxWindow> runs_;  // the last one may be written and not counted
  size_t count_ = 0;
};

/// What a value is compared with, and by which weight; 0: it is not (CambiCompares).
struct CambiComparisons {
  explicit CambiComparisons(const CambiSettings& settings);

  int first_compared = 1, last_compared = 0;  // values that are compared with any
  int first_counted = 0, last_counted = -1;   // values that count: these and those that they are compared with
  int contrasts;
  std::vector<float> weights;  // [(value - first_compared) * contrasts + d]
};

/// Which values occur in the windows of nearby columns: of 64 that a pixel may be compared with five or so do. The rows
/// of the others, zeros, need not be read.
class CambiPresence {
 public:
  static constexpr int kBlock = 64;                           // columns
  static constexpr int kReach = kBlock + kCambiMaxLanes / 2;  // of a vector that begins in a block

  void Resize(int values) {
    stride_ = static_cast<size_t>(values) + 2 * kRoom;
    runs_.assign(stride_ * (kCambiStrip / kBlock), 0);
  }
  void Clear() { std::ranges::fill(runs_, uint16_t{0}); }

  /// How many runs of each value the windows of a block's vectors have; there is room for a vector of steps round it.
  uint16_t* At(int block) { return &runs_[stride_ * static_cast<size_t>(block) + kRoom]; }

 private:
  static constexpr size_t kRoom = kCambiMaxContrasts + kCambiMaxLanes;

  size_t stride_ = 0;
  std::vector<uint16_t> runs_;
};

/// Rows and tables of a thread.
struct CambiThread : Workspace {
  CambiThread(const CambiSettings& settings, const CambiComparisons& comparisons);

  static constexpr int kRing = 8;  // of rows, of which a pixel needs 7
  CambiRow<uint16_t> samples, codes[2], images[kRing], modes[3];
  CambiRow<int8_t> flat[kRing], flat_columns, masks;  // flat pixels; sums of 7 rows of them; where 49 have enough

  hwy::AlignedFreeUniquePtr<uint16_t[]> counts;  // [value - first_counted][column]; zero between uses
  std::vector<int> present;                      // [value - first_counted]: pixels of this value in the window's rows
  std::vector<CambiRuns> runs;                   // a ring of rows
  CambiPresence presence;
  hwy::AlignedFreeUniquePtr<int32_t[]>
      sums;  // of the counts of a row's pixels and of the values they are compared with
  std::vector<uint32_t> histogram;
};

/// Where samples are read from a picture of another size; empty: it has the pass's.
struct CambiResampling {
  std::vector<int> columns{};
  std::vector<int> rows{};
};

/// The words of rows `band` from a picture, with modes already filtered unless they are halved first.
void CambiPrepare(const CambiSettings& settings, const CambiPass& pass, const CambiResampling& resampling,
                  const Plane& plane, RowBand band, CambiThread& thread, CambiImage& image);

/// How many samples of rows `band` are above the bit depth.
int64_t CambiInvalidSamples(const Plane& plane, int bit_depth, RowBand band);

/// Rows `band` of an image that keeps every second row and column of `from`, with their modes.
void CambiHalve(const CambiImage& from, RowBand band, CambiThread& thread, CambiImage& to);

/// The contrasts of rows `band`. heatmap: a picture for the heat of each pixel, zero before; null: none.
void CambiContrastRows(const CambiComparisons& comparisons, const CambiImage& image, const CambiPass& pass,
                       RowBand band, CambiThread& thread, CambiContrasts& contrasts, const MutablePicture* heatmap);

/// The sum of the `count` largest contrasts.
CambiSum CambiSumOfLargest(const CambiContrasts& contrasts, int64_t count, CambiThread& thread);

}  // namespace acutance
