#include "backend/vulkan/fma_probe.h"

#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "backend/vulkan/buffer.h"
#include "backend/vulkan/fma_probe_args.h"
#include "backend/vulkan/kernel.h"
#include "backend/vulkan/recording.h"
#include "base/environment.h"
#include "base/int_math.h"
#include "kernel/kernel.h"

namespace acutance {

std::span<const KernelImage> VulkanTrialImages();

#include "kernel/fused.kernel.h"

namespace vulkan {
namespace {

using Numbers = std::array<float, 3>;
using Results = std::array<uint32_t, FUSED_TRIAL_RESULTS>;

/// 24 random digits, between 2^-20 and 2^20.
float Draw(std::mt19937& random) {
  const auto draw = [&](uint32_t end) { return static_cast<uint32_t>(random() % end); };
  const uint32_t sign = draw(2), exponent = 127 - 20 + draw(40);
  return std::bit_cast<float>(sign << 31 | exponent << 23 | draw(1 << 23));
}

/// A third each: any numbers; sums that nearly vanish; sums that lie so near to the middle of two floats that a double
/// takes them for the middle, and rounds to the wrong one.
Numbers DrawNumbers(std::mt19937& random, int kind) {
  const float a = Draw(random), b = Draw(random);
  if (kind == 0) return {a, b, Draw(random)};
  if (kind == 1) return {a, b, -(a * b) * (1 + static_cast<float>(random() % 5) * 0x1p-23f)};
  const float odd = 1 + 0x1p-23f * static_cast<float>(random() % (1 << 22) * 2 + 1);
  const float part = static_cast<float>(random() % 64 + 1) * 0x1p-23f;
  return {0x1p-12f * (1 + part), 0x1p-12f * (1 - part), odd};  // 2^-24 (1 - part^2): just below the middle
}

std::vector<Numbers> DrawTrials() {
  constexpr int kTrials = 6144;
  std::mt19937 random(1);
  std::vector<Numbers> trials;
  trials.reserve(kTrials);
  for (int i = 0; i < kTrials; ++i) trials.push_back(DrawNumbers(random, i % 3));
  return trials;
}

Results Expected(const Numbers& numbers) {
  const auto [a, b, c] = numbers;
  const auto bits = [](float x) { return std::bit_cast<uint32_t>(x); };
  return {bits(fused(a, b, c)), bits(fused(-a, b, c)), bits(fused(a, b, -(a * b))), bits(fused(fused(a, b, c), b, -c))};
}

Result<bool> Try(const std::shared_ptr<Context>& context) {
  const std::vector<Numbers> trials = DrawTrials();
  const KernelImage& image = VulkanTrialImages().front();
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, VulkanKernel::Load(context, image));
  const size_t given_bytes = trials.size() * sizeof(Numbers), result_bytes = trials.size() * sizeof(Results);
  ACU_ASSIGN_OR_RETURN(const auto given, VulkanBuffer::Allocate(context, given_bytes, MemoryKind::kUpload));
  ACU_ASSIGN_OR_RETURN(const auto numbers, VulkanBuffer::Allocate(context, given_bytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const auto results, VulkanBuffer::Allocate(context, result_bytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const auto found, VulkanBuffer::Allocate(context, result_bytes, MemoryKind::kReadback));
  std::memcpy(given->host(), trials.data(), given_bytes);
  const auto count = static_cast<int32_t>(trials.size());
  const FmaProbeArgs args = {
      .numbers = numbers->address(), .results = results->address(), .count = count, .padding = 0};
  const std::vector<Command> commands = {
      CopyCommand{given.get(), 0, numbers.get(), 0, given_bytes},
      LaunchCommand{kernel.get(), {.x = CeilDiv(count, image.group_x)}, ArgsBytes(args)},
      CopyCommand{results.get(), 0, found.get(), 0, result_bytes}};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, MakeQueue(context));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue->Record(commands));
  ACU_RETURN_IF_ERROR(queue->Submit(*recording));
  ACU_RETURN_IF_ERROR(queue->Wait());
  for (size_t i = 0; i < trials.size(); ++i) {
    const Results expected = Expected(trials[i]);
    if (std::memcmp(found->host() + i * sizeof(Results), expected.data(), sizeof(Results)) != 0) return false;
  }
  return true;
}

}  // namespace

bool AsksForFused(std::span<const std::byte> spirv) {
  // Numbers of the SPIR-V specification, sections 2.3 and 3.32.
  constexpr size_t kHeaderWords = 5;
  constexpr uint32_t kOpSpecConstantFalse = 49, kOpFunction = 54;
  const auto word = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, spirv.data() + 4 * at, sizeof(value));
    return value;
  };
  for (size_t at = kHeaderWords; 4 * (at + 1) <= spirv.size();) {
    const uint32_t opcode = word(at) & 0xffff, words = word(at) >> 16;
    if (opcode == kOpSpecConstantFalse) return true;
    if (opcode == kOpFunction || words == 0) return false;
    at += words;
  }
  return false;
}

bool RoundsFusedOnce(const std::shared_ptr<Context>& context) {
  if (!IsOn("ACUTANCE_VULKAN_FUSED", true)) return false;
  const Result<bool> rounds_once = Try(context);
  return rounds_once.ok() && *rounds_once;
}

}  // namespace vulkan
}  // namespace acutance
