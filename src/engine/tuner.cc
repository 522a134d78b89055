#include "engine/tuner.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "engine/feature_set.h"
#include "engine/test_picture.h"
#include "exec/plan.h"
#include "exec/run_plan.h"

namespace acutance {
namespace {

constexpr int kBatches[] = {1, 2, 4, 8, 16, 32, 64};

/// Kernels of a plan that come in several shapes.
std::set<std::string> TunableKernels(const Plan& plan) {
  std::set<std::string> kernels;
  for (const Plan::Launch& launch : plan.launches()) {
    int variants = 0;
    for (const KernelImage& image : KernelImages()) variants += image.kernel == launch.kernel->kernel;
    if (variants > 2) kernels.insert(std::string(launch.kernel->kernel));  // two: one a sample type
  }
  return kernels;
}

std::set<std::string> ShapesOf(const std::string& kernel) {
  std::set<std::string> shapes;
  for (const KernelImage& image : KernelImages())
    if (image.kernel == kernel) shapes.insert(std::string(image.variant.substr(image.variant.find('_') + 1)));
  return shapes;
}

class Tuner {
 public:
  Tuner(Device& device, const Metric& metric, const OptionValues& options, const PictureFormat& format)
      : device_(device), metric_(metric), options_(options), format_(format) {}

  Result<std::vector<KernelTiming>> Sweep() {
    ACU_ASSIGN_OR_RETURN(extractor_, metric_.make(options_, format_));
    ACU_ASSIGN_OR_RETURN(reference_, MakeTestPicture(format_, 0, 1));
    ACU_ASSIGN_OR_RETURN(distorted_, MakeTestPicture(format_, 0, 2));
    ACU_ASSIGN_OR_RETURN(const Plan plan, metric_.make_plan(options_, Context(1)));
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
    return MakePlanContext(format_, batch, extractor_->Lag(), device_.info().family);
  }

  Result<double> Time(const std::string& kernel, const std::string& shape, int batch) {
    PlanContext context = Context(batch);
    const TuningEntry entry{kernel, context.workload, "", shape, batch};
    context.overrides = std::span(&entry, 1);
    ACU_ASSIGN_OR_RETURN(Plan plan, metric_.make_plan(options_, context));
    std::vector<Plan> plans;
    plans.push_back(std::move(plan));
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<PlanRunner> runner,
                         PlanRunner::Make(device_, std::move(plans), context, {}));
    const std::vector<const Picture*> references(extractor_->Lag() + batch, &reference_), others(batch, &distorted_);
    ACU_RETURN_IF_ERROR(runner->Run(references, others));
    ACU_ASSIGN_OR_RETURN(const double seconds, runner->TimeLaunches());
    return 1e6 * seconds / batch;
  }

  Device& device_;
  const Metric& metric_;
  const OptionValues& options_;
  const PictureFormat format_;
  std::unique_ptr<Extractor> extractor_;
  Picture reference_, distorted_;
};

Result<std::vector<Plan>> MakePlans(const FeatureSet& features, const PlanContext& context) {
  std::vector<Plan> plans;
  for (const MetricRun& run : features.runs()) {
    if (!run.metric->make_plan)
      return Error(StatusCode::kUnsupported, "feature {} has no device plan: it runs on the CPU", run.metric->name);
    ACU_ASSIGN_OR_RETURN(Plan plan, run.metric->make_plan(run.options, context));
    plans.push_back(std::move(plan));
  }
  return plans;
}

/// Of the planes that any of the plans reads, for one frame pair.
int64_t BytesRead(const std::vector<Plan>& plans, const PlanContext& context) {
  int64_t bytes = 0;
  for (int i = 0; i < kPlanInputs; ++i) {
    const auto reads = [i](const Plan& plan) { return plan.Reads(static_cast<PlanInput>(i)); };
    const PlaneLayout& layout = context.inputs[i];
    if (std::ranges::any_of(plans, reads))
      bytes += int64_t{layout.width} * layout.height * context.format.BytesPerSample();
  }
  return bytes;
}

}  // namespace

Result<std::vector<KernelTiming>> TimeKernelShapes(Device& device, const Metric& metric, const PictureFormat& format) {
  const OptionValues options(metric.options);
  return Tuner(device, metric, options, format).Sweep();
}

Result<DeviceTime> TimeOnDevice(Device& device, const FeatureSet& features, const PictureFormat& format) {
  int history = 0, batch = 1;
  for (const MetricRun& run : features.runs()) history = std::max(history, run.extractor->Lag());
  const std::string& family = device.info().family;
  ACU_ASSIGN_OR_RETURN(std::vector<Plan> plans, MakePlans(features, MakePlanContext(format, 1, history, family)));
  for (const Plan& plan : plans) batch = std::max(batch, plan.preferred_batch());
  const PlanContext context = MakePlanContext(format, batch, history, family);
  ACU_ASSIGN_OR_RETURN(plans, MakePlans(features, context));
  DeviceTime time = {.batch = batch, .seconds = 0, .bytes = BytesRead(plans, context)};

  ACU_ASSIGN_OR_RETURN(const Picture reference, MakeTestPicture(format, 0, 1));
  ACU_ASSIGN_OR_RETURN(const Picture distorted, MakeTestPicture(format, 0, 2));
  const std::vector<const Picture*> references(history + batch, &reference), others(batch, &distorted);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<PlanRunner> runner,
                       PlanRunner::Make(device, std::move(plans), context, {}));
  ACU_RETURN_IF_ERROR(runner->Run(references, others));
  ACU_ASSIGN_OR_RETURN(const double seconds, runner->TimeLaunches());
  time.seconds = seconds / batch;
  return time;
}

Result<std::string> DescribePlan(const std::string& metric, const OptionTexts& options, const PictureFormat& format,
                                 int batch, const std::string& family) {
  FeatureSet features;
  ACU_ASSIGN_OR_RETURN(const int index, features.Add({metric, options}));
  ACU_RETURN_IF_ERROR(features.MakeExtractors(format));
  const MetricRun& run = features.runs()[index];
  if (!run.metric->make_plan)
    return Error(StatusCode::kUnsupported, "feature {} has no device plan: it runs on the CPU", metric);
  const int history = run.extractor->Lag();
  ACU_ASSIGN_OR_RETURN(const Plan first,
                       run.metric->make_plan(run.options, MakePlanContext(format, 1, history, family)));
  if (batch == 0) batch = first.preferred_batch();
  const PlanContext context = MakePlanContext(format, batch, history, family);
  ACU_ASSIGN_OR_RETURN(const Plan plan, run.metric->make_plan(run.options, context));
  const size_t memory = PlanRunner::DeviceBytes({plan}, context);
  return fmt::format("{}{}, {}x{} {} bit, {} workload, {} frames a batch, {} before it, {:.1f} MB, tuned for {}\n{}",
                     metric, run.options.KeySuffix(), format.width, format.height, format.bit_depth,
                     WorkloadClassName(context.workload), batch, history, static_cast<double>(memory) / (1 << 20),
                     family.empty() ? "any device" : family, plan.Print());
}

std::string WorkloadClassInSource(int width, int height) {
  constexpr const char* kNames[] = {"kSmall", "kMedium", "kLarge"};
  return kNames[static_cast<int>(ClassifyWorkload(width, height))];
}

}  // namespace acutance
