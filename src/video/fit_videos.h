// Fitting of videos to one shape, size, color range and bit depth, where the caller prefers that to a refusal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "convert/scale_taps.h"
#include "image/rectangle.h"
#include "io/video_source.h"

namespace acutance {

struct PairReaderInput {
  std::string name;  // in messages
  std::unique_ptr<VideoSource> video;
  int64_t skip = 0;                      // pictures to discard first
  bool needed = true;                    // false: no metric reads the samples, and pictures come without planes
  std::optional<Rectangle> crop{};       // the part of the displayed picture that is compared; not set: all
  std::optional<double> pixel_aspect{};  // of a stream that declares none

  double shown_pixel_aspect() const { return pixel_aspect.value_or(video->facts().pixel_aspect); }
};

/// A video's pictures as displayed, without black bars.
struct ShapedVideo {
  PictureFormat format;
  Rectangle content;
  double pixel_aspect = 1;

  double shape() const { return content.width * pixel_aspect / content.height; }
};

/// Whether aspect ratios differ by more than rounding to whole chroma samples does.
bool ShapesDiffer(const ShapedVideo& reference, const ShapedVideo& distorted);

/// The pixel aspect ratio to assume for a video that declares none: the other video's, if both have one shape with it,
/// and not with square pixels. nullopt: square.
std::optional<double> AssumedPixelAspect(const PictureFormat& undeclared, const PictureFormat& other,
                                         double other_aspect);

/// The size that all videos get.
struct CommonSize {
  enum class Of { kReference, kDistorted, kGiven } of = Of::kReference;
  int width = 0;  // kGiven
  int height = 0;
  ScaleFilter filter = ScaleFilter::kBicubic;
};

/// "ref", "dis" or "1920x1080", and a filter of kScaleFilterNames; nullopt: anything else.
std::optional<CommonSize> ParseCommonSize(std::string_view size, std::string_view filter);

/// Which interlaced videos become progressive.
enum class Deinterlacing {
  kOff,
  kAuto,  // those that declare it, next to others that do not
  kOn,    // all that declare it
  kReference,
  kDistorted,
  kBoth,
};

inline constexpr std::string_view kDeinterlacingNames[] = {"off", "auto", "on", "ref", "dis", "both"};
std::optional<Deinterlacing> FindDeinterlacing(std::string_view name);

struct FitOptions {
  std::optional<CommonSize> size{};  // not set: videos of other sizes are refused
  bool raise_bit_depth = false;      // expand all videos to the highest bit depth, instead of refusing them
  /// Convert the chroma of distorted videos to the reference's format, instead of refusing another.
  bool fit_chroma = false;
  Deinterlacing deinterlace = Deinterlacing::kOff;
  /// Convert RGB to YUV, refuse matrices and primaries that differ, HDR against SDR and PQ against HLG, and convert
  /// distorted videos to the reference's range.
  bool heed_color = false;
  /// Rotate pictures as displayed, scale the reference to square pixels where `size` is set, and refuse distorted
  /// videos that are displayed in another shape.
  bool heed_display = false;
  bool force = false;  // warn instead of refusing
};

/// A change, or a doubt that remains.
struct FitStep {
  std::string text;                        // a human-readable sentence
  const PairReaderInput* input = nullptr;  // null: of all, or a doubt
  Change change = Change::kNone;           // kNone: a doubt
};

/// Makes the changes that `options` allow and the inputs' crops request, and reports them: converts RGB, deinterlaces,
/// rotates, crops, then converts the range, the size, chroma and the bit depth.
Result<std::vector<FitStep>> FitVideos(const FitOptions& options, PairReaderInput& reference,
                                       std::vector<PairReaderInput>& distorted);

}  // namespace acutance
