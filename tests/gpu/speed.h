// How many frame pairs a second a device takes, upload and readback included.
#pragma once

#include "base/status.h"
#include "exec/device.h"
#include "image/picture.h"
#include "metric/metric.h"

namespace acutance {

struct Speed {
  int batch;                // frame pairs a launch, as the metric's tuning asks for
  double pairs_per_second;  // best of several rounds; pictures lie in memory, two batches are in flight
};

Result<Speed> MeasureSpeed(Device& device, const Metric& metric, const PictureFormat& format);

}  // namespace acutance
