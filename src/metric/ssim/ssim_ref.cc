#include <vector>

#include "metric/blocks/float_plane.h"
#include "metric/blocks/words.h"
#include "metric/ssim/ssim.h"

namespace acutance {
namespace {

using ssim::mirrored_with_edge;

FloatPlane ReadImage(const Plane& plane, int bit_depth) {
  FloatPlane image(plane.width, plane.height);
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) {
      if (bit_depth == kFloatDepth) image.at(x, y) = plane.Row<float>(y)[x];
      else if (bit_depth == 8) image.at(x, y) = plane.Row<uint8_t>(y)[x];
      else image.at(x, y) = static_cast<float>(plane.Row<uint16_t>(y)[x]) / static_cast<float>(1 << (bit_depth - 8));
    }
  return image;
}

float Tap(int k) { return ssim::kWindowTaps[k < 6 ? k : 10 - k]; }

/// Filters along the rows, or down the columns.
FloatPlane FilterOnce(const FloatPlane& image, float anchor, bool down) {
  FloatPlane filtered(image.width - (down ? 0 : kSsimLoss), image.height - (down ? kSsimLoss : 0));
  for (int y = 0; y < filtered.height; ++y)
    for (int x = 0; x < filtered.width; ++x) {
      ssim::SplitSum sum = {anchor, 0};
      for (int k = 0; k < ssim::kWindow; ++k)
        sum = ssim::split_add(sum, image.at(down ? x : x + k, down ? y + k : y) * Tap(k));
      filtered.at(x, y) = ssim::split_total(sum, anchor);
    }
  return filtered;
}

FloatPlane Filter(const FloatPlane& image, float anchor) {
  return FilterOnce(FilterOnce(image, anchor, false), anchor, true);
}

FloatPlane Product(const FloatPlane& a, const FloatPlane& b) {
  FloatPlane product(a.width, a.height);
  for (size_t i = 0; i < product.samples.size(); ++i) product.samples[i] = a.samples[i] * b.samples[i];
  return product;
}

/// A row's sum: strips one after another, each in lanes.
class RowSum {
 public:
  void Add(int x, double value) {
    if (x % ssim::kStripColumns == 0) CloseStrip();
    lanes_[x % ssim::kStripLanes] += value;
  }
  double Total() {
    CloseStrip();
    return total_;
  }

 private:
  void CloseStrip() {
    const double* l = lanes_;
    total_ += ssim::sum_of_lanes(l[0], l[1], l[2], l[3], l[4], l[5], l[6], l[7]);
    for (double& lane : lanes_) lane = 0;
  }

  double lanes_[ssim::kStripLanes] = {};
  double total_ = 0;
};

}  // namespace

void SumSsimRowsRef(const SsimPlanes& planes, RowBand band, bool all, int64_t* words) {
  const FloatPlane r = ReadImage(planes.reference, planes.bit_depth), d = ReadImage(planes.distorted, planes.bit_depth);
  const FloatPlane mean_r = Filter(r, ssim::kMeanAnchor), mean_d = Filter(d, ssim::kMeanAnchor);
  const FloatPlane rr = Filter(Product(r, r), ssim::kProductAnchor), dd = Filter(Product(d, d), ssim::kProductAnchor),
                   rd = Filter(Product(r, d), ssim::kProductAnchor);
  for (int y = band.begin; y < band.end; ++y) {
    RowSum sums[kSsimSums];
    for (int x = 0; x < mean_r.width; ++x) {
      const ssim::SsimTerms terms =
          ssim::ssim_terms({mean_r.at(x, y), mean_d.at(x, y), rr.at(x, y), dd.at(x, y), rd.at(x, y)});
      const double structure = static_cast<double>(terms.structure);
      if (all) {
        sums[kSsimProduct].Add(x, terms.luminance * terms.contrast * structure);
        sums[kSsimLuminance].Add(x, terms.luminance);
      }
      sums[kSsimContrast].Add(x, terms.contrast);
      sums[kSsimStructure].Add(x, structure);
    }
    for (int s = 0; s < kSsimSums; ++s) words[kSsimSums * y + s] = WordFromDouble(sums[s].Total());
  }
}

void ShrinkRowsRef(const Plane& plane, int bit_depth, int factor, RowBand band, PaddedPlane& shrunk) {
  const FloatPlane image = ReadImage(plane, bit_depth);
  const float weight = static_cast<float>(1.0 / (factor * factor));
  for (int y = band.begin; y < band.end; ++y)
    for (int x = 0; x < ShrunkLength(plane.width, factor); ++x) {
      double sum = 0;
      for (int i = -(factor / 2); i < factor - factor / 2; ++i)
        for (int j = -(factor / 2); j < factor - factor / 2; ++j)
          sum += static_cast<double>(image.at(mirrored_with_edge(factor * x + j, plane.width),
                                              mirrored_with_edge(factor * y + i, plane.height)) *
                                     weight);
      shrunk.Row(y)[x] = static_cast<float>(sum);
    }
}

void HalveRowsRef(const Plane& plane, int bit_depth, RowBand band, PaddedPlane& halved) {
  const FloatPlane image = ReadImage(plane, bit_depth);
  for (int y = band.begin; y < band.end; ++y)
    for (int x = 0; x < HalvedLength(plane.width); ++x) {
      float high = 0, low = 0;
      for (int i = -4; i <= 4; ++i) {
        ssim::SplitSum row = {ssim::kMeanAnchor, 0};
        for (int j = -4; j <= 4; ++j)
          row = ssim::split_add(
              row, image.at(mirrored_with_edge(2 * x + j, plane.width), mirrored_with_edge(2 * y + i, plane.height)) *
                       ssim::kHalvingTaps[5 * (i < 0 ? -i : i) + (j < 0 ? -j : j)]);
        high += ssim::split_high(row, ssim::kMeanAnchor);
        low += row.low;
      }
      halved.Row(y)[x] = high + low;
    }
}

}  // namespace acutance
