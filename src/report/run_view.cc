#include "report/run_view.h"

#include "align/align_tracks.h"
#include "align/alignment.h"

namespace acutance {

std::vector<SummaryDevice> DevicesOf(const Session& session) {
  std::vector<SummaryDevice> devices;
  for (const auto& lane : session.lanes())
    devices.push_back(
        {lane->info().backend, lane->info().index, lane->info().name, lane->batch(), lane->memory_bytes()});
  return devices;
}

RunView ViewOf(const ScoredRun& run) {
  const Session& session = *run.session;
  RunView view{.run = &run,
               .models = session.models(),
               .metrics = session.metric_runs(),
               .tables = {},
               .devices = DevicesOf(session),
               .subsample = session.subsample()};
  for (int d = 0; d < session.distorted_count(); ++d) view.tables.push_back(&session.scores(d));
  return view;
}

std::string PairsCsv(const ScoredRun& run, size_t video) {
  return PairsCsv((run.alignments.empty() ? AlignByOffset(run.frames, run.frames, 0) : run.alignments[video]).pairs);
}

}  // namespace acutance
