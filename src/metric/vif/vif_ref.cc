#include "metric/vif/vif.h"

#include <algorithm>
#include <vector>

#include "metric/blocks/border.h"

namespace acutance {
namespace {

using Row = std::vector<uint64_t>;

/// sum of taps * sample(i + k) around i, mirrored at 0 and n.
template <class Sample>
uint64_t Filter(const VifFilter& filter, int i, int n, Sample sample) {
  uint64_t sum = 0;
  for (int k = -filter.radius; k <= filter.radius; ++k)
    sum += static_cast<uint64_t>(filter.Tap(k + filter.radius)) * sample(mirror_index(i + k, n));
  return sum;
}

uint64_t RoundShift(uint64_t x, int shift) { return (x + VifHalf(shift)) >> shift; }

/// A row of the vertically filtered image whose samples are value(x, y), each sum rounded by `round`.
template <class Value, class Round>
Row Vertical(const VifJob& job, const VifFilter& filter, int y, Value value, Round round) {
  Row row(job.images[0].width);
  for (int x = 0; x < job.images[0].width; ++x)
    row[x] = round(Filter(filter, y, job.images[0].height, [&](int i) { return value(x, i); }));
  return row;
}

template <class Value>
Row Means(const VifJob& job, const VifFilter& filter, int y, Value value) {
  return Vertical(job, filter, y, value,
                  [&](uint64_t sum) { return vif::rounded_mean(static_cast<uint32_t>(sum), job.bit_depth); });
}

template <class Value>
Row Squares(const VifJob& job, const VifFilter& filter, int y, Value value) {
  return Vertical(job, filter, y, value,
                  [&](uint64_t sum) { return RoundShift(sum, vif::square_shift(job.bit_depth)); });
}

uint64_t Horizontal(const VifFilter& filter, const Row& row, int x) {
  return Filter(filter, x, static_cast<int>(row.size()), [&](int i) { return row[i]; });
}

/// A variance or covariance, from a second moment and two means of the row.
int32_t Variance(uint64_t square, uint64_t mean1, uint64_t mean2) {
  const uint32_t product = vif::mean_product(static_cast<uint32_t>(mean1), static_cast<uint32_t>(mean2));
  return static_cast<int32_t>(static_cast<int64_t>(RoundShift(square, vif::kTapBits)) - product);
}

void AddPixel(int32_t s1, int32_t s2, int32_t s12, double gain_limit, std::span<int64_t, kVifSumsPerScale> sums) {
  if (s1 < vif::kNoise) {
    sums[kVifFlatNum] += s2;
    sums[kVifFlatCount] += 1;
    return;
  }
  const auto& table = VifLogTable();
  sums[kVifDenLog] += VifLog(table, vif::kNoise + s1) - static_cast<int>(vif::kNoiseLog);
  if (s12 <= 0 || s2 <= 0) return;
  const double gain = s12 / (s1 + kVifGainEpsilon);
  const double explained = gain * s12;
  const int32_t sv = std::max(static_cast<int32_t>(s2 - explained), 0);
  const double limited = std::min(gain, gain_limit);
  const double gain_squared = limited * limited;
  const int64_t n1 = sv + vif::kNoise;
  const int64_t n2 = static_cast<int64_t>(gain_squared * s1) + n1;
  sums[kVifNumLog] += VifLog(table, n2) - VifLog(table, n1);
}

/// sums_at(x): where those of column x go.
template <class SumsAt>
void AddRow(const VifJob& job, int y, SumsAt sums_at) {
  const VifFilter& filter = kVifFilters[job.scale];
  const auto ref = [&](int x, int i) -> uint64_t { return job.images[0].At(x, i); };
  const auto dis = [&](int x, int i) -> uint64_t { return job.images[1].At(x, i); };
  const Row a1 = Means(job, filter, y, ref), a2 = Means(job, filter, y, dis);
  const Row q11 = Squares(job, filter, y, [&](int x, int i) { return ref(x, i) * ref(x, i); });
  const Row q22 = Squares(job, filter, y, [&](int x, int i) { return dis(x, i) * dis(x, i); });
  const Row q12 = Squares(job, filter, y, [&](int x, int i) { return ref(x, i) * dis(x, i); });
  for (int x = 0; x < job.images[0].width; ++x) {
    const uint64_t m1 = Horizontal(filter, a1, x), m2 = Horizontal(filter, a2, x);
    const int32_t s1 = Variance(Horizontal(filter, q11, x), m1, m1);
    const int32_t s2 = Variance(Horizontal(filter, q22, x), m2, m2);
    const int32_t s12 = Variance(Horizontal(filter, q12, x), m1, m2);
    AddPixel(s1, std::max(s2, 0), s12, job.gain_limit, sums_at(x));
  }
}

void HalveRow(const VifJob& job, int image, int y) {
  const VifImage& from = job.images[image];
  const VifFilter& filter = kVifFilters[job.scale + 1];
  const auto sample = [&](int x, int i) -> uint64_t { return from.At(x, i); };
  const Row row = Means(job, filter, y, sample);
  int16_t* to = job.next[image] + y / 2 * job.next_stride;
  for (int x = 0; x < from.width / 2; ++x)
    to[x] =
        static_cast<int16_t>(static_cast<int64_t>(RoundShift(Horizontal(filter, row, 2 * x), vif::kTapBits)) - 32768);
}

template <class SumsAt>
void RunBand(const VifJob& job, RowBand band, SumsAt sums_at) {
  for (int y = band.begin; y < band.end; ++y) {
    if (job.statistics) AddRow(job, y, sums_at);
    if (job.next[0] == nullptr || y % 2 != 0 || y / 2 >= job.images[0].height / 2) continue;
    for (int image = 0; image < 2; ++image) HalveRow(job, image, y);
  }
}

}  // namespace

void RunVifBandRef(const VifJob& job, RowBand band, std::span<int64_t, kVifSumsPerScale> sums) {
  RunBand(job, band, [&](int) { return sums; });
}

void RunVifColumnsRef(const VifJob& job, RowBand band, int columns, std::span<const VifSums> sums) {
  RunBand(job, band, [&](int x) { return sums[x / columns]; });
}

}  // namespace acutance
