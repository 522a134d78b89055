// Brings videos to one shape, size, range and bit depth, where the caller wants that instead of a refusal.
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
  int64_t skip = 0;                 // pictures to discard first
  bool needed = true;               // false: no metric reads the samples, and pictures come without planes
  std::optional<Rectangle> crop{};  // the part of the shown picture that is compared; not set: all
};

/// The size that all videos get.
struct CommonSize {
  enum class Of { kReference, kDistorted, kGiven } of = Of::kReference;
  int width = 0;  // kGiven
  int height = 0;
  ScaleFilter filter = ScaleFilter::kBicubic;
};

/// "ref", "dis" or "1920x1080", and a filter of kScaleFilterNames; nullopt: another text.
std::optional<CommonSize> ParseCommonSize(std::string_view size, std::string_view filter);

/// Which interlaced videos become progressive.
enum class Deinterlacing {
  kOff,
  kAuto,  // those that tell it, where others do not
  kOn,    // all that tell it
  kReference,
  kDistorted,
  kBoth,
};

inline constexpr std::string_view kDeinterlacingNames[] = {"off", "auto", "on", "ref", "dis", "both"};
std::optional<Deinterlacing> FindDeinterlacing(std::string_view name);

struct FitOptions {
  std::optional<CommonSize> size{};  // not set: videos of other sizes are refused
  bool raise_bit_depth = false;      // give shallower videos the bits of the deepest, instead of refusing them
  /// Bring the chroma of distorted videos to the reference's format, instead of refusing another.
  bool fit_chroma = false;
  Deinterlacing deinterlace = Deinterlacing::kOff;
  /// Make YUV of RGB, refuse matrices and primaries that differ, HDR against SDR and PQ against HLG, and bring
  /// distorted videos to the reference's range.
  bool heed_color = false;
  /// Turn pictures as they are shown, bring the reference's pixels to squares where `size` is set, and refuse distorted
  /// videos that are shown in another shape.
  bool heed_display = false;
  bool force = false;  // say so instead of refusing
};

/// A change, or a doubt that stands.
struct FitStep {
  std::string text;                        // a sentence for a person
  const PairReaderInput* input = nullptr;  // null: of all, or a doubt
  Change change = Change::kNone;           // kNone: a doubt
};

/// Changes what `options` allow and the inputs' crops say: converts RGB, deinterlaces, turns, crops, then converts the
/// range, the size, chroma and the depth. Says what it did.
Result<std::vector<FitStep>> FitVideos(const FitOptions& options, PairReaderInput& reference,
                                       std::vector<PairReaderInput>& distorted);

}  // namespace acutance
