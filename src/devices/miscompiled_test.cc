// A compiler's mistake, made up: single instructions of a kernel are changed before Vulkan's driver gets it, as a
// driver that translates them wrong would. The self-test must find each.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "devices/backends.h"
#include "devices/selftest.h"
#include "metric/registry.h"

namespace acutance {
namespace {

using testing::HasSubstr;

// SPIR-V: a module begins with five words; the lower half of an instruction's first word is its number, the upper half
// its length in words.
constexpr size_t kHeader = 5;
constexpr uint32_t kIAdd = 128, kISub = 130, kNumber = 0xffff;

std::vector<size_t> PlacesOf(uint32_t instruction, const std::vector<uint32_t>& words) {
  std::vector<size_t> places;
  for (size_t i = kHeader; i < words.size() && words[i] >> 16 > 0; i += words[i] >> 16)
    if ((words[i] & kNumber) == instruction) places.push_back(i);
  return places;
}

/// Runs `kernel` with its nth difference as a sum. `places`: how many there are, once it was loaded.
class MiscompilingDevice : public Device {
 public:
  MiscompilingDevice(std::unique_ptr<Device> inner, std::string kernel, size_t nth)
      : inner_(std::move(inner)), kernel_(std::move(kernel)), nth_(nth) {}

  const DeviceInfo& info() const override { return inner_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    return inner_->Allocate(bytes, kind);
  }
  Result<std::unique_ptr<Queue>> MakeQueue() override { return inner_->MakeQueue(); }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    return inner_->LoadKernel(image.kernel == kernel_ ? Changed(image) : image);
  }

  size_t places() const { return places_; }

 private:
  KernelImage Changed(const KernelImage& image) {
    KernelImage changed = image;
    for (const KernelBinary& binary : image.binaries) {
      if (binary.backend != "vulkan") continue;
      std::vector<uint32_t>& words = code_.emplace_back(binary.code.size() / sizeof(uint32_t));
      std::memcpy(words.data(), binary.code.data(), words.size() * sizeof(uint32_t));
      const std::vector<size_t> found = PlacesOf(kISub, words);
      places_ = std::max(places_, found.size());
      if (nth_ < found.size()) words[found[nth_]] = (words[found[nth_]] & ~kNumber) | kIAdd;
      binaries_.push_back({binary.backend, binary.target, std::as_bytes(std::span(words))});
      changed.binaries = {&binaries_.back(), 1};
    }
    return changed;
  }

  const std::unique_ptr<Device> inner_;
  const std::string kernel_;
  const size_t nth_;
  size_t places_ = 0;
  std::deque<std::vector<uint32_t>> code_;
  std::deque<KernelBinary> binaries_;
};

std::unique_ptr<Device> OpenVulkan() {
  const Backend* vulkan = FindBackend("vulkan");
  if (!vulkan || vulkan->probe().devices.empty()) return nullptr;
  auto device = vulkan->open(0);
  return device.ok() ? std::move(*device) : nullptr;
}

/// psnr_sse, whose differences are those of samples: other kernels compute places in memory with theirs.
TEST(Miscompiled, TheSelfTestFindsEachDifferenceThatBecameASum) {
  const SelfTest test = MetricSelfTest(*FindMetric("psnr"));
  size_t places = 1;
  for (size_t nth = 0; nth <= places; ++nth) {
    std::unique_ptr<Device> vulkan = OpenVulkan();
    if (!vulkan) GTEST_SKIP() << "no device for Vulkan";
    MiscompilingDevice device(std::move(vulkan), "psnr_sse", nth);
    const Status status = test.run(device);
    places = device.places();
    ASSERT_GT(places, 0u);
    if (nth < places) {
      EXPECT_THAT(status.message(), HasSubstr("self-test failed: psnr")) << "difference " << nth;
    } else {
      EXPECT_TRUE(status.ok()) << status.message();  // nothing was changed
    }
  }
}

}  // namespace
}  // namespace acutance
