#include "report/run_view.h"

#include "align/align_tracks.h"
#include "align/alignment.h"

namespace acutance {

std::vector<SummaryDevice> DevicesOf(const Session& session) {
  std::vector<SummaryDevice> devices;
  for (const auto& lane : session.lanes())
    devices.push_back({lane->info().backend, lane->info().index, lane->info().name, lane->batch(), lane->memory_bytes(),
                       lane->wanted_bytes()});
  return devices;
}

RunView ViewOf(const ScoredRun& run) {
  const Session& session = *run.session;
  RunView view{.run = &run, .videos = {}, .devices = DevicesOf(session), .subsample = session.subsample()};
  for (const ScoredEncode& encode : run.encodes)
    view.videos.push_back({&encode.scores(), encode.session->models(), encode.session->metric_runs(), encode.video});
  return view;
}

std::string PairsCsv(const ScoredRun& run, size_t video) {
  return PairsCsv((run.alignments.empty() ? AlignByOffset(run.encodes[video].frames, run.encodes[video].frames, 0)
                                          : run.alignments[video])
                      .pairs);
}

}  // namespace acutance
