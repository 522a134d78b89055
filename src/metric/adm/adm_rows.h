// Memory of ADM's SIMD implementation: band a of a frame, and the rows that one thread works on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "image/picture.h"
#include "metric/adm/adm_scale.h"
#include "metric/blocks/float_rows.h"
#include "metric/metric.h"

namespace acutance {

/// A row of int16 in `top` at scale 0; above, of int32 as 65536 * top + rest + 32768 (README.md).
struct AdmSplitRow {
  int16_t* top;
  int16_t* rest;
};

/// Band a of scales 0 to 2 of both pictures. Above scale 0, the rests of a row follow its tops.
class AdmFrameWorkspace : public Workspace {
 public:
  explicit AdmFrameWorkspace(const AdmSetup& setup) {
    for (int scale = 0; scale + 1 < kAdmScales; ++scale)
      for (int picture = 0; picture < 2; ++picture) {
        const AdmScale& s = setup.scales[scale];
        const int parts = scale == 0 ? 1 : 2;
        Rows& rows = rows_.emplace_back(parts * s.height, s.width);
        const ptrdiff_t stride = parts * rows.stride() * static_cast<ptrdiff_t>(sizeof(int16_t));
        planes_[scale][picture] = {reinterpret_cast<const std::byte*>(rows.Row(0)), stride, s.width, s.height};
      }
  }

  const Plane& a(int scale, int picture) const { return planes_[scale][picture]; }
  AdmSplitRow Row(int scale, int picture, int y) {
    int16_t* top = const_cast<int16_t*>(planes_[scale][picture].Row<int16_t>(y));
    return {top, top + RestOffset(planes_[scale][picture])};
  }
  static ptrdiff_t RestOffset(const Plane& plane) { return plane.stride / 2 / static_cast<ptrdiff_t>(sizeof(int16_t)); }

 private:
  using Rows = PaddedRows<int16_t, 64>;
  std::vector<Rows> rows_;
  std::array<std::array<Plane, 2>, kAdmScales - 1> planes_;
};

/// Elements that vectors may touch before and behind a row.
inline constexpr int kAdmMargin = 128;
using AdmElementRows = PaddedRows<int32_t, kAdmMargin>;

/// A row of each detail band: int16 at scale 0, in the halved order of adm_wavelet-inl.h; int32 above.
struct AdmBandRows {
  std::array<std::byte*, kAdmBands> bytes;

  template <class T>
  T* Band(int band) const {
    return reinterpret_cast<T*>(bytes[band]);
  }
};

/// Those that begin at row `first` of `rows`.
inline AdmBandRows BandRowsAt(AdmElementRows& rows, int first) {
  AdmBandRows bands;
  for (int band = 0; band < kAdmBands; ++band) bands.bytes[band] = reinterpret_cast<std::byte*>(rows.Row(first + band));
  return bands;
}

/// One decoupled row of a signal, restored or additive. Element 0 is the column left of the scored ones.
struct AdmSignalRow {
  int32_t* share;          // sum of F over the bands, what the pixel adds to its neighbours' thresholds
  int32_t* less_centre;    // share less what its own threshold gets instead
  AdmBandRows magnitudes;  // |x| at scale 0; |C| above
};

/// A row of a distorted video before any options: its detail bands, what of their magnitudes the reference restores
/// without enhancement, and -1 where a gain limit may raise that. Element 0 is the first column of the work range.
struct AdmDecoupledRow {
  AdmBandRows distorted, restored;
  std::byte* flags;
};

/// The last three decoupled rows of a distorted video by one set of options.
class AdmSignals {
 public:
  explicit AdmSignals(const AdmSetup& setup) : memory_(2 * 3 * kRows, setup.scales[0].width) {
    for (int i = 0; i < 2 * 3; ++i)
      rows_[i / 3][i % 3] = {memory_.Row(kRows * i), memory_.Row(kRows * i + 1), BandRowsAt(memory_, kRows * i + 2)};
  }

  /// The restored (0) or additive (1) signal of row y.
  const AdmSignalRow& Row(int additive, int y) const { return rows_[additive][y % 3]; }

 private:
  static constexpr int kRows = 2 + kAdmBands;  // of a signal row
  AdmElementRows memory_;
  AdmSignalRow rows_[2][3];
};

class AdmThreadWorkspace : public Workspace {
 public:
  explicit AdmThreadWorkspace(const AdmSetup& setup)
      : halves_(2 * 2 * 2, setup.scales[0].in_width), elements_(4 * kAdmBands + 1, setup.scales[0].width) {
    for (int i = 0; i < 2 * 2; ++i) filtered_[i / 2][i % 2] = {halves_.Row(2 * i), halves_.Row(2 * i + 1)};
  }

  /// A row filtered vertically, low or high, of the reference (0) or distorted (1) picture.
  const AdmSplitRow& Filtered(int high, int picture) const { return filtered_[high][picture]; }
  /// The reference's detail bands. Element 0 is the first column of the work range.
  AdmBandRows Reference() { return BandRowsAt(elements_, 0); }
  AdmDecoupledRow Decoupled() {
    return {BandRowsAt(elements_, kAdmBands), BandRowsAt(elements_, 2 * kAdmBands),
            reinterpret_cast<std::byte*>(elements_.Row(3 * kAdmBands))};
  }
  /// For what exceeds the thresholds of a row.
  AdmBandRows Excess() { return BandRowsAt(elements_, 3 * kAdmBands + 1); }
  const AdmSignals& Signals(int result) const { return signals_[result]; }

  /// Makes room for the signals of `results` distorted videos by all sets of options.
  void Reserve(const AdmSetup& setup, size_t results) {
    while (signals_.size() < results) signals_.emplace_back(setup);
  }

 private:
  PaddedRows<int16_t, kAdmMargin> halves_;
  AdmElementRows elements_;
  AdmSplitRow filtered_[2][2];
  std::vector<AdmSignals> signals_;
};

}  // namespace acutance
