// Memory of ADM's SIMD implementation: band a of a frame, and the rows that one thread works on.
#pragma once

#include <hwy/aligned_allocator.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/picture.h"
#include "metric/adm/adm_scale.h"
#include "metric/metric.h"

namespace acutance {

/// Zeroed memory, cut into aligned pieces.
class AdmArena {
 public:
  explicit AdmArena(size_t bytes);
  std::byte* Take(size_t bytes);  // the caller has counted with Rounded()
  static constexpr size_t Rounded(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

 private:
  static constexpr size_t kAlign = 128;
  hwy::AlignedFreeUniquePtr<std::byte[]> memory_;
  size_t used_ = 0;
};

/// A row of int16 in `top` at scale 0; above, of int32, kept as 65536 * top + rest + 32768 (README.md).
struct AdmSplitRow {
  int16_t* top;
  int16_t* rest;
};

/// Band a of scales 0 to 2 of both pictures. Above scale 0, the rests of a row follow its tops.
class AdmFrameWorkspace : public Workspace {
 public:
  explicit AdmFrameWorkspace(const AdmSetup& setup);

  const Plane& a(int scale, int picture) const { return planes_[scale][picture]; }
  AdmSplitRow Row(int scale, int picture, int y) {
    int16_t* top = const_cast<int16_t*>(planes_[scale][picture].Row<int16_t>(y));
    return {top, top + RestOffset(planes_[scale][picture])};
  }
  static ptrdiff_t RestOffset(const Plane& plane) { return plane.stride / 2 / static_cast<ptrdiff_t>(sizeof(int16_t)); }

 private:
  static size_t RowBytes(const AdmSetup& setup, int scale);
  static size_t Bytes(const AdmSetup& setup);

  AdmArena arena_;
  std::array<std::array<Plane, 2>, kAdmScales - 1> planes_;
};

/// A row of each detail band, int16 at scale 0, int32 above.
struct AdmBandRows {
  std::array<std::byte*, kAdmBands> bytes;

  template <class T>
  T* Band(int band) const {
    return reinterpret_cast<T*>(bytes[band]);
  }
};

/// One decoupled row of a signal, restored or additive. Element 0 is the column left of the scored ones.
struct AdmSignalRow {
  int32_t* share;          // sum of F over the bands, what the pixel adds to its neighbours' thresholds
  int32_t* centre;         // what its own threshold gets instead, less share
  AdmBandRows magnitudes;  // |x| at scale 0; |C| above
};

/// The last three decoupled rows of a distorted video.
class AdmSignals {
 public:
  explicit AdmSignals(const AdmSetup& setup);

  /// The restored (0) or additive (1) signal of row y.
  const AdmSignalRow& Row(int additive, int y) const { return rows_[additive][y % 3]; }

 private:
  AdmArena arena_;
  AdmSignalRow rows_[2][3];
};

class AdmThreadWorkspace : public Workspace {
 public:
  explicit AdmThreadWorkspace(const AdmSetup& setup);

  /// Elements that vectors may touch before and behind a row.
  static constexpr int kMargin = 128;

  /// A row filtered vertically, low or high, of the reference (0) or distorted (1) picture.
  const AdmSplitRow& Filtered(int high, int picture) const { return filtered_[high][picture]; }
  /// The reference's detail bands. Element 0 is the first column of the work range.
  const AdmBandRows& Reference() const { return reference_; }
  const AdmSignals& Signals(int video) const { return signals_[video]; }
  int32_t* ColumnSums() { return column_sums_; }

  /// Makes room for the signals of so many distorted videos.
  void Reserve(const AdmSetup& setup, size_t videos);

 private:
  static size_t FilteredBytes(const AdmSetup& setup);
  static size_t Bytes(const AdmSetup& setup);

  AdmArena arena_;
  AdmSplitRow filtered_[2][2];
  AdmBandRows reference_;
  std::vector<AdmSignals> signals_;
  int32_t* column_sums_;
};

}  // namespace acutance
