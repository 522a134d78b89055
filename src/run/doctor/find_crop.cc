#include "run/doctor/find_crop.h"

#include <algorithm>
#include <cmath>

namespace acutance {
namespace {

int FrameAt(int place, double rate) { return static_cast<int>(std::lround(place / rate)); }

/// Looks for the part of one video that the other shows, which has all of its content.
class Finder {
 public:
  Finder(const VideoProbe& whole, const VideoProbe& cut, bool whole_is_reference, const Match& match)
      : whole_(whole), cut_(cut), whole_is_reference_(whole_is_reference), match_(match) {}

  /// How a part of the pictures of the whole fits those of the other that show the same.
  std::vector<BrightnessFit> FitsOfPart(const Rectangle& part) const {
    std::vector<BrightnessFit> fits;
    for (size_t i = 0; i < whole_.pictures.size(); ++i) {
      const int frame = whole_.picture_frames[i];
      const int other = whole_is_reference_ ? FrameAt(frame - match_.offset, match_.rate)
                                            : static_cast<int>(std::lround(match_.rate * frame + match_.offset));
      if (other < 0 || other >= std::ssize(cut_.thumbs)) continue;
      const Thumbnail thumb = MakeThumb(whole_.pictures[i], part);
      fits.push_back(whole_is_reference_ ? FitBrightness(thumb, cut_.thumbs[other])
                                         : FitBrightness(cut_.thumbs[other], thumb));
    }
    return fits;
  }

  /// The part of the whole that the other shows, if that explains its pictures clearly better than the whole does.
  std::optional<Rectangle> FindPart() const {
    const Rectangle all = ContentOf(whole_), cut_all = ContentOf(cut_);
    std::vector<Rectangle> parts;
    const auto add = [&](int width, int height) {
      if (width > all.width || height > all.height || (width == all.width && height == all.height)) return;
      if (width < all.width / 2 || height < all.height / 2) return;
      for (const int x : {(all.width - width) / 2, 0, all.width - width})
        for (const int y : {(all.height - height) / 2, 0, all.height - height})
          parts.push_back(AlignToChroma({width, height, all.x + x, all.y + y}, whole_.format.pixel_format));
    };
    add(cut_all.width, cut_all.height);
    for (int percent = 98; percent >= 60; percent -= 2) {
      add(all.width * percent / 100, all.height * percent / 100);
      add(all.width, all.height * percent / 100);
      add(all.width * percent / 100, all.height);
    }
    const double of_whole = ErrorOfPart(all);
    double best = 1;
    std::optional<Rectangle> found;
    for (const Rectangle& part : parts)
      if (const double error = ErrorOfPart(part); error < best) best = error, found = part;
    constexpr double kClear = 0.6, kNearly = 0.9, kBad = 0.06, kGood = 0.25;
    if (!found || of_whole < kBad || best > kNearly * of_whole) return std::nullopt;
    best = Refine(*found);
    if (best > kClear * of_whole || best > kGood) return std::nullopt;
    const VideoProbe &reference = whole_is_reference_ ? whole_ : cut_, &distorted = whole_is_reference_ ? cut_ : whole_;
    // A zoom shows a part of what it showed before: then the whole fits at another time.
    if (best > kClear * BestShift(reference.thumbs, distorted.thumbs).error) return std::nullopt;
    return found;
  }

 private:
  double ErrorOfPart(const Rectangle& part) const {
    const std::vector<BrightnessFit> fits = FitsOfPart(part);
    double error = 0;
    for (const BrightnessFit& fit : fits) error += fit.error;
    return fits.empty() ? 1 : error / static_cast<double>(fits.size());
  }

  /// Moves the edges of the part to where it fits best, and returns how it does.
  double Refine(Rectangle& part) const {
    const Rectangle all = ContentOf(whole_);
    double best = ErrorOfPart(part);
    const auto try_edges = [&](int left, int right, int top, int bottom) {
      const Rectangle moved{part.width - left + right, part.height - top + bottom, part.x + left, part.y + top};
      if (moved.x < all.x || moved.y < all.y || moved.x + moved.width > all.x + all.width ||
          moved.y + moved.height > all.y + all.height || moved.width < all.width / 2 || moved.height < all.height / 2)
        return false;
      const double error = ErrorOfPart(moved);
      if (error >= best) return false;
      best = error, part = moved;
      return true;
    };
    constexpr int kRounds = 6;
    for (const int step : {16, 8, 4, 2})
      for (int round = 0; round < kRounds; ++round) {
        bool moved = false;
        for (const int d : {-step, step}) {
          moved |= try_edges(d, d, 0, 0);
          moved |= try_edges(0, 0, d, d);
          moved |= try_edges(d, 0, 0, 0);
          moved |= try_edges(0, d, 0, 0);
          moved |= try_edges(0, 0, d, 0);
          moved |= try_edges(0, 0, 0, d);
        }
        if (!moved) break;
      }
    return best;
  }

  const VideoProbe &whole_, &cut_;
  const bool whole_is_reference_;
  const Match& match_;
};

}  // namespace

std::optional<Cut> FindCrop(const VideoProbe& reference, const VideoProbe& distorted, const Match& match) {
  for (const bool is_of_reference : {true, false}) {
    const Finder finder(is_of_reference ? reference : distorted, is_of_reference ? distorted : reference,
                        is_of_reference, match);
    if (const std::optional<Rectangle> part = finder.FindPart())
      return Cut{is_of_reference, *part, finder.FitsOfPart(*part)};
  }
  return std::nullopt;
}

std::vector<BrightnessFit> FitsOfParts(const VideoProbe& reference, const Rectangle& of_reference,
                                       const VideoProbe& distorted, const Rectangle& of_distorted, const Match& match) {
  if (of_distorted == ContentOf(distorted)) return Finder(reference, distorted, true, match).FitsOfPart(of_reference);
  if (of_reference == ContentOf(reference)) return Finder(distorted, reference, false, match).FitsOfPart(of_distorted);
  return {};
}

}  // namespace acutance
