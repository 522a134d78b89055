#include "run/explain/changes.h"

#include <algorithm>

namespace acutance {
namespace {

constexpr int kFilters[] = {kSwsBicubic, kSwsBilinear, kSwsLanczos, kSwsSpline, kSwsArea, kSwsFastBilinear, kSwsPoint};
constexpr int kCrops[] = {2, 4, 8, 10, 12, 16, 20, 24, 32, 40, 60, 64};
constexpr int kBlack = 24;  // the default limit of FFmpeg's cropdetect, of 8 bits

using Changes = std::vector<HypothesisChange>;

bool HaveOneSize(const PictureFormat& a, const PictureFormat& b) { return a.width == b.width && a.height == b.height; }

void AddScalings(Changes& changes) {
  for (const bool scales_reference : {false, true})
    for (const int filter : kFilters)
      for (const int rounding : {0, int{kSwsAccurateRounding}, kSwsAccurateRounding | kSwsFullChroma})
        changes.push_back([=](Hypothesis& h) {
          h.flags = filter | rounding;
          h.scales_reference = scales_reference;
        });
}

/// Every change of which frames form pairs.
void AddPairings(Changes& changes, int64_t first_logged) {
  changes.push_back([](Hypothesis& h) { h.swapped = !h.swapped; });
  if (first_logged > 0)
    changes.push_back([=](Hypothesis& h) { h.reference.first = h.distorted.first = -first_logged; });
  for (int64_t k = 1; k <= kLongestShift; ++k) {
    for (const int64_t first : {k, -k}) {
      changes.push_back([first](Hypothesis& h) { h.reference.first += first; });
      changes.push_back([first](Hypothesis& h) { h.distorted.first += first; });
    }
    changes.push_back([k](Hypothesis& h) { h.reference.first += k, h.distorted.first += k; });
  }
  for (const int n : {2, 3}) {
    changes.push_back([n](Hypothesis& h) { h.reference.step = n; });
    changes.push_back([n](Hypothesis& h) { h.distorted.step = n; });
    changes.push_back([n](Hypothesis& h) { h.reference.step = h.distorted.step = n; });
  }
  changes.push_back([](Hypothesis& h) { h.reference.repeat = 2; });
  changes.push_back([](Hypothesis& h) { h.distorted.repeat = 2; });
}

void AddConversions(Changes& changes, const PictureFormat& format) {
  for (const int depth : {8, 10, 12})
    if (depth != format.bit_depth) changes.push_back([depth](Hypothesis& h) { h.bit_depth = depth; });
  for (const PixelFormat chroma : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
    if (chroma != format.pixel_format)
      changes.push_back([chroma](Hypothesis& h) { h.has_chroma_format = true, h.chroma = chroma; });
  for (const RangeChange range : {RangeChange::kToFull, RangeChange::kToLimited}) {
    changes.push_back([range](Hypothesis& h) { h.reference_range = range; });
    changes.push_back([range](Hypothesis& h) { h.distorted_range = range; });
    changes.push_back([range](Hypothesis& h) { h.reference_range = h.distorted_range = range; });
  }
}

/// The larger picture's margins around one of the smaller size in its middle; none where it is not larger both ways.
Margins Surplus(const PictureFormat& larger, const PictureFormat& smaller) {
  const int x = larger.width - smaller.width, y = larger.height - smaller.height;
  if (x < 0 || y < 0) return {};
  const int left = x / 4 * 2, top = y / 4 * 2;
  return {left, top, x - left, y - top};
}

void AddCrops(Changes& changes, const ClipFrames& reference, const ClipFrames& distorted) {
  const PictureFormat &r = reference.format(), &d = distorted.format();
  if (!HaveOneSize(r, d)) {
    changes.push_back([m = Surplus(r, d)](Hypothesis& h) { h.reference_margins = m; });
    changes.push_back([m = Surplus(d, r)](Hypothesis& h) { h.distorted_margins = m; });
  }
  // Blur and ringing of an encode hide where its bars end; the reference's show it, and the other way round.
  for (const ClipFrames* const clip : {&reference, &distorted})
    for (const Margins& m : BlackEdges(*clip)) {
      changes.push_back([m](Hypothesis& h) { h.margins = m; });
      changes.push_back([m](Hypothesis& h) { h.reference_margins = m; });
      changes.push_back([m](Hypothesis& h) { h.distorted_margins = m; });
    }
  for (const int c : kCrops) {
    if (4 * c >= std::min(r.width, r.height)) break;
    changes.push_back([c](Hypothesis& h) { h.margins.left = h.margins.right = c; });
    changes.push_back([c](Hypothesis& h) { h.margins.top = h.margins.bottom = c; });
    changes.push_back([c](Hypothesis& h) { h.margins = {c, c, c, c}; });
    changes.push_back([c](Hypothesis& h) { h.distorted_margins = {c, c, c, c}; });
  }
}

/// Calls `visit` with each luma sample's column, row and value; of 8 bits.
template <class Visit>
void VisitLuma(const Picture& picture, const Visit& visit) {
  const Plane& plane = picture.planes[0];
  const int shift = picture.format.bit_depth - 8;
  for (int y = 0; y < plane.height; ++y) {
    const std::byte* const row = plane.data + y * plane.stride;
    for (int x = 0; x < plane.width; ++x)
      visit(x, y, shift > 0 ? reinterpret_cast<const uint16_t*>(row)[x] >> shift : static_cast<int>(row[x]));
  }
}

/// As cropdetect does by default: what is left has multiples of 16, and begins at an even sample.
void LeaveMultiples(int size, int& before, int& after) {
  const int lost = (size - before - after) % 16;
  const int shift = (lost / 2 + 1) / 2 * 2;
  before += shift;
  after += lost - shift;
}

}  // namespace

std::vector<Margins> BlackEdges(const ClipFrames& clip) {
  const int width = clip.format().width, height = clip.format().height;
  int left = width, top = height, last_x = -1, last_y = -1;
  for (const auto& [frame, picture] : clip.frames())
    VisitLuma(picture, [&](int x, int y, int value) {
      if (value <= kBlack) return;
      left = std::min(left, x), last_x = std::max(last_x, x);
      top = std::min(top, y), last_y = std::max(last_y, y);
    });
  if (last_x < 0) return {};
  const Margins even{left / 2 * 2, top / 2 * 2, (width - 1 - last_x) / 2 * 2, (height - 1 - last_y) / 2 * 2};
  if (even == Margins()) return {};
  Margins rounded = even;
  LeaveMultiples(width, rounded.left, rounded.right);
  LeaveMultiples(height, rounded.top, rounded.bottom);
  if (rounded == even) return {even};
  return {even, rounded};
}

std::vector<HypothesisChange> CropsOf(const PictureFormat& format) {
  Changes changes;
  for (const int x : kCrops)
    for (const int y : kCrops)
      if (4 * x < format.width && 4 * y < format.height)
        changes.push_back([=](Hypothesis& h) { h.margins = {x, y, x, y}; });
  return changes;
}

std::vector<HypothesisChange> ChangesOf(const Hypothesis& from, const ClipFrames& reference,
                                        const ClipFrames& distorted, int64_t first_logged) {
  Changes changes;
  if (!HaveOneSize(Cropped(reference.format(), from.reference_margins),
                   Cropped(distorted.format(), from.distorted_margins)))
    AddScalings(changes);
  AddPairings(changes, first_logged);
  AddConversions(changes, reference.format());
  AddCrops(changes, reference, distorted);
  return changes;
}

}  // namespace acutance
