// Tuning tables: how a device family runs a kernel at a picture size. They can never change a score.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace acutance {

enum class WorkloadClass { kSmall, kMedium, kLarge };

/// small < 1280x720 <= medium < 3840x2160 <= large, by luma pixels.
WorkloadClass ClassifyWorkload(int width, int height);
std::string_view WorkloadClassName(WorkloadClass workload);

/// Which variant of a kernel a device family runs at a workload class.
struct TuningEntry {
  std::string_view kernel;
  std::string_view family;                               // prefix of DeviceInfo::family; empty: any
  std::string_view shape;                                // the variant's name after the sample type: "64x4r8"
  std::optional<WorkloadClass> workload = std::nullopt;  // not set: any
};

/// The entry for the kernel with the longest matching family; among those, one for the class before one for any. Null
/// when there is none.
const TuningEntry* FindTuning(std::span<const TuningEntry> table, std::string_view kernel, WorkloadClass workload,
                              std::string_view family);

/// How many pairs a session puts into a launch, unless memory is short: enough small ones to fill the device.
int PreferredBatch(WorkloadClass workload, std::string_view family);

}  // namespace acutance
