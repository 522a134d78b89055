#include "devices/tuner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "devices/dump_kernels.h"
#include "devices/test_picture.h"
#include "exec/run_plan.h"
#include "metric/plan_context.h"

namespace acutance {
namespace {

constexpr int kBatches[] = {1, 2, 4, 8, 16, 32, 64};

/// Kernels of a plan that come in several shapes.
std::set<std::string> TunableKernels(const Plan& plan) {
  std::set<std::string> kernels;
  for (const Plan::Launch& launch : plan.launches()) {
    int variants = 0;
    for (const KernelImage& image : KernelImages()) variants += image.kernel == launch.kernel->kernel;
    if (variants > 2) kernels.insert(std::string(launch.kernel->kernel));  // two: one for each sample type
  }
  return kernels;
}

std::set<std::string> ShapesOf(const std::string& kernel) {
  std::set<std::string> shapes;
  for (const KernelImage& image : KernelImages())
    if (image.kernel == kernel) shapes.insert(std::string(image.variant.substr(image.variant.find('_') + 1)));
  return shapes;
}

/// A batch of one pair, over and over.
BatchPictures RepeatedPair(const PlanContext& context, const Picture& reference, const Picture& distorted) {
  BatchPictures batch;
  batch.reference.assign(context.pictures(Video::kReference), &reference);
  batch.distorted.assign(context.pictures(Video::kDistorted), &distorted);
  return batch;
}

class Tuner {
 public:
  Tuner(Device& device, const Metric& metric, const OptionValues& options, const PictureFormat& format)
      : device_(device), metric_(metric), options_(options), format_(format) {}

  Result<std::vector<KernelTiming>> Sweep() {
    ACU_ASSIGN_OR_RETURN(const auto extractor, MakeExtractor(metric_, options_, format_));
    ACU_ASSIGN_OR_RETURN(reference_, MakeTestPicture(format_, 0, 1));
    ACU_ASSIGN_OR_RETURN(distorted_, MakeTestPicture(format_, 0, 2));
    ACU_ASSIGN_OR_RETURN(const Plan plan, MakePlan(metric_, options_, Context(1)));
    std::vector<KernelTiming> timings;
    Status failure;
    for (const std::string& kernel : TunableKernels(plan))
      for (const std::string& shape : ShapesOf(kernel))
        for (int batch : kBatches) {
          const Result<double> time = Time(kernel, shape, batch);
          if (time.ok()) timings.push_back({kernel, shape, batch, *time});
          else failure = time.status();  // a shape may not fit a device
        }
    if (timings.empty()) ACU_RETURN_IF_ERROR(failure);
    std::ranges::sort(timings, {}, [](const KernelTiming& t) { return std::pair(t.kernel, t.microseconds); });
    return timings;
  }

 private:
  PlanContext Context(int batch) const {
    return MakePlanContext(InputsOf(metric_, options_), format_, batch, 1, device_.info().family);
  }

  Result<double> Time(const std::string& kernel, const std::string& shape, int batch) {
    PlanContext context = Context(batch);
    const TuningEntry entry{kernel, "", shape};
    context.overrides = std::span(&entry, 1);
    ACU_ASSIGN_OR_RETURN(Plan plan, MakePlan(metric_, options_, context));
    ACU_ASSIGN_OR_RETURN(std::optional<Plan> derive, MakeDerivePlan(InputsOf(metric_, options_), context));
    std::vector<Plan> plans;
    plans.push_back(std::move(plan));
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<PlanRunner> runner,
                         PlanRunner::Make(device_, std::move(plans), context, {.derive = std::move(derive)}));
    ACU_RETURN_IF_ERROR(runner->Run(RepeatedPair(context, reference_, distorted_)));
    ACU_ASSIGN_OR_RETURN(const double seconds, runner->TimeLaunches());
    return 1e6 * seconds / batch;
  }

  Device& device_;
  const Metric& metric_;
  const OptionValues& options_;
  const PictureFormat format_;
  Picture reference_, distorted_;
};

Result<Plan> MakePlan(const MetricWithOptions& planned, const PlanContext& context) {
  if (planned.metric->make_plan) return MakePlan(*planned.metric, planned.options, context);
  return Error(StatusCode::kUnsupported, "feature {} has no device plan: it runs on the CPU", planned.metric->name);
}

Result<std::vector<Plan>> MakePlans(std::span<const MetricWithOptions> metrics, const PlanContext& context) {
  std::vector<Plan> plans;
  for (const MetricWithOptions& planned : metrics) {
    ACU_ASSIGN_OR_RETURN(Plan plan, MakePlan(planned, context));
    plans.push_back(std::move(plan));
  }
  return plans;
}

/// Bytes per frame pair of the video planes that any plan reads.
int64_t BytesRead(const std::vector<Plan>& plans, const PlanContext& context) {
  int64_t bytes = 0;
  for (int i = 0; i < std::ssize(context.inputs); ++i) {
    const PlanInput& input = context.inputs[i];
    if (input.derived.empty() && std::ranges::any_of(plans, [i](const Plan& plan) { return plan.ReadsInput(i); }))
      bytes += int64_t{input.width()} * input.height() * input.format.BytesPerSample();
  }
  return bytes;
}

std::vector<InputSpec> AllInputs(std::span<const MetricWithOptions> metrics) {
  std::vector<InputSpec> all;
  for (const MetricWithOptions& planned : metrics) {
    const std::vector<InputSpec> inputs = InputsOf(*planned.metric, planned.options);
    all.insert(all.end(), inputs.begin(), inputs.end());
  }
  return all;
}

}  // namespace

Result<std::vector<KernelTiming>> TimeKernelShapes(Device& device, const Metric& metric, const PictureFormat& format) {
  const OptionValues options(metric.options);
  return Tuner(device, metric, options, format).Sweep();
}

Result<DeviceTime> TimeOnDevice(Device& device, std::span<const MetricWithOptions> metrics, const PictureFormat& format,
                                int batch) {
  const std::vector<InputSpec> inputs = AllInputs(metrics);
  const std::string& family = device.info().family;
  if (batch == 0) batch = PreferredBatch(ClassifyWorkload(format.width, format.height), family);
  const PlanContext context = MakePlanContext(inputs, format, batch, 1, family);
  ACU_ASSIGN_OR_RETURN(std::vector<Plan> plans, MakePlans(metrics, context));
  ACU_ASSIGN_OR_RETURN(std::optional<Plan> derive, MakeDerivePlan(inputs, context));
  DeviceTime time = {.batch = batch, .seconds = 0, .bytes = BytesRead(plans, context)};

  ACU_ASSIGN_OR_RETURN(const Picture reference, MakeTestPicture(format, 0, 1));
  ACU_ASSIGN_OR_RETURN(const Picture distorted, MakeTestPicture(format, 0, 2));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<PlanRunner> runner,
                       PlanRunner::Make(device, std::move(plans), context, {.derive = std::move(derive)}));
  ACU_RETURN_IF_ERROR(runner->Run(RepeatedPair(context, reference, distorted)));
  ACU_ASSIGN_OR_RETURN(const double seconds, runner->TimeLaunches());
  time.seconds = seconds / batch;
  return time;
}

Result<std::string> DescribePlan(const MetricWithOptions& planned, const PictureFormat& format, int batch,
                                 const std::string& family, const std::filesystem::path& dump) {
  ACU_RETURN_IF_ERROR(MakeExtractor(*planned.metric, planned.options, format).status());
  if (batch == 0) batch = PreferredBatch(ClassifyWorkload(format.width, format.height), family);
  const PlanContext context = MakePlanContext(InputsOf(*planned.metric, planned.options), format, batch, 1, family);
  ACU_ASSIGN_OR_RETURN(const Plan plan, MakePlan(planned, context));
  ACU_ASSIGN_OR_RETURN(const std::optional<Plan> derive,
                       MakeDerivePlan(InputsOf(*planned.metric, planned.options), context));
  const size_t memory = PlanRunner::DeviceBytes({plan}, derive, context);
  std::string dumped;
  if (!dump.empty()) {
    std::vector<const KernelImage*> kernels;
    AddKernels(plan, kernels);
    if (derive) AddKernels(*derive, kernels);
    ACU_ASSIGN_OR_RETURN(dumped, DumpKernels(kernels, family, dump));
  }
  return fmt::format(
      "{}{}, {}x{} {} bit, {} workload, {} frames a batch, {} before it, {:.1f} MB, tuned for {}\n{}{}{}",
      planned.metric->name, planned.options.KeySuffix(), format.width, format.height, format.bit_depth,
      WorkloadClassName(context.workload), batch, std::ranges::max(context.history),
      static_cast<double>(memory) / (1 << 20), family.empty() ? "any device" : family,
      derive ? PlanRunner::PrintDerive(*derive, {plan}, context) : "", plan.Print(), dumped);
}

std::string WorkloadClassInSource(int width, int height) {
  constexpr const char* kNames[] = {"kSmall", "kMedium", "kLarge"};
  return kNames[static_cast<int>(ClassifyWorkload(width, height))];
}

}  // namespace acutance
