// The times of a submission's commands, measured by the device. ACUTANCE_VULKAN_TIMES=1 prints
// them for the last submission of every recording. Commands then run one after another, so that
// each has its own time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/vulkan/context.h"
#include "base/status.h"

namespace acutance::vulkan {

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

}  // namespace acutance::vulkan
