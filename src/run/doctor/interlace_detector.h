// Interlace detection: whether the two fields of each picture were taken at different times.
#pragma once

#include <array>
#include <cstdint>

#include "image/picture.h"
#include "image/rectangle.h"

namespace acutance {

/// Accumulates evidence from moving samples.
class InterlaceDetector {
 public:
  /// Two pictures of which the second follows the first.
  void Add(const Plane& before, const Plane& luma, int bit_depth, const Rectangle& part);

  /// The share of moving samples that stand out from the rows above and below, which agree with each other; 0 where
  /// both fields are of one time, since noise and fine lines stand out, too.
  double combing() const;

  /// How much nearer one field lies to the picture before than the other does, as a share of what the motion adds: 0
  /// where both fields are of one time, about 1 where they are of two, however smooth the picture is.
  double unevenness() const;

 private:
  template <class Sample>
  void AddRow(const Plane& before, const Plane& luma, int shift, const Rectangle& part, int y);

  int64_t uneven() const { return before_[0] - before_[1] - after_[0] + after_[1]; }
  bool HaveOwnTimes() const;

  int64_t moved_ = 0, combed_ = 0;
  // How uneven the fields of pictures that move are, in steps of samples: number of pictures, sum and sum of squares.
  int64_t pictures_ = 0;
  double uneven_ = 0, squares_ = 0;
  // Differences of moving samples and their neighbours above and below: in their own picture, and by the row's field in
  // the picture before and in the one after.
  int64_t own_ = 0;
  std::array<int64_t, 2> before_{}, after_{};
};

}  // namespace acutance
