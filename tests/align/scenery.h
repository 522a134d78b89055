// Sources of test clips: pictures as a function of time.
#pragma once

#include <memory>

#include "clips.h"
#include "painting.h"

namespace acutance::test {

class Source {
 public:
  virtual ~Source() = default;
  /// Makes periods whole frames of `rate`, so that a loop closes.
  virtual void Fit(double /*rate*/) {}
  /// The picture at `t` seconds of a video of `rate` frames/s. Called in the order of time.
  virtual Frame Render(double t, double rate) = 0;
};

/// Of the contents from kScreen on.
std::unique_ptr<Source> MakeScenery(Random& random, Content content);

}  // namespace acutance::test
