#include <algorithm>
#include <utility>

#include "metric/speed/speed.h"
#include "metric/speed/speed_cpu.h"

namespace acutance {
namespace {

/// The small pictures of a frame, before they are sharpened.
struct SpeedSamples : Workspace {
  SpeedSamples(const SpeedLayout& layout, int pictures)
      : stride(layout.samples()), values(static_cast<size_t>(pictures) * stride) {}

  std::span<float> of(int picture) { return {values.data() + picture * stride, stride}; }

  const size_t stride;
  AlignedArray<float> values;
};

ExtractorSpec MakeSpec(const SpeedLayout& layout, int pictures) {
  return {.stages = {{pictures * layout.rows}, {pictures}}, .words = pictures * SpeedWords(layout)};
}

bool IsReference(int picture) { return picture % 2 == 0; }

}  // namespace

SpeedExtractor::SpeedExtractor(const SpeedSettings& settings, SpeedLayout layout, int pairs)
    : Extractor(MakeSpec(layout, 2 * pairs)), settings_(settings), layout_(std::move(layout)), pictures_(2 * pairs) {}

std::unique_ptr<Workspace> SpeedExtractor::MakeFrameWorkspace() const {
  return std::make_unique<SpeedSamples>(layout_, pictures_);
}

std::unique_ptr<Workspace> SpeedExtractor::MakeThreadWorkspace() const {
  return std::make_unique<SpeedScratch>(layout_);
}

void SpeedExtractor::RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
                             const BandResults& results) const {
  RunBands({&frame, 1}, stage, band, {&workspaces, 1}, {&results, 1});
}

void SpeedExtractor::RunBands(std::span<const FrameView> frames, int stage, RowBand band,
                              std::span<const Workspaces> workspaces, std::span<const BandResults> results) const {
  const int rows = stage == 0 ? layout_.rows : 1;  // of a picture
  for (size_t i = 0; i < frames.size(); ++i) {
    const std::vector<SpeedSource> sources = Sources(frames[i]);
    if (sources.empty()) return;
    for (int p = band.begin / rows; p * rows < band.end; ++p) {
      const RowBand own = {std::max(band.begin - p * rows, 0), std::min(band.end - p * rows, rows)};
      if (i == 0 || !IsReference(p)) RunPicture(sources[p], p, stage, own, workspaces[i], results[i].words);
      else if (stage == 1) std::ranges::copy(PartialsOf(p, results[0].words), PartialsOf(p, results[i].words).begin());
    }
  }
}

void SpeedExtractor::RunPicture(const SpeedSource& source, int picture, int stage, RowBand rows,
                                const Workspaces& workspaces, std::span<int64_t> words) const {
  const std::span<float> samples = static_cast<SpeedSamples&>(*workspaces.frame).of(picture);
  auto& scratch = static_cast<SpeedScratch&>(*workspaces.thread);
  if (stage == 0) SampleSpeed(layout_, source, rows, scratch, samples.data());
  else AnalyseSpeed(layout_, settings_.sigma_nn, samples, scratch, PartialsOf(picture, words));
}

std::span<int64_t> SpeedExtractor::PartialsOf(int picture, std::span<int64_t> words) const {
  const size_t count = SpeedWords(layout_);
  return words.subspan(picture * count, count);
}

SpeedScore SpeedExtractor::Score(std::span<const int64_t> words, int pair, int weight_mode) const {
  const size_t count = SpeedWords(layout_);
  const auto both = words.subspan(2 * pair * count, 2 * count);
  return ScoreSpeed(settings_, weight_mode, both.first(count), both.last(count));
}

}  // namespace acutance
