// TestMetric: a metric's plans on a device against the metric on the CPU.
#include <algorithm>
#include <bit>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

#include "base/hash.h"
#include "devices/selftest.h"
#include "devices/test_picture.h"
#include "exec/run_plan.h"
#include "metric/offline_frames.h"
#include "metric/plan_context.h"
#include "metric/test_size.h"

namespace acutance {
namespace {

constexpr int kBatch = 2;
constexpr int kDepths[] = {8, 10, 16};
constexpr int kSampleDepths[] = {8, 10};  // one of each sample type
constexpr WorkloadClass kWorkloads[] = {WorkloadClass::kSmall, WorkloadClass::kMedium, WorkloadClass::kLarge};

/// Values of an option's range that kernels may treat apart: its ends, the gain limits of models without enhancement
/// and one that no integer is.
std::vector<std::string> OtherValues(const OptionSpec& option) {
  if (const bool* value = std::get_if<bool>(&option.default_value)) return {*value ? "false" : "true"};
  std::vector<double> values = {option.min, option.max};
  if (std::holds_alternative<int>(option.default_value)) values.insert(values.end(), {1, 2, 3});
  else if (std::holds_alternative<double>(option.default_value)) values.insert(values.end(), {1.0, 1.2, 10.0});
  else return {};
  std::erase_if(values, [&](double value) { return value < option.min || value > option.max; });
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) texts.push_back(fmt::format("{}", value));
  return texts;
}

/// The defaults, then each option at each of its other values alone.
std::vector<OptionValues> OptionSets(const Metric& metric) {
  std::vector<OptionValues> sets = {OptionValues(metric.options)};
  for (const OptionSpec& option : metric.options)
    for (const std::string& text : OtherValues(option)) {
      Result<OptionValues> options = OptionValues::Parse(metric.options, {{std::string(option.name), text}});
      if (options.ok() && std::ranges::find(sets, *options) == sets.end()) sets.push_back(*std::move(options));
    }
  return sets;
}

/// The smallest that the metric takes, and one whose rows and columns fill no block.
std::vector<PictureSize> Sizes(const Metric& metric) {
  const PictureSize smallest = TestSizeOf(metric);
  return {smallest, {std::max(135, smallest.width | 1), std::max(53, smallest.height | 1)}};
}

/// The format of the odd size, in which options have their values.
constexpr PixelFormat kOptionsFormat = PixelFormat::k420;

/// Chroma planes of the smallest pictures are as large as luma: half of them may be nothing.
PictureFormat Format(const Metric& metric, const PictureSize& size, int depth) {
  const bool is_smallest = size.width == TestSizeOf(metric).width;
  return {size.width, size.height, depth, is_smallest ? PixelFormat::k444 : kOptionsFormat};
}

struct Plans {
  PlanContext context;
  std::optional<Plan> derive;
  Plan plan;

  static Result<Plans> Make(const Metric& metric, const OptionValues& options, const PictureFormat& format,
                            WorkloadClass workload, const std::string& family, bool streams) {
    const std::vector<InputSpec> inputs = InputsOf(metric, options);
    PlanContext context = MakePlanContext(inputs, format, streams ? 1 : kBatch, 1, family);
    context.streams = streams;
    context.workload = workload;  // the block shapes of large pictures, on small ones
    ACU_ASSIGN_OR_RETURN(std::optional<Plan> derive, MakeDerivePlan(inputs, context));
    ACU_ASSIGN_OR_RETURN(Plan plan, MakePlan(metric, options, context));
    return Plans{std::move(context), std::move(derive), std::move(plan)};
  }

  /// Those of batches, then of a stream where they are others.
  static std::vector<Plans> MakeAll(const Metric& metric, const OptionValues& options, const PictureFormat& format,
                                    WorkloadClass workload, const std::string& family) {
    std::vector<Plans> all;
    for (const bool streams : {false, true})
      if (Result<Plans> made = Make(metric, options, format, workload, family, streams);
          made.ok() && (!streams || made->plan.has_state()))
        all.push_back(*std::move(made));
    return all;
  }

  template <class Visit>
  void ForEachLaunch(Visit visit) const {
    if (derive) std::ranges::for_each(derive->launches(), visit);
    std::ranges::for_each(plan.launches(), visit);
  }

  /// Equal where the launches are the same.
  uint64_t Fingerprint() const {
    uint64_t hash = Hash("");
    ForEachLaunch([&](const Plan::Launch& launch) {
      hash = Hash(std::as_bytes(std::span(&launch.grid, 1)), Hash(launch.kernel->symbol, hash));
      hash = Hash(launch.args, hash);
    });
    for (const Plan::BufferSpec& buffer : plan.buffers()) hash = Hash(buffer.contents, hash);
    return hash;
  }
};

/// "sum 3 is 17, not 18"; "" where they are equal.
std::string FirstDifference(std::string_view what, const std::vector<int64_t>& expected,
                            const std::vector<int64_t>& found) {
  const auto [e, f] = std::ranges::mismatch(expected, found);
  if (e == expected.end() && f == found.end()) return "";
  if (e == expected.end() || f == found.end()) return fmt::format("the number of {}s", what);
  return fmt::format("{} {} is {}, not {}", what, e - expected.begin(), *f, *e);
}

/// The values' bits, which differ between kinds of zeros and NaNs.
std::vector<int64_t> Bits(const std::vector<double>& values) {
  std::vector<int64_t> bits;
  bits.reserve(values.size());
  for (const double value : values) bits.push_back(std::bit_cast<int64_t>(value));
  return bits;
}

/// A metric with some options on pictures of one format.
class MetricTest {
 public:
  MetricTest(Device& device, const Metric& metric, const OptionValues& options, const PictureFormat& format,
             const Extractor& extractor)
      : device_(device), metric_(metric), options_(options), format_(format), extractor_(extractor) {}

  /// Runs those plans of all workload classes that `seen` does not have; `equal`: for pictures that are equal, too.
  Status Run(std::set<uint64_t>& seen, bool equal) {
    for (const WorkloadClass workload : kWorkloads) {
      const std::string& family = device_.info().family;
      ACU_RETURN_IF_ERROR(Plans::Make(metric_, options_, format_, workload, family, false).status());
      for (Plans& plans : Plans::MakeAll(metric_, options_, format_, workload, family))
        if (seen.insert(plans.Fingerprint()).second) ACU_RETURN_IF_ERROR(RunPlans(std::move(plans), equal));
    }
    return {};
  }

 private:
  Status RunPlans(Plans plans, bool equal) {
    ACU_RETURN_IF_ERROR(MakePictures());
    std::vector<Plan> plan;
    plan.push_back(std::move(plans.plan));
    ACU_ASSIGN_OR_RETURN(
        const std::unique_ptr<PlanRunner> runner,
        PlanRunner::Make(device_, std::move(plan), plans.context, {.poison = true, .derive = std::move(plans.derive)}));
    for (const std::vector<Picture>* distorted : {&changed_, &reference_}) {
      if (distorted == &reference_ && !equal) break;
      const OfflineFrames clip(metric_, options_, reference_, *distorted);
      const int batch = plans.context.frames;
      for (int first = 0; first < static_cast<int>(reference_.size()); first += batch) {
        PlanRunner* before = plans.context.streams && first > 0 ? runner.get() : nullptr;
        ACU_RETURN_IF_ERROR(runner->Start(Batch(plans.context, *distorted, first, before != nullptr), before));
        ACU_RETURN_IF_ERROR(runner->Wait());
        for (int i = first; i < first + batch; ++i) {
          ACU_ASSIGN_OR_RETURN(const ComputedFrame expected, ComputeFrame(metric_, extractor_, clip, i));
          ACU_RETURN_IF_ERROR(Compare(expected, *runner, plans.context, i, i - first));
        }
      }
    }
    return {};
  }

  /// Frames 0 and 1 differ by noise, 2 and 3 by contrast, so that gains lie on both sides of every limit.
  Status MakePictures() {
    for (int frame = static_cast<int>(reference_.size()); frame < 2 * kBatch; ++frame) {
      ACU_ASSIGN_OR_RETURN(Picture reference, MakeTestPicture(format_, frame, 1));
      ACU_ASSIGN_OR_RETURN(Picture changed, frame < kBatch ? MakeTestPicture(format_, frame, 2)
                                                           : MakeEnhancedPicture(format_, frame, 1));
      reference_.push_back(std::move(reference));
      changed_.push_back(std::move(changed));
    }
    return {};
  }

  BatchPictures Batch(const PlanContext& context, const std::vector<Picture>& distorted, int first,
                      bool follows) const {
    BatchPictures batch;
    const int oldest = follows ? first : 0;
    for (int i = first - context.history[0]; i < first + context.frames; ++i)
      batch.reference.push_back(i < oldest ? nullptr : &reference_[i]);
    for (int i = first - context.history[1]; i < first + context.frames; ++i)
      batch.distorted.push_back(i < oldest ? nullptr : &distorted[i]);
    return batch;
  }

  /// Compares sums and partial results of frames that have their history; the others in the results of Finish alone.
  Status Compare(const ComputedFrame& expected, const PlanRunner& runner, const PlanContext& context, int frame,
                 int item) const {
    ComputedFrame found;
    found.sums.assign(runner.Sums(0, item).begin(), runner.Sums(0, item).end());
    found.words.assign(runner.Words(0, item).begin(), runner.Words(0, item).end());
    std::string difference;
    if (frame >= std::ranges::max(context.history)) {
      difference = FirstDifference("sum", expected.sums, found.sums);
      if (difference.empty()) difference = FirstDifference("partial result", expected.words, found.words);
    }
    ACU_RETURN_IF_ERROR(FinishFrame(metric_, extractor_, frame, found));
    if (difference.empty()) difference = FirstDifference("output", Bits(expected.values), Bits(found.values));
    if (difference.empty()) difference = FirstDifference("retained value", expected.kept, found.kept);
    if (difference.empty()) return {};
    return Error(StatusCode::kBadData, "self-test failed: {}{} at {}x{}, {} bit, {} workload: {} of frame {}",
                 metric_.name, options_.KeySuffix(), format_.width, format_.height, format_.bit_depth,
                 WorkloadClassName(context.workload), difference, frame);
  }

  Device& device_;
  const Metric& metric_;
  const OptionValues& options_;
  const PictureFormat format_;
  const Extractor& extractor_;
  std::vector<Picture> reference_, changed_;
};

/// The defaults on pictures of one format or, where it is one of those for options, all sets of them that the metric
/// does not refuse.
Status TestFormat(Device& device, const Metric& metric, const PictureFormat& format) {
  const bool has_options =
      format.pixel_format == kOptionsFormat && std::ranges::count(kSampleDepths, format.bit_depth) > 0;
  std::set<uint64_t> seen;
  const std::vector<OptionValues> sets = OptionSets(metric);
  for (size_t i = 0; i < (has_options ? sets.size() : 1); ++i) {
    const Result<std::unique_ptr<Extractor>> extractor = MakeExtractor(metric, sets[i], format);
    if (!extractor.ok()) continue;
    ACU_RETURN_IF_ERROR(MetricTest(device, metric, sets[i], format, **extractor).Run(seen, /*equal=*/i == 0));
  }
  return {};
}

/// The metric may refuse depths, but not all of them: what was not tested has not passed.
Status TestSize(Device& device, const Metric& metric, const PictureSize& size) {
  Status refusal;
  bool tested = false;
  for (const int depth : kDepths) {
    const PictureFormat format = Format(metric, size, depth);
    const Status taken = MakeExtractor(metric, OptionValues(metric.options), format).status();
    if (taken.ok()) ACU_RETURN_IF_ERROR(TestFormat(device, metric, format));
    else refusal = taken;
    tested |= taken.ok();
  }
  if (tested) return {};
  return Error(StatusCode::kBadData, "self-test failed: {} takes no picture of {}x{}: {}", metric.name, size.width,
               size.height, refusal.message());
}

/// The plans that the metric makes for odd pictures of these depths, with each set of options.
template <class Visit>
void ForEachPlans(const Metric& metric, const std::string& family, std::span<const int> depths,
                  std::span<const WorkloadClass> workloads, Visit visit) {
  for (const int depth : depths)
    for (const OptionValues& options : OptionSets(metric)) {
      const PictureFormat format = Format(metric, Sizes(metric).back(), depth);
      if (!MakeExtractor(metric, options, format).ok()) continue;
      for (const WorkloadClass workload : workloads)
        for (const Plans& plans : Plans::MakeAll(metric, options, format, workload, family)) visit(plans);
    }
}

}  // namespace

Status TestMetric(Device& device, const Metric& metric) {
  for (const PictureSize& size : Sizes(metric)) ACU_RETURN_IF_ERROR(TestSize(device, metric, size));
  return {};
}

std::vector<const KernelImage*> KernelsToLoad(const Metric& metric, const std::string& family) {
  std::vector<const KernelImage*> images;
  ForEachPlans(metric, family, kSampleDepths, kWorkloads, [&](const Plans& plans) {
    if (plans.derive) AddKernels(*plans.derive, images);
    AddKernels(plans.plan, images);
  });
  return images;
}

std::vector<std::string> KernelsOf(const Metric& metric) {
  std::set<std::string> kernels;
  constexpr WorkloadClass kSmall[] = {WorkloadClass::kSmall};
  ForEachPlans(metric, "", kDepths, kSmall, [&](const Plans& plans) {
    plans.ForEachLaunch([&](const Plan::Launch& launch) { kernels.emplace(launch.kernel->kernel); });
  });
  return {kernels.begin(), kernels.end()};
}

}  // namespace acutance
