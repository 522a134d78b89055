#include "fingerprint/luma_information.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "fingerprint/information_rows.h"

namespace acutance {
namespace {

/// Sums over a picture, rows in order: of pictures below 8K, doubles hold them exactly.
struct Moments {
  double count = 0, sum = 0, squares = 0;

  void Add(const RowMoments& row, int samples) {
    count += samples;
    sum += static_cast<double>(row.sum);
    squares += static_cast<double>(row.squares);
  }

  std::optional<double> Deviation() const {
    if (count == 0) return std::nullopt;
    const double mean = sum / count;
    return std::sqrt(std::max(0.0, squares / count - mean * mean));
  }
};

template <class Sample>
Moments SobelMomentsOf(const Plane& luma, float scale) {
  Moments moments;
  for (int y = 1; y + 1 < luma.height && luma.width > 2; ++y) {
    const Sample* const rows[] = {luma.Row<Sample>(y - 1), luma.Row<Sample>(y), luma.Row<Sample>(y + 1)};
    moments.Add(SobelMoments(rows, luma.width, scale), luma.width - 2);
  }
  return moments;
}

template <class Sample>
Moments DifferenceMomentsOf(const Plane& luma, const Plane& before) {
  Moments moments;
  for (int y = 0; y < luma.height && before.data != nullptr; ++y)
    moments.Add(DifferenceMoments(luma.Row<Sample>(y), before.Row<Sample>(y), luma.width), luma.width);
  return moments;
}

template <class Sample>
LumaInformation Measure(const Plane& luma, const Plane& before, int bit_depth, bool full_range) {
  const auto fine = static_cast<double>(1 << (18 - bit_depth));  // units of a gradient in a sample's step
  const double steps = full_range ? (1 << bit_depth) - 1 : 219 << (bit_depth - 8);  // from black to white
  LumaInformation information{SobelMomentsOf<Sample>(luma, static_cast<float>(fine)).Deviation(),
                              DifferenceMomentsOf<Sample>(luma, before).Deviation()};
  if (information.spatial) *information.spatial *= 255 / steps / fine;
  if (information.temporal) *information.temporal *= 255 / steps;
  return information;
}

}  // namespace

LumaInformation LumaInformationOf(const Plane& luma, const Plane& before, int bit_depth, bool full_range) {
  return bit_depth == 8 ? Measure<uint8_t>(luma, before, bit_depth, full_range)
                        : Measure<uint16_t>(luma, before, bit_depth, full_range);
}

}  // namespace acutance
