// The sum of a scale's largest contrasts. The bits of floats from 0 on are in the order of their values, so that the
// smallest that counts is found by two histograms: of the upper bits, and of the lower ones where those end.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "metric/cambi/cambi_frame.h"

namespace acutance {
namespace {

constexpr int kLowBits = 14;
constexpr uint32_t kHalfBits = std::bit_cast<uint32_t>(0.5f);  // no contrast but 0 is below
constexpr uint32_t kLargestBits = std::bit_cast<uint32_t>(16384.0f);
constexpr size_t kBuckets = std::max<size_t>((kLargestBits - kHalfBits) >> kLowBits, size_t{1} << kLowBits);

uint32_t Bucket(float contrast) { return (std::bit_cast<uint32_t>(contrast) - kHalfBits) >> kLowBits; }
uint32_t LowBits(float contrast) { return std::bit_cast<uint32_t>(contrast) & ((1u << kLowBits) - 1); }

void Add(CambiSum& sum, float contrast, int64_t times) {
  const double whole = std::floor(contrast);
  sum.whole += times * static_cast<int64_t>(whole);
  sum.fraction += times * static_cast<int64_t>(std::ldexp(contrast - whole, kCambiFractionBits));
}

/// Calls `visit` with each contrast that is listed.
template <class Visit>
void ForEachContrast(const CambiContrasts& contrasts, Visit visit) {
  for (const CambiList& list : contrasts.lists) std::for_each_n(list.first, list.length, visit);
}

/// The last bucket from the top down to which there are `count`; what is left of them in it.
struct Boundary {
  uint32_t bucket;
  int64_t left;
};

Boundary FindBoundary(const std::vector<uint32_t>& histogram, int64_t count) {
  uint32_t bucket = static_cast<uint32_t>(histogram.size()) - 1;
  for (; histogram[bucket] < count; --bucket) count -= histogram[bucket];
  return {bucket, count};
}

CambiSum SumOfAll(const CambiContrasts& contrasts) {
  CambiSum sum;
  for (const CambiSum& row : contrasts.sums) {
    sum.whole += row.whole;
    sum.fraction += row.fraction;
  }
  return sum;
}

CambiSum Select(const CambiContrasts& contrasts, int64_t count, std::vector<uint32_t>& histogram) {
  histogram.assign(kBuckets, 0);
  ForEachContrast(contrasts, [&](float contrast) {
    if (contrast > 0) ++histogram[Bucket(contrast)];
  });
  if (std::accumulate(histogram.begin(), histogram.end(), int64_t{0}) <= count) return SumOfAll(contrasts);
  const Boundary upper = FindBoundary(histogram, count);
  histogram.assign(kBuckets, 0);
  CambiSum sum;
  ForEachContrast(contrasts, [&](float contrast) {
    if (contrast == 0) return;
    if (Bucket(contrast) > upper.bucket) Add(sum, contrast, 1);
    else if (Bucket(contrast) == upper.bucket) ++histogram[LowBits(contrast)];
  });
  const uint32_t upper_bits = kHalfBits + (upper.bucket << kLowBits);
  const Boundary lower = FindBoundary(histogram, upper.left);
  for (uint32_t low = lower.bucket; low < histogram.size(); ++low)
    Add(sum, std::bit_cast<float>(upper_bits + low), low == lower.bucket ? lower.left : histogram[low]);
  return sum;
}

}  // namespace

CambiSum CambiSumOfLargest(const CambiContrasts& contrasts, int64_t count, CambiThread& thread) {
  int64_t listed = 0;
  for (const CambiList& list : contrasts.lists) listed += list.length;
  return Canonical(listed <= count ? SumOfAll(contrasts) : Select(contrasts, count, thread.histogram));
}

}  // namespace acutance
