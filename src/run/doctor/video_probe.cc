#include "run/doctor/video_probe.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "align/black_bars.h"
#include "align/record_fingerprints.h"
#include "run/doctor/interlace_detector.h"
#include "video/auto_rotate.h"
#include "video/open_video.h"

namespace acutance {
namespace {

constexpr int kWholePictures = 8, kPicturePeriod = 12;

int Sample(const Plane& luma, int bit_depth, int x, int y) {
  return bit_depth > 8 ? luma.Row<uint16_t>(y)[x] >> (bit_depth - 8) : luma.Row<uint8_t>(y)[x];
}

double DetailOf(const Plane& luma, int bit_depth, const Rectangle& part) {
  int64_t sum = 0, count = 0;
  for (int y = part.y; y < part.y + part.height; y += 3)
    for (int x = part.x; x + 1 < part.x + part.width; ++x, ++count)
      sum += std::abs(Sample(luma, bit_depth, x, y) - Sample(luma, bit_depth, x + 1, y));
  return count > 0 ? static_cast<double>(sum) / static_cast<double>(count) : 0;
}

double Difference(const Thumbnail& a, const Thumbnail& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum / static_cast<double>(a.size());
}

}  // namespace

Thumbnail MakeThumb(const Picture& picture, const Rectangle& part) {
  Thumbnail thumb;
  const Plane& luma = picture.planes[0];
  for (int j = 0; j < kThumbHeight; ++j) {
    const int top = part.y + part.height * j / kThumbHeight;
    const int bottom = std::max(part.y + part.height * (j + 1) / kThumbHeight, top + 1);
    for (int i = 0; i < kThumbWidth; ++i) {
      const int left = part.x + part.width * i / kThumbWidth;
      const int right = std::max(part.x + part.width * (i + 1) / kThumbWidth, left + 1);
      int64_t sum = 0;
      for (int y = top; y < std::min(bottom, luma.height); ++y)
        for (int x = left; x < std::min(right, luma.width); ++x)
          sum += picture.format.bit_depth > 8 ? luma.Row<uint16_t>(y)[x] : luma.Row<uint8_t>(y)[x];
      const double count = static_cast<double>(bottom - top) * (right - left);
      thumb[j * kThumbWidth + i] =
          static_cast<float>(static_cast<double>(sum) / count / (1 << (picture.format.bit_depth - 8)));
    }
  }
  return thumb;
}

bool IsHighQualitySource(const VideoProbe& video) {
  constexpr double kRich = 0.8;  // bits a sample of luma
  const double samples = video.frame_rate.value_or(25) * video.format.width * video.format.height;
  return static_cast<double>(video.facts.bit_rate.value_or(0)) > kRich * samples;
}

Result<VideoProbe> Watch(const std::string& path, const OpenOptions& options, int64_t thumbs, int64_t frames) {
  if (std::error_code ignored;
      !std::filesystem::is_regular_file(path, ignored) && std::filesystem::exists(path, ignored))
    return Error(StatusCode::kInvalidArgument, "{} is no regular file, and the doctor reads videos twice", path);
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  VideoProbe seen;
  seen.name = path;
  seen.facts = video->facts();
  seen.color = video->color();
  seen.frame_rate = video->frame_rate();
  video->SkipChroma();
  if (seen.facts.orientation != Orientation()) {
    ACU_ASSIGN_OR_RETURN(video, AutoRotate(std::move(video)));
  }
  seen.format = video->format();
  seen.facts.pixel_aspect = video->facts().pixel_aspect;
  if (const Result<std::optional<Rectangle>> bars = FindBlackBars(path, options); bars.ok()) seen.content = *bars;
  const Rectangle part = seen.content.value_or(Rectangle{seen.format.width, seen.format.height});
  seen.track.rate = PlausibleRate(seen.frame_rate);
  InterlaceDetector fields;
  std::optional<Picture> before;
  for (; seen.frames < frames; ++seen.frames) {
    const Result<std::optional<Picture>> next = video->Next();
    if (!next.ok()) seen.damage = next.status();
    if (!next.ok() || !*next) break;
    const Picture& picture = **next;
    seen.track.fingerprints.push_back(FingerprintOf(LumaOf(picture, part)));
    if (const std::optional<double> time = PlausibleTime(video->time())) seen.track.times.push_back(*time);
    if (seen.frames >= thumbs) continue;
    seen.thumbs.push_back(MakeThumb(picture, part));
    const bool moves = seen.frames > 0 && Difference(seen.thumbs[seen.frames - 1], seen.thumbs.back()) > 0.3;
    if (moves && seen.frames % 2 == 1) fields.Add(before->planes[0], picture.planes[0], seen.format.bit_depth, part);
    before = picture;
    if (seen.frames % kPicturePeriod == 0 && std::ssize(seen.pictures) < kWholePictures) {
      seen.pictures.push_back(picture);
      seen.picture_frames.push_back(static_cast<int>(seen.frames));
      seen.detail += DetailOf(picture.planes[0], seen.format.bit_depth, part);
    }
  }
  if (seen.track.times.size() != seen.track.fingerprints.size()) seen.track.times.clear();
  seen.track.is_whole = seen.frames < frames;
  seen.combing = fields.combing();
  seen.unevenness = fields.unevenness();
  if (!seen.pictures.empty()) seen.detail /= static_cast<double>(seen.pictures.size());
  return seen;
}

}  // namespace acutance
