#include "convert/scale_rows.h"
#include "kernel/kernel.h"

namespace acutance {
namespace {

namespace scaling {
#include "convert/scale_math.kernel.h"
}  // namespace scaling

static_assert(scaling::kWeightBits == ScaleTaps::kBits);
static_assert(scaling::kRoundAwayFromZero == static_cast<int>(ScaleRounding::kAwayFromZero));
static_assert(scaling::kRoundToWholeSamples == static_cast<int>(ScaleRounding::kWholeSamples));

template <class Sample>
int SampleAt(const Plane& plane, int x, int y) {
  return plane.Row<Sample>(scaling::inside(y, plane.height))[scaling::inside(x, plane.width)];
}

/// The sample at column x of the result, in a row of the source.
template <class Sample>
int Across(const ScaleJob& job, int x, int y) {
  const auto rounding = static_cast<int>(job.across->rounding);
  int sum = scaling::across_start(job.bit_depth, rounding);
  for (int k = 0; k < job.across->taps; ++k) {
    const int sample = SampleAt<Sample>(job.from, job.across->first[x] + k, y);
    sum += job.across->weight(x, k) * scaling::centered(sample, job.bit_depth);
  }
  return scaling::across_result(sum, job.bit_depth, rounding);
}

template <class Sample>
void Scale(const ScaleJob& job) {
  for (int y = 0; y < job.to_height; ++y)
    for (int x = 0; x < job.to_width; ++x) {
      int sum = scaling::down_start(job.bit_depth);
      for (int k = 0; k < job.down->taps; ++k)
        sum += job.down->weight(y, k) * Across<Sample>(job, x, job.down->first[y] + k);
      const int value = scaling::down_result(sum, job.bit_depth);
      reinterpret_cast<Sample*>(job.to + y * job.to_stride)[x] = static_cast<Sample>(value);
    }
}

}  // namespace

void ScalePlaneRef(const ScaleJob& job) { return job.bit_depth > 8 ? Scale<uint16_t>(job) : Scale<uint8_t>(job); }

}  // namespace acutance
