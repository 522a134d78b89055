#include "devices/sample_selftests.h"

#include <cstring>
#include <span>
#include <vector>

#include "base/int_math.h"
#include "devices/run_kernel.h"
#include "exec/expand_samples_args.h"
#include "exec/kernel_image.h"
#include "exec/unpack_samples_args.h"

namespace acutance {
namespace {

constexpr int kWidth = 135, kHeight = 53;

/// The sample at a place. Gaps between samples are filled too: their values must not appear in the output.
template <typename Sample>
Sample Stored(int place) {
  return static_cast<Sample>(uint32_t{2654435761u} * static_cast<uint32_t>(place + 1) >> 13);
}

template <typename Sample>
std::vector<std::byte> StoredSamples(int count) {
  std::vector<std::byte> samples(count * sizeof(Sample));
  for (int place = 0; place < count; ++place) {
    const auto sample = Stored<Sample>(place);
    std::memcpy(&samples[place * sizeof sample], &sample, sizeof sample);
  }
  return samples;
}

template <class Args>
std::vector<std::byte> BytesOf(const Args& args) {
  const auto bytes = std::as_bytes(std::span(&args, 1));
  return {bytes.begin(), bytes.end()};
}

template <typename Sample>
Status CheckSample(const KernelRun& run, const std::vector<std::byte>& made, int stride, int x, int y,
                   Sample expected) {
  Sample found;
  std::memcpy(&found, &made[(y * stride + x) * sizeof found], sizeof found);
  if (found == expected) return {};
  return Error(StatusCode::kBadData, "self-test failed: {} {}: sample {}, {} is {}, not {}", run.kernel, run.variant, x,
               y, found, expected);
}

template <typename Sample>
Status TestUnpackingOf(Device& device, std::string_view variant, int shift) {
  constexpr int kStep = 2, kFromStride = kWidth * kStep + 7, kToStride = kWidth + 5;
  const KernelRun run = {.kernel = "unpack_samples",
                         .variant = variant,
                         .grid =
                             [](const KernelImage& image) {
                               return Grid{CeilDiv(kWidth, image.group_x), CeilDiv(kHeight, image.group_y), 1};
                             },
                         .args =
                             [shift](uint64_t from, uint64_t to) {
                               return BytesOf(UnpackSamplesArgs{.from = from,
                                                                .to = to,
                                                                .from_stride = kFromStride,
                                                                .to_stride = kToStride,
                                                                .width = kWidth,
                                                                .height = kHeight,
                                                                .step = kStep,
                                                                .shift = shift});
                             }};
  ACU_ASSIGN_OR_RETURN(
      const std::vector<std::byte> made,
      RunKernel(device, run, StoredSamples<Sample>(kFromStride * kHeight), sizeof(Sample) * kToStride * kHeight));
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const auto expected = static_cast<Sample>(Stored<Sample>(y * kFromStride + x * kStep) >> shift);
      ACU_RETURN_IF_ERROR(CheckSample(run, made, kToStride, x, y, expected));
    }
  return {};
}

template <typename Sample>
Status TestRaisingOf(Device& device, std::string_view variant, int shift) {
  constexpr int kPictures = 2, kSamples = static_cast<int>(sizeof(uint32_t) / sizeof(Sample));  // of a word
  constexpr int kStride = 144, kRows = kPictures * kHeight;
  const KernelRun run = {
      .kernel = "expand_samples",
      .variant = variant,
      .grid =
          [](const KernelImage& image) {
            return Grid{CeilDiv(CeilDiv(kWidth, kSamples), image.group_x), CeilDiv(kHeight, image.group_y), kPictures};
          },
      .args =
          [shift](uint64_t from, uint64_t to) {
            return BytesOf(RaiseSamplesArgs{.from = from,
                                            .to = to,
                                            .from_picture = kStride * kHeight / kSamples,
                                            .to_picture = kStride * kHeight / 2,
                                            .from_row = kStride / kSamples,
                                            .to_row = kStride / 2,
                                            .words = CeilDiv(kWidth, kSamples),
                                            .height = kHeight,
                                            .shift = shift,
                                            .padding = 0});
          }};
  ACU_ASSIGN_OR_RETURN(const std::vector<std::byte> made, RunKernel(device, run, StoredSamples<Sample>(kStride * kRows),
                                                                    sizeof(uint16_t) * kStride * kRows));
  for (int y = 0; y < kRows; ++y)
    for (int x = 0; x < kWidth; ++x) {
      const auto expected = static_cast<uint16_t>(uint32_t{Stored<Sample>(y * kStride + x)} << shift);
      ACU_RETURN_IF_ERROR(CheckSample(run, made, kStride, x, y, expected));
    }
  return {};
}

}  // namespace

Status TestUnpacking(Device& device) {
  ACU_RETURN_IF_ERROR(TestUnpackingOf<uint8_t>(device, "u8_64x4", 0));
  return TestUnpackingOf<uint16_t>(device, "u16_64x4", 6);
}

Status TestRaising(Device& device) {
  ACU_RETURN_IF_ERROR(TestRaisingOf<uint8_t>(device, "u8_64x4", 2));
  return TestRaisingOf<uint16_t>(device, "u16_64x4", 4);
}

}  // namespace acutance
