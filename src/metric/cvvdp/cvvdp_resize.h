// Encoded red, green and blue at the size of a display (docs/spec/cvvdp.md 1.2).
#pragma once

#include <string>
#include <vector>

#include "metric/metric.h"

namespace acutance {

struct CvvdpResizing {
  enum class Filter { kNone, kNearest, kBilinear, kBicubic, kArea };

  /// What pictures are resized to; without a filter, their own size.
  PictureSize SizeOf(PictureSize picture) const;
  /// Names it with all its parameters.
  std::string key() const;

  Filter filter = Filter::kNone;
  PictureSize display{};
  bool keeps_aspect = false;  // the largest size of the picture's aspect that the display holds
};

/// The option `resize`; fails where it has a value that it does not know.
Result<CvvdpResizing::Filter> ReadCvvdpFilter(const std::string& text);

class CvvdpResizer {
 public:
  CvvdpResizer(CvvdpResizing::Filter filter, PictureSize from, PictureSize to);

  /// Row y of the result, of a plane whose rows lie one after the other.
  void MakeRow(const std::vector<float>& plane, int y, float* to);

 private:
  /// A sample of the result is the sum of `taps` samples times their weights, in this order.
  struct Axis {
    Axis(CvvdpResizing::Filter filter, int from, int to);

    int taps;
    std::vector<int> places;
    std::vector<float> weights;  // 0 of taps that a sample does not have
  };

  const PictureSize from_, to_;
  const Axis across_, down_;
  std::vector<float> row_;  // of the source's columns
};

}  // namespace acutance
