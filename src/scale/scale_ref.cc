#include <algorithm>

#include "scale/scale_rows.h"

namespace acutance {
namespace {

template <class Sample>
int SampleAt(const Plane& plane, int x, int y) {
  return plane.Row<Sample>(std::clamp(y, 0, plane.height - 1))[std::clamp(x, 0, plane.width - 1)];
}

/// The sample at column x of the result, in a row of the source.
template <class Sample>
int Across(const ScaleJob& job, int x, int y) {
  const int middle = 1 << (job.bit_depth - 1);
  int sum = middle;
  for (int k = 0; k < job.across->taps; ++k)
    sum += job.across->weight(x, k) * (SampleAt<Sample>(job.from, job.across->first[x] + k, y) - middle);
  return sum >> job.bit_depth;
}

template <class Sample>
void Scale(const ScaleJob& job) {
  const int middle = 1 << (job.bit_depth - 1), shift = 2 * ScaleTaps::kBits - job.bit_depth;
  for (int y = 0; y < job.to_height; ++y)
    for (int x = 0; x < job.to_width; ++x) {
      int sum = 1 << (shift - 1);
      for (int k = 0; k < job.down->taps; ++k)
        sum += job.down->weight(y, k) * Across<Sample>(job, x, job.down->first[y] + k);
      const int value = std::clamp((sum >> shift) + middle, 0, 2 * middle - 1);
      reinterpret_cast<Sample*>(job.to + y * job.to_stride)[x] = static_cast<Sample>(value);
    }
}

}  // namespace

void ScalePlaneRef(const ScaleJob& job) { return job.bit_depth > 8 ? Scale<uint16_t>(job) : Scale<uint8_t>(job); }

}  // namespace acutance
