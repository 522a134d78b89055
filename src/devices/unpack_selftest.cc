#include "devices/unpack_selftest.h"

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/int_math.h"
#include "exec/unpack_samples_args.h"

namespace acutance {
namespace {

constexpr int kWidth = 135, kHeight = 53, kStep = 2;
constexpr int kFromStride = kWidth * kStep + 7, kToStride = kWidth + 5;

/// The sample at a place. The gaps between samples are filled too: their values must not appear
/// in the output.
template <typename Sample>
Sample Stored(int place) {
  return static_cast<Sample>(uint32_t{2654435761u} * static_cast<uint32_t>(place + 1) >> 13);
}

template <typename Sample>
Status TestVariant(Device& device, std::string_view variant, int shift) {
  const KernelImage* image = FindKernelImage("unpack_samples", variant);
  if (!image) return Error(StatusCode::kUnsupported, "this build has no kernel unpack_samples {}", variant);
  constexpr size_t kFromBytes = sizeof(Sample) * kFromStride * kHeight, kToBytes = sizeof(Sample) * kToStride * kHeight;
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, device.LoadKernel(*image));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, device.MakeQueue());
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> upload, device.Allocate(kFromBytes, MemoryKind::kUpload));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> from, device.Allocate(kFromBytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> to, device.Allocate(kToBytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> readback, device.Allocate(kToBytes, MemoryKind::kReadback));
  for (int place = 0; place < kFromStride * kHeight; ++place) {
    const Sample sample = Stored<Sample>(place);
    std::memcpy(upload->host() + place * sizeof sample, &sample, sizeof sample);
  }

  const UnpackSamplesArgs args = {.from = from->address(),
                                  .to = to->address(),
                                  .from_stride = kFromStride,
                                  .to_stride = kToStride,
                                  .width = kWidth,
                                  .height = kHeight,
                                  .step = kStep,
                                  .shift = shift};
  const auto text = std::as_bytes(std::span(&args, 1));
  const Grid grid = {CeilDiv(kWidth, image->group_x), CeilDiv(kHeight, image->group_y), 1};
  const Command commands[] = {LaunchCommand{kernel.get(), grid, {text.begin(), text.end()}, {to.get()}},
                              CopyCommand{to.get(), 0, readback.get(), 0, kToBytes}};
  const CopyCommand in[] = {{upload.get(), 0, from.get(), 0, kFromBytes}};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue->Record(commands));
  ACU_RETURN_IF_ERROR(queue->Copy(in));
  ACU_RETURN_IF_ERROR(queue->Submit(*recording));
  ACU_RETURN_IF_ERROR(queue->Wait());

  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      Sample found;
      std::memcpy(&found, readback->host() + (y * kToStride + x) * sizeof found, sizeof found);
      const auto expected = static_cast<Sample>(Stored<Sample>(y * kFromStride + x * kStep) >> shift);
      if (found != expected)
        return Error(StatusCode::kBadData, "self-test failed: unpack_samples {}: sample {}, {} is {}, not {}", variant,
                     x, y, found, expected);
    }
  return {};
}

}  // namespace

Status TestUnpacking(Device& device) {
  ACU_RETURN_IF_ERROR(TestVariant<uint8_t>(device, "u8_64x4", 0));
  return TestVariant<uint16_t>(device, "u16_64x4", 6);
}

}  // namespace acutance
