// TestUnpacking and TestExpanding: kernels that rearrange samples, on those made by a formula.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/int_math.h"
#include "devices/selftest.h"
#include "exec/expand_samples_args.h"
#include "exec/kernel_image.h"
#include "exec/unpack_samples_args.h"

namespace acutance {
namespace {

constexpr int kWidth = 135, kHeight = 53;

/// A kernel that reads one buffer and writes another: its grid from its workgroup, and its arguments from the
/// addresses.
struct KernelRun {
  std::string_view kernel, variant;
  std::function<Grid(const KernelImage&)> grid;
  std::function<std::vector<std::byte>(uint64_t from, uint64_t to)> args;
};

/// The `to_bytes` bytes that the kernel computes from `from`.
Result<std::vector<std::byte>> RunKernel(Device& device, const KernelRun& run, std::span<const std::byte> from,
                                         size_t to_bytes) {
  const KernelImage* image = FindKernelImage(run.kernel, run.variant);
  if (!image) return Error(StatusCode::kUnsupported, "this build has no kernel {} {}", run.kernel, run.variant);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, device.LoadKernel(*image));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, device.MakeQueue());
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> upload, device.Allocate(from.size(), MemoryKind::kUpload));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> in, device.Allocate(from.size(), MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> out, device.Allocate(to_bytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> readback, device.Allocate(to_bytes, MemoryKind::kReadback));
  std::ranges::copy(from, upload->host());
  const Command commands[] = {
      CopyCommand{upload.get(), 0, in.get(), 0, from.size()},
      LaunchCommand{kernel.get(), run.grid(*image), run.args(in->address(), out->address()), {in.get(), out.get()}},
      CopyCommand{out.get(), 0, readback.get(), 0, to_bytes}};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue->Record(commands));
  ACU_RETURN_IF_ERROR(queue->Submit(*recording));
  ACU_RETURN_IF_ERROR(queue->Wait());
  return std::vector<std::byte>(readback->host(), readback->host() + to_bytes);
}

/// The sample at a place. Gaps between samples are filled too: their values must not appear in the output.
template <typename Sample>
Sample Stored(int place) {
  return static_cast<Sample>(uint32_t{2654435761u} * static_cast<uint32_t>(place + 1) >> 13);
}

/// Runs the kernel on `count` stored samples and compares `rows` rows of its results, `stride` apart, with
/// expected(x, y).
template <typename Sample, typename Expected>
Status TestKernel(Device& device, const KernelRun& run, int count, int rows, int stride, Expected expected) {
  using Made = decltype(expected(0, 0));
  std::vector<Sample> samples(count);
  for (int place = 0; place < count; ++place) samples[place] = Stored<Sample>(place);
  ACU_ASSIGN_OR_RETURN(const std::vector<std::byte> made,
                       RunKernel(device, run, std::as_bytes(std::span(samples)), sizeof(Made) * stride * rows));
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < kWidth; ++x) {
      Made found;
      std::memcpy(&found, &made[(y * stride + x) * sizeof found], sizeof found);
      if (found != expected(x, y))
        return Error(StatusCode::kBadData, "self-test failed: {} {}: sample {}, {} is {}, not {}", run.kernel,
                     run.variant, x, y, found, expected(x, y));
    }
  return {};
}

template <typename Sample>
Status TestUnpackingOf(Device& device, std::string_view variant, int shift) {
  constexpr int kStep = 2, kFromStride = kWidth * kStep + 7, kToStride = kWidth + 5;
  const auto grid = [](const KernelImage& image) {
    return Grid{CeilDiv(kWidth, image.group_x), CeilDiv(kHeight, image.group_y), 1};
  };
  const auto args = [shift](uint64_t from, uint64_t to) {
    return ArgsBytes(UnpackSamplesArgs{.from = from,
                                       .to = to,
                                       .from_stride = kFromStride,
                                       .to_stride = kToStride,
                                       .width = kWidth,
                                       .height = kHeight,
                                       .step = kStep,
                                       .shift = shift});
  };
  return TestKernel<Sample>(
      device, {"unpack_samples", variant, grid, args}, kFromStride * kHeight, kHeight, kToStride,
      [&](int x, int y) { return static_cast<Sample>(Stored<Sample>(y * kFromStride + x * kStep) >> shift); });
}

template <typename Sample>
Status TestExpandingOf(Device& device, std::string_view variant, int shift) {
  constexpr int kPictures = 2, kSamples = static_cast<int>(sizeof(uint32_t) / sizeof(Sample));  // of a word
  constexpr int kStride = 144, kRows = kPictures * kHeight;
  const auto grid = [](const KernelImage& image) {
    return Grid{CeilDiv(CeilDiv(kWidth, kSamples), image.group_x), CeilDiv(kHeight, image.group_y), kPictures};
  };
  const auto args = [shift](uint64_t from, uint64_t to) {
    return ArgsBytes(ExpandSamplesArgs{.from = from,
                                       .to = to,
                                       .from_picture = kStride * kHeight / kSamples,
                                       .to_picture = kStride * kHeight / 2,
                                       .from_row = kStride / kSamples,
                                       .to_row = kStride / 2,
                                       .words = CeilDiv(kWidth, kSamples),
                                       .height = kHeight,
                                       .shift = shift,
                                       .padding = 0});
  };
  return TestKernel<Sample>(
      device, {"expand_samples", variant, grid, args}, kStride * kRows, kRows, kStride,
      [&](int x, int y) { return static_cast<uint16_t>(uint32_t{Stored<Sample>(y * kStride + x)} << shift); });
}

}  // namespace

Status TestUnpacking(Device& device) {
  ACU_RETURN_IF_ERROR(TestUnpackingOf<uint8_t>(device, "u8_64x4", 0));
  return TestUnpackingOf<uint16_t>(device, "u16_64x4", 6);
}

Status TestExpanding(Device& device) {
  ACU_RETURN_IF_ERROR(TestExpandingOf<uint8_t>(device, "u8_64x4", 2));
  return TestExpandingOf<uint16_t>(device, "u16_64x4", 4);
}

}  // namespace acutance
