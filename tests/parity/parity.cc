#include "tests/parity/parity.h"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "exec/plan.h"
#include "exec/run_plan.h"

namespace acutance {
namespace {

struct Clip {
  std::vector<Picture> reference, distorted;
};

using Sums = std::vector<std::vector<int64_t>>;  // [frame][sum]

Sums ComputeOnCpu(const Extractor& extractor, const Clip& clip) {
  Sums sums(clip.reference.size(), std::vector<int64_t>(extractor.SumCount()));
  const auto frame_workspace = extractor.MakeFrameWorkspace();
  const auto thread_workspace = extractor.MakeThreadWorkspace();
  for (size_t i = extractor.Lag(); i < clip.reference.size(); ++i) {
    FrameInput input = {.reference = &clip.reference[i], .distorted = &clip.distorted[i]};
    if (extractor.Lag() > 0) input.earlier_reference = &clip.reference[i - extractor.Lag()];
    for (int stage = 0; stage < extractor.StageCount(); ++stage)
      extractor.RunBand(input, stage, {0, extractor.StageRows(stage)}, frame_workspace.get(), thread_workspace.get(),
                        sums[i]);
  }
  return sums;
}

std::string_view ShapeOf(const KernelImage& image) { return image.variant.substr(image.variant.rfind('_') + 1); }

/// One entry per kernel that was built in `shape`.
std::vector<TuningEntry> Overrides(const std::string& shape, WorkloadClass workload) {
  std::vector<TuningEntry> entries;
  for (const KernelImage& image : KernelImages())
    if (ShapeOf(image) == shape) entries.push_back({image.kernel, workload, "", shape, 1});
  return entries;
}

class DeviceRun {
 public:
  DeviceRun(const Clip& clip, int history, int batch) : clip_(clip), history_(history), batch_(batch) {}

  Status Prepare(Device& device, const Plan& plan, const PlanContext& context, bool poison) {
    for (auto& runner : runners_) {
      ACU_ASSIGN_OR_RETURN(runner, PlanRunner::Make(device, {plan}, context, {.poison = poison}));
    }
    return {};
  }

  Result<Sums> Run() {
    const int frames = static_cast<int>(clip_.reference.size());
    Sums sums(frames);
    int waiting = 0;  // first frame of the batch in flight that is older
    for (int first = 0; first < frames; first += batch_) {
      if (first >= 2 * batch_) ACU_RETURN_IF_ERROR(Collect(std::exchange(waiting, waiting + batch_), sums));
      ACU_RETURN_IF_ERROR(Start(first));
    }
    for (; waiting < frames; waiting += batch_) ACU_RETURN_IF_ERROR(Collect(waiting, sums));
    return sums;
  }

 private:
  PlanRunner& RunnerOf(int first) { return *runners_[first / batch_ % 2]; }
  int End(int first) const { return std::min(first + batch_, static_cast<int>(clip_.reference.size())); }

  Status Start(int first) {
    std::vector<const Picture*> references, distorted;
    for (int i = first - history_; i < End(first); ++i) references.push_back(i < 0 ? nullptr : &clip_.reference[i]);
    for (int i = first; i < End(first); ++i) distorted.push_back(&clip_.distorted[i]);
    return RunnerOf(first).Start(references, distorted);
  }

  Status Collect(int first, Sums& sums) {
    ACU_RETURN_IF_ERROR(RunnerOf(first).Wait());
    for (int i = first; i < End(first); ++i) {
      const auto of_frame = RunnerOf(first).Sums(0, i - first);
      sums[i].assign(of_frame.begin(), of_frame.end());
    }
    return {};
  }

  const Clip& clip_;
  const int history_;
  const int batch_;
  std::unique_ptr<PlanRunner> runners_[2];
};

Status Compare(const Sums& expected, const Sums& found, int first, const std::string& name) {
  for (size_t i = first; i < expected.size(); ++i)
    for (size_t k = 0; k < expected[i].size(); ++k)
      if (found[i][k] != expected[i][k])
        return Error(StatusCode::kBadData, "{}: frame {}: sum {} is {}, the CPU says {}", name, i, k, found[i][k],
                     expected[i][k]);
  return {};
}

}  // namespace

std::string ParityCase::Name() const {
  std::string text =
      fmt::format("{} {}x{} {} {} bit, {}, {} frames, batch {}, seed {}", metric->name, format.width, format.height,
                  PixelFormatName(format.pixel_format), format.bit_depth, ContentName(content), frames, batch, seed);
  for (const auto& [option, value] : options) text += fmt::format(", {}={}", option, value);
  if (!shape.empty()) text += ", shape " + shape;
  return text;
}

Status CheckParity(Device& device, const ParityCase& which) {
  return CheckShapes(device, which, std::span(&which.shape, 1));
}

Status CheckShapes(Device& device, const ParityCase& which, std::span<const std::string> shapes) {
  ACU_ASSIGN_OR_RETURN(const OptionValues options, OptionValues::Parse(which.metric->options, which.options));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Extractor> extractor, which.metric->make(options, which.format));
  const Clip clip = {MakeClip(which.format, which.content, which.frames, which.seed),
                     MakeClip(which.format, which.content, which.frames, which.seed + 1000)};
  const Sums expected = ComputeOnCpu(*extractor, clip);
  for (const std::string& shape : shapes) {
    PlanContext context = MakePlanContext(which.format, which.batch, extractor->Lag(), device.info().family);
    const std::vector<TuningEntry> overrides = Overrides(shape, context.workload);
    if (!shape.empty()) context.overrides = overrides;
    ACU_ASSIGN_OR_RETURN(const Plan plan, which.metric->make_plan(options, context));
    DeviceRun run(clip, extractor->Lag(), which.batch);
    ACU_RETURN_IF_ERROR(run.Prepare(device, plan, context, which.poison));
    ACU_ASSIGN_OR_RETURN(const Sums found, run.Run());
    ParityCase named = which;
    named.shape = shape;
    ACU_RETURN_IF_ERROR(Compare(expected, found, extractor->Lag(), named.Name()));
  }
  return {};
}

std::vector<OptionTexts> OptionCases(const Metric& metric) {
  std::vector<OptionTexts> cases(1);
  for (const OptionSpec& option : metric.options)
    if (const bool* value = std::get_if<bool>(&option.default_value))
      cases.push_back({{std::string(option.name), *value ? "false" : "true"}});
  return cases;
}

std::vector<std::string> ShapesOf(const Metric& metric, const OptionTexts& options) {
  constexpr PictureFormat kFormat = {.width = 64, .height = 64};
  std::set<std::string> shapes = {""};
  const auto plan = metric.make_plan(*OptionValues::Parse(metric.options, options), MakePlanContext(kFormat, 1, 2, ""));
  if (!plan.ok()) return {""};
  for (const Plan::Launch& launch : plan->launches())
    for (std::string& shape : ShapesOf(launch.kernel->kernel)) shapes.insert(std::move(shape));
  return {shapes.begin(), shapes.end()};
}

bool Accepts(const Metric& metric, const OptionTexts& options, const PictureFormat& format) {
  const auto values = OptionValues::Parse(metric.options, options);
  return values.ok() && metric.make(*values, format).ok();
}

std::vector<std::string> ShapesOf(std::string_view kernel) {
  std::set<std::string> shapes;
  for (const KernelImage& image : KernelImages())
    if (image.kernel == kernel) shapes.insert(std::string(ShapeOf(image)));
  return {shapes.begin(), shapes.end()};
}

}  // namespace acutance
