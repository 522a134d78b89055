#include "align/black_bars.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/files.h"
#include "video/open_video.h"

namespace acutance {
namespace {

// In samples of 8 bits: black of the limited range and some noise of encoders; what is brighter is picture.
constexpr int kDark = 28, kBright = 48;
constexpr int kPictures = 12;

/// Luma as 8 bits.
int Sample(const Plane& plane, int bit_depth, int x, int y) {
  return bit_depth > 8 ? plane.Row<uint16_t>(y)[x] >> (bit_depth - 8) : plane.Row<uint8_t>(y)[x];
}

/// Whether the samples of a line, of which one in a hundred may be noise, are dark.
template <class At>
bool IsDark(int begin, int end, At at) {
  int bright = 0;
  for (int i = begin; i < end; ++i) bright += at(i) > kDark;
  return 100 * bright <= end - begin;
}

/// How many of the lines from `first` on an encoder blurred into a bar: they are less than half as bright as the second
/// line after them. mean_of(k) is the brightness of the k-th line of the picture, black being 0.
template <class MeanOf>
int BlurredLines(bool has_bar, int lines, MeanOf mean_of) {
  constexpr int kMost = 2;
  int blurred = 0;
  while (has_bar && blurred < kMost && blurred + 2 < lines && 2 * mean_of(blurred) < mean_of(blurred + 2)) ++blurred;
  return blurred;
}

/// The picture without dark rows and columns at its edges; empty where all is dark.
Rectangle Content(const Plane& luma, int bit_depth) {
  int top = 0, bottom = luma.height, left = 0, right = luma.width;
  const auto row_is_dark = [&](int y) {
    return IsDark(0, luma.width, [&](int x) { return Sample(luma, bit_depth, x, y); });
  };
  while (top < bottom && row_is_dark(top)) ++top;
  while (bottom > top && row_is_dark(bottom - 1)) --bottom;
  const auto column_is_dark = [&](int x) {
    return IsDark(top, bottom, [&](int y) { return Sample(luma, bit_depth, x, y); });
  };
  while (left < right && column_is_dark(left)) ++left;
  while (right > left && column_is_dark(right - 1)) --right;
  const auto brightness = [&](int begin, int end, auto at) {
    constexpr int kBlack8 = 16;
    int64_t sum = 0;
    for (int i = begin; i < end; ++i) sum += std::max(0, at(i) - kBlack8);
    return sum;
  };
  const auto of_row = [&](int y) {
    return brightness(left, right, [&](int x) { return Sample(luma, bit_depth, x, y); });
  };
  const auto of_column = [&](int x) {
    return brightness(top, bottom, [&](int y) { return Sample(luma, bit_depth, x, y); });
  };
  top += BlurredLines(top > 0, bottom - top, [&](int k) { return of_row(top + k); });
  bottom -= BlurredLines(bottom < luma.height, bottom - top, [&](int k) { return of_row(bottom - 1 - k); });
  left += BlurredLines(left > 0, right - left, [&](int k) { return of_column(left + k); });
  right -= BlurredLines(right < luma.width, right - left, [&](int k) { return of_column(right - 1 - k); });
  return {right - left, bottom - top, left, top};
}

/// The mean of one sample in four rows and columns.
int MeanOf(const Plane& luma, int bit_depth, const Rectangle& part) {
  int64_t sum = 0, count = 0;
  for (int y = part.y; y < part.y + part.height; y += 4)
    for (int x = part.x; x < part.x + part.width; x += 4, ++count) sum += Sample(luma, bit_depth, x, y);
  return count == 0 ? 0 : static_cast<int>(sum / count);
}

/// Whether each bar ends where the picture begins: half of the samples of one of the first two lines are no longer
/// dark. Pictures that are dark towards their edges only look as if they had bars.
bool AreBarsSharp(const Plane& luma, int bit_depth, const Rectangle& part) {
  const auto begins = [&](int line, int inwards, int begin, int end, auto at) {
    const auto is_bright = [&](int of) {
      int bright = 0;
      for (int i = begin; i < end; ++i) bright += at(of, i) > kDark;
      return 2 * bright >= end - begin;
    };
    return is_bright(line) || is_bright(line + inwards);
  };
  const auto in_row = [&](int y, int x) { return Sample(luma, bit_depth, x, y); };
  const auto in_column = [&](int x, int y) { return Sample(luma, bit_depth, x, y); };
  const int right = part.x + part.width, bottom = part.y + part.height;
  if (part.width < 2 || part.height < 2) return false;
  return (part.y == 0 || begins(part.y, 1, part.x, right, in_row)) &&
         (bottom == luma.height || begins(bottom - 1, -1, part.x, right, in_row)) &&
         (part.x == 0 || begins(part.x, 1, part.y, bottom, in_column)) &&
         (right == luma.width || begins(right - 1, -1, part.y, bottom, in_column));
}

Rectangle Union(const Rectangle& a, const Rectangle& b) {
  const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y, x, y};
}

/// Looks at pictures where jumps lead, which is at key frames. False: the video does not jump, or most jumps lead to a
/// picture that was seen before.
Result<bool> LookByJumps(VideoSource& video, BarFinder& finder) {
  constexpr int kLeast = 6;
  int seen = 0;
  std::optional<double> last;
  for (int i = 0; i < kPictures; ++i) {
    if (!video.Jump((2 * i + 1) / (2.0 * kPictures))) return false;
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, video.Next());
    if (!picture) break;
    const std::optional<double> time = video.time();
    if (last && time && *time <= *last) continue;
    last = time;
    ++seen;
    finder.Add(*picture);
    if (finder.has_none()) return true;
  }
  return seen >= kLeast;
}

/// Looks at pictures all over a video, or all over its first `most` frames.
Status LookInOrder(int64_t most, VideoSource& video, BarFinder& finder) {
  const int64_t count = std::min(most, video.frame_count().value_or(kPictures));
  int64_t at = 0;
  for (int i = 0; i < kPictures && !finder.has_none(); ++i) {
    const int64_t wanted = std::max(at, count * (2 * i + 1) / (2 * kPictures));
    ACU_ASSIGN_OR_RETURN(const int64_t passed, video.Skip(wanted - at));
    at += passed;
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, video.Next());
    if (!picture) break;
    ++at;
    finder.Add(*picture);
  }
  return {};
}

constexpr int kBlack = 26 * 256, kPicture = 48 * 256;  // of the limited range, with what an encoder adds
constexpr int kColumns = FrameFingerprint::kColumns, kRows = FrameFingerprint::kRows;

/// A row of cells at the upper or lower edge, or a column at a side.
struct EdgeLine {
  int first, step, count;

  bool IsBelow(const FrameFingerprint& frame, int most) const {
    int64_t sum = 0;
    for (int k = 0; k < count; ++k) sum += frame.cells[first + k * step];
    return sum < int64_t{most} * count;
  }
};

constexpr std::array kEdges = {EdgeLine{0, 1, kColumns}, EdgeLine{(kRows - 1) * kColumns, 1, kColumns},
                               EdgeLine{0, kColumns, kRows}, EdgeLine{kColumns - 1, kColumns, kRows}};

/// Whether a line is black in the one video throughout and in most frames of the other it is not. A video that is black
/// as a whole has no bars.
bool HasBars(const FrameTrack& track, const FrameTrack& other) {
  const auto is_black = [&](const EdgeLine& line) {
    return std::ranges::all_of(track.fingerprints,
                               [&](const FrameFingerprint& frame) { return line.IsBelow(frame, kBlack); });
  };
  const auto is_bar = [&](const EdgeLine& edge) {
    if (!is_black(edge)) return false;
    return 4 * std::ranges::count_if(other.fingerprints,
                                     [&](const FrameFingerprint& frame) { return edge.IsBelow(frame, kPicture); }) <
           other.size();
  };
  if (std::ranges::none_of(kEdges, is_bar)) return false;
  for (int row = 0; row < kRows; ++row)
    if (!is_black({row * kColumns, 1, kColumns})) return true;
  return false;
}

Status BarsDiffer(bool of_distorted) {
  return Error(StatusCode::kBadData,
               "the {} video has black bars that the other has not, so that its frames are not aligned: crop them by "
               "--crop auto, or give the parts that both show (--crop), which acutance doctor names",
               of_distorted ? "distorted" : "reference");
}

}  // namespace

void BarFinder::Add(const Picture& picture) {
  format_ = picture.format;
  const Rectangle part = Content(picture.planes[0], format_.bit_depth);
  if (MeanOf(picture.planes[0], format_.bit_depth, part) < kBright &&
      !AreBarsSharp(picture.planes[0], format_.bit_depth, part))
    return;
  seen_ = seen_ ? Union(*seen_, part) : part;
}

std::optional<Rectangle> BarFinder::content() const {
  if (!seen_) return std::nullopt;
  const int least_x = std::max(3, format_.width / 100), least_y = std::max(3, format_.height / 100);
  Rectangle part = *seen_;
  const bool wide = part.x < least_x && format_.width - part.x - part.width < least_x;
  const bool high = part.y < least_y && format_.height - part.y - part.height < least_y;
  if (wide) part.x = 0, part.width = format_.width;
  if (high) part.y = 0, part.height = format_.height;
  return wide && high ? part : AlignToChroma(part, format_.pixel_format);
}

bool BarFinder::has_none() const { return content() == Rectangle{format_.width, format_.height}; }

Result<std::optional<Rectangle>> FindBlackBars(const std::string& path, OpenOptions options) {
  // A video of this length has six key frames by encoders' default.
  constexpr int64_t kMostDecoded = 1500;
  if (!IsRegularFile(path))
    return Error(StatusCode::kInvalidArgument,
                 "--crop auto looks at pictures all over a file, and {} is none: give the rectangle", path);
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenAsDisplayed(path, options));
  BarFinder finder;
  const bool jumps = video->Jump(0);
  if (jumps) {
    ACU_ASSIGN_OR_RETURN(const bool seen_enough, LookByJumps(*video, finder));
    if (seen_enough) return finder.content();
    ACU_ASSIGN_OR_RETURN(video, OpenAsDisplayed(path, options));
  }
  const Status looked = LookInOrder(jumps ? kMostDecoded : std::numeric_limits<int64_t>::max(), *video, finder);
  // A damaged video ends where the damage is; key frames behind that were seen.
  if (!looked.ok() && !(jumps && finder.content())) return looked;
  return finder.content();
}

Status CheckBars(const FrameTrack& reference, const FrameTrack& distorted) {
  if (HasBars(distorted, reference)) return BarsDiffer(true);
  if (HasBars(reference, distorted)) return BarsDiffer(false);
  return {};
}

}  // namespace acutance
