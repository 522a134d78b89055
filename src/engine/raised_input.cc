#include "engine/raised_input.h"

#include "io/raised_depth.h"
#include "metric/metric.h"

namespace acutance {

unsigned RaisedInput::planes() const { return kAllPlanes; }

PictureFormat RaisedInput::Format(const PictureFormat& source) const {
  PictureFormat format = source;
  format.bit_depth = bit_depth_;
  return format;
}

void RaisedInput::Compute(const Picture& source, const MutablePicture& derived) const {
  for (int p = 0; p < source.format.PlaneCount(); ++p)
    if (source.planes[p].data)
      RaisePlane(source.planes[p], source.format.bit_depth, bit_depth_, derived.data[p], derived.stride[p]);
}

Status RaisedInput::AddLaunches(Plan& /*plan*/, const PlanContext& /*context*/, Video /*video*/) const {
  return Error(StatusCode::kUnsupported, "devices do not raise bit depths");
}

}  // namespace acutance
