#include "backend/vulkan/statistics.h"

#include <cstdio>
#include <string>
#include <vector>

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
