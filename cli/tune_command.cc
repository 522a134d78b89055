#include "cli/tune_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "exec/plan.h"
#include "exec/run_plan.h"
#include "metric/registry.h"

namespace acutance::cli {
namespace {

constexpr PictureFormat kSizes[] = {
    {576, 324, 8, PixelFormat::k420}, {1920, 1080, 8, PixelFormat::k420}, {3840, 2160, 8, PixelFormat::k420}};
constexpr int kBatches[] = {1, 2, 4, 8, 16, 32};
constexpr int kRepeats = 7;

struct Timing {
  std::string kernel, shape;
  int batch;
  double microseconds;  // per frame, upload and readback included
};

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

  Result<std::vector<Timing>> Sweep() {
    ACU_ASSIGN_OR_RETURN(extractor_, metric_.make(options_, format_));
    ACU_ASSIGN_OR_RETURN(const MutablePicture picture, AllocatePicture(format_));
    picture_ = picture.Share();
    ACU_ASSIGN_OR_RETURN(const Plan plan, metric_.make_plan(options_, Context(1)));
    std::vector<Timing> timings;
    for (const std::string& kernel : TunableKernels(plan))
      for (const std::string& shape : ShapesOf(kernel))
        for (int batch : kBatches) {
          const Result<double> time = Time(kernel, shape, batch);
          if (time.ok()) timings.push_back({kernel, shape, batch, *time});  // a shape may not fit a device
        }
    std::ranges::sort(timings, {}, [](const Timing& t) { return std::pair(t.kernel, t.microseconds); });
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

void PrintTimings(const std::vector<Timing>& timings, const std::string& workload, const std::string& family) {
  for (size_t i = 0; i < timings.size(); ++i) {
    const Timing& timing = timings[i];
    fmt::print("  {:<24}{:<12} batch {:>3}  {:>10.2f} us a frame\n", timing.kernel, timing.shape, timing.batch,
               timing.microseconds);
    const bool last_of_kernel = i + 1 == timings.size() || timings[i + 1].kernel != timing.kernel;
    if (!last_of_kernel) continue;
    const auto best = std::ranges::find(timings, timing.kernel, &Timing::kernel);
    fmt::print("  -> {{\"{}\", WorkloadClass::{}, \"{}\", \"{}\", {}}},\n", best->kernel, workload, family, best->shape,
               best->batch);
  }
}

Status TuneMetric(Device& device, const Metric& metric) {
  const OptionValues options(metric.options);
  constexpr const char* kClassNames[] = {"kSmall", "kMedium", "kLarge"};
  for (const PictureFormat& format : kSizes) {
    ACU_ASSIGN_OR_RETURN(const std::vector<Timing> timings, Tuner(device, metric, options, format).Sweep());
    fmt::print("{} {}x{} on {}\n", metric.name, format.width, format.height, device.info().name);
    PrintTimings(timings, kClassNames[static_cast<int>(ClassifyWorkload(format.width, format.height))],
                 device.info().family);
    std::fflush(stdout);
  }
  return {};
}

}  // namespace

int RunTuneCommand(const DeviceChoice& choice) {
  DevicePicker picker(choice, [](Device&) { return Status(); });
  const std::unique_ptr<Device> device = picker.Next();
  if (!device) {
    fmt::print(stderr, "acutance tune: no device: {}\n", fmt::join(picker.notes(), "; "));
    return 1;
  }
  for (const Metric* metric : AllMetrics()) {
    if (!metric->make_plan) continue;
    if (const Status status = TuneMetric(*device, *metric); !status.ok()) {
      fmt::print(stderr, "acutance tune: {}\n", status.message());
      return 1;
    }
  }
  return 0;
}

}  // namespace acutance::cli
