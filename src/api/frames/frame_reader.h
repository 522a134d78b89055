// Readers of an application's frames: pictures of the engine, and the color options of the metrics that score them.
#pragma once

#include <optional>

#include "api/frames/color_planes.h"
#include "convert/scaler.h"
#include "devices/shared_device.h"
#include "image/picture.h"
#include "metric/options.h"

namespace acutance::frames {

/// Reads one video's frames: samples of its own depth, then resized, then cropped. Floats and other chroma than that of
/// 4:2:0, 4:2:2 and 4:4:4 become colors.
class FrameReader {
 public:
  static Result<FrameReader> Make(const FrameFormat& format);

  /// The format of the pictures.
  const PictureFormat& format() const { return format_; }
  /// Pictures have this bit depth from now on, which is not less than theirs.
  void ExpandTo(int bit_depth) { format_.bit_depth = bit_depth; }
  /// Pictures are encoded red, green and blue in floats from now on.
  void MakeColors();
  bool makes_colors() const { return format_.bit_depth == kFloatDepth; }
  bool is_crop_between_chroma() const;

  /// How the pictures come to a device.
  struct Target {
    SharedDevice* device = nullptr;  // pictures lie where it reads them; null: in memory of their own
    /// Planes that lie there already are taken as they are. The caller does not change them while the picture is used.
    bool borrows = false;
  };
  Result<Picture> Read(const FramePlanes& planes, const Target& target) const;

 private:
  explicit FrameReader(const FrameFormat& frame) : frame_(frame) {}
  Status ReadFormat();
  Status ReadGeometry();
  Status CopyPlanes(const FramePlanes& planes, const MutablePicture& to) const;
  std::optional<Picture> Borrow(const FramePlanes& planes, const SharedDevice& device) const;
  Result<Picture> ReadSamples(const FramePlanes& planes, const Target& target) const;
  Result<Picture> ReadColorPlanes(const FramePlanes& planes) const;
  Result<Picture> ConvertToColors(const Picture& picture) const;
  void Crop(Picture& picture) const;
  Result<Picture> Expand(const Picture& picture, SharedDevice* device) const;

  FrameFormat frame_;
  LinearRgbSettings settings_{};
  PictureFormat source_;   // of the copied samples, or of the colors that are computed from them
  PictureSize resized_{};  // before the crop
  PictureFormat format_;   // of the pictures
  std::optional<Scaler> scaler_{};
};

/// Both videos' readers and the options that say which colors the pictures' samples are.
struct PairReader {
  static Result<PairReader> Make(const FrameFormat& reference, const FrameFormat& distorted, bool compares_samples);

  FrameReader reference, distorted;
  OptionTexts colors;  // matrix, range, chroma_location, clip_rgb
  int transfer;
};

}  // namespace acutance::frames
