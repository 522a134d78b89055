#include "io/frame_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace acutance {
namespace {

constexpr size_t kMostNamed = 10;

std::string SizeOf(const PictureFormat& format) { return fmt::format("{}x{}", format.width, format.height); }

std::string RangeOf(bool is_full) { return is_full ? "full range" : "limited range"; }

std::string PixelsOf(double aspect) { return fmt::format("pixels {:.4g} times as wide as high", aspect); }

bool AreNear(double a, double b) {
  constexpr double kTolerance = 0.03;
  return std::abs(a - b) <= kTolerance * b;
}

std::string DescribeTurn(const Orientation& turn) {
  if (turn == Orientation()) return "no rotation";
  if (!turn.transposed) return turn.mirrored_x && turn.mirrored_y ? "a rotation by 180 degrees" : "a mirrored picture";
  if (turn.mirrored_x == turn.mirrored_y) return "a mirrored picture, rotated by 90 degrees";
  return turn.mirrored_x ? "a rotation by 90 degrees clockwise" : "a rotation by 90 degrees counterclockwise";
}

/// Undeclared curves are taken as SDR.
std::string CurveOf(Transfer transfer) {
  return std::string(NameOf(transfer == Transfer::kUnknown ? Transfer::kSdr : transfer));
}

}  // namespace

void FrameChanges::Start(const FrameDeclaration& first) {
  first_ = before_ = first;
  events_.clear();
  frames_ = 1;
  has_more_ = false;
}

void FrameChanges::Note(Event event, bool is_counted) {
  const auto same = std::ranges::find_if(events_, [&](const Event& other) {
    return other.change == event.change && other.from == event.from && other.to == event.to &&
           other.consequence == event.consequence;
  });
  if (same != events_.end()) {
    if (is_counted) ++same->count;
    return;
  }
  has_more_ |= events_.size() >= kMostNamed;
  if (events_.size() >= kMostNamed) return;
  if (is_counted) event.count = 1;
  events_.push_back(std::move(event));
}

void FrameChanges::CompareForms(int64_t frame, const FrameDeclaration& declared) {
  if (declared.form.Matches(first_.form)) return;
  const PictureFormat &own = declared.form.format, &first = first_.form.format;
  if (own.width != first.width || own.height != first.height) {
    const bool is_squashed = !AreNear(declared.shape(), first_.shape());
    Note({Change::kScale, SizeOf(first), SizeOf(own),
          fmt::format("scaled to the size that is compared{}", is_squashed ? ", which squashes them" : ""), frame},
         true);
  }
  if (own.pixel_format != first.pixel_format)
    Note({Change::kChroma, std::string(PixelFormatName(first.pixel_format)),
          std::string(PixelFormatName(own.pixel_format)), "brought to the chroma of the first frame", frame},
         true);
  if (own.bit_depth != first.bit_depth)
    Note({Change::kBitDepth, fmt::format("{} bits", first.bit_depth), fmt::format("{} bits", own.bit_depth),
          "brought to the bit depth of the first frame", frame},
         true);
  if (declared.form.full_range != first_.form.full_range)
    Note({Change::kRange, RangeOf(first_.form.full_range), RangeOf(declared.form.full_range),
          "converted to " + RangeOf(first_.form.full_range), frame},
         true);
}

void FrameChanges::CompareColors(int64_t frame, const VideoColor& color) {
  VideoColor& before = before_.color;
  if (CurveOf(color.transfer) != CurveOf(before.transfer))
    Note({Change::kNone, CurveOf(before.transfer), CurveOf(color.transfer),
          "its transfer function changes, and scores are not meaningful", frame},
         false);
  before.transfer = color.transfer;
  constexpr auto kOther = "its samples mean other colors, which are not converted";
  if (color.matrix != Matrix::kUnknown) {
    if (before.matrix != Matrix::kUnknown && color.matrix != before.matrix)
      Note({Change::kNone, fmt::format("the matrix of {}", NameOf(before.matrix)),
            fmt::format("the matrix of {}", NameOf(color.matrix)), kOther, frame},
           false);
    before.matrix = color.matrix;
  }
  if (color.primaries != Primaries::kUnknown) {
    if (before.primaries != Primaries::kUnknown && color.primaries != before.primaries)
      Note({Change::kNone, fmt::format("the primaries of {}", NameOf(before.primaries)),
            fmt::format("the primaries of {}", NameOf(color.primaries)), kOther, frame},
           false);
    before.primaries = color.primaries;
  }
}

/// Frames of another size are scaled, so that only the shape in which they are shown counts.
void FrameChanges::CompareShapes(int64_t frame, const FrameDeclaration& declared) {
  const PictureFormat &own = declared.form.format, &last = before_.form.format;
  if (declared.pixel_aspect > 0) {
    const bool has_size = own.width == last.width && own.height == last.height;
    if (has_size && before_.pixel_aspect > 0 && !AreNear(declared.pixel_aspect, before_.pixel_aspect))
      Note({Change::kNone, PixelsOf(before_.pixel_aspect), PixelsOf(declared.pixel_aspect),
            "its pixels are taken as those of the first frame", frame},
           false);
    before_.pixel_aspect = declared.pixel_aspect;
  }
  if (declared.orientation) {
    const Orientation last_turn = before_.orientation.value_or(Orientation());
    if (*declared.orientation != last_turn)
      Note({Change::kNone, DescribeTurn(last_turn), DescribeTurn(*declared.orientation),
            "its frames are rotated as the first is", frame},
           false);
    before_.orientation = declared.orientation;
  }
  before_.form = declared.form;
}

void FrameChanges::Add(int64_t frame, const FrameDeclaration& declared) {
  ++frames_;
  CompareForms(frame, declared);
  CompareColors(frame, declared.color);
  CompareShapes(frame, declared);
}

std::vector<InputChange> FrameChanges::Describe() const {
  std::vector<InputChange> changes;
  for (const Event& event : events_) {
    const std::string what = fmt::format("changes at frame {} from {} to {}: ", event.frame, event.from, event.to);
    if (event.count == 0) changes.push_back({event.change, what + event.consequence});
    else
      changes.push_back({event.change, fmt::format("{}{} of its {} frames {} {}", what, event.count, frames_,
                                                   event.count == 1 ? "is" : "are", event.consequence)});
  }
  if (has_more_)
    changes.push_back({Change::kNone, fmt::format("changes more often than the {} times named", kMostNamed)});
  return changes;
}

}  // namespace acutance
