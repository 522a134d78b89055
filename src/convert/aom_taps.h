// The filter of AOM's common test conditions for pictures of other sizes (AVM's tool lanczos_resample_y4m, with a
// window of 5 lobes; docs/spec/avm.md 7).
#pragma once

#include "convert/scale_taps.h"

namespace acutance {

/// New samples for old ones, in lowest terms.
struct ScaleRatio {
  int to = 1, from = 1;
  bool operator==(const ScaleRatio&) const = default;
};

/// The ratio that leads from one length of luma to another: that of the common test conditions (1:6 to 6:1) whose
/// rounded length it is, or the quotient of both. `is_halved`: chroma has half as many samples, which makes lengths
/// even.
ScaleRatio FindAomRatio(int from, int to, bool is_halved);

/// `is_cosited`: a sample of chroma lies on every second sample of luma; else samples lie in the middle of what they
/// cover.
ScaleTaps MakeAomTaps(const ScaleRatio& ratio, int from, int to, bool is_cosited);

}  // namespace acutance
