#include "exec/tuning.h"

#include <array>
#include <cstdint>
#include <utility>

namespace acutance {
namespace {

struct BatchRow {
  std::string_view family;
  std::array<int, 3> pairs;  // by WorkloadClass
};

/// Measured on the H200 (sm_90, and "nvidia", which is Vulkan there): docs/develop/performance.md. The rows of
/// other families follow the number of their multiprocessors or compute units.
constexpr BatchRow kBatches[] = {
    {"", {16, 8, 2}},         // unknown, integrated, software
    {"sm_6", {32, 8, 2}},     // Pascal
    {"sm_7", {32, 8, 2}},     // Volta, Turing
    {"sm_8", {64, 16, 4}},    // Ampere, Ada
    {"sm_9", {128, 16, 4}},   // Hopper
    {"sm_10", {64, 16, 4}},   // Blackwell
    {"sm_11", {32, 8, 2}},    // Jetson Thor
    {"sm_12", {64, 16, 4}},   // Blackwell for desktops
    {"nvidia", {64, 16, 4}},  // Vulkan
    {"gfx9", {64, 16, 4}},    // GCN 5, CDNA
    {"gfx902", {16, 8, 2}},   // integrated
    {"gfx909", {16, 8, 2}},   // likewise
    {"gfx90c", {16, 8, 2}},   // likewise
    {"gfx10", {32, 8, 2}},    // RDNA 1 and 2
    {"gfx1033", {16, 8, 2}},  // integrated
    {"gfx1035", {16, 8, 2}},  // likewise
    {"gfx1036", {16, 8, 2}},  // likewise
    {"gfx11", {32, 8, 2}},    // RDNA 3
    {"gfx1103", {16, 8, 2}},  // integrated
    {"gfx115", {16, 8, 2}},   // likewise, RDNA 3.5
    {"gfx12", {32, 8, 2}},    // RDNA 4
    {"amd", {32, 8, 2}},      // Vulkan
    {"intel", {16, 8, 2}},    // Vulkan, SYCL
};

}  // namespace

WorkloadClass ClassifyWorkload(int width, int height) {
  const int64_t pixels = int64_t{width} * height;
  if (pixels < int64_t{1280} * 720) return WorkloadClass::kSmall;
  return pixels < int64_t{3840} * 2160 ? WorkloadClass::kMedium : WorkloadClass::kLarge;
}

std::string_view WorkloadClassName(WorkloadClass workload) {
  constexpr std::string_view kNames[] = {"small", "medium", "large"};
  return kNames[static_cast<int>(workload)];
}

const TuningEntry* FindTuning(std::span<const TuningEntry> table, std::string_view kernel, WorkloadClass workload,
                              std::string_view family) {
  const TuningEntry* best = nullptr;
  const auto rank = [](const TuningEntry& entry) { return std::pair(entry.family.size(), entry.workload.has_value()); };
  for (const TuningEntry& entry : table) {
    if (entry.kernel != kernel || entry.workload.value_or(workload) != workload) continue;
    if (!family.starts_with(entry.family)) continue;
    if (best == nullptr || rank(entry) > rank(*best)) best = &entry;
  }
  return best;
}

int PreferredBatch(WorkloadClass workload, std::string_view family) {
  const BatchRow* best = &kBatches[0];
  for (const BatchRow& row : kBatches)
    if (family.starts_with(row.family) && row.family.size() > best->family.size()) best = &row;
  return best->pairs[static_cast<int>(workload)];
}

}  // namespace acutance
