// The clips, options and shapes on which any metric is compared with its CPU code. They follow from what the metric
// declares, so that a new metric adds no line here.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exec/kernel_image.h"
#include "tests/parity/parity.h"

namespace acutance {

enum class SweepExtent {
  kFull,   // sizes at every depth, every content, every option, every shape
  kSizes,  // each size once: further wave sizes of a device that was swept in full
};

struct SweepCase {
  ParityCase parity;
  std::vector<std::string> shapes;  // "": the tuning table's choice
};

/// Every case is accepted by the metric; contents, pixel formats, batches and lengths take turns.
std::vector<SweepCase> SweepCases(const Metric& metric, SweepExtent extent);

/// Each value of each option alone, then mixtures of them; an option of many values shows its limits and two between.
std::vector<OptionTexts> OptionSweep(const Metric& metric);

/// What the cases launch on devices of a family. A backend that compiles at run time takes least time when it gets all
/// kernels together.
std::vector<const KernelImage*> LaunchedKernels(std::span<const SweepCase> cases, std::string_view family);

}  // namespace acutance
