#include "metric/metric.h"

#include <algorithm>

namespace acutance {

Status DerivedPictures::Prepare(size_t index, const DerivedInput& input, const Picture& source) {
  Slot& slot = slots_[index];
  if (slot.is_ready.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (slot.is_ready) return {};
  ACU_ASSIGN_OR_RETURN(const MutablePicture derived, pool_->Allocate(input.Format(source.format)));
  input.Compute(source, derived);
  slot.picture = derived.Share();
  slot.is_ready.store(true, std::memory_order_release);
  return {};
}

const Picture* FrameView::at(int input, int back) const {
  const BoundInput& bound = inputs_[input];
  const auto pictures = of(bound.spec.video);
  if (static_cast<size_t>(back) >= pictures.size()) return nullptr;
  const VideoPicture& picture = *pictures[back];
  return bound.derived < 0 ? &picture.made() : &picture.derived->at(bound.derived);
}

Status FrameView::Prepare() const {
  for (const BoundInput& bound : inputs_) {
    const auto pictures = of(bound.spec.video);
    for (size_t back = 0; back < pictures.size() && back <= static_cast<size_t>(bound.spec.history); ++back) {
      const VideoPicture& picture = *pictures[back];
      if (picture.picture.lazy) ACU_RETURN_IF_ERROR(picture.picture.lazy->Materialize());
      if (bound.derived >= 0)
        ACU_RETURN_IF_ERROR(picture.derived->Prepare(bound.derived, *bound.spec.derived, picture.made()));
    }
  }
  return {};
}

void Extractor::RunBands(std::span<const FrameView> frames, int stage, RowBand band,
                         std::span<const Workspaces> workspaces, std::span<const BandResults> results) const {
  for (size_t i = 0; i < frames.size(); ++i) RunBand(frames[i], stage, band, workspaces[i], results[i]);
}

Result<std::shared_ptr<const Setup>> Prepare(const Metric& metric, const OptionValues& options) {
  if (metric.prepare) return metric.prepare(options);
  return std::make_unique<Setup>();
}

std::vector<InputSpec> InputsOf(const Metric& metric, const Setup& setup) {
  if (metric.inputs) return metric.inputs(setup);
  return {{.video = Video::kReference}, {.video = Video::kDistorted}};
}

std::vector<InputSpec> InputsOf(const Metric& metric, const OptionValues& options) {
  const auto setup = Prepare(metric, options);
  return InputsOf(metric, setup.ok() ? **setup : *Prepare(metric, OptionValues(metric.options)).value());
}

bool Reads(std::span<const InputSpec> inputs, Video video) {
  return std::ranges::any_of(inputs, [&](const InputSpec& input) { return input.video == video; });
}

Result<std::unique_ptr<Extractor>> MakeExtractor(const Metric& metric, const Setup& setup,
                                                 const PictureFormat& format) {
  const bool is_float = format.bit_depth == kFloatDepth;
  if (is_float && !metric.reads_floats)
    return Error(StatusCode::kInvalidArgument, "{} does not read pictures of floats", metric.name);
  ACU_RETURN_IF_ERROR(is_float ? CheckPictureSize(format) : CheckPictureFormat(format));
  const auto [width, height] = metric.smallest;
  if (format.width < width || format.height < height)
    return Error(StatusCode::kInvalidArgument, "{} needs pictures of at least {}x{}, these are {}x{}", metric.name,
                 width, height, format.width, format.height);
  return metric.make(setup, format);
}

Result<std::unique_ptr<Extractor>> MakeExtractor(const Metric& metric, const OptionValues& options,
                                                 const PictureFormat& format) {
  ACU_ASSIGN_OR_RETURN(const auto setup, Prepare(metric, options));
  return MakeExtractor(metric, *setup, format);
}

OutputKey MakeOutputKey(const OutputSpec& output, const OptionValues& options) {
  const std::string name(output.name);
  const std::string alias(output.alias.empty() ? output.name : output.alias);
  const std::string suffix = options.KeySuffix();
  if (suffix.empty() || output.plain_key) return {name, alias};
  constexpr size_t kMaxKeyBytes = 255;  // docs/spec/system.md 1.6
  const std::string key = (alias + suffix).substr(0, kMaxKeyBytes);
  return {key, key};
}

}  // namespace acutance
