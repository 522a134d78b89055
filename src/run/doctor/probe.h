// Measurements of two videos for the doctor's checks: each by itself, their frame alignment, and how their luma
// compares.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "align/align_tracks.h"
#include "align/crop_search.h"
#include "align/input_checks.h"
#include "align/placement.h"
#include "run/doctor/video_probe.h"

namespace acutance {

/// How far distorted luma lies from a line of the reference's, as where it has another transfer.
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

  bool is_hdr() const { return reference.color.is_hdr() && distorted.color.is_hdr(); }
  bool is_cropped() const { return placement || shape_parts; }
  /// The command that scores the two with options, which begin with a blank.
  std::string Score(const std::string& options = "") const;
};

/// Fills everything but the videos' own measurements and the model's problem from these.
void Compare(Probe& probe);

LumaCurve FitLumaCurve(const FrameTrack& reference, const FrameTrack& distorted);

}  // namespace acutance
