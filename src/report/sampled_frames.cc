#include "report/sampled_frames.h"

#include <algorithm>
#include <cmath>

namespace acutance {

std::vector<int64_t> SampledFrames(int64_t frames, int subsample, int64_t most) {
  // Multiples of the golden ratio are spread over [0, 1) with the least gaps (Weyl's sequence).
  constexpr double kGolden = 0.6180339887498949;
  const int64_t scored = (frames + subsample - 1) / subsample, count = std::min(scored, most);
  std::vector<int64_t> sampled;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t first = scored * k / count, length = scored * (k + 1) / count - first;
    const double place = k * kGolden - std::floor(k * kGolden);
    sampled.push_back((first + static_cast<int64_t>(place * length)) * subsample);
  }
  return sampled;
}

}  // namespace acutance
