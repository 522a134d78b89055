#include "backend/vulkan/profiling.h"

#include <cstdio>

namespace acutance::vulkan {
namespace {

std::string ValueText(const VkPipelineExecutableStatisticKHR& statistic) {
  switch (statistic.format) {
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_BOOL32_KHR:
      return statistic.value.b32 ? "yes" : "no";
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_INT64_KHR:
      return fmt::format("{}", statistic.value.i64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR:
      return fmt::format("{}", statistic.value.u64);
    case VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_FLOAT64_KHR:
      return fmt::format("{}", statistic.value.f64);
    default:
      return "?";
  }
}

std::string StatisticsText(const Context& context, const VkPipelineExecutableInfoKHR& which) {
  const DeviceFunctions& vk = context.vk();
  uint32_t count = 0;
  if (vk.vkGetPipelineExecutableStatisticsKHR(context.device(), &which, &count, nullptr) != VK_SUCCESS) return {};
  std::vector<VkPipelineExecutableStatisticKHR> statistics(count,
                                                           {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
  if (vk.vkGetPipelineExecutableStatisticsKHR(context.device(), &which, &count, statistics.data()) != VK_SUCCESS)
    return {};
  statistics.resize(count);
  std::string text;
  for (const VkPipelineExecutableStatisticKHR& statistic : statistics)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", statistic.name, ValueText(statistic));
  return text;
}

}  // namespace

Result<std::unique_ptr<Times>> Times::Make(Context& context, uint32_t family) {
  const PhysicalDevice& physical = context.physical();
  if (!physical.reports_times || physical.timestamp_bits.at(family) == 0) return std::unique_ptr<Times>();
  VkQueryPoolCreateInfo settings = {VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  settings.queryType = VK_QUERY_TYPE_TIMESTAMP;
  settings.queryCount = kMostCommands + 1;
  VkQueryPool pool = VK_NULL_HANDLE;
  ACU_RETURN_IF_ERROR(context.Check(context.vk().vkCreateQueryPool(context.device(), &settings, nullptr, &pool),
                                    "measure the times of its commands"));
  return std::unique_ptr<Times>(new Times(context, pool));
}

Times::~Times() {
  if (!context_.is_abandoned()) context_.vk().vkDestroyQueryPool(context_.device(), pool_, nullptr);
}

void Times::Clear() { marks_.clear(); }

void Times::Reset() { context_.vk().vkResetQueryPool(context_.device(), pool_, 0, kMostCommands + 1); }

void Times::Mark(VkCommandBuffer commands, std::string what) {
  if (marks_.size() > kMostCommands) return;
  context_.vk().vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_,
                                    static_cast<uint32_t>(marks_.size()));
  marks_.push_back(std::move(what));
}

void Times::Print() const {
  std::vector<uint64_t> ticks(marks_.size());
  if (ticks.empty() ||
      context_.vk().vkGetQueryPoolResults(context_.device(), pool_, 0, static_cast<uint32_t>(ticks.size()),
                                          ticks.size() * sizeof(uint64_t), ticks.data(), sizeof(uint64_t),
                                          VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
    return;
  const double microseconds = context_.physical().limits.timestampPeriod / 1000.0;
  std::string lines;
  for (size_t i = 1; i < ticks.size(); ++i)
    lines += fmt::format("vulkan time: {:9.2f} us {}\n", static_cast<double>(ticks[i] - ticks[i - 1]) * microseconds,
                         marks_[i]);
  std::fputs((lines + fmt::format("vulkan time: {:9.2f} us in all\n",
                                  static_cast<double>(ticks.back() - ticks.front()) * microseconds))
                 .c_str(),
             stderr);
}

void PrintStatistics(const Context& context, VkPipeline pipeline, std::string_view kernel) {
  const DeviceFunctions& vk = context.vk();
  if (!vk.vkGetPipelineExecutablePropertiesKHR || !vk.vkGetPipelineExecutableStatisticsKHR) return;
  VkPipelineInfoKHR of = {VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
  of.pipeline = pipeline;
  uint32_t count = 0;
  if (vk.vkGetPipelineExecutablePropertiesKHR(context.device(), &of, &count, nullptr) != VK_SUCCESS) return;
  for (uint32_t i = 0; i < count; ++i) {
    VkPipelineExecutableInfoKHR which = {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
    which.pipeline = pipeline;
    which.executableIndex = i;
    std::fputs(fmt::format("vulkan kernel {}: {}\n", kernel, StatisticsText(context, which)).c_str(), stderr);
  }
}

}  // namespace acutance::vulkan
