// Damage classifier: why a frame of an encode differs from the reference's, from the two pictures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/frame_maps.h"
#include "run/score_run.h"

namespace acutance {

enum class Cause {
  kNone,
  kMoment,        // the picture is that of another frame of the reference
  kOtherPicture,  // it is another picture
  kBanding,
  kColor,
  kBrightness,
  kDetailLost,
  kDetailAdded,
};

/// Measurements of a frame that distinguish causes. Squared errors are means over the picture, in steps of 8 bits.
struct FrameEvidence {
  double error = 0;            // of luma
  double brightness = 0;       // of luma's means of cells: the part that a parabola of the reference's explains
  double brightness_left = 0;  // the rest
  double color = 0;            // of both chroma planes' means of cells
  double reference_detail = 0, distorted_detail = 0;  // energy of what is finer than 3 samples
  double likeness = 0;                                // their correlation
  double flattened = 0;                               // the share of squares that have lost nearly all their grain
  double structure_lost = 0;  // of the energy, what squares lost that have more of it than the picture's grain
  double reference_banding = 0, distorted_banding = 0;  // CAMBI, which counts steps of up to 8 of 256
};

FrameEvidence FindEvidence(const Picture& reference, const Picture& distorted);

struct FrameCause {
  Cause cause = Cause::kNone;
  bool has_banding = false;  // banding is visible that the reference lacks
};

/// docs/use/reports.md has the rules and how often they are right.
FrameCause ClassifyDamage(const FrameEvidence& evidence, bool shows_other_moment);

/// "banding", and what more there is to say; "" for kNone.
std::string DescribeDamage(const FrameCause& cause, const WorstFrame& frame);

/// Where the banding is; nullopt: the picture is too small.
std::optional<FrameMap> BandingMap(const Picture& reference, const Picture& distorted);

}  // namespace acutance
