#include <algorithm>

#include "metric/speed/speed.h"
#include "metric/speed/speed_cpu.h"

namespace acutance {

SpeedSamples::SpeedSamples(const SpeedLayout& layout, int pictures)
    : stride_(layout.samples()), values_(static_cast<size_t>(pictures) * layout.samples()) {}

ExtractorSpec MakeSpeedSpec(const SpeedLayout& layout, int pictures) {
  return {.stages = {{pictures * layout.rows}, {pictures}}, .words = pictures * SpeedWords(layout)};
}

void RunSpeedStage(const SpeedWork& work, int stage, RowBand band, const Workspaces& workspaces,
                   std::span<int64_t> words) {
  auto& samples = static_cast<SpeedSamples&>(*workspaces.frame);
  auto& scratch = static_cast<SpeedScratch&>(*workspaces.thread);
  const int rows = stage == 0 ? work.layout.rows : 1;
  const size_t words_each = SpeedWords(work.layout);
  for (int p = band.begin / rows; p * rows < band.end; ++p) {
    const RowBand own = {std::max(band.begin - p * rows, 0), std::min(band.end - p * rows, rows)};
    if (stage == 0) SampleSpeed(work.layout, work.sources[p], own, scratch, samples.of(p).data());
    else AnalyseSpeed(work.layout, work.sigma_nn, samples.of(p), scratch, words.subspan(p * words_each, words_each));
  }
}

}  // namespace acutance
