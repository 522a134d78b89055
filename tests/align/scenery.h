// Sources of test clips: pictures as a function of time, and what they are painted with.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "clips.h"

namespace acutance::test {

inline constexpr int kWidth = 160, kHeight = 90;

using Random = std::mt19937;
using Frame = std::vector<uint8_t>;  // luma, kWidth x kHeight

inline double Uniform(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
}

inline int Whole(Random& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<uint32_t>(high - low + 1));
}

/// Noise of several sizes, 256 x 256, which repeats.
class Texture {
 public:
  explicit Texture(Random& random) : samples_(kSide * kSide) {
    for (const int size : {64, 32, 16, 8, 4}) {
      const int points = kSide / size;
      std::vector<double> values(points * points);
      for (double& value : values) value = Uniform(random, -1, 1);
      const double weight = 10 * std::pow(size, 0.4) / 2;
      for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) {
          const double fx = static_cast<double>(x % size) / size, fy = static_cast<double>(y % size) / size;
          const auto at = [&](int px, int py) { return values[py % points * points + px % points]; };
          const int px = x / size, py = y / size;
          samples_[y * kSide + x] += weight * ((1 - fy) * ((1 - fx) * at(px, py) + fx * at(px + 1, py)) +
                                               fy * ((1 - fx) * at(px, py + 1) + fx * at(px + 1, py + 1)));
        }
    }
  }

  double At(double x, double y) const {
    const double fx = x - std::floor(x), fy = y - std::floor(y);
    const auto px = static_cast<int>(std::floor(x)), py = static_cast<int>(std::floor(y));
    return (1 - fy) * ((1 - fx) * Sample(px, py) + fx * Sample(px + 1, py)) +
           fy * ((1 - fx) * Sample(px, py + 1) + fx * Sample(px + 1, py + 1));
  }

 private:
  static constexpr int kSide = 256;
  double Sample(int x, int y) const { return samples_[(y & (kSide - 1)) * kSide + (x & (kSide - 1))]; }
  std::vector<double> samples_;
};

class Source {
 public:
  virtual ~Source() = default;
  /// Makes periods whole frames of `rate`, so that a loop closes.
  virtual void Fit(double /*rate*/) {}
  /// The picture at `t` seconds of a video of `rate` frames/s. Called in the order of time.
  virtual Frame Render(double t, double rate) = 0;
};

/// A source of a content from kScreen on.
std::unique_ptr<Source> MakeScenery(Random& random, Content content);

}  // namespace acutance::test
