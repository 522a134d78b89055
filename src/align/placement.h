// Placement of one video's picture in the other's: scale and shift of each axis, by least squares, and the crops that
// it amounts to.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "align/frame_track.h"
#include "image/rectangle.h"

namespace acutance {

/// What the distorted picture shows, as fractions of the reference's width and height. 0, 0, 1, 1: it shows what the
/// reference does. Beyond these: the reference is a part of it.
struct Placement {
  double left = 0, top = 0, width = 1, height = 1;

  /// The greatest distance of an edge from that of another placement.
  double DistanceFrom(const Placement& other) const;
  /// How far the middle is from the reference's.
  double OffCentre() const;
};

/// Luma in steps of 8 bits, by rows.
struct LumaGrid {
  int width = 0, height = 0;
  std::vector<float> samples;
};

/// The quarters of a fingerprint's cells: 64 x 36 means.
LumaGrid QuartersOf(const FrameFingerprint& fingerprint);
/// Means of blocks of `by` x `by` samples; they must divide the sizes.
LumaGrid ShrinkBy(const LumaGrid& grid, int by);
/// Each sample averaged with its neighbours, across and down: detail finer than a sample cannot be shifted by a part of
/// one.
LumaGrid Smooth(const LumaGrid& grid);

/// Pairs of pictures, reference and distorted, of one size.
using GridPairs = std::span<const std::pair<const LumaGrid*, const LumaGrid*>>;

struct PlacementFit {
  Placement placement;
  double error = 0;        // squares that are left after a gain and a brightness for each pair
  double energy = 0;       // squares of the distorted pictures, less their means
  double error_alike = 0;  // squares that are left after one gain and one brightness for all pairs
};

/// How pairs fit as they are placed: the mean of samples which both have, times all samples.
PlacementFit FitOf(GridPairs pairs, const Placement& placement);
/// Moves the edges to where the pairs fit best, from a placement that is near to it.
PlacementFit RefinePlacement(GridPairs pairs, const Placement& start, int rounds);

/// A track as if its pictures were cropped to a part, given as fractions of width and height.
FrameTrack CropTo(const FrameTrack& track, const Placement& part);

/// The parts of the reference and of the distorted picture that both show.
std::pair<Placement, Placement> PartsInCommon(const Placement& placement);

/// Size and pixel aspect of a video.
struct ShownPicture {
  std::string name;
  Rectangle part;  // that was fingerprinted, of the picture as displayed
  PixelFormat pixel_format = PixelFormat::k420;
  double pixel_aspect = 1;
};

struct PlacedParts {
  Rectangle reference, distorted;
  std::string sentence;  // which shows what part of which
  std::string options;   // of `acutance score`
};

/// Edges are rounded to chroma samples.
PlacedParts PartsOf(const Placement& placement, const ShownPicture& reference, const ShownPicture& distorted);

}  // namespace acutance
