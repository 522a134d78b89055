#include "io/bars.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "io/turned_video.h"

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
  return {right - left, bottom - top, left, top};
}

/// The mean of one sample in four rows and columns.
int MeanOf(const Plane& luma, int bit_depth, const Rectangle& part) {
  int64_t sum = 0, count = 0;
  for (int y = part.y; y < part.y + part.height; y += 4)
    for (int x = part.x; x < part.x + part.width; x += 4, ++count) sum += Sample(luma, bit_depth, x, y);
  return count == 0 ? 0 : static_cast<int>(sum / count);
}

Rectangle Union(const Rectangle& a, const Rectangle& b) {
  const int x = std::min(a.x, b.x), y = std::min(a.y, b.y);
  return {std::max(a.x + a.width, b.x + b.width) - x, std::max(a.y + a.height, b.y + b.height) - y, x, y};
}

}  // namespace

void BarFinder::Add(const Picture& picture) {
  format_ = picture.format;
  const Rectangle part = Content(picture.planes[0], format_.bit_depth);
  if (MeanOf(picture.planes[0], format_.bit_depth, part) < kBright) return;
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

Result<std::optional<Rectangle>> FindBars(const std::string& path, OpenOptions options) {
  if (std::error_code ignored; !std::filesystem::is_regular_file(path, ignored))
    return Error(StatusCode::kInvalidArgument,
                 "--crop auto looks at pictures all over a file, and {} is none: give the rectangle", path);
  options.device_decoding.reset();
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  if (video->facts().orientation != Orientation()) {
    ACU_ASSIGN_OR_RETURN(video, TurnVideo(std::move(video)));
  }
  BarFinder finder;
  const int64_t count = video->frame_count().value_or(kPictures);
  int64_t at = 0;
  for (int i = 0; i < kPictures; ++i) {
    const int64_t wanted = std::max(at, count * (2 * i + 1) / (2 * kPictures));
    if (!video->Jump((2 * i + 1) / (2.0 * kPictures))) {
      ACU_ASSIGN_OR_RETURN(const int64_t passed, video->Skip(wanted - at));
      at += passed;
    }
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, video->Next());
    if (!picture) break;
    ++at;
    finder.Add(*picture);
  }
  return finder.content();
}

}  // namespace acutance
