// From planes and colour spaces of libvship's interface to pictures and options of the engine.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "api/vship/abi.h"
#include "api/vship/call_status.h"
#include "api/vship/color_planes.h"
#include "convert/scaler.h"
#include "image/picture.h"
#include "metric/metric.h"
#include "metric/options.h"

namespace acutance::vship {

/// Reads one video's frames: samples of its own depth, then resized, then cropped. Floats and other chroma than that of
/// 4:2:0, 4:2:2 and 4:4:4 come as colors.
class FrameReader {
 public:
  static Outcome Make(const Colorspace& colors, std::optional<FrameReader>& reader);

  /// What comes out.
  const PictureFormat& format() const { return format_; }
  /// Pictures come with so many bits from now on, which are no fewer.
  void RaiseTo(int bit_depth) { format_.bit_depth = bit_depth; }
  /// Pictures are encoded red, green and blue in floats from now on.
  void MakeColors();
  bool makes_colors() const { return format_.bit_depth == kFloatDepth; }
  bool is_float() const { return samples_.is_float; }
  bool is_crop_between_chroma() const;

  Outcome Read(const Planes& planes, Picture& picture) const;

 private:
  explicit FrameReader(const Colorspace& colors) : colors_(colors) {}
  Outcome ReadFormat();
  Outcome ReadGeometry();
  Outcome CopyPlanes(const Planes& planes, const MutablePicture& to) const;
  Outcome ReadSamples(const Planes& planes, Picture& picture) const;
  Outcome ReadColorPlanes(const Planes& planes, Picture& picture) const;
  Outcome ConvertToColors(Picture& picture) const;
  void Crop(Picture& picture) const;
  Outcome Raise(Picture& picture) const;

  Colorspace colors_;
  SampleKind samples_{};
  LinearRgbSettings settings_{};
  PictureFormat source_;   // as they are copied, or made colors of
  PictureSize resized_{};  // before they are cropped
  PictureFormat format_;   // as they come out
  std::optional<Scaler> scaler_{};
};

/// Both videos' readers and the options by which metrics make colors of their samples.
struct FramePair {
  /// `use`: samples that are no colors to a metric must be alike in both videos, and integers.
  enum class Use { kColors, kSamples };
  static Outcome Make(const Colorspace& reference, const Colorspace& distorted, Use use,
                      std::optional<FramePair>& pair);

  FrameReader reference, distorted;
  OptionTexts colors;  // matrix, range, chroma_location, clip_rgb
  int transfer;
};

}  // namespace acutance::vship
