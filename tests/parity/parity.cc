#include "tests/parity/parity.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "exec/run_plan.h"
#include "metric/offline_frames.h"
#include "metric/plan_context.h"
#include "metric/test_size.h"

namespace acutance {
namespace {

struct Clip {
  std::vector<Picture> reference;
  std::vector<std::vector<Picture>> distorted;  // [video]
};

using Frames = std::vector<ComputedFrame>;  // [frame]
using Videos = std::vector<Frames>;         // one alone for a metric that reads the reference alone

Result<Frames> ComputeOnCpu(const ParityCase& which, const OptionValues& options, const Extractor& extractor,
                            const Clip& clip, int video) {
  const OfflineFrames frames(*which.metric, options, clip.reference, clip.distorted[video]);
  Frames computed;
  for (int i = 0; i < std::ssize(clip.reference); ++i) {
    ACU_ASSIGN_OR_RETURN(ComputedFrame frame, ComputeFrame(*which.metric, extractor, frames, i));
    computed.push_back(std::move(frame));
  }
  return computed;
}

std::string_view ShapeOf(const KernelImage& image) { return image.variant.substr(image.variant.rfind('_') + 1); }

class DeviceRun {
 public:
  DeviceRun(const Clip& clip, const PlanContext& context, int videos)
      : clip_(clip), context_(context), videos_(videos) {}

  Status Prepare(Device& device, const Plan& plan, const std::optional<Plan>& derive, bool poison) {
    for (auto& runner : runners_) {
      ACU_ASSIGN_OR_RETURN(
          runner, PlanRunner::Make(device, {plan}, context_, {.poison = poison, .artifacts = true, .derive = derive}));
    }
    return {};
  }

  Result<Videos> Run(const Metric& metric, const Extractor& extractor) {
    const int frames = static_cast<int>(clip_.reference.size()), batch = context_.frames;
    Videos found(videos_, Frames(frames));
    int waiting = 0;  // first frame of the batch in flight that is older
    for (int first = 0; first < frames; first += batch) {
      if (first >= 2 * batch)
        ACU_RETURN_IF_ERROR(Collect(std::exchange(waiting, waiting + batch), metric, extractor, found));
      ACU_RETURN_IF_ERROR(Start(first));
    }
    for (; waiting < frames; waiting += batch) ACU_RETURN_IF_ERROR(Collect(waiting, metric, extractor, found));
    return found;
  }

 private:
  PlanRunner& RunnerOf(int first) { return *runners_[first / context_.frames % 2]; }
  int End(int first) const { return std::min(first + context_.frames, static_cast<int>(clip_.reference.size())); }

  /// The history of every second batch comes from the batch before, that of the others from the host.
  Status Start(int first) {
    ACU_RETURN_IF_ERROR(RunnerOf(first).BeginBatch());
    const bool takes = first / context_.frames % 2 == 1;
    PlanRunner* before = takes ? &RunnerOf(first - context_.frames) : nullptr;
    if (before) before->KeepPictures();
    return RunnerOf(first).Start(Batch(first, takes ? first : 0), before);
  }

  BatchPictures Batch(int first, int oldest) const {
    BatchPictures batch;
    for (int i = first - context_.history[0]; i < End(first); ++i)
      batch.reference.push_back(i < oldest ? nullptr : &clip_.reference[i]);
    for (int i = first - context_.history[1]; i < End(first); ++i)
      for (int v = 0; v < context_.videos; ++v)
        batch.distorted.push_back(i < oldest ? nullptr : &clip_.distorted[v][i]);
    return batch;
  }

  Status Collect(int first, const Metric& metric, const Extractor& extractor, Videos& found) {
    ACU_RETURN_IF_ERROR(RunnerOf(first).Wait());
    for (int v = 0; v < videos_; ++v) ACU_RETURN_IF_ERROR(CollectVideo(first, v, metric, extractor, found[v]));
    return {};
  }

  Status CollectVideo(int first, int video, const Metric& metric, const Extractor& extractor, Frames& found) {
    const PlanRunner& runner = RunnerOf(first);
    for (int i = first; i < End(first); ++i) {
      ComputedFrame& frame = found[i];
      const int item = (i - first) * videos_ + video;
      const auto sums = runner.Sums(0, item), words = runner.Words(0, item);
      frame.sums.assign(sums.begin(), sums.end());
      frame.words.assign(words.begin(), words.end());
      ACU_RETURN_IF_ERROR(FinishFrame(metric, extractor, i, frame));
      for (const ArtifactSpec& artifact : extractor.spec().artifacts) {
        ACU_ASSIGN_OR_RETURN(MutablePicture picture, AllocatePicture(artifact.format));
        runner.CopyArtifact(0, item, static_cast<int>(frame.artifacts.size()), picture);
        frame.artifacts.push_back(std::move(picture));
      }
    }
    return {};
  }

  const Clip& clip_;
  const PlanContext& context_;
  const int videos_;  // with results of their own
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

/// At the clip's start Finish may ignore results that depend on pictures before it; sums and partial results of all
/// other frames are compared, too.
Status Compare(const Frames& expected, const Frames& found, int history, const std::string& name) {
  for (int i = 0; i < std::ssize(expected); ++i) {
    const std::string frame = fmt::format("{}: frame {}", name, i);
    const auto bits = [](const std::vector<double>& values) {
      std::vector<int64_t> words(values.size());
      std::ranges::transform(values, words.begin(), [](double value) { return std::bit_cast<int64_t>(value); });
      return words;
    };
    ACU_RETURN_IF_ERROR(CompareWords(bits(expected[i].values), bits(found[i].values), frame + ": bits of output"));
    ACU_RETURN_IF_ERROR(CompareWords(expected[i].kept, found[i].kept, frame + ": retained value"));
    ACU_RETURN_IF_ERROR(CompareArtifacts(expected[i], found[i], frame));
    if (i < history) continue;
    ACU_RETURN_IF_ERROR(CompareWords(expected[i].sums, found[i].sums, frame + ": sum"));
    ACU_RETURN_IF_ERROR(CompareWords(expected[i].words, found[i].words, frame + ": partial result"));
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
  Clip clip = {MakeClip(which.format, which.content, which.frames, which.seed), {}};
  for (int v = 0; v < which.Videos(); ++v)
    clip.distorted.push_back(MakeClip(which.format, which.content, which.frames, which.seed + 1000 * (v + 1)));
  const std::vector<InputSpec> inputs = InputsOf(*which.metric, options);
  Videos expected;
  for (int v = 0; v < (Reads(inputs, Video::kDistorted) ? which.Videos() : 1); ++v) {
    ACU_ASSIGN_OR_RETURN(Frames frames, ComputeOnCpu(which, options, *extractor, clip, v));
    expected.push_back(std::move(frames));
  }
  for (const std::string& shape : shapes) {
    PlanContext context = MakePlanContext(inputs, which.format, which.batch, which.Videos(), device.info().family);
    context.artifacts = true;
    const std::vector<TuningEntry> rows = RowsOfShape(shape);
    context.overrides = rows;
    ACU_ASSIGN_OR_RETURN(const std::optional<Plan> derive, MakeDerivePlan(inputs, context));
    ACU_ASSIGN_OR_RETURN(const Plan plan, MakePlan(*which.metric, options, context));
    DeviceRun run(clip, context, static_cast<int>(expected.size()));
    ACU_RETURN_IF_ERROR(run.Prepare(device, plan, derive, which.poison));
    ACU_ASSIGN_OR_RETURN(const Videos found, run.Run(*which.metric, *extractor));
    ParityCase named = which;
    named.shape = shape;
    for (size_t v = 0; v < expected.size(); ++v)
      ACU_RETURN_IF_ERROR(Compare(expected[v], found[v], std::ranges::max(context.history),
                                  fmt::format("{}, video {}", named.Name(), v)));
  }
  return {};
}

/// Values that no switch reaches: names that an option knows, and numbers for which other kernels are launched.
struct OtherCase {
  std::string_view metric;
  OptionTexts options;
};
const OtherCase kOtherCases[] = {
    {"speed_chroma", {{"speed_prescale", "0.6"}, {"speed_prescale_method", "bilinear"}}},
    {"speed_chroma", {{"speed_prescale", "2"}, {"speed_prescale_method", "lanczos4"}, {"speed_kernelscale", "2"}}},
    {"speed_temporal", {{"speed_prescale", "1.5"}, {"speed_prescale_method", "bicubic"}, {"speed_kernelscale", "0.5"}}},
    {"cambi", {{"max_log_contrast", "5"}, {"eotf", "pq"}}},
    {"cambi", {{"enc_width", "240"}, {"enc_height", "150"}, {"cambi_eotf", "pq"}, {"heatmaps_path", "maps"}}},
    {"float_ssim", {{"scale", "2"}}},
    {"float_adm", {{"adm_p_norm", "2.5"}, {"adm_enhn_gain_limit", "1.2"}}},
    {"float_vif", {{"vif_kernelscale", "1.5"}, {"vif_prescale", "1.5"}, {"vif_prescale_method", "bicubic"}}},
    {"float_vif", {{"vif_prescale", "0.8"}, {"vif_prescale_method", "bilinear"}, {"vif_sigma_nsq", "0.3"}}},
    {"float_vif", {{"vif_prescale", "1.2"}, {"vif_prescale_method", "lanczos4"}, {"vif_sigma_nsq", "0"}}},
    {"ssimulacra2", {{"matrix", "bt601"}, {"range", "full"}, {"transfer", "srgb"}}},
    {"ssimulacra2",
     {{"matrix", "bt2020"}, {"chroma_location", "topleft"}, {"transfer", "linear"}, {"clip_rgb", "false"}}},
    {"ssimulacra2", {{"matrix", "bt709"}, {"chroma_location", "center"}}},
    {"ssimulacra2", {{"chroma_location", "top"}}},
    {"butteraugli", {{"matrix", "bt601"}, {"range", "full"}, {"transfer", "srgb"}, {"intensity_target", "203"}}},
    {"butteraugli",
     {{"matrix", "bt2020"}, {"chroma_location", "topleft"}, {"transfer", "linear"}, {"clip_rgb", "false"}}},
    {"butteraugli", {{"matrix", "bt709"}, {"chroma_location", "center"}, {"qnorm", "1"}}},
    {"butteraugli", {{"chroma_location", "top"}, {"qnorm", "5"}}},
    {"cvvdp", {{"transfer", "pq"}, {"fps", "30"}}},
    {"cvvdp", {{"distance", "0.5"}, {"display_file", ""}}},
    {"cvvdp", {{"transfer", "hlg"}, {"matrix", "bt2020"}, {"primaries", "bt2020"}}},
    {"cvvdp", {{"display", "iphone_14_pro_hdr"}, {"conversion", "common"}, {"temporal", "false"}}},
    {"cvvdp", {{"display", "standard_hdr_linear"}, {"conversion", "common"}, {"clip_rgb", "false"}}},
    {"cvvdp", {{"conversion", "common"}, {"chroma_location", "topleft"}, {"range", "full"}, {"fps", "60"}}},
    {"cvvdp", {{"conversion", "common"}, {"chroma_location", "center"}, {"ppd", "1"}}},
    {"pu_psnr", {{"display", "reference"}, {"display_file", ""}, {"conversion", "common"}}},  // others stay on the CPU
    {"pu_psnr", {{"transfer", "hlg"}, {"peak", "2000"}, {"range", "full"}}},
    {"pu_psnr", {{"transfer", "sdr"}, {"matrix", "bt709"}, {"chroma_location", "center"}}},
    {"pu_psnr", {{"transfer", "sdr"}, {"peak", "400"}, {"clip_rgb", "false"}}},
    {"pu_ssim", {{"display", "reference"}, {"display_file", ""}, {"conversion", "common"}}},
    {"pu_ssim", {{"transfer", "hlg"}, {"matrix", "bt2020"}, {"chroma_location", "left"}, {"clip_rgb", "false"}}},
    {"pu_ssim", {{"transfer", "sdr"}, {"range", "full"}, {"peak", "203"}}},
    {"delta_e_itp", {{"transfer", "hlg"}, {"chroma_location", "top"}, {"peak", "400"}}},
    {"delta_e_itp", {{"transfer", "sdr"}, {"matrix", "bt601"}, {"range", "full"}, {"clip_rgb", "false"}}},
    {"delta_e_itp", {{"transfer", "sdr"}, {"matrix", "bt2020"}}},
};

std::vector<OptionTexts> OptionCases(const Metric& metric) {
  std::vector<OptionTexts> cases(1);
  for (const OptionSpec& option : metric.options)
    if (const bool* value = std::get_if<bool>(&option.default_value))
      cases.push_back({{std::string(option.name), *value ? "false" : "true"}});
  for (const OtherCase& other : kOtherCases)
    if (other.metric == metric.name) cases.push_back(other.options);
  return cases;
}

std::vector<std::string> ShapesOf(const Metric& metric, const OptionTexts& options) {
  const PictureSize size = TestSizeOf(metric);
  const PictureFormat format = {
      .width = std::max(64, size.width), .height = std::max(64, size.height), .bit_depth = 10};
  std::set<std::string> shapes = {""};
  const OptionValues values = *OptionValues::Parse(metric.options, options);
  const auto plan = MakePlan(metric, values, MakePlanContext(InputsOf(metric, values), format, 1, 1, ""));
  if (!plan.ok()) return {""};
  for (const Plan::Launch& launch : plan->launches())
    for (std::string& shape : ShapesOf(launch.kernel->kernel)) shapes.insert(std::move(shape));
  return {shapes.begin(), shapes.end()};
}

std::vector<TuningEntry> RowsOfShape(const std::string& shape) {
  std::vector<TuningEntry> rows;
  for (const KernelImage& image : KernelImages())
    if (ShapeOf(image) == shape) rows.push_back({image.kernel, "", shape});
  return rows;
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
