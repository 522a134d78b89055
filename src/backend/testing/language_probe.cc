#include "backend/testing/language_probe.h"

#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "backend/testing/probe_buffers.h"
#include "base/int_math.h"
#include "kernel/probe/language_args.h"

namespace acutance {

std::span<const KernelImage> ProbeImages();

namespace {

constexpr int kCount = 1000;  // no multiple of a workgroup
constexpr int kFirst = 5;
constexpr int kMask = 3;  // below any wave size
constexpr int kIntegers = 4;
constexpr std::array<int32_t, 16> kTable = {-7, 3, 0, 2, -1, 40000, -40000, 5, 11, -13, 17, -19, 23, -29, 31, -37};
constexpr int64_t kWeights[] = {-3, 5, 7};

struct Answer {
  double ratio;
  std::array<int64_t, kIntegers> integers;
};

uint32_t SampleAt(int i, int bits) { return (static_cast<uint32_t>(i) * 2654435761u >> 13) & ((1u << bits) - 1); }

/// The results of the workgroups, item by item.
class Answers {
 public:
  Answers(const KernelImage& image, int bits)
      : image_(image), bits_(bits), items_(image.group_x * image.group_y), groups_(CeilDiv(kCount, items_)) {}

  int groups() const { return groups_; }

  Answer At(int place) const {
    const uint32_t value = Value(place);
    const double x = value, y = value >> 4;
    const double quotient = x / (y + 65536.0e-10);
    return {x - quotient * y * 0.1,
            {Weighted(place), std::countl_zero(value << 3), GroupSum(place), int64_t{place ^ kMask}}};
  }

 private:
  uint32_t Value(int place) const { return place < kCount ? SampleAt(place + kFirst, bits_) : 0; }

  int64_t Weighted(int place) const {
    const int row = place / image_.group_x * image_.group_x;
    int64_t sum = 0;
    for (int k = 0; k < 3; ++k) {
      const uint32_t value = Value(row + (place + k) % image_.group_x);
      sum += kWeights[k] * (int64_t{value >> 4} + kTable[value & 15]);
    }
    return sum;
  }

  int64_t GroupSum(int place) const {
    const int first = place / items_ * items_;
    int64_t sum = 0;
    for (int i = 0; i < items_; ++i) sum += Value(first + i);
    return sum;
  }

  const KernelImage& image_;
  const int bits_;
  const int items_;
  const int groups_;
};

std::vector<std::byte> Samples(int bits) {
  std::vector<std::byte> bytes((kCount + kFirst) * (bits / 8));
  for (int i = 0; i < kCount + kFirst; ++i) {
    const uint16_t sample = static_cast<uint16_t>(SampleAt(i, bits));
    std::memcpy(bytes.data() + i * (bits / 8), &sample, bits / 8);  // little endian
  }
  return bytes;
}

Status Compare(const KernelImage& image, const Answers& answers, const Buffer& ratios, const Buffer& integers) {
  for (int i = 0; i < kCount; ++i) {
    const Answer expected = answers.At(i);
    Answer found;
    std::memcpy(&found.ratio, ratios.host() + i * sizeof(double), sizeof(double));
    std::memcpy(found.integers.data(), integers.host() + i * sizeof(found.integers), sizeof(found.integers));
    if (std::bit_cast<uint64_t>(found.ratio) != std::bit_cast<uint64_t>(expected.ratio))
      return Error(StatusCode::kBadData, "{}: item {} computed {:a} instead of {:a}", image.symbol, i, found.ratio,
                   expected.ratio);
    for (int k = 0; k < kIntegers; ++k)
      if (found.integers[k] != expected.integers[k])
        return Error(StatusCode::kBadData, "{}: integer {} of item {} is {} instead of {}", image.symbol, k, i,
                     found.integers[k], expected.integers[k]);
  }
  return {};
}

Status RunVariant(Device& device, const KernelImage& image) {
  const int bits = image.variant.starts_with("u8_") ? 8 : 16;
  const Answers answers(image, bits);
  ProbeBuffers buffers(device);
  ACU_ASSIGN_OR_RETURN(const Buffer* samples, buffers.Upload(Samples(bits)));
  ACU_ASSIGN_OR_RETURN(const Buffer* table, buffers.Upload(std::as_bytes(std::span(kTable))));
  const size_t ratio_bytes = kCount * sizeof(double), integer_bytes = kCount * kIntegers * sizeof(int64_t);
  ACU_ASSIGN_OR_RETURN(Buffer * ratios, buffers.Add(ratio_bytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(Buffer * ratios_back, buffers.Add(ratio_bytes, MemoryKind::kReadback));
  ACU_ASSIGN_OR_RETURN(Buffer * integers, buffers.Add(integer_bytes, MemoryKind::kReadback));  // of kernels, too
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, device.LoadKernel(image));

  const LanguageArgs args = {.samples = samples->address(),
                             .table = table->address(),
                             .ratios = ratios->address(),
                             .integers = integers->address(),
                             .first = kFirst,
                             .count = kCount,
                             .mask = kMask};
  const int z = 2, x = CeilDiv(answers.groups(), z);  // all three dimensions at work
  buffers.commands().push_back(LaunchCommand{kernel.get(), {.x = x, .y = 1, .z = z}, ArgsBytes(args)});
  buffers.commands().push_back(CopyCommand{ratios, 0, ratios_back, 0, ratio_bytes});
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, device.MakeQueue());
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue->Record(buffers.commands()));
  for (int repeat = 0; repeat < 2; ++repeat) {
    std::memset(ratios_back->host(), 0x5A, ratio_bytes);
    std::memset(integers->host(), 0x5A, integer_bytes);
    ACU_RETURN_IF_ERROR(queue->Submit(*recording));
    ACU_RETURN_IF_ERROR(queue->Wait());
    ACU_RETURN_IF_ERROR(Compare(image, answers, *ratios_back, *integers));
  }
  return {};
}

}  // namespace

Status RunLanguageProbe(Device& device) {
  for (const KernelImage& image : ProbeImages())
    if (image.kernel == "language") ACU_RETURN_IF_ERROR(RunVariant(device, image));
  return {};
}

}  // namespace acutance
