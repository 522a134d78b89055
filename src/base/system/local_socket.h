// Connections between the processes of one user on one machine: sockets in the file system, named pipes on Windows.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/system/wake_event.h"

namespace acutance {

class LocalConnection {
 public:
  struct State;
  explicit LocalConnection(std::unique_ptr<State> state);
  LocalConnection(LocalConnection&&) noexcept;
  ~LocalConnection();

  /// At least one byte, once there is one; 0: the other side sends no more, or the connection is gone.
  size_t Receive(std::span<char> to) const;
  /// False: the other side is gone.
  bool Send(std::string_view bytes) const;
  /// Whether the other side has closed the connection as a whole, not only its sending half.
  bool IsGone() const;
  /// Ends the connection, and so a Receive in which another thread waits.
  void Shut() const;

 private:
  std::unique_ptr<State> state_;
};

/// A place that only its owner can connect to. On Windows, paths begin with \\.\pipe\.
class LocalListener {
 public:
  struct State;
  /// What a killed server left at `path` is replaced; a server that answers, or another file, is an error.
  static Result<LocalListener> Open(const std::string& path);
  LocalListener(LocalListener&&) noexcept;
  /// Another server's socket at the same path stays.
  ~LocalListener();

  /// Waits for a connection until `end` is set, or a while after the system refused one: nullopt.
  std::optional<LocalConnection> Accept(const WakeEvent& end) const;

 private:
  explicit LocalListener(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace acutance
