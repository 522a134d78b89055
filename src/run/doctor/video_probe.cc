#include "run/doctor/probe.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "align/black_bars.h"
#include "align/record_fingerprints.h"
#include "base/files.h"
#include "video/filters.h"
#include "video/open_video.h"

namespace acutance {
namespace {

constexpr int64_t kMostFrames = 4000, kMostPictureFrames = 400;
constexpr int kWholePictures = 8, kPicturePeriod = 12;

/// Interlace detection: whether the two fields of each picture were taken at different times. Accumulates evidence from
/// moving samples.
class InterlaceDetector {
 public:
  /// Two pictures of which the second follows the first.
  void Add(const Plane& before, const Plane& luma, int bit_depth, const Rectangle& part) {
    const int64_t uneven_before = uneven(), moved_before = moved_;
    for (int y = part.y + 1; y + 1 < part.y + part.height; ++y) {
      if (bit_depth > 8) AddRow<uint16_t>(before, luma, bit_depth - 8, part, y);
      else AddRow<uint8_t>(before, luma, 0, part, y);
    }
    if (moved_ == moved_before) return;
    const auto more = static_cast<double>(uneven() - uneven_before);
    ++pictures_;
    uneven_ += more;
    squares_ += more * more;
  }

  /// The share of moving samples that stand out from the rows above and below, which agree with each other; 0 where
  /// both fields are of one time, since noise and fine lines stand out, too.
  double combing() const { return HaveOwnTimes() ? static_cast<double>(combed_) / static_cast<double>(moved_) : 0; }

  /// How much nearer one field lies to the picture before than the other does, as a share of what the motion adds: 0
  /// where both fields are of one time, about 1 where they are of two, however smooth the picture is.
  double unevenness() const {
    const int64_t motion = before_[0] + before_[1] + after_[0] + after_[1] - own_;
    if (motion <= 0 || !HaveOwnTimes()) return 0;
    return static_cast<double>(std::abs(uneven())) / static_cast<double>(motion);
  }

 private:
  template <class Sample>
  void AddRow(const Plane& before, const Plane& luma, int shift, const Rectangle& part, int y) {
    constexpr int kMoves = 8, kStandsOut = 6;
    const Sample* rows[3];
    const Sample* rows_before[3];
    for (int k = 0; k < 3; ++k) {
      rows[k] = luma.Row<Sample>(y + k - 1);
      rows_before[k] = before.Row<Sample>(y + k - 1);
    }
    const auto neighbours = [shift](const Sample* const* of, int x) {
      return (of[0][x] >> shift) + (of[2][x] >> shift);
    };
    const auto field = static_cast<size_t>(y & 1);
    for (int x = part.x; x < part.x + part.width; x += 2) {
      const int sample = rows[1][x] >> shift, sample_before = rows_before[1][x] >> shift;
      if (std::abs(sample - sample_before) < kMoves) continue;
      const int up = (rows[0][x] >> shift) - sample, down = (rows[2][x] >> shift) - sample;
      ++moved_;
      combed_ += up * down > kStandsOut * kStandsOut && 2 * std::abs(up - down) < std::abs(up + down);
      const int around = neighbours(rows, x), around_before = neighbours(rows_before, x);
      own_ += std::abs(2 * sample - around) + std::abs(2 * sample_before - around_before);
      before_[field] += std::abs(2 * sample - around_before);
      after_[field] += std::abs(2 * sample_before - around);
    }
  }

  int64_t uneven() const { return before_[0] - before_[1] - after_[0] + after_[1]; }

  /// In interlaced video the first field is one field period away from the second field of the picture before, and
  /// three from that of the picture after; for the second field it is the other way round. In progressive video all are
  /// two apart. The difference is taken relative to what motion alone adds, so that noise and detail, which the rows of
  /// one picture have as well, do not hide it; more detail in one field counts in both directions. Where little moves,
  /// or noise exceeds motion, pictures must agree on which field is the first: the mean lies several standard errors
  /// from 0.
  bool HaveOwnTimes() const {
    constexpr double kOfMotion = 0.25, kOfAll = 0.02, kLeastOfAll = 0.005, kErrors = 4.5;
    constexpr int64_t kLeastMoved = 500, kFew = 6, kLeastPictures = 12;
    if (moved_ < kLeastMoved || pictures_ < kFew) return false;
    const auto all = static_cast<double>(before_[0] + before_[1] + after_[0] + after_[1]);
    const auto sum = static_cast<double>(std::abs(uneven()));
    if (sum > kOfAll * all && sum > kOfMotion * (all - static_cast<double>(own_))) return true;
    if (pictures_ < kLeastPictures || sum < kLeastOfAll * all) return false;
    const auto count = static_cast<double>(pictures_);
    const double mean = uneven_ / count, variance = std::max(0.0, squares_ / count - mean * mean);
    return mean * mean * count > kErrors * kErrors * variance;
  }

  int64_t moved_ = 0, combed_ = 0;
  // How uneven the fields of pictures that move are, in steps of samples: number of pictures, sum and sum of squares.
  int64_t pictures_ = 0;
  double uneven_ = 0, squares_ = 0;
  // Differences of moving samples and their neighbours above and below: in their own picture, and by the row's field in
  // the picture before and in the one after.
  int64_t own_ = 0;
  std::array<int64_t, 2> before_{}, after_{};
};

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
  if (Exists(path) && !IsRegularFile(path))
    return Error(StatusCode::kInvalidArgument, "{} is not a regular file, and the doctor reads videos twice", path);
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  VideoProbe probe;
  probe.name = path;
  probe.facts = video->facts();
  probe.color = video->color();
  probe.frame_rate = video->frame_rate();
  probe.format_doubt = DoubtRawFile(path, options);
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
  if (const std::string damage = DamageWarning(path, video->damage()); probe.damage.ok() && !damage.empty())
    probe.damage = Error(StatusCode::kBadData, "{}", damage);
  return probe;
}

}  // namespace acutance
