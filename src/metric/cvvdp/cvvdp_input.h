// A video's pictures as light in the three channels A, RG and YV, as a display shows them (docs/spec/cvvdp.md 1,
// 2, 5.2).
#pragma once

#include <array>
#include <string>
#include <vector>

#include "metric/blocks/display_light.h"
#include "metric/blocks/float_power.h"
#include "metric/blocks/linear_rgb.h"
#include "metric/blocks/reader_rgb.h"
#include "metric/derived_input.h"
#include "metric/metric.h"

namespace acutance {

namespace cvvdp {
#include "metric/cvvdp/cvvdp_math.kernel.h"
}  // namespace cvvdp

// --- Encoded red, green and blue at the size of a display (docs/spec/cvvdp.md 1.2).

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

// --- From samples to channels

/// From samples to encoded red, green and blue.
struct CvvdpConversion {
  bool is_common = false;     // by `common`; otherwise as the reference's reader does
  bool reads_bt2020 = false;  // the reader's matrix; otherwise BT.709's
  LinearRgbSettings common{};
  CvvdpResizing resizing{};

  /// Whether encoded colors are clipped to 0 to 1.
  bool clips() const { return !is_common || common.clips; }
  PictureSize SizeOf(const PictureFormat& source) const { return resizing.SizeOf({source.width, source.height}); }
};

/// From encoded red, green and blue to the channels.
struct CvvdpLight : DisplayLight {
  explicit CvvdpLight(const Display& display);

  std::array<std::array<float, 3>, 3> to_channels;  // by channel
};

/// Makes channels of red, green and blue, in place; likewise.
void CvvdpChannelRow(const CvvdpLight& light, int width, const std::array<float*, 3>& row);
void CvvdpChannelRowRef(const CvvdpLight& light, int width, const std::array<float*, 3>& row);
/// The second step alone: channels of light.
void CvvdpToChannelsRef(const CvvdpLight& light, int width, const std::array<float*, 3>& row);

class CvvdpInput : public DerivedInput {
 public:
  CvvdpInput(const CvvdpConversion& conversion, const Display& display);

  std::string key() const override { return key_; }
  unsigned planes() const override { return 7; }
  PictureFormat Format(const PictureFormat& source) const override;
  void Compute(const Picture& source, const MutablePicture& derived) const override;
  Status AddLaunches(Plan& plan, const PlanContext& context, Video video) const override;

 private:
  void ComputeResized(const Picture& source, const MutablePicture& derived) const;

  const CvvdpConversion conversion_;
  const CvvdpLight light_;
  const std::string key_;
};

}  // namespace acutance
