#include "align/frame_signature.h"

#include <algorithm>
#include <cmath>

namespace acutance {
namespace {

constexpr int kMostRows = 16;  // of a cell: 16 samples of 8 bits fit into 16 bits
constexpr int kColumns = FrameSignature::kColumns;
constexpr int kRows = FrameSignature::kRows;

struct Range {
  int begin, end;
};

/// Cell `index` of `count` along a side; it has a sample at least, which small pictures' cells share.
Range CellRange(int index, int count, int side) {
  const int begin = static_cast<int>(static_cast<int64_t>(index) * side / count);
  const int end = static_cast<int>(static_cast<int64_t>(index + 1) * side / count);
  return {begin, std::max(end, begin + 1)};
}

/// Rows of a cell: the first, from one to the next, and how many.
struct CellRows {
  int first, step, count;
};

/// The sums of `kWidth` columns from `x` on; the compiler keeps them in registers.
template <int kWidth, class Sample, class Sum>
void AddColumns(const Plane& luma, const CellRows& rows, int x, Sum* sums) {
  Sum running[kWidth] = {};
  for (int i = 0; i < rows.count; ++i) {
    const Sample* row = luma.Row<Sample>(rows.first + i * rows.step) + x;
    for (int k = 0; k < kWidth; ++k) running[k] = static_cast<Sum>(running[k] + row[k]);
  }
  std::copy_n(running, kWidth, sums + x);
}

template <class Sample, class Sum>
void AddRows(const Plane& luma, const CellRows& rows, Sum* sums) {
  constexpr int kChunk = 64 / static_cast<int>(sizeof(Sum));  // half of the registers of SSE2
  int x = 0;
  for (; x + kChunk <= luma.width; x += kChunk) AddColumns<kChunk, Sample>(luma, rows, x, sums);
  for (; x < luma.width; ++x) AddColumns<1, Sample>(luma, rows, x, sums);
}

template <class Sample, class Sum>
void ReduceCells(const Plane& luma, int bit_depth, FrameSignature& signature) {
  std::vector<Sum> sums(static_cast<size_t>(luma.width));
  for (int row = 0; row < kRows; ++row) {
    const Range down = CellRange(row, kRows, luma.height);
    const int step = (down.end - down.begin + kMostRows - 1) / kMostRows;
    const int first = down.begin + step / 2, rows = (down.end - first + step - 1) / step;
    AddRows<Sample>(luma, {first, step, rows}, sums.data());
    for (int column = 0; column < kColumns; ++column) {
      const Range across = CellRange(column, kColumns, luma.width);
      uint64_t sum = 0;
      for (int x = across.begin; x < across.end; ++x) sum += sums[static_cast<size_t>(x)];
      const auto samples = static_cast<uint64_t>(across.end - across.begin) * static_cast<uint64_t>(rows);
      signature.cells[static_cast<size_t>(row * kColumns + column)] =
          static_cast<uint16_t>((sum << (16 - bit_depth)) / samples);
    }
  }
}

}  // namespace

std::optional<double> PlausibleRate(std::optional<double> rate) {
  constexpr double kSlowest = 1e-3, kFastest = 1e5;
  return rate && *rate >= kSlowest && *rate <= kFastest ? rate : std::nullopt;
}

std::optional<double> PlausibleTime(std::optional<double> time) {
  constexpr double kMost = 1e9;  // 31 years
  return time && std::abs(*time) <= kMost ? time : std::nullopt;
}

FrameSignature SignatureOf(const Picture& picture) {
  FrameSignature signature;
  const Plane& luma = picture.planes[0];
  if (picture.format.bit_depth == 8) ReduceCells<uint8_t, uint16_t>(luma, 8, signature);
  else ReduceCells<uint16_t, uint32_t>(luma, picture.format.bit_depth, signature);
  return signature;
}

}  // namespace acutance
