// Timing of a batch's launches on a device.
#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "exec/run_plan.h"

namespace acutance {

/// The seconds of one recording with the launches of `batches` batches: the least of several runs, because an idle GPU
/// takes some time to reach its clock.
Result<double> PlanRunner::TimeRecording(int batches) {
  constexpr int kRuns = 4;
  constexpr std::chrono::milliseconds kLeast{50};
  std::vector<Command> commands;
  for (int i = 0; i < batches; ++i) AppendLaunches(commands);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue_->Record(commands));
  double least = std::numeric_limits<double>::infinity();
  const auto begin = std::chrono::steady_clock::now();
  for (int run = 0; run <= kRuns || std::chrono::steady_clock::now() - begin < kLeast; ++run) {
    const auto start = std::chrono::steady_clock::now();
    ACU_RETURN_IF_ERROR(queue_->Submit(*recording));
    ACU_RETURN_IF_ERROR(queue_->Wait());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (run > 0) least = std::min(least, time.count());  // the first run warms up
  }
  return least;
}

// What submitting and waiting cost is the same for one batch and for many.
Result<double> PlanRunner::TimeLaunches() {
  constexpr double kSeconds = 0.01;
  constexpr int kMostBatches = 256;
  ACU_ASSIGN_OR_RETURN(const double one, TimeRecording(1));
  const int more = std::clamp(static_cast<int>(kSeconds / one), 1, kMostBatches);
  ACU_ASSIGN_OR_RETURN(const double many, TimeRecording(1 + more));
  // Where other work came between, one batch may have taken longer than many.
  return many > one ? (many - one) / more : many / (1 + more);
}

}  // namespace acutance
