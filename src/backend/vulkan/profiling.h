// Profiling output on standard error: times of commands and statistics of kernels, as the driver reports them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/vulkan/context.h"
#include "base/status.h"

namespace acutance::vulkan {

/// The times of a submission's commands. ACUTANCE_VULKAN_TIMES=1 prints them for the last submission of every
/// recording. Commands then run one after another, so that each has its own time.
class Times {
 public:
  static constexpr uint32_t kMostCommands = 1023;  // of a recording; those after are not timed

  /// Null unless they were asked for and the queues of `family` have a clock.
  static Result<std::unique_ptr<Times>> Make(Context& context, uint32_t family);
  ~Times();
  Times(const Times&) = delete;
  Times& operator=(const Times&) = delete;

  void Clear();  // before the recording is filled, and `Reset` before each submission
  void Reset();
  /// Writes a timestamp: at the beginning, then after each command.
  void Mark(VkCommandBuffer commands, std::string what);
  /// Prints a line for each command of a submission that is done, to standard error.
  void Print() const;

 private:
  Times(Context& context, VkQueryPool pool) : context_(context), pool_(pool) {}

  Context& context_;
  const VkQueryPool pool_;
  std::vector<std::string> marks_;
};

/// Prints the registers, spills and shared memory of a compiled kernel, which ACUTANCE_VULKAN_STATISTICS=1 asks for.
/// The pipeline must have been compiled with VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR.
void PrintStatistics(const Context& context, VkPipeline pipeline, std::string_view kernel);

}  // namespace acutance::vulkan
