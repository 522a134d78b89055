#include "run/doctor/video_probe.h"

#include <cstdlib>
#include <filesystem>
#include <utility>

#include "align/black_bars.h"
#include "align/record_fingerprints.h"
#include "run/doctor/interlace_detector.h"
#include "video/filters.h"
#include "video/open_video.h"

namespace acutance {
namespace {

constexpr int64_t kMostFrames = 4000, kMostPictureFrames = 400;
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

/// Whether a frame differs from the one before by more than 0.3 of an 8-bit sample.
bool Moves(const std::vector<FrameFingerprint>& frames) {
  constexpr int64_t kLeast = FrameFingerprint::kCells * 256 * 3 / 10;
  return frames.size() > 1 && CellDifference(frames[frames.size() - 2], frames.back()) > kLeast;
}

/// Takes the frames of an open video one by one.
class Reading {
 public:
  explicit Reading(VideoProbe& probe) : probe_(probe), part_(ContentOf(probe)) {}

  void Add(const Picture& picture, std::optional<double> time) {
    const int64_t frame = probe_.frames++;
    probe_.track.fingerprints.push_back(FingerprintOf(LumaOf(picture, part_)));
    if (const std::optional<double> plausible = PlausibleTime(time)) probe_.track.times.push_back(*plausible);
    if (frame >= kMostPictureFrames) return;
    const int depth = probe_.format.bit_depth;
    if (frame % 2 == 1 && Moves(probe_.track.fingerprints))
      fields_.Add(before_->planes[0], picture.planes[0], depth, part_);
    before_ = picture;
    if (frame % kPicturePeriod != 0 || std::ssize(probe_.pictures) >= kWholePictures) return;
    probe_.pictures.push_back(picture);
    probe_.picture_frames.push_back(frame);
    probe_.detail += DetailOf(picture.planes[0], depth, part_);
  }

  void End() {
    if (probe_.track.times.size() != probe_.track.fingerprints.size()) probe_.track.times.clear();
    probe_.track.is_whole = probe_.frames < kMostFrames;
    probe_.combing = fields_.combing();
    probe_.unevenness = fields_.unevenness();
    if (!probe_.pictures.empty()) probe_.detail /= static_cast<double>(probe_.pictures.size());
  }

 private:
  VideoProbe& probe_;
  const Rectangle part_;
  InterlaceDetector fields_;
  std::optional<Picture> before_;
};

}  // namespace

bool IsHighQualitySource(const VideoProbe& video) {
  constexpr double kLeast = 0.8;
  const double samples = video.frame_rate.value_or(25) * video.format.width * video.format.height;
  return static_cast<double>(video.facts.bit_rate.value_or(0)) > kLeast * samples;
}

Result<VideoProbe> ProbeVideo(const std::string& path, const OpenOptions& options) {
  if (std::error_code ignored;
      !std::filesystem::is_regular_file(path, ignored) && std::filesystem::exists(path, ignored))
    return Error(StatusCode::kInvalidArgument, "{} is not a regular file, and the doctor reads videos twice", path);
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  VideoProbe probe;
  probe.name = path;
  probe.facts = video->facts();
  probe.color = video->color();
  probe.frame_rate = video->frame_rate();
  probe.track.rate = PlausibleRate(probe.frame_rate);
  video->SkipChroma();
  if (probe.facts.orientation != Orientation()) {
    ACU_ASSIGN_OR_RETURN(video, AutoRotate(std::move(video)));
  }
  probe.format = video->format();
  probe.facts.pixel_aspect = video->facts().pixel_aspect;
  if (const Result<std::optional<Rectangle>> bars = FindBlackBars(path, options); bars.ok()) probe.content = *bars;
  Reading reading(probe);
  while (probe.frames < kMostFrames) {
    const Result<std::optional<Picture>> next = video->Next();
    if (!next.ok()) probe.damage = next.status();
    if (!next.ok() || !*next) break;
    reading.Add(**next, video->time());
  }
  reading.End();
  return probe;
}

}  // namespace acutance
