// Each lane has a column.
#include <algorithm>
#include <vector>

#include "metric/cvvdp/cvvdp.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/cvvdp/cvvdp_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/cvvdp/cvvdp_strips-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR  // the plain loops are as good

void FilterRow(const CvvdpFilter& filter, std::span<const std::array<const float*, 3>> rows, int width,
               const std::array<float*, kCvvdpChannels>& to) {
  CvvdpFilterRowRef(filter, rows, width, to);
}

void ReduceRow(const CvvdpPlane& from, int y, const CvvdpPlane& to, CvvdpBuffers&) { CvvdpReduceRowRef(from, y, to); }

void Strips(std::span<const CvvdpBand> bands, int begin, int end, std::span<const std::span<int64_t>> words,
            CvvdpBuffers&) {
  for (size_t i = 0; i < bands.size(); ++i) {
    const int strips = (bands[i].scale[0][0].height + kCvvdpStrip - 1) / kCvvdpStrip;
    std::vector<int64_t> all(static_cast<size_t>(strips) * kCvvdpChannels);
    CvvdpStripsRef(bands[i], all);
    std::copy(all.begin() + begin * kCvvdpChannels, all.begin() + end * kCvvdpChannels, words[i].begin());
  }
}

#else

/// `count` channels made of channel `from`, the columns that fill whole vectors. Returns how many they are.
template <int count>
int FilterColumns(const CvvdpFilter& filter, std::span<const std::array<const float*, 3>> rows, int width, int from,
                  const std::array<float*, kCvvdpChannels>& to) {
  const int lanes = Lanes(), unrolled = 2 * lanes;
  const auto run = [&](int x, auto vectors) {
    VF sums[count][vectors()];
    for (size_t k = 0; k < rows.size(); ++k)
      for (int i = 0; i < count; ++i) {
        const VF tap = Number(filter.taps[from + 3 * i][k]);
        for (int v = 0; v < vectors(); ++v) {
          const VF product = hn::Mul(Load(rows[k][from] + x + v * lanes), tap);
          sums[i][v] = k == 0 ? product : hn::Add(sums[i][v], product);
        }
      }
    for (int i = 0; i < count; ++i)
      for (int v = 0; v < vectors(); ++v) Store(sums[i][v], to[from + 3 * i] + x + v * lanes);
  };
  int x = 0;
  for (; x + unrolled <= width; x += unrolled) run(x, std::integral_constant<int, 2>());
  for (; x + lanes <= width; x += lanes) run(x, std::integral_constant<int, 1>());
  return x;
}

/// Channel by channel: processors follow few rows at once.
void FilterRow(const CvvdpFilter& filter, std::span<const std::array<const float*, 3>> rows, int width,
               const std::array<float*, kCvvdpChannels>& to) {
  if (filter.channels == kCvvdpChannels) FilterColumns<2>(filter, rows, width, 0, to);
  else FilterColumns<1>(filter, rows, width, 0, to);
  FilterColumns<1>(filter, rows, width, 1, to);
  const int x = FilterColumns<1>(filter, rows, width, 2, to);
  if (x == width) return;
  std::vector<std::array<const float*, 3>> rest(rows.begin(), rows.end());
  for (auto& row : rest)
    for (const float*& channel : row) channel += x;
  CvvdpFilterRowRef(filter, rest, width - x, {to[0] + x, to[1] + x, to[2] + x, to[3] + x});
}

HWY_INLINE VF Reduced(VF a, VF b, VF c, VF d, VF e) {
  const VF inner = hn::Add(hn::Mul(c, Number(0.4f)), hn::Mul(hn::Add(b, d), Number(0.25f)));
  return hn::Add(inner, hn::Mul(hn::Add(a, e), Number(0.05f)));
}

/// What stands beyond the right edge (docs/spec/cvvdp.md 4.1); it may replace the last sample, which nothing else
/// reads.
void ExtendRow(float* row, int width, bool odd_rows) {
  const float last = row[width - 1], before = row[width - 2];
  row[-1] = row[0];
  row[-2] = row[1];
  if (width % 2 == 0) {
    row[width - 1] = odd_rows ? last + last : last;
    row[width] = odd_rows ? before : last;
  } else {
    row[width] = odd_rows ? last : 0.0f;
    row[width + 1] = odd_rows ? before : last;
  }
}

void ReduceRow(const CvvdpPlane& from, int y, const CvvdpPlane& to, CvvdpBuffers& buffers) {
  const DF d;
  const int lanes = Lanes(), height = from.height;
  const float* rows[5];
  for (int i = 0; i < 5; ++i) {
    int at = 2 * y + i - 2;
    if (at < 0) at = -1 - at;
    if (at >= height) at = 2 * height - 1 - at;
    rows[i] = from.Row(at);
  }
  float* column = buffers.row.get() + kCvvdpPadding;
  for (int x = 0; x < from.width; x += lanes)
    Store(Reduced(Load(rows[0] + x), Load(rows[1] + x), Load(rows[2] + x), Load(rows[3] + x), Load(rows[4] + x)),
          column + x);
  ExtendRow(column, from.width, height % 2 != 0);
  for (int x = 0; x < to.width; x += lanes) {
    VF a, b, c, e, f, unused;
    hn::LoadInterleaved2(d, column + 2 * x - 2, a, b);
    hn::LoadInterleaved2(d, column + 2 * x, c, e);
    hn::LoadInterleaved2(d, column + 2 * x + 2, f, unused);
    Store(Reduced(a, b, c, e, f), to.Row(y) + x);
  }
}

template <int channels>
void StripsOf(std::span<const CvvdpBand> bands, int begin, int end, std::span<const std::span<int64_t>> words,
              CvvdpBuffers& buffers) {
  const CvvdpPlane& plane = bands[0].scale[0][0];
  const int ahead = StripSums<channels>::Ahead(bands[0]);
  std::vector<StripSums<channels>> videos;
  for (size_t i = 0; i < bands.size(); ++i)
    videos.emplace_back(bands[i], begin * kCvvdpStrip, buffers, buffers.videos[i]);
  float* first = buffers.reference.get() + kCvvdpPadding;
  ReferenceRows<channels> reference(bands[0], first, buffers.stride);
  KeptRows<channels> kept(reference, plane.width, first + kCvvdpChannels * buffers.stride, buffers.stride);
  int made = std::max(begin * kCvvdpStrip - ahead, 0);
  for (int strip = begin; strip < end; ++strip) {
    const int last = std::min((strip + 1) * kCvvdpStrip, plane.height);
    for (auto& video : videos) video.Begin();
    if (videos.size() == 1) videos[0].Run(strip * kCvvdpStrip, last, reference);
    else
      for (int y = strip * kCvvdpStrip; y < last; y += CvvdpBuffers::kTogether) {
        const int stop = std::min(y + CvvdpBuffers::kTogether, last), needed = std::min(stop + ahead, plane.height);
        kept.Keep(made, needed);
        made = needed;
        for (auto& video : videos) video.Run(y, stop, kept);
      }
    for (size_t i = 0; i < videos.size(); ++i)
      videos[i].End(words[i].subspan(static_cast<size_t>(strip - begin) * kCvvdpChannels, kCvvdpChannels));
  }
}

void Strips(std::span<const CvvdpBand> bands, int begin, int end, std::span<const std::span<int64_t>> words,
            CvvdpBuffers& buffers) {
  if (bands[0].channels == kCvvdpChannels) StripsOf<kCvvdpChannels>(bands, begin, end, words, buffers);
  else StripsOf<3>(bands, begin, end, words, buffers);
}

#endif  // HWY_TARGET == HWY_SCALAR

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

namespace {

hwy::AlignedFreeUniquePtr<float[]> Zeros(size_t count) {
  auto memory = AllocateVectors<float>(count);
  std::fill_n(memory.get(), count, 0.0f);
  return memory;
}

}  // namespace

CvvdpBuffers::CvvdpBuffers(int width)
    : stride((width + 3 * kCvvdpPadding - 1) / kCvvdpPadding * kCvvdpPadding),
      row(Zeros(static_cast<size_t>(stride) + kCvvdpPadding)) {}

void CvvdpBuffers::MakeVideos(size_t count) {
  // A single video uses the reference's rows at once, so none are stored.
  const size_t rows = count > 1 ? kReferenceRows : kCvvdpChannels;
  if (videos.empty() || (videos.size() == 1 && count > 1)) reference = Zeros(rows * stride + kCvvdpPadding);
  while (videos.size() < count)
    videos.push_back({Zeros(static_cast<size_t>(stride) * kVideoRows + kCvvdpPadding),
                      AlignedArray<double>(static_cast<size_t>(stride) * kCvvdpChannels)});
}

HWY_EXPORT(FilterRow);
HWY_EXPORT(ReduceRow);
HWY_EXPORT(Strips);

void CvvdpFilterRow(const CvvdpFilter& filter, std::span<const std::array<const float*, 3>> rows, int width,
                    const std::array<float*, kCvvdpChannels>& to) {
  HWY_DYNAMIC_DISPATCH(FilterRow)(filter, rows, width, to);
}

void CvvdpReduceRow(const CvvdpPlane& from, int y, const CvvdpPlane& to, CvvdpBuffers& buffers) {
  HWY_DYNAMIC_DISPATCH(ReduceRow)(from, y, to, buffers);
}

void CvvdpStrips(std::span<const CvvdpBand> bands, int begin, int end, std::span<const std::span<int64_t>> words,
                 CvvdpBuffers& buffers) {
  buffers.MakeVideos(bands.size());
  HWY_DYNAMIC_DISPATCH(Strips)(bands, begin, end, words, buffers);
}

}  // namespace acutance
#endif  // HWY_ONCE
