// Pixels that differ are collected from a row, then each lane computes one.
#include <algorithm>

#include "metric/ciede/ciede.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/ciede/ciede_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/ciede/ciede_vector-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // one lane has no doubles beside floats; the plain loops are as good

double RowSum(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth, const CiedeChroma& chroma,
              int y, CiedeBuffers&) {
  return CiedeRowRef(reference, distorted, bit_depth, chroma, y);
}

#else

template <class Sample>
void ReadLuma(const Plane& plane, int y, uint16_t* row) {
  std::copy_n(plane.Row<Sample>(y), plane.width, row);
}

/// Chroma of `width` pixels of row y.
template <class Sample>
void ReadChroma(const Plane& plane, const CiedeChroma& chroma, int y, int width, uint16_t* row) {
  if (chroma.format == PixelFormat::k444) return ReadLuma<Sample>(plane, y, row);
  if (chroma.format == PixelFormat::k420) {
    const Sample* from = plane.Row<Sample>(std::min(y / 2, plane.height - 1));
    for (int x = 0; x < plane.width; ++x) row[2 * x] = row[2 * x + 1] = from[x];
    if (width > 2 * plane.width) row[width - 1] = from[plane.width - 1];
    return;
  }
  for (int first = 0, down = 0; first < width; first += chroma.stride, ++down) {
    const Sample* from = plane.Row<Sample>(std::min(y / 2 + down, plane.height - 1));
    const int count = std::min(chroma.stride, width - first), real = std::min(count, plane.width);
    std::copy_n(from, real, row + first);
    std::fill_n(row + first + real, count - real, uint16_t{0});
  }
}

template <class Sample>
void ReadRows(const CiedePicture& picture, const CiedeChroma& chroma, int y,
              std::array<std::vector<uint16_t>, 3>& rows) {
  ReadLuma<Sample>(picture.planes[0], y, rows[0].data());
  for (int p = 1; p < 3; ++p) ReadChroma<Sample>(picture.planes[p], chroma, y, picture.planes[0].width, rows[p].data());
}

/// Copies the pixels that differ, and says how many they are. Equal ones have a difference of 0.
int CollectUnequal(int width, CiedeBuffers& buffers) {
  const auto& [r, d] = buffers.samples;
  int count = 0;
  for (int x = 0; x < width; ++x) {
    for (int p = 0; p < 3; ++p) {
      buffers.unequal[0][p][count] = r[p][x];
      buffers.unequal[1][p][count] = d[p][x];
    }
    count += ((r[0][x] ^ d[0][x]) | (r[1][x] ^ d[1][x]) | (r[2][x] ^ d[2][x])) != 0;
  }
  return count;
}

double RowSum(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth, const CiedeChroma& chroma,
              int y, CiedeBuffers& buffers) {
  const auto read = bit_depth > 8 ? ReadRows<uint16_t> : ReadRows<uint8_t>;
  read(reference, chroma, y, buffers.samples[0]);
  read(distorted, chroma, y, buffers.samples[1]);
  const int count = CollectUnequal(reference.planes[0].width, buffers);
  Differences(buffers.unequal, bit_depth, count, buffers.differences.data());
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += static_cast<double>(buffers.differences[i]);
  return sum;
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(RowSum);

double CiedeRow(const CiedePicture& reference, const CiedePicture& distorted, int bit_depth, const CiedeChroma& chroma,
                int y, CiedeBuffers& buffers) {
  return HWY_DYNAMIC_DISPATCH(RowSum)(reference, distorted, bit_depth, chroma, y, buffers);
}

}  // namespace acutance
#endif  // HWY_ONCE
