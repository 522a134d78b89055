// A metric's plan on a device against its CPU code: the sums of every frame must be the same integers.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "exec/device.h"
#include "exec/tuning.h"
#include "metric/metric.h"
#include "tests/parity/pictures.h"

namespace acutance {

struct ParityCase {
  const Metric* metric = nullptr;
  OptionTexts options;
  PictureFormat format;
  Content content = Content::kNoise;
  int frames = 1;
  int batch = 1;
  uint32_t seed = 1;
  std::string shape;   // shape of all kernels that have it; empty: as the tuning table says
  bool poison = true;  // garbage in all memory before use

  /// Distorted videos in a batch: one or two.
  int Videos() const { return 1 + static_cast<int>(seed % 2); }

  std::string Name() const;
};

/// Runs the clip in batches, two in flight. Fails with the first difference, or with what the device said.
Status CheckParity(Device& device, const ParityCase& which);

/// The same case in each of `shapes` in place of its own; the CPU computes once.
Status CheckShapes(Device& device, const ParityCase& which, std::span<const std::string> shapes);

/// Whether the metric takes pictures of this format; some need a smallest size.
bool Accepts(const Metric& metric, const OptionTexts& options, const PictureFormat& format);

/// The default options, then each bool option flipped, one at a time.
std::vector<OptionTexts> OptionCases(const Metric& metric);

/// All shapes that any kernel was built in which the metric launches with these options; first "", the table's choice.
std::vector<std::string> ShapesOf(const Metric& metric, const OptionTexts& options);

/// A row of the tuning table for each kernel that was built in `shape`; none for "", the table's choice.
std::vector<TuningEntry> RowsOfShape(const std::string& shape);

/// All shapes that kernel `kernel` was built in, such as "64x4r8".
std::vector<std::string> ShapesOf(std::string_view kernel);

}  // namespace acutance
