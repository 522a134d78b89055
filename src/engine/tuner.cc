#include "engine/tuner.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <utility>

#include "engine/feature_set.h"
#include "exec/plan.h"
#include "exec/run_plan.h"

namespace acutance {
namespace {

constexpr int kBatches[] = {1, 2, 4, 8, 16, 32};
constexpr int kRepeats = 7;

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
    ACU_ASSIGN_OR_RETURN(const MutablePicture picture, AllocatePicture(format_));
    picture_ = picture.Share();
    ACU_ASSIGN_OR_RETURN(const Plan plan, metric_.make_plan(options_, Context(1)));
    std::vector<KernelTiming> timings;
    for (const std::string& kernel : TunableKernels(plan))
      for (const std::string& shape : ShapesOf(kernel))
        for (int batch : kBatches) {
          const Result<double> time = Time(kernel, shape, batch);
          if (time.ok()) timings.push_back({kernel, shape, batch, *time});  // a shape may not fit a device
        }
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
    const std::vector<const Picture*> references(extractor_->Lag() + batch, &picture_), others(batch, &picture_);
    double best = 1e300;
    for (int i = 0; i <= kRepeats; ++i) {
      const auto start = std::chrono::steady_clock::now();
      ACU_RETURN_IF_ERROR(runner->Run(references, others));
      const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
      if (i > 0) best = std::min(best, time.count() / batch);  // the first run warms up
    }
    return best;
  }

  Device& device_;
  const Metric& metric_;
  const OptionValues& options_;
  const PictureFormat format_;
  std::unique_ptr<Extractor> extractor_;
  Picture picture_;
};

}  // namespace

Result<std::vector<KernelTiming>> TimeKernelShapes(Device& device, const Metric& metric, const PictureFormat& format) {
  const OptionValues options(metric.options);
  return Tuner(device, metric, options, format).Sweep();
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
  return fmt::format("{}{}, {}x{} {} bit, {} workload, {} frames a batch, {} before it, {:.1f} MB\n{}", metric,
                     run.options.KeySuffix(), format.width, format.height, format.bit_depth,
                     WorkloadClassName(context.workload), batch, history, static_cast<double>(memory) / (1 << 20),
                     plan.Print());
}

std::string WorkloadClassInSource(int width, int height) {
  constexpr const char* kNames[] = {"kSmall", "kMedium", "kLarge"};
  return kNames[static_cast<int>(ClassifyWorkload(width, height))];
}

}  // namespace acutance
