// Processes that run the pairs of `acutance batch`, each one pair after another, so that devices, their kernels and
// libraries are opened once a process, and a crash ends one pair.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance::cli {

/// A command of `acutance`, and the files that receive what it prints.
struct WorkerTask {
  std::vector<std::string> words;  // after "acutance"
  std::string out, log;            // standard output and standard error
};

/// A process, which ends with this one. Not thread-safe, except Interrupt() during a task.
class BatchWorker {
 public:
  static Result<std::unique_ptr<BatchWorker>> Start();
  /// Kills the process where it has a task, and waits for its end.
  ~BatchWorker();
  BatchWorker(const BatchWorker&) = delete;

  /// Starts a task; the one before has ended. An error: the process is gone.
  Status Give(const WorkerTask& task);
  /// Becomes readable when the task has ended, or the process.
  int socket() const { return socket_; }
  /// Waits for the task: its exit status, or 128 + the signal that ended the process.
  int Await();
  /// Whether the process takes no more tasks.
  bool is_gone() const { return process_ < 0; }
  /// There will be no other task: the process ends meanwhile.
  void Dismiss() const;
  /// As Ctrl-C.
  void Interrupt() const;

 private:
  BatchWorker(pid_t process, int socket) : process_(process), socket_(socket) {}
  int Reap();

  pid_t process_;  // -1: it has ended
  const int socket_;
  bool has_task_ = false;
};

/// The command that a worker's process runs: argv[1].
inline constexpr std::string_view kWorkerCommand = "batch-worker";

/// Runs tasks until the batch has no more.
int RunBatchWorker();

}  // namespace acutance::cli
