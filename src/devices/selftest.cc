#include "devices/selftest.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/file_cache.h"
#include "base/hash.h"
#include "devices/test_picture.h"
#include "devices/unpack_selftest.h"
#include "exec/run_plan.h"
#include "metric/clip_frames.h"
#include "metric/plan_context.h"
#include "metric/registry.h"

namespace acutance {
namespace {

constexpr int kFrames = 4;
constexpr int kBatch = 2;

/// The default options, then each yes-or-no option turned round alone.
std::vector<OptionTexts> OptionSets(const Metric& metric) {
  std::vector<OptionTexts> sets = {{}};
  for (const OptionSpec& option : metric.options)
    if (const bool* value = std::get_if<bool>(&option.default_value))
      sets.push_back({{std::string(option.name), *value ? "false" : "true"}});
  return sets;
}

class MetricTest {
 public:
  MetricTest(Device& device, const Metric& metric, const OptionValues& options, const PictureFormat& format)
      : device_(device), metric_(metric), options_(options), format_(format) {}

  Status Run() {
    Result<std::unique_ptr<Extractor>> extractor = MakeExtractor(metric_, options_, format_);
    if (!extractor.ok()) return {};  // the metric itself refuses these options
    extractor_ = std::move(extractor).value();
    for (int frame = 0; frame < kFrames; ++frame) {
      ACU_ASSIGN_OR_RETURN(Picture reference, MakeTestPicture(format_, frame, 1));
      ACU_ASSIGN_OR_RETURN(Picture distorted, MakeTestPicture(format_, frame, 2));
      reference_.push_back(std::move(reference));
      distorted_.push_back(std::move(distorted));
    }
    for (WorkloadClass workload : {WorkloadClass::kSmall, WorkloadClass::kMedium, WorkloadClass::kLarge})
      ACU_RETURN_IF_ERROR(RunWorkload(workload));
    return {};
  }

 private:
  Status RunWorkload(WorkloadClass workload) {
    const std::vector<InputSpec> inputs = InputsOf(metric_, options_);
    PlanContext context = MakePlanContext(inputs, format_, kBatch, 1, device_.info().family);
    context.workload = workload;  // the block shapes of large pictures, on small ones
    ACU_ASSIGN_OR_RETURN(std::optional<Plan> derive, MakeDerivePlan(inputs, context));
    ACU_ASSIGN_OR_RETURN(Plan plan, metric_.make_plan(options_, context));
    std::vector<Plan> plans;
    plans.push_back(std::move(plan));
    ACU_ASSIGN_OR_RETURN(
        const std::unique_ptr<PlanRunner> runner,
        PlanRunner::Make(device_, std::move(plans), context, {.poison = true, .derive = std::move(derive)}));
    const ClipFrames clip(metric_, options_, reference_, distorted_);
    for (int first = 0; first < kFrames; first += kBatch) {
      ACU_RETURN_IF_ERROR(runner->Run(Batch(context, first)));
      for (int i = first; i < first + kBatch; ++i) {
        ACU_ASSIGN_OR_RETURN(const ComputedFrame expected, ComputeFrame(metric_, *extractor_, clip, i));
        ACU_RETURN_IF_ERROR(Compare(expected, *runner, i, i - first, workload));
      }
    }
    return {};
  }

  BatchPictures Batch(const PlanContext& context, int first) const {
    BatchPictures batch;
    for (int i = first - context.history[0]; i < first + kBatch; ++i)
      batch.reference.push_back(i < 0 ? nullptr : &reference_[i]);
    for (int i = first - context.history[1]; i < first + kBatch; ++i)
      batch.distorted.push_back(i < 0 ? nullptr : &distorted_[i]);
    return batch;
  }

  Status Compare(const ComputedFrame& expected, const PlanRunner& runner, int frame, int item,
                 WorkloadClass workload) const {
    ComputedFrame found;
    found.sums.assign(runner.Sums(0, item).begin(), runner.Sums(0, item).end());
    found.words.assign(runner.Words(0, item).begin(), runner.Words(0, item).end());
    ACU_RETURN_IF_ERROR(FinishFrame(metric_, *extractor_, frame, found));
    const auto same = [](double a, double b) { return std::bit_cast<int64_t>(a) == std::bit_cast<int64_t>(b); };
    const auto [e, f] = std::ranges::mismatch(expected.values, found.values, same);
    if (e == expected.values.end() && expected.kept == found.kept) return {};
    return Error(StatusCode::kBadData, "self-test failed: {}{} at {}x{}, {} bit, {} workload: frame {}: {}",
                 metric_.name, options_.KeySuffix(), format_.width, format_.height, format_.bit_depth,
                 WorkloadClassName(workload), frame,
                 e == expected.values.end()
                     ? std::string("its kept words differ")
                     : fmt::format("{} is {}, not {}", metric_.outputs[e - expected.values.begin()].name, *f, *e));
  }

  Device& device_;
  const Metric& metric_;
  const OptionValues& options_;
  const PictureFormat format_;
  std::unique_ptr<Extractor> extractor_;
  std::vector<Picture> reference_, distorted_;
};

uint64_t HashKernels(std::string_view backend) {
  uint64_t hash = Hash("");
  const std::byte* last = nullptr;  // variants of a kernel share a binary: once is enough
  for (const KernelImage& image : KernelImages()) {
    hash = Hash(image.symbol, hash);
    hash = Hash(image.sycl_source, hash);
    for (const KernelBinary& binary : image.binaries) {
      if (binary.backend != backend || binary.code.data() == last) continue;
      hash = Hash(binary.code, hash);
      last = binary.code.data();
    }
  }
  return hash;
}

/// Which devices passed their self-test, by SelfTestKey.
const FileCache& Passed() {
  static const FileCache passed("selftests", 1000);
  return passed;
}

}  // namespace

Status RunSelfTest(Device& device) {
  ACU_RETURN_IF_ERROR(TestUnpacking(device));
  for (const Metric* metric : AllMetrics()) {
    if (!metric->make_plan) continue;
    for (const OptionTexts& texts : OptionSets(*metric)) {
      ACU_ASSIGN_OR_RETURN(const OptionValues options, OptionValues::Parse(metric->options, texts));
      for (int bit_depth : {8, 10, 16})
        ACU_RETURN_IF_ERROR(MetricTest(device, *metric, options, {135, 53, bit_depth, PixelFormat::k420}).Run());
    }
  }
  return {};
}

std::string SelfTestKey(const DeviceInfo& info) {
  return fmt::format("{} | {} | {} | driver {} | kernels {:016x}", info.backend, info.name, info.identity, info.driver,
                     HashKernels(info.backend));
}

Status CheckDeviceOnce(Device& device) {
  if (device.info().is_reference) return {};
  return Passed().Read(SelfTestKey(device.info())) ? Status() : CheckDeviceAnew(device);
}

Status CheckDeviceAnew(Device& device) {
  const std::string key = SelfTestKey(device.info());
  Status status = RunSelfTest(device);
  if (status.ok()) Passed().Write(key, {});
  else Passed().Remove(key);
  return status;
}

}  // namespace acutance
