#include "engine/feature_set.h"

#include <algorithm>
#include <utility>

#include "base/did_you_mean.h"
#include "engine/artifact_files.h"
#include "metric/registry.h"

namespace acutance {
namespace {

std::string Ignored(const FeatureRequest& request) {
  std::vector<std::string> options;
  for (const auto& [name, value] : request.options) options.push_back(name + "=" + value);
  return fmt::format(
      "feature {}: {} is ignored, for a model or an earlier feature computes it with other options; "
      "give them there",
      request.metric, fmt::join(options, ", "));
}

/// Fails where the metric must not guess an option that was not given.
Status CheckDeclared(const MetricRun& run) {
  const std::string_view name = run.metric->must_be_declared;
  const auto option = std::ranges::find(run.metric->options, name, &OptionSpec::name);
  if (option == run.metric->options.end() || run.options.String(name) != OptionText(option->default_value)) return {};
  return Error(StatusCode::kInvalidArgument, "the video declares no {0} that it knows: set {0}, {1}", name,
               option->help);
}

}  // namespace

OptionTexts KnownOptions(const FeatureRequest& request, std::vector<std::string>& warnings) {
  const Metric* metric = FindMetric(request.metric);
  if (!metric) return request.options;
  OptionTexts known;
  for (const auto& [name, value] : request.options) {
    const auto is_it = [&wanted = name](const OptionSpec& spec) { return spec.name == wanted || spec.alias == wanted; };
    if (std::ranges::any_of(metric->options, is_it)) {
      known.emplace(name, value);
      continue;
    }
    std::vector<std::string_view> names;
    for (const OptionSpec& spec : metric->options) names.push_back(spec.name);
    warnings.push_back(
        fmt::format("feature {} has no option '{}'; it is ignored{}", request.metric, name, DidYouMean(name, names)));
  }
  return known;
}

std::optional<RunOutput> FindOutput(std::span<const MetricRun> runs, std::string_view key) {
  for (const MetricRun& run : runs)
    for (const OutputSpec& output : run.metric->outputs)
      if (MakeOutputKey(output, run.options).stored == key) return RunOutput{&run, &output};
  return std::nullopt;
}

std::string_view UnitOf(const OutputSpec& output, const OptionValues& options) {
  return output.unit_with ? output.unit_with(options) : output.unit;
}

Result<int> FeatureSet::Add(const FeatureRequest& request, int only) {
  ACU_ASSIGN_OR_RETURN(const Metric* const metric, NamedMetric(request.metric));
  Result<OptionValues> options = OptionValues::Parse(metric->options, request.options);
  if (!options.ok()) return Prefixed("feature " + request.metric, options.status());
  const std::string suffix = options->KeySuffix();
  const auto is_alike = [&](const MetricRun& run) { return run.metric == metric && run.options.KeySuffix() == suffix; };
  const auto serves = [&](const MetricRun& run) { return is_alike(run) && (run.only < 0 || run.only == only); };
  const auto found = std::ranges::find_if(runs_, serves);
  if (found != runs_.end()) {
    if (!request.options.empty() && found->options != *options) ignored_.push_back(Ignored(request));
    return static_cast<int>(found - runs_.begin());
  }
  if (only < 0 && std::ranges::any_of(runs_, is_alike)) {  // some videos have it already
    for (int video = videos_ - 1; video > 0; --video) ACU_RETURN_IF_ERROR(Add(request, video).status());
    return Add(request, 0);
  }
  MetricRun& run = AddRun(*metric, *std::move(options), request);
  run.only = only;
  return static_cast<int>(runs_.size()) - 1;
}

Status FeatureSet::AddRequested(const FeatureRequest& request) {
  ACU_ASSIGN_OR_RETURN(const int index, Add(request));
  const MetricRun& first = runs_[static_cast<size_t>(index)];
  const std::string suffix = first.options.KeySuffix();
  for (MetricRun& run : runs_)
    if (run.metric == first.metric && run.options.KeySuffix() == suffix) run.is_requested = true;
  return {};
}

MetricRun& FeatureSet::AddRun(const Metric& metric, OptionValues options, const FeatureRequest& request) {
  MetricRun& run = runs_.emplace_back(
      MetricRun{.metric = &metric, .options = std::move(options), .inputs = {}, .asked = request.options});
  PrepareRun(run);
  return run;
}

void FeatureSet::PrepareRun(MetricRun& run) {
  Result<std::shared_ptr<const Setup>> setup = Prepare(*run.metric, run.options);
  run.refusal = setup.status();
  if (setup.ok()) run.setup = *std::move(setup);
  else run.setup = *Prepare(*run.metric, OptionValues(run.metric->options));
  run.inputs.clear();
  for (InputSpec& input : InputsOf(*run.metric, *run.setup)) run.inputs.push_back(Bind(std::move(input)));
}

Result<int> FeatureSet::AddTap(const std::string& name) {
  const Metric* const metric = FindMetric(name);
  if (!metric) return Error(StatusCode::kInvalidArgument, "this build has no metric '{}'", name);
  AddRun(*metric, OptionValues(metric->options), {name, {}});
  return static_cast<int>(runs_.size()) - 1;
}

Status FeatureSet::Describe(const OptionTexts& video) {
  for (auto& derived : derived_) derived.clear();
  for (MetricRun& run : runs_) {
    OptionTexts texts = run.asked;
    for (const OptionSpec& option : run.metric->options) {
      const bool must_be_declared = option.name == run.metric->must_be_declared;
      const auto told = video.find(std::string(must_be_declared ? kDeclared : "") + std::string(option.name));
      const bool is_asked = texts.contains(std::string(option.name)) || texts.contains(std::string(option.alias));
      if (told != video.end() && !is_asked) texts.emplace(option.name, told->second);
    }
    ACU_ASSIGN_OR_RETURN(run.options, OptionValues::Parse(run.metric->options, texts));
    PrepareRun(run);
  }
  return {};
}

BoundInput FeatureSet::Bind(InputSpec input) {
  if (!input.derived) return {std::move(input)};
  auto& all = derived_[static_cast<int>(input.video)];
  const auto same = [&](const auto& other) { return other->key() == input.derived->key(); };
  const auto found = std::ranges::find_if(all, same);
  const int index = static_cast<int>(found - all.begin());
  if (found == all.end()) all.push_back(input.derived);
  return {std::move(input), index};
}

Result<std::string> FeatureSet::AddByOutput(const std::string& output_name, const OptionTexts& options, int only) {
  const Metric* metric = FindMetricByOutput(output_name);
  if (!metric)
    return Error(StatusCode::kUnsupported, "could not initialize feature extractor \"{}\": no metric here provides it",
                 output_name);
  ACU_ASSIGN_OR_RETURN(const int index, Add({std::string(metric->name), options}, only));
  const auto output = std::ranges::find(metric->outputs, output_name, &OutputSpec::name);
  return MakeOutputKey(*output, runs_[index].options).stored;
}

bool FeatureSet::MakesArtifacts(const MetricRun& run) const {
  if (makes_artifacts_) return true;
  const int artifacts = static_cast<int>(run.extractor->spec().artifacts.size());
  for (int a = 0; a < artifacts; ++a)
    if (!RawArtifactFile(*run.extractor, a).empty()) return true;
  return false;
}

bool MetricRun::Reads(Video video) const {
  return std::ranges::any_of(inputs, [&](const BoundInput& input) { return input.spec.video == video; });
}

int MetricRun::History(Video video) const {
  int history = 0;
  for (const BoundInput& input : inputs)
    if (input.spec.video == video) history = std::max(history, input.spec.history);
  return history;
}

bool FeatureSet::NeedsChroma() const {
  const auto reads_chroma = [](const BoundInput& input) {
    const InputSpec& spec = input.spec;
    return ((spec.derived ? spec.derived->planes() : spec.planes) & ~kLuma) != 0;
  };
  return std::ranges::any_of(runs_,
                             [&](const MetricRun& run) { return std::ranges::any_of(run.inputs, reads_chroma); });
}

bool FeatureSet::Reads(Video video) const {
  return std::ranges::any_of(runs_, [&](const MetricRun& run) { return run.Reads(video); });
}

int FeatureSet::History(Video video) const {
  int history = 0;
  for (const MetricRun& run : runs_) history = std::max(history, run.History(video));
  return history;
}

std::vector<InputSpec> FeatureSet::Inputs(std::span<const int> runs) const {
  std::vector<InputSpec> inputs;
  for (const int run : runs)
    for (const BoundInput& input : runs_[run].inputs) inputs.push_back(input.spec);
  return inputs;
}

Status FeatureSet::MakeExtractors(const PictureFormat& format) {
  for (MetricRun& run : runs_) {
    Status refusal = run.refusal.ok() ? CheckDeclared(run) : run.refusal;
    if (!refusal.ok()) return Prefixed(fmt::format("feature {}", run.metric->name), std::move(refusal));
    Result<std::unique_ptr<Extractor>> extractor = MakeExtractor(*run.metric, *run.setup, format);
    if (!extractor.ok()) return Prefixed(fmt::format("feature {}", run.metric->name), extractor.status());
    run.extractor = std::move(extractor).value();
    const bool is_odd = format.PlaneCount() > 1 && (format.PlaneWidth(1) * 2 == format.width - 1 ||
                                                    format.PlaneHeight(1) * 2 == format.height - 1);
    run.stays_on_cpu = (run.metric->reads_all_chroma && is_odd) || format.bit_depth == kFloatDepth ||
                       (run.metric->stays_on_cpu && run.metric->stays_on_cpu(*run.setup));
    run.enabled.clear();
    for (const OutputSpec& output : run.metric->outputs)
      run.enabled.push_back(!output.enabled || output.enabled(run.options, format));
  }
  return {};
}

/// libvmaf makes a column at its first score. That of kEarlyFlush comes with the second frame, where there is one, and
/// else at the flush, as those of kFlush do.
std::vector<FeatureSet::OutputIndex> FeatureSet::OutputsInOrder(int distorted, bool one_frame) const {
  using enum OutputPhase;
  using Phases = std::pair<OutputPhase, OutputPhase>;
  const std::vector<Phases> order =
      one_frame ? std::vector<Phases>{{kFrame, kSequence}, {kEarlyFlush, kFlush}}
                : std::vector<Phases>{{kFrame, kSequence}, {kEarlyFlush, kEarlyFlush}, {kFlush, kFlush}};
  std::vector<OutputIndex> found;
  for (const auto& [first, last] : order) {
    for (size_t r = 0; r < runs_.size(); ++r) {
      for (size_t i = 0; i < runs_[r].metric->outputs.size(); ++i) {
        const OutputSpec& output = runs_[r].metric->outputs[i];
        const OutputPhase phase = output.phase_with ? output.phase_with(runs_[r].options) : output.phase;
        if (runs_[r].Serves(distorted) && runs_[r].enabled[i] && phase >= first && phase <= last)
          found.push_back({r, i});
      }
    }
  }
  return found;
}

Status FeatureSet::AddColumns(ScoreTable& table, int distorted) {
  for (MetricRun& run : runs_) {
    run.columns.resize(static_cast<size_t>(videos_));
    run.columns[distorted].assign(run.metric->outputs.size(), -1);
  }
  for (const OutputIndex& index : OutputsInOrder(distorted, false)) {
    MetricRun& run = runs_[index.run];
    const OutputSpec& output = run.metric->outputs[index.output];
    OutputKey key = MakeOutputKey(output, run.options);
    ACU_ASSIGN_OR_RETURN(run.columns[distorted][index.output],
                         table.AddColumn(std::move(key.stored), std::move(key.shown),
                                         {output.better, output.rank, UnitOf(output, run.options)}));
  }
  return {};
}

std::vector<int> FeatureSet::ColumnsOfOneFrame(int distorted) const {
  std::vector<int> columns;
  for (const OutputIndex& index : OutputsInOrder(distorted, true))
    columns.push_back(runs_[index.run].columns[distorted][index.output]);
  return columns;
}

}  // namespace acutance
