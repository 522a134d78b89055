// Measurements of two videos for the doctor's checks: each by itself, their frame alignment, and how their luma
// compares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "align/align_tracks.h"
#include "align/crop_search.h"
#include "align/frame_track.h"
#include "align/input_checks.h"
#include "align/placement.h"
#include "image/rectangle.h"
#include "io/video_source.h"
#include "video/fit_videos.h"
#include "video/raw_format_check.h"

namespace acutance {

/// Measurements of one video: fingerprints, some pictures, interlacing, detail and damage.
struct VideoProbe {
  std::string name;
  PictureFormat format;  // as displayed
  VideoColor color;
  VideoFacts facts;
  std::optional<double> frame_rate;
  std::optional<Rectangle> content;              // without black bars; not set: too dark to detect them
  FrameTrack track;                              // of the content, of all frames that were decoded
  std::vector<Picture> pictures;                 // some whole ones, luma alone
  std::vector<int64_t> picture_frames{};         // their frame numbers
  int64_t frames = 0;                            // all that were decoded
  double combing = 0;                            // InterlaceDetector::combing
  double unevenness = 0;                         // InterlaceDetector::unevenness
  double detail = 0;                             // the mean difference of neighbouring samples, in 8-bit samples
  Status damage;                                 // why decoding stopped
  std::optional<RawFormatDoubt> format_doubt{};  // of raw yuv
};

inline Rectangle WholeOf(const VideoProbe& video) { return {video.format.width, video.format.height}; }
/// Without black bars, where they were detected.
inline Rectangle ContentOf(const VideoProbe& video) { return video.content.value_or(WholeOf(video)); }
inline ShapedVideo ShapedOf(const VideoProbe& video) {
  return {video.format, ContentOf(video), video.facts.pixel_aspect};
}

/// Whether a compressed video has a mezzanine's bitrate, above 0.8 bits per luma sample.
bool IsHighQualitySource(const VideoProbe& video);

/// Reads at most 4000 frames of the file, and pictures of the first 400. Fails where it cannot be opened.
Result<VideoProbe> ProbeVideo(const std::string& path, const OpenOptions& options);

/// Deviation of distorted luma from a line over the reference's, as another transfer causes it.
struct LumaCurve {
  double bend = 0;       // of a parabola half-way, by its rise; above 0: middle tones are brighter than on a line
  double explained = 0;  // the share of what a line leaves that the parabola explains, 0 to 1
};

inline ShownPicture ShownBy(const VideoProbe& video) {
  return {video.name, ContentOf(video), video.format.pixel_format, video.facts.pixel_aspect};
}

struct Probe {
  VideoProbe reference, distorted;

  /// As AlignForDiagnosis has it. Not set: refused, or decided by times alone.
  std::optional<Alignment> alignment{};
  std::optional<FoundPlacement> placement{};  // a crop that fingerprints show
  std::optional<ShapeParts> shape_parts{};    // rows or columns that one of two different shapes lacks

  /// Up to 12 pairs of frames, cropped to what both show: frame k is aligned with frame k.
  FrameTrack reference_frames{}, distorted_frames{};
  LumaLine line{};    // of these, as a model of brightness and contrast
  LumaCurve curve{};  // of these
  /// Whether frames of the same number do not resemble each other.
  bool are_unlike = false;
  /// What is wrong with the model that is to score, and the options that fix it.
  std::optional<std::pair<std::string, std::string>> model_problem{};
  bool names_model = false;  // the caller scores by a model of its choice

  bool is_hdr() const { return reference.color.is_hdr() && distorted.color.is_hdr(); }
  bool is_cropped() const { return placement || shape_parts; }
  /// The command that scores the two with options, which begin with a blank.
  std::string Score(const std::string& options = "") const;
};

/// Fills the members that compare the videos, from their own measurements.
void Compare(Probe& probe);

LumaCurve FitLumaCurve(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
