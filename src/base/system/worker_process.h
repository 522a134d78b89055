// Processes of this program that get packets of bytes and answer each with a number.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/system/file.h"

namespace acutance {

inline constexpr size_t kLongestPacket = size_t{1} << 17;  // bytes; a packet is never split

/// A process, which ends with this one. Not thread-safe, except Interrupt() while an answer is due.
class WorkerProcess {
 public:
  /// Runs this program with the argument `command`, which calls WorkerChannel::OfParent().
  static Result<std::unique_ptr<WorkerProcess>> Start(const std::string& command);
  /// Kills the process where an answer is due, and waits for its end.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;

  /// Sends a packet, once the answer to the one before has come. An error: the process is gone.
  Status Send(std::string_view packet);
  /// Waits for the answer; where the process ends instead, for its exit status, or 128 + the signal that ended it.
  int Await();
  bool is_gone() const;
  /// There will be no other packet: the process ends meanwhile.
  void Dismiss();
  /// As Ctrl-C.
  void Interrupt() const;

  struct State;
  State& state() const { return *state_; }

 private:
  explicit WorkerProcess(std::unique_ptr<State> state);
  const std::unique_ptr<State> state_;
};

/// Waits until one of the workers has answered or ended, and marks those: `is_ready` has an element for each. A null
/// pointer is one that no answer is due from.
Status AwaitAny(std::span<const WorkerProcess* const> workers, std::span<bool> is_ready);

/// The other end, in the worker's process.
class WorkerChannel {
 public:
  static WorkerChannel OfParent();
  /// The next packet; nullopt when there will be none.
  std::optional<std::string> Receive();
  bool Answer(int number);

 private:
  explicit WorkerChannel(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}
  Descriptor descriptor_;
};

/// Makes the file at `path`, replaced, the process' standard output or error. kNullFile takes and gives nothing.
bool Redirect(const std::string& path, int descriptor);
extern const char* const kNullFile;

}  // namespace acutance
