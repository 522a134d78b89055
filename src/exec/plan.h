// A plan: a metric's work on a device as data - buffers, launches and borders - for a batch of frame pairs.
//
// Pictures stand on the device plane by plane, row by row, samples of one or two bytes. A batch has, for every plane in
// use, `history + batch` pictures one after another: the `history` reference pictures before the batch (distorted ones
// have none), then the batch. Work item z of a launch is frame z of the batch. The first frames of a clip lack history;
// their slots hold anything, and the engine ignores sums that depend on them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "image/picture.h"

namespace acutance {

/// Small frames are batched until a device is full; large ones are not.
enum class WorkloadClass { kSmall, kMedium, kLarge };

/// small < 1280x720 <= medium < 3840x2160 <= large, by luma pixels.
WorkloadClass ClassifyWorkload(int width, int height);
std::string_view WorkloadClassName(WorkloadClass workload);

/// The six planes that a plan may read.
enum class PlanInput { kReferenceY, kReferenceCb, kReferenceCr, kDistortedY, kDistortedCb, kDistortedCr };
inline constexpr int kPlanInputs = 6;

/// Where the samples of an input plane lie; strides in samples.
struct PlaneLayout {
  int width = 0;
  int height = 0;
  int row_stride = 0;          // a multiple of 64 bytes
  int64_t picture_stride = 0;  // from picture to picture
  int history = 0;             // pictures before the batch
};

/// Tuning is data: which variant of a kernel a device family runs at a workload class. It can never change a score.
struct TuningEntry {
  std::string_view kernel;
  WorkloadClass workload;
  std::string_view family;  // prefix of DeviceInfo::family; empty: any
  std::string_view shape;   // the variant's name after the sample type: "64x4r8"
  int batch;                // frame pairs a launch; the largest over a session's kernels is used
};

/// What a metric's plan function is told.
struct PlanContext {
  PictureFormat format;
  int batch = 1;
  WorkloadClass workload = WorkloadClass::kMedium;
  std::string family;                           // DeviceInfo::family
  std::span<const TuningEntry> overrides;       // asked before the metric's own tuning table
  std::array<PlaneLayout, kPlanInputs> inputs;  // of all planes that the format has

  const PlaneLayout& layout(PlanInput input) const { return inputs[static_cast<int>(input)]; }
};

/// The layouts of a batch; `history` is the largest Lag() of the session's metrics.
PlanContext MakePlanContext(const PictureFormat& format, int batch, int history, std::string_view family);

/// A buffer of a plan, or an offset into one.
struct BufferRef {
  int buffer = -1;
  uint64_t offset = 0;  // bytes, below 2^48

  /// What stands in a BUFFER member of an argument struct until the plan is bound to a device.
  operator uint64_t() const { return (static_cast<uint64_t>(buffer + 1) << 48) | offset; }
};

class Plan {
 public:
  struct BufferSpec {
    std::string name;
    size_t bytes;                     // for the whole batch
    std::vector<std::byte> contents;  // tables, uploaded once; empty: scratch
  };
  struct Launch {
    const KernelImage* kernel;
    Grid grid;
    std::vector<std::byte> args;
    std::string border;  // how the kernel reads beyond the edge, in words: "mirror 2"
  };

  static constexpr int kFirstOwnBuffer = kPlanInputs + 1;

  /// A plan has buffers 0..5, the inputs, and 6, the sums: int64 [batch][sum_count]. Its own follow.
  explicit Plan(int sum_count) : sum_count_(sum_count) {}

  BufferRef Input(PlanInput input) const { return {static_cast<int>(input), 0}; }
  BufferRef Sums() const { return {kPlanInputs, 0}; }
  BufferRef AddScratch(std::string name, size_t bytes);
  BufferRef AddTable(std::string name, std::vector<std::byte> contents);

  /// Fails when the grid is empty, the struct's size is not the kernel's, or a BUFFER member names no buffer.
  template <class Args>
  Status AddLaunch(const KernelImage& kernel, Grid grid, const Args& args, std::string_view border) {
    return AddLaunchBytes(kernel, grid, std::as_bytes(std::span(&args, 1)), border);
  }

  /// A tuning table asks for this many frame pairs a launch; a plan keeps the largest number.
  void PreferBatch(int batch) { preferred_batch_ = std::max(preferred_batch_, batch); }
  int preferred_batch() const { return preferred_batch_; }

  int sum_count() const { return sum_count_; }
  const std::vector<BufferSpec>& buffers() const { return buffers_; }  // its own: index kFirstOwnBuffer and up
  const std::vector<Launch>& launches() const { return launches_; }
  bool Reads(PlanInput input) const;  // by any launch

  /// For people: buffers with their sizes, launches with kernel, variant, grid, arguments and border.
  std::string Print() const;

 private:
  Status AddLaunchBytes(const KernelImage& kernel, Grid grid, std::span<const std::byte> args, std::string_view border);

  int sum_count_;
  int preferred_batch_ = 1;
  std::vector<BufferSpec> buffers_;
  std::vector<Launch> launches_;
};

/// A launch's arguments with the device addresses of `buffers` (by plan buffer index) in place of its BufferRefs.
std::vector<std::byte> BindArguments(const Plan::Launch& launch, std::span<const uint64_t> buffers);

/// The plan's buffers in a launch's BUFFER members, in their order.
std::vector<int> BuffersOf(const Plan::Launch& launch);

/// The entry with the longest matching family; null when the table has none for the kernel and class.
const TuningEntry* FindTuning(std::span<const TuningEntry> table, std::string_view kernel, WorkloadClass workload,
                              std::string_view family);

struct TunedKernel {
  const KernelImage* image;
  int batch;  // that the table asks for
};

/// The variant "<sample>_<shape>" of `kernel` that the context's overrides or else `table` choose, such as "u8_64x4r8"
/// for samples of one byte; "<shape>" of a kernel that reads no samples.
Result<TunedKernel> ChooseVariant(std::span<const TuningEntry> table, std::string_view kernel,
                                  const PlanContext& context);

}  // namespace acutance
