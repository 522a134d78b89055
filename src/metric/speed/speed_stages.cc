#include "metric/speed/speed.h"

#include <algorithm>

namespace acutance {

SpeedSamples::SpeedSamples(const SpeedLayout& layout, int pictures)
    : stride_(layout.samples()), values_(static_cast<size_t>(pictures) * layout.samples()) {}

ExtractorSpec MakeSpeedSpec(const SpeedLayout& layout, int pictures) {
  return {.stages = {{pictures * layout.rows}, {pictures}}, .words = pictures * SpeedWords(layout)};
}

void RunSpeedStage(const SpeedWork& work, int stage, RowBand band, const Workspaces& workspaces,
                   std::span<int64_t> words) {
  auto& samples = static_cast<SpeedSamples&>(*workspaces.frame);
  const int rows = stage == 0 ? work.layout.rows : 1;
  for (int p = band.begin / rows; p * rows < band.end; ++p) {
    if (stage == 0)
      SampleSpeedRef(work.layout, work.sources[p],
                     {std::max(band.begin - p * rows, 0), std::min(band.end - p * rows, rows)}, samples.of(p).data());
    else
      AnalyseSpeedRef(work.layout, work.sigma_nn, samples.of(p),
                      words.subspan(p * SpeedWords(work.layout), SpeedWords(work.layout)));
  }
}

}  // namespace acutance
