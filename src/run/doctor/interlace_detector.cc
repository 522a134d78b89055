#include "run/doctor/interlace_detector.h"

#include <algorithm>
#include <cstdlib>

namespace acutance {

template <class Sample>
void InterlaceDetector::AddRow(const Plane& before, const Plane& luma, int shift, const Rectangle& part, int y) {
  constexpr int kMoves = 8, kStandsOut = 6;
  const Sample* rows[3];
  const Sample* rows_before[3];
  for (int k = 0; k < 3; ++k) {
    rows[k] = luma.Row<Sample>(y + k - 1);
    rows_before[k] = before.Row<Sample>(y + k - 1);
  }
  const auto neighbours = [shift](const Sample* const* of, int x) { return (of[0][x] >> shift) + (of[2][x] >> shift); };
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

void InterlaceDetector::Add(const Plane& before, const Plane& luma, int bit_depth, const Rectangle& part) {
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

/// In interlaced video the first field is the time of one field away from the second field of the picture before, and
/// three from that of the picture after; with the second field it is the other way round. In progressive video all are
/// the time of two fields away. The difference is a part of what the motion alone adds, so that noise and
/// detail, which the rows of one picture have as well, do not hide it; detail that one field has more of counts in both
/// directions.
/// Where little moves, or noise and detail are much more than motion, it counts that pictures agree on which field is
/// the first: the mean lies several of its errors from 0.
bool InterlaceDetector::HaveOwnTimes() const {
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

double InterlaceDetector::unevenness() const {
  const int64_t motion = before_[0] + before_[1] + after_[0] + after_[1] - own_;
  if (motion <= 0 || !HaveOwnTimes()) return 0;
  return static_cast<double>(std::abs(uneven())) / static_cast<double>(motion);
}

double InterlaceDetector::combing() const {
  return HaveOwnTimes() ? static_cast<double>(combed_) / static_cast<double>(moved_) : 0;
}

}  // namespace acutance
