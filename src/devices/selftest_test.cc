// The faults that the self-test finds, and the outcomes that are remembered.
#include "devices/selftest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <tuple>
#include <variant>

#include "backend/emu/emu.h"
#include "base/environment.h"
#include "base/temp_dir.h"
#include "devices/testing/flaky_device.h"
#include "metric/plan_context.h"
#include "metric/registry.h"

namespace acutance {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

SelfTest TestOf(std::string_view metric) { return MetricSelfTest(*FindMetric(metric)); }

/// The emulator under another name, whose kernels must be tested; `broken`: it loads none.
class TestedDevice : public FlakyDevice {
 public:
  explicit TestedDevice(bool broken = false) : FlakyDevice({}), info_(FlakyDevice::info()), broken_(broken) {
    info_.is_reference = false;
  }
  const DeviceInfo& info() const override { return info_; }
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    ++loaded_;
    if (broken_) return Error(StatusCode::kUnsupported, "no kernels");
    return FlakyDevice::LoadKernel(image);
  }
  int loaded() const { return loaded_; }

 private:
  DeviceInfo info_;
  const bool broken_;
  int loaded_ = 0;
};

class SelfTestCache : public testing::Test {
 protected:
  void SetUp() override { ::setenv("XDG_CACHE_HOME", cache_.path().c_str(), 1); }
  void TearDown() override { ::unsetenv("XDG_CACHE_HOME"); }

  const test::TempDir cache_;
};

TEST_F(SelfTestCache, AMetricIsTestedOnceOnADevice) {
  const SelfTest psnr = TestOf("psnr"), motion = TestOf("motion");
  TestedDevice first, second(/*broken=*/true), third(/*broken=*/true);
  EXPECT_EQ(CheckOnce(first, psnr).message(), "");
  EXPECT_GT(first.loaded(), 0);
  EXPECT_TRUE(CheckOnce(second, psnr).ok()) << "what passed before is believed";
  EXPECT_EQ(second.loaded(), 0);
  EXPECT_THAT(CheckOnce(second, motion).message(), HasSubstr("no kernels")) << "another metric is not";
  EXPECT_THAT(CheckAnew(second, psnr).message(), HasSubstr("no kernels"));
  EXPECT_FALSE(CheckOnce(third, psnr).ok()) << "what failed since is not believed";
}

TEST_F(SelfTestCache, TheReferenceHasNothingToProve) {
  FlakyDevice emulator({.where = Fault::kSubmit});
  EXPECT_TRUE(CheckOnce(emulator, TestOf("psnr")).ok());
  EXPECT_FALSE(CheckAnew(emulator, TestOf("psnr")).ok());
}

TEST(SelfTest, KeysDistinguishIndividualsDriversAndKernels) {
  const DeviceInfo info = {.backend = "cuda", .name = "a", .identity = "x", .driver = "1"};
  const SelfTest psnr = {"psnr", {"psnr_sse"}, nullptr};
  std::set<std::string> keys = {SelfTestKey(info, psnr)};
  for (const DeviceInfo& other :
       {DeviceInfo{.backend = "hip", .name = "a", .identity = "x", .driver = "1"},
        DeviceInfo{.backend = "cuda", .name = "b", .identity = "x", .driver = "1"},
        DeviceInfo{.backend = "cuda", .name = "a", .identity = "y", .driver = "1"},
        DeviceInfo{.backend = "cuda", .name = "a", .identity = "x", .driver = "2"},
        DeviceInfo{.backend = "cuda", .name = "a", .identity = "x", .driver = "1", .kernels = "1"}})
    EXPECT_TRUE(keys.insert(SelfTestKey(other, psnr)).second);
  EXPECT_TRUE(keys.insert(SelfTestKey(info, {"vif", {"psnr_sse"}, nullptr})).second);
  EXPECT_TRUE(keys.insert(SelfTestKey(info, {"psnr", {"psnr_sse", "vif_scale0"}, nullptr})).second);
  EXPECT_FALSE(keys.insert(SelfTestKey(info, psnr)).second);
}

TEST(SelfTest, NamesTheKernelsOfAMetric) {
  EXPECT_THAT(TestOf("psnr").kernels, ElementsAre("psnr_sse", "sum_partials"));
  EXPECT_THAT(TestOf("vif").kernels, Contains("vif_scale0"));
  for (const SelfTest& test : AllSelfTests()) EXPECT_FALSE(test.kernels.empty()) << test.name;
}

/// An emulator that runs one kernel in place of another.
class MixedUpDevice : public FlakyDevice {
 public:
  MixedUpDevice() : FlakyDevice({}) {}
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    const bool unpacks = image.kernel == "unpack_samples";  // the other way a kernel would write beyond its buffer
    return FlakyDevice::LoadKernel(*FindKernelImage(image.kernel, unpacks ? "u8_64x4" : "u16_64x4"));
  }
};

TEST(SelfTest, FindsSamplesThatComeOutWrong) {
  MixedUpDevice device;
  EXPECT_THAT(UnpackSelfTest().run(device).message(), HasSubstr("unpack_samples u16_64x4: sample 0, 0 is"));
  EXPECT_THAT(ExpandSelfTest().run(device).message(), HasSubstr("expand_samples u8_64x4: sample 0, 0 is"));
}

/// The emulator, but launches are changed before they are recorded.
class ChangingDevice : public FlakyDevice {
 public:
  using Change = std::function<void(LaunchCommand&)>;
  explicit ChangingDevice(Change change) : FlakyDevice({}), change_(std::move(change)) {}

  Result<std::unique_ptr<Queue>> MakeQueue() override {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Queue> queue, FlakyDevice::MakeQueue());
    return std::unique_ptr<Queue>(std::make_unique<ChangingQueue>(std::move(queue), change_));
  }

 private:
  class ChangingQueue : public Queue {
   public:
    ChangingQueue(std::unique_ptr<Queue> inner, const Change& change) : inner_(std::move(inner)), change_(change) {}
    Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override {
      std::vector<Command> changed(commands.begin(), commands.end());
      for (Command& command : changed)
        if (auto* launch = std::get_if<LaunchCommand>(&command)) change_(*launch);
      return inner_->Record(changed);
    }
    Status Submit(Recording& recording) override { return inner_->Submit(recording); }
    Status Copy(std::span<const CopyCommand> copies) override { return inner_->Copy(copies); }
    Status Wait() override { return inner_->Wait(); }

   private:
    const std::unique_ptr<Queue> inner_;
    const Change change_;
  };

  const Change change_;
};

TEST(SelfTest, FindsPicturesThatAreScaledWrong) {
  ChangingDevice device([](LaunchCommand& launch) { launch.grid.z = 1; });
  EXPECT_THAT(ScaleSelfTest().run(device).message(), HasSubstr("scaling: sample 0 of row 0 of plane 0 of picture 1"));
}

using Bytes = std::vector<std::byte>;

/// The arguments of each launch behind its buffers, for pictures that the self-test uses.
std::vector<Bytes> ArgumentsOf(const Metric& metric, const OptionTexts& texts) {
  const OptionValues options = OptionValues::Parse(metric.options, texts).value();
  const PlanContext context = MakePlanContext(InputsOf(metric, options), {135, 53}, 2, 1, "emu");
  const Plan plan = MakePlan(metric, options, context).value();
  std::vector<Bytes> arguments;
  for (const Plan::Launch& launch : plan.launches())
    arguments.emplace_back(launch.args.begin() + 8 * launch.kernel->buffer_args, launch.args.end());
  return arguments;
}

TEST(SelfTest, FindsADeviceThatIgnoresTheGainLimitsOfNegModels) {
  for (const auto& [name, option, suffix] :
       {std::tuple{"vif", "vif_enhn_gain_limit", "vif_egl_"}, std::tuple{"adm", "adm_enhn_gain_limit", "adm_egl_"}})
    for (const char* limit : {"1", "1.2"}) {
      const Metric& metric = *FindMetric(name);
      const std::vector<Bytes> defaults = ArgumentsOf(metric, {}), limited = ArgumentsOf(metric, {{option, limit}});
      ASSERT_NE(defaults, limited);
      ChangingDevice device([&](LaunchCommand& launch) {
        for (size_t i = 0; i < limited.size(); ++i)
          if (launch.args.size() > limited[i].size() &&
              std::equal(limited[i].rbegin(), limited[i].rend(), launch.args.rbegin()))
            return static_cast<void>(std::copy(defaults[i].rbegin(), defaults[i].rend(), launch.args.rbegin()));
      });
      EXPECT_THAT(TestMetric(device, metric).message(),
                  HasSubstr(fmt::format("self-test failed: {}{} at 135x53", suffix, limit)));
    }
}

/// Refuses every picture below 4096 columns.
Metric LargeMetric() {
  Metric metric = *FindMetric("psnr");
  metric.make = [](const acutance::Setup&, const PictureFormat& format) -> Result<std::unique_ptr<Extractor>> {
    return Error(StatusCode::kInvalidArgument, "{} columns are too few", format.width);
  };
  return metric;
}

TEST(SelfTest, AMetricThatWasNotTestedHasNotPassed) {
  const auto device = OpenEmuDevice({}).value();
  EXPECT_THAT(TestMetric(*device, LargeMetric()).message(),
              AllOf(HasSubstr("self-test failed: psnr takes no picture of"), HasSubstr("columns are too few")));
}

/// That kernels give the same at every wave size is for tests/parity to show, on more pictures than these.
TEST(SelfTest, TheEmulatorPasses) {
  const std::unique_ptr<Device> devices[] = {OpenEmuDevice({8, 5}).value(), OpenEmuDevice({64, 5}).value()};
  const bool at_both = IsOn("ACUTANCE_LONG_TESTS", false);
  size_t turn = 0;
  for (const SelfTest& test : AllSelfTests()) {
    ++turn;
    for (size_t d = 0; d < std::size(devices); ++d) {
      if (!at_both && d != turn % 2) continue;
      const Status status = test.run(*devices[d]);
      EXPECT_TRUE(status.ok()) << status.message();
    }
  }
}

}  // namespace
}  // namespace acutance
