#include "backend/testing/exact_probe.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "backend/testing/probe_buffers.h"
#include "base/int_math.h"
#include "kernel/probe/exact_args.h"
#include "math/exact_math.h"
#include "math/exact_tables.h"

namespace acutance {

std::span<const KernelImage> ProbeImages();

namespace {

using Numbers = std::array<double, 4>;
using Results = std::array<uint64_t, EXACT_RESULTS>;

double Power(std::mt19937_64& random, double low, double high) {
  const double exponent = low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
  return (random() % 2 ? 1 : -1) * std::exp2(exponent);
}

/// Up to 700, many near 1, many integers.
double DrawX(std::mt19937_64& random) {
  if (random() % 4) return Power(random, -9.4, 9.4);
  return random() % 2 ? 1 + Power(random, -40, -4) : std::round(Power(random, 0, 9.4));
}

/// No result is a subnormal number or a NaN, nor infinite.
Numbers Draw(std::mt19937_64& random) {
  const double x = DrawX(random);
  const double y = random() % 4 ? Power(random, -9, 3.5) : std::round(Power(random, 0, 3.5));
  const double near = -(x * y) * (1 + static_cast<double>(random() % 5) * 0x1p-52);
  const double z = random() % 2 ? Power(random, -20, 20) : near;
  return {x, y, z, DrawX(random)};
}

uint64_t Pattern(double x) { return std::bit_cast<uint64_t>(x); }
uint64_t Pattern(float x) { return std::bit_cast<uint32_t>(x); }

uint64_t Both(float low, float high) { return Pattern(low) | Pattern(high) << 32; }

/// The last result's sums and the second one's first factor may be subnormal.
Results ExpectedFused(float x, float y, float z) {
  const float near = std::bit_cast<float>(std::bit_cast<uint32_t>(-(x * y)) + 1);
  const float tiny = std::bit_cast<float>(std::bit_cast<uint32_t>(x) & 0x807fffffu);
  return {Both(std::fma(x, y, z), std::fma(-y, z, x)), Both(std::fma(x, y, -(x * y)), std::fma(x, y, near)),
          Both(std::fma(x * 0x1p50f, y * 0x1p50f, z * 0x1p100f), std::fma(x * 0x1p-28f, y * 0x1p-28f, z * 0x1p-56f)),
          Both(std::fma(x * 0x1p-70f, y * 0x1p-70f, 0.0f), std::fma(tiny, y * 0x1p90f, z))};
}

/// A device may take subnormal numbers for 0, and the product of one with it.
bool IsAsIfFlushed(uint64_t found, uint64_t expected, float z) {
  const auto low = static_cast<uint32_t>(expected), found_low = static_cast<uint32_t>(found);
  const bool is_subnormal = (low & 0x7f800000u) == 0;
  const auto high = static_cast<uint32_t>(expected >> 32), found_high = static_cast<uint32_t>(found >> 32);
  return (found_low == low || (is_subnormal && (found_low & 0x7fffffffu) == 0)) &&
         (found_high == high || found_high == std::bit_cast<uint32_t>(z));
}

Results Expected(std::string_view part, double x, double y, double z) {
  const double size = std::fabs(x);
  const float fx = static_cast<float>(x), fy = static_cast<float>(y), fsize = static_cast<float>(size);
  if (part == "arithmetic")
    return {Pattern(std::fma(x, y, z)), Pattern(x / y), Pattern(std::sqrt(size)),
            Pattern(fx / fy) | Pattern(std::sqrt(fsize)) << 32};
  if (part == "powers") return {Pattern(Exp(x)), Pattern(Pow(size, y)), Pattern(Powf(fsize, fy)), Pattern(Cbrt(x * z))};
  if (part == "logarithms")
    return {Pattern(Log(size)), Pattern(Log2(size)), Pattern(Log10(std::fabs(y * z))), Pattern(Log2f(fsize))};
  if (part == "fused") return ExpectedFused(fx, fy, static_cast<float>(z));
  return {Pattern(Sin(x)), Pattern(Cos(z)), Pattern(Atan2(x, y)), Pattern(Cbrt(y))};
}

Status Compare(const KernelImage& image, std::span<const Numbers> numbers, const Buffer& results) {
  const std::string_view part = image.variant.substr(0, image.variant.find('_'));
  for (size_t i = 0; i < 2 * numbers.size(); ++i) {
    Results found;
    std::memcpy(found.data(), results.host() + i * sizeof(Results), sizeof(Results));
    const auto [first, positive, z, second] = numbers[i / 2];
    const double x = i % 2 ? second : first, y = i % 2 ? -positive : positive;
    const Results expected = Expected(part, x, y, z);
    for (int k = 0; k < EXACT_RESULTS; ++k)
      if (found[k] != expected[k] &&
          !(part == "fused" && k == 3 && IsAsIfFlushed(found[k], expected[k], static_cast<float>(z))))
        return Error(StatusCode::kBadData, "{}: result {} of ({:a}, {:a}, {:a}) is {:x} instead of {:x}", image.symbol,
                     k, x, y, z, found[k], expected[k]);
  }
  return {};
}

Status RunPart(Device& device, const KernelImage& image, std::span<const Numbers> numbers) {
  const int count = static_cast<int>(numbers.size());
  ProbeBuffers buffers(device);
  ACU_ASSIGN_OR_RETURN(const Buffer* table, buffers.Upload(std::as_bytes(std::span(kExactTable, EXACT_TABLE_WORDS))));
  ACU_ASSIGN_OR_RETURN(const Buffer* uploaded, buffers.Upload(std::as_bytes(numbers)));
  ACU_ASSIGN_OR_RETURN(Buffer * results, buffers.Add(2 * count * sizeof(Results), MemoryKind::kReadback));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, device.LoadKernel(image));

  const ExactArgs args = {.table = table->address(),
                          .numbers = uploaded->address(),
                          .results = results->address(),
                          .count = count,
                          .rounds = 2};
  buffers.commands().push_back(LaunchCommand{kernel.get(), {.x = CeilDiv(count, image.group_x)}, ArgsBytes(args)});
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, device.MakeQueue());
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue->Record(buffers.commands()));
  ACU_RETURN_IF_ERROR(queue->Submit(*recording));
  ACU_RETURN_IF_ERROR(queue->Wait());
  return Compare(image, numbers, *results);
}

}  // namespace

Status RunExactProbe(Device& device, int count) {
  std::mt19937_64 random(1);
  std::vector<Numbers> numbers(count);
  for (Numbers& drawn : numbers) drawn = Draw(random);
  for (const KernelImage& image : ProbeImages())
    if (image.kernel == "exact") ACU_RETURN_IF_ERROR(RunPart(device, image, numbers));
  return {};
}

}  // namespace acutance
