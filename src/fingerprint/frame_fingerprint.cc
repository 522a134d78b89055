#include "fingerprint/frame_fingerprint.h"

#include <algorithm>
#include <span>
#include <vector>

#include "fingerprint/add_rows.h"

namespace acutance {
namespace {

// Each cell has four quarters.
constexpr int kColumns = 2 * FrameFingerprint::kColumns, kRows = 2 * FrameFingerprint::kRows;
constexpr int kMostRows = 8;  // of a quarter: samples of 8 bits fit into 16 bits
using Quarters = std::array<int32_t, static_cast<size_t>(kColumns) * kRows>;

/// Rows of a quarter: where the first one lies and how far the next one, in 2^-16 rows, and how many there are.
struct QuarterRows {
  int64_t first, step;
  int count;
};

template <class Sample>
std::array<const Sample*, kMostRows> Pointers(const Plane& luma, const QuarterRows& rows) {
  std::array<const Sample*, kMostRows> pointers{};
  for (int i = 0; i < rows.count; ++i)
    pointers[static_cast<size_t>(i)] = luma.Row<Sample>(static_cast<int>((rows.first + i * rows.step) >> 16));
  return pointers;
}

/// The rows of a quarter that are read, evenly spaced; the same one more than once where quarters are flat.
QuarterRows RowsOf(int quarter, int height) {
  const int count = FingerprintRows(height);
  const int64_t step = (int64_t{height} << 16) / (kRows * count);
  return {step / 2 + ((int64_t{quarter} * height << 16) / kRows), step, count};
}

/// The means of quarters in 16 bits. A sample at an edge counts in proportion to its area in the quarter.
template <class Sample, class Sum>
Quarters Reduce(const Plane& luma, int bit_depth) {
  Quarters quarters;
  std::vector<Sum> sums(static_cast<size_t>(luma.width) + 1);  // the last one has no part in any
  for (int row = 0; row < kRows; ++row) {
    const QuarterRows rows = RowsOf(row, luma.height);
    const auto pointers = Pointers<Sample>(luma, rows);
    AddRows(std::span(pointers.data(), static_cast<size_t>(rows.count)), luma.width, sums.data());
    const auto samples =
        static_cast<uint64_t>(luma.width) * static_cast<uint64_t>(rows.count);  // of a quarter, times kColumns
    int64_t begin = 0;
    uint64_t before = 0;  // the part of the sample at `begin` that belongs to the quarter before
    for (int column = 0; column < kColumns; ++column) {
      const int64_t edge = (column + int64_t{1}) * luma.width, end = edge / kColumns;
      const auto after = static_cast<uint64_t>(edge % kColumns);
      uint32_t whole = 0;  // of 8 rows of 16 bits and less than 2^13 columns
      for (int64_t x = begin; x < end; ++x) whole += sums[static_cast<size_t>(x)];
      const uint64_t sum = uint64_t{whole} * kColumns - before * sums[static_cast<size_t>(begin)] +
                           after * sums[static_cast<size_t>(end)];
      quarters[static_cast<size_t>(row * kColumns + column)] =
          static_cast<int32_t>((sum << (16 - bit_depth)) / samples);
      begin = end;
      before = after;
    }
  }
  return quarters;
}

int8_t DetailOf(int32_t twice) {
  constexpr int32_t kUnit = 2 * FrameFingerprint::kDetailStep;
  return static_cast<int8_t>(std::clamp((twice + kUnit / 2) >> 7, -127, 127));
  static_assert(kUnit == 1 << 7);
}

}  // namespace

int FingerprintRows(int height) { return std::clamp((height + kRows - 1) / kRows, 1, kMostRows); }

FrameFingerprint FingerprintOf(const Plane& luma, int bit_depth) {
  const Quarters quarters =
      bit_depth == 8 ? Reduce<uint8_t, uint16_t>(luma, 8) : Reduce<uint16_t, uint32_t>(luma, bit_depth);
  FrameFingerprint fingerprint;
  for (int cell = 0; cell < FrameFingerprint::kCells; ++cell) {
    const int32_t* upper = quarters.data() +
                           static_cast<ptrdiff_t>(2 * (cell / FrameFingerprint::kColumns)) * kColumns +
                           static_cast<ptrdiff_t>(2 * (cell % FrameFingerprint::kColumns));
    const int32_t* lower = upper + kColumns;
    fingerprint.cells[static_cast<size_t>(cell)] =
        static_cast<uint16_t>((upper[0] + upper[1] + lower[0] + lower[1]) / 4);
    int8_t* details = fingerprint.details.data() + static_cast<ptrdiff_t>(cell) * FrameFingerprint::kDetailsOfCell;
    details[0] = DetailOf(upper[0] - upper[1] + lower[0] - lower[1]);
    details[1] = DetailOf(upper[0] + upper[1] - lower[0] - lower[1]);
    details[2] = DetailOf(upper[0] - upper[1] - lower[0] + lower[1]);
  }
  return fingerprint;
}

FrameFingerprint FingerprintOf(const Picture& picture) {
  return FingerprintOf(picture.planes[0], picture.format.bit_depth);
}

void ToWords(const FrameFingerprint& fingerprint, std::span<int64_t> words) {
  for (size_t cell = 0; cell < FrameFingerprint::kCells; ++cell) {
    uint64_t word = fingerprint.cells[cell];
    for (size_t d = 0; d < FrameFingerprint::kDetailsOfCell; ++d)
      word |= uint64_t{static_cast<uint8_t>(fingerprint.details[cell * FrameFingerprint::kDetailsOfCell + d])}
              << (16 + 8 * d);
    words[cell] = static_cast<int64_t>(word);
  }
}

FrameFingerprint FingerprintOf(std::span<const int64_t> words) {
  FrameFingerprint fingerprint;
  for (size_t cell = 0; cell < FrameFingerprint::kCells; ++cell) {
    const auto word = static_cast<uint64_t>(words[cell]);
    fingerprint.cells[cell] = static_cast<uint16_t>(word);
    for (size_t d = 0; d < FrameFingerprint::kDetailsOfCell; ++d)
      fingerprint.details[cell * FrameFingerprint::kDetailsOfCell + d] = static_cast<int8_t>(word >> (16 + 8 * d));
  }
  return fingerprint;
}

}  // namespace acutance
