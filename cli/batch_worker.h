// Processes that run the pairs of `acutance batch`, each one pair after another, so that devices, their kernels and
// libraries are opened once a process, and a crash ends one pair.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/system/worker_process.h"

namespace acutance::cli {

/// A command of `acutance`, and the files that receive what it prints.
struct WorkerTask {
  std::vector<std::string> words;  // after "acutance"
  std::string out, log;            // standard output and standard error
};

/// Starts a process that runs tasks.
Result<std::unique_ptr<WorkerProcess>> StartBatchWorker();
/// Gives it a task; the one before has ended. An error: the process is gone.
Status Give(const WorkerTask& task, WorkerProcess& worker);

/// The command that a worker's process runs: argv[1].
inline constexpr std::string_view kWorkerCommand = "batch-worker";

/// Runs tasks until the batch has no more.
int RunBatchWorker();

}  // namespace acutance::cli
