#include "tests/parity/parity.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "exec/run_plan.h"
#include "metric/clip_frames.h"
#include "metric/plan_context.h"

namespace acutance {
namespace {

struct Clip {
  std::vector<Picture> reference, distorted;
};

using Frames = std::vector<ComputedFrame>;

Result<Frames> ComputeOnCpu(const ParityCase& which, const OptionValues& options, const Extractor& extractor,
                            const Clip& clip) {
  const ClipFrames frames(*which.metric, options, clip.reference, clip.distorted);
  Frames computed;
  for (int i = 0; i < std::ssize(clip.reference); ++i) {
    ACU_ASSIGN_OR_RETURN(ComputedFrame frame, ComputeFrame(*which.metric, extractor, frames, i));
    computed.push_back(std::move(frame));
  }
  return computed;
}

std::string_view ShapeOf(const KernelImage& image) { return image.variant.substr(image.variant.rfind('_') + 1); }

/// One entry per kernel that was built in `shape`.
std::vector<TuningEntry> Overrides(const std::string& shape) {
  std::vector<TuningEntry> entries;
  for (const KernelImage& image : KernelImages())
    if (ShapeOf(image) == shape) entries.push_back({image.kernel, "", shape});
  return entries;
}

class DeviceRun {
 public:
  DeviceRun(const Clip& clip, const PlanContext& context) : clip_(clip), context_(context) {}

  Status Prepare(Device& device, const Plan& plan, const std::optional<Plan>& derive, bool poison) {
    for (auto& runner : runners_) {
      ACU_ASSIGN_OR_RETURN(runner, PlanRunner::Make(device, {plan}, context_,
                                                    {.poison = poison, .artifacts = true, .derive = derive}));
    }
    return {};
  }

  Result<Frames> Run(const Metric& metric, const Extractor& extractor) {
    const int frames = static_cast<int>(clip_.reference.size()), batch = context_.frames;
    Frames found(frames);
    int waiting = 0;  // first frame of the batch in flight that is older
    for (int first = 0; first < frames; first += batch) {
      if (first >= 2 * batch)
        ACU_RETURN_IF_ERROR(Collect(std::exchange(waiting, waiting + batch), metric, extractor, found));
      ACU_RETURN_IF_ERROR(RunnerOf(first).Start(Batch(first)));
    }
    for (; waiting < frames; waiting += batch)
      ACU_RETURN_IF_ERROR(Collect(waiting, metric, extractor, found));
    return found;
  }

 private:
  PlanRunner& RunnerOf(int first) { return *runners_[first / context_.frames % 2]; }
  int End(int first) const { return std::min(first + context_.frames, static_cast<int>(clip_.reference.size())); }

  BatchPictures Batch(int first) const {
    BatchPictures batch;
    for (int i = first - context_.history[0]; i < End(first); ++i)
      batch.reference.push_back(i < 0 ? nullptr : &clip_.reference[i]);
    for (int i = first - context_.history[1]; i < End(first); ++i)
      batch.distorted.push_back(i < 0 ? nullptr : &clip_.distorted[i]);
    return batch;
  }

  Status Collect(int first, const Metric& metric, const Extractor& extractor, Frames& found) {
    const PlanRunner& runner = RunnerOf(first);
    ACU_RETURN_IF_ERROR(RunnerOf(first).Wait());
    for (int i = first; i < End(first); ++i) {
      ComputedFrame& frame = found[i];
      const auto sums = runner.Sums(0, i - first), words = runner.Words(0, i - first);
      frame.sums.assign(sums.begin(), sums.end());
      frame.words.assign(words.begin(), words.end());
      ACU_RETURN_IF_ERROR(FinishFrame(metric, extractor, i, frame));
      for (const ArtifactSpec& artifact : extractor.spec().artifacts) {
        ACU_ASSIGN_OR_RETURN(MutablePicture picture, AllocatePicture(artifact.format));
        runner.CopyArtifact(0, i - first, static_cast<int>(frame.artifacts.size()), picture);
        frame.artifacts.push_back(std::move(picture));
      }
    }
    return {};
  }

  const Clip& clip_;
  const PlanContext& context_;
  std::unique_ptr<PlanRunner> runners_[2];
};

Status CompareWords(std::span<const int64_t> expected, std::span<const int64_t> found, const std::string& name) {
  for (size_t k = 0; k < expected.size(); ++k)
    if (found[k] != expected[k])
      return Error(StatusCode::kBadData, "{} {} is {}, the CPU says {}", name, k, found[k], expected[k]);
  return {};
}

Status CompareArtifacts(const ComputedFrame& expected, const ComputedFrame& found, const std::string& name) {
  for (size_t a = 0; a < expected.artifacts.size(); ++a) {
    const MutablePicture &picture = expected.artifacts[a], &other = found.artifacts[a];
    const size_t row = static_cast<size_t>(picture.format.width) * picture.format.BytesPerSample();
    for (int y = 0; y < picture.format.height; ++y)
      if (std::memcmp(picture.Row<std::byte>(0, y), other.Row<std::byte>(0, y), row) != 0)
        return Error(StatusCode::kBadData, "{}: row {} of artifact {} is not the CPU's", name, y, a);
  }
  return {};
}

/// What Finish makes of a frame at the clip's start may ignore results that depend on pictures before it; all other
/// results are compared as they are, too.
Status Compare(const Frames& expected, const Frames& found, int history, const std::string& name) {
  for (int i = 0; i < std::ssize(expected); ++i) {
    const std::string frame = fmt::format("{}: frame {}", name, i);
    const auto bits = [](const std::vector<double>& values) {
      std::vector<int64_t> words(values.size());
      std::ranges::transform(values, words.begin(), [](double value) { return std::bit_cast<int64_t>(value); });
      return words;
    };
    ACU_RETURN_IF_ERROR(CompareWords(bits(expected[i].values), bits(found[i].values), frame + ": bits of output"));
    ACU_RETURN_IF_ERROR(CompareWords(expected[i].kept, found[i].kept, frame + ": kept word"));
    if (i < history) continue;
    ACU_RETURN_IF_ERROR(CompareWords(expected[i].sums, found[i].sums, frame + ": sum"));
    ACU_RETURN_IF_ERROR(CompareWords(expected[i].words, found[i].words, frame + ": word"));
    ACU_RETURN_IF_ERROR(CompareArtifacts(expected[i], found[i], frame));
  }
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
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Extractor> extractor, MakeExtractor(*which.metric, options, which.format));
  const Clip clip = {MakeClip(which.format, which.content, which.frames, which.seed),
                     MakeClip(which.format, which.content, which.frames, which.seed + 1000)};
  ACU_ASSIGN_OR_RETURN(const Frames expected, ComputeOnCpu(which, options, *extractor, clip));
  const std::vector<InputSpec> inputs = InputsOf(*which.metric, options);
  for (const std::string& shape : shapes) {
    PlanContext context = MakePlanContext(inputs, which.format, which.batch, 1, device.info().family);
    const std::vector<TuningEntry> overrides = Overrides(shape);
    if (!shape.empty()) context.overrides = overrides;
    ACU_ASSIGN_OR_RETURN(const std::optional<Plan> derive, MakeDerivePlan(inputs, context));
    ACU_ASSIGN_OR_RETURN(const Plan plan, which.metric->make_plan(options, context));
    DeviceRun run(clip, context);
    ACU_RETURN_IF_ERROR(run.Prepare(device, plan, derive, which.poison));
    ACU_ASSIGN_OR_RETURN(const Frames found, run.Run(*which.metric, *extractor));
    ParityCase named = which;
    named.shape = shape;
    ACU_RETURN_IF_ERROR(Compare(expected, found, std::ranges::max(context.history), named.Name()));
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
  const OptionValues values = *OptionValues::Parse(metric.options, options);
  const auto plan = metric.make_plan(values, MakePlanContext(InputsOf(metric, values), kFormat, 1, 1, ""));
  if (!plan.ok()) return {""};
  for (const Plan::Launch& launch : plan->launches())
    for (std::string& shape : ShapesOf(launch.kernel->kernel)) shapes.insert(std::move(shape));
  return {shapes.begin(), shapes.end()};
}

bool Accepts(const Metric& metric, const OptionTexts& options, const PictureFormat& format) {
  const auto values = OptionValues::Parse(metric.options, options);
  return values.ok() && MakeExtractor(metric, *values, format).ok();
}

std::vector<std::string> ShapesOf(std::string_view kernel) {
  std::set<std::string> shapes;
  for (const KernelImage& image : KernelImages())
    if (image.kernel == kernel) shapes.insert(std::string(ShapeOf(image)));
  return {shapes.begin(), shapes.end()};
}

}  // namespace acutance
