#include "metric/frame_fingerprint/frame_fingerprint_ref.h"

#include <algorithm>

#include "kernel/kernel.h"

namespace acutance {
namespace {

#include "metric/frame_fingerprint/frame_fingerprint_math.kernel.h"

constexpr int kMostRows = 8;  // of a quarter

uint32_t SampleAt(const Plane& luma, int bit_depth, int x, int y) {
  return bit_depth > 8 ? luma.Row<uint16_t>(y)[x] : luma.Row<uint8_t>(y)[x];
}

/// The part of row y that lies in a column of quarters.
uint64_t SumOfRow(const Plane& luma, int bit_depth, int column, int y) {
  const int left = column * luma.width, right = left + luma.width;  // in 64ths of samples
  const int begin = left / SIGNATURE_QUARTERS, end = right / SIGNATURE_QUARTERS, after = right % SIGNATURE_QUARTERS;
  uint32_t whole = 0;
  for (int x = begin; x < end; ++x) whole += SampleAt(luma, bit_depth, x, y);
  const uint32_t first = SampleAt(luma, bit_depth, begin, y);
  const uint32_t last = after > 0 ? SampleAt(luma, bit_depth, end, y) : 0;
  return quarter_sum(whole, static_cast<uint32_t>(left % SIGNATURE_QUARTERS), first, static_cast<uint32_t>(after),
                     last);
}

int32_t MeanOf(const Plane& luma, int bit_depth, int column, int quarter) {
  const int all = 2 * SIGNATURE_ROWS, rows = std::clamp((luma.height + all - 1) / all, 1, kMostRows);
  uint64_t sum = 0;
  for (int i = 0; i < rows; ++i)
    sum += SumOfRow(luma, bit_depth, column, fingerprint_row(quarter, i, luma.height, rows));
  return quarter_mean(sum, luma.width * rows, bit_depth);
}

}  // namespace

std::vector<int64_t> FrameFingerprintRef(const Plane& luma, int bit_depth) {
  std::vector<int64_t> words;
  for (int y = 0; y < 2 * SIGNATURE_ROWS; y += 2)
    for (int x = 0; x < SIGNATURE_QUARTERS; x += 2)
      words.push_back(cell_word(MeanOf(luma, bit_depth, x, y), MeanOf(luma, bit_depth, x + 1, y),
                                MeanOf(luma, bit_depth, x, y + 1), MeanOf(luma, bit_depth, x + 1, y + 1)));
  return words;
}

}  // namespace acutance
