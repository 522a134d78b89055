#include "metric/cambi/cambi_frame.h"

#include <algorithm>

#include "base/int_math.h"
#include "base/large_pages.h"
#include "simd/aligned_memory.h"

namespace acutance {
namespace {

int Stride(int width) { return CeilDiv(width, kCambiRowMultiple) * kCambiRowMultiple + kCambiRowMultiple; }

/// [0] the whole picture at half size, then the scales.
std::vector<PictureSize> ImageSizes(const CambiSettings& settings, const CambiPass& pass) {
  std::vector<PictureSize> sizes;
  if (settings.half_size) sizes.push_back({pass.width, pass.height});
  for (int scale = 0; scale < kCambiScales; ++scale) sizes.push_back(CambiScaleSize(settings, pass, scale));
  return sizes;
}

}  // namespace

CambiPassFrame::CambiPassFrame(const CambiSettings& settings, const CambiPass& pass) {
  size_t words = 0, blocks = 0;
  for (const PictureSize size : ImageSizes(settings, pass)) {
    const int stride = Stride(size.width);
    images.push_back({size.width, size.height, stride});
    words += static_cast<size_t>(stride) * size.height;
    blocks += static_cast<size_t>(CambiImage::Blocks(size.width) + 1) * size.height;
  }
  const size_t bytes = CeilDiv(words * sizeof(uint16_t), kLargePage) * kLargePage;
  memory = AllocateVectors<std::byte>(bytes + kLargePage);
  auto* next = reinterpret_cast<uint16_t*>(FirstLargePage(memory.get()));
  if (bytes > kLargePage) PreferLargePages(next, bytes);
  counted.assign(blocks, 0);
  uint8_t* next_counted = counted.data();
  for (CambiImage& image : images) {
    image.counted = next_counted;
    next_counted = image.Counted(image.height);
    image.words = next;
    next += static_cast<size_t>(image.stride) * image.height;
    // What vectors read behind a row's end is masked, and yet nothing should depend on memory without a value.
    for (int y = 0; y < image.height; ++y) std::fill(image.Row(y) + image.width, image.Row(y + 1), uint16_t{0});
  }
  for (int s = 0; s < kCambiScales; ++s) {
    constexpr int kMultiple = 16;
    const CambiImage& image = scale(s);
    CambiContrasts& to = contrasts[s];
    to.strip_width = CeilDiv(CeilDiv(image.width, CeilDiv(image.width, kCambiStrip)), kMultiple) * kMultiple;
    to.strips = CeilDiv(image.width, to.strip_width);
    to.lists.resize(static_cast<size_t>(image.height) * to.strips);
    to.sums.assign(image.height, {});
    to.values = AllocateVectors<float>(to.lists.size() * (to.strip_width + CambiContrasts::kSlack));
  }
}

CambiComparisons::CambiComparisons(const CambiSettings& settings) : contrasts(settings.contrasts) {
  const auto is_compared = [&](int value) {
    for (int d = 0; d < contrasts; ++d)
      if (CambiCompares(settings, value, d)) return true;
    return false;
  };
  for (int value = 0; value < kCambiCodes; ++value) {
    if (!is_compared(value)) continue;
    if (first_compared > last_compared) first_compared = value;
    last_compared = value;
  }
  if (first_compared > last_compared) return;
  first_counted = first_compared - contrasts;
  last_counted = last_compared + contrasts;
  for (int value = first_compared; value <= last_compared; ++value)
    for (int d = 0; d < contrasts; ++d)
      weights.push_back(CambiCompares(settings, value, d) ? static_cast<float>(CambiWeight(d)) : 0.0f);
}

CambiThread::CambiThread(const CambiSettings& settings, const CambiComparisons& comparisons) {
  int width = 0, window = 0;
  for (const CambiPass& pass : settings.passes) {
    width = std::max(width, pass.width);
    window = std::max(window, pass.window);
  }
  samples.Resize(width);
  for (CambiRow<uint16_t>& row : codes) row.Resize(width);
  for (CambiRow<uint16_t>& row : images) row.Resize(width);
  for (CambiRow<uint16_t>& row : modes) row.Resize(width);
  for (CambiRow<int8_t>& row : flat) row.Resize(width);
  flat_columns.Resize(width);
  masks.Resize(width);
  const int values = comparisons.last_counted - comparisons.first_counted + 1;
  const size_t words = static_cast<size_t>(std::max(values, 1)) * kCambiCountStride;
  counts = AllocateVectors<uint16_t>(words);
  std::fill_n(counts.get(), words, uint16_t{0});
  present.assign(values, 0);
  presence.Resize(std::max(values, 1));
  sums = AllocateVectors<int32_t>(kCambiStrip + CambiContrasts::kSlack);
  std::fill_n(sums.get(), kCambiStrip + CambiContrasts::kSlack, 0);
  runs.resize(window + 1);
}

}  // namespace acutance
