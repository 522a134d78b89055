#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/status.h"
#include "base/system/local_socket.h"
#include "base/system/terminal.h"
#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"
#include "cli/exit_status.h"
#include "cli/serve_request.h"
#include "log/json_text.h"
#include "report/summary_json.h"

namespace acutance::cli {
namespace {

constexpr size_t kLongestLine = size_t{1} << 20;
constexpr size_t kMostConnections = 64;
constexpr size_t kMemoryUnknown = size_t{1} << 30;

/// Reads and writes lines of a connection.
class LineSocket {
 public:
  LineSocket(const LocalConnection& connection, size_t longest) : connection_(connection), longest_(longest) {}

  /// The next line without its newline; nullopt at the end. A line that is too long ends the connection
  /// and sets is_too_long().
  std::optional<std::string> ReadLine() {
    std::array<char, 1 << 14> bytes;
    for (size_t searched = 0;;) {
      const size_t end = buffer_.find('\n', searched);
      is_too_long_ = (end == buffer_.npos ? buffer_.size() : end) > longest_;
      if (is_too_long_) return std::nullopt;
      if (end != buffer_.npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      searched = buffer_.size();
      const size_t count = connection_.Receive(bytes);
      if (count == 0) break;
      buffer_.append(bytes.data(), count);
    }
    if (buffer_.empty()) return std::nullopt;
    return std::exchange(buffer_, {});  // the last line may lack its newline
  }
  bool is_too_long() const { return is_too_long_; }

 private:
  const LocalConnection& connection_;
  const size_t longest_;
  std::string buffer_;
  bool is_too_long_ = false;
};

std::string ErrorLine(const std::string& message) {
  return JsonLine(
      {{"schema", kSchemaName}, {"kind", "reply"}, {"id", nullptr}, {"status", kFailed}, {"error", message}});
}

/// Answers the lines of a connection on a thread of its own.
class Connection {
 public:
  Connection(LocalConnection socket, ScoreServer& server) : socket_(std::move(socket)), server_(server) {}
  ~Connection() {
    Shut();
    if (thread_.joinable()) thread_.join();
  }

  Status Start() {
    return StartThread(thread_, [this] {
      (void)CatchExceptions([this] {
        Serve();
        return Status();
      });
      Shut();
      is_done_ = true;
    });
  }
  bool is_done() const { return is_done_; }
  /// Wakes the thread if it waits for its client.
  void Shut() const { socket_.Shut(); }

 private:
  void Serve() {
    LineSocket lines(socket_, kLongestLine);
    while (std::optional<std::string> line = lines.ReadLine()) {
      if (line->find_first_not_of(" \t\r") == line->npos) continue;
      if (!socket_.Send(server_.Answer(*line, [&] { return socket_.IsGone(); }))) return;
    }
    if (lines.is_too_long()) (void)socket_.Send(ErrorLine(fmt::format("a line has {} bytes at most", kLongestLine)));
  }

  const LocalConnection socket_;
  ScoreServer& server_;
  std::atomic<bool> is_done_ = false;
  std::thread thread_;
};

/// Ends all connections; whether they ended within a second.
bool EndAll(const std::list<Connection>& connections) {
  constexpr auto kPatience = std::chrono::milliseconds(900), kSlice = std::chrono::milliseconds(10);
  for (const Connection& connection : connections) connection.Shut();
  const auto all_done = [&] { return std::ranges::all_of(connections, &Connection::is_done); };
  for (auto waited = kSlice; !all_done() && waited < kPatience; waited += kSlice) std::this_thread::sleep_for(kSlice);
  return all_done();
}

/// Set by a signal.
WakeEvent& TheEnd() {
  static WakeEvent* const end = new WakeEvent;  // a signal may come while the process ends
  return *end;
}

/// Accepts connections until a signal. False: some did not end.
bool ServeAll(const LocalListener& socket, ScoreServer& server, std::list<Connection>& connections) {
  while (!TheEnd().is_set()) {
    std::optional<LocalConnection> accepted = socket.Accept(TheEnd());
    connections.remove_if([](const Connection& connection) { return connection.is_done(); });
    if (!accepted) continue;
    if (connections.size() == kMostConnections) {
      (void)accepted->Send(
          ErrorLine(fmt::format("the server has {} connections, which is its limit", kMostConnections)));
      continue;
    }
    connections.emplace_back(std::move(*accepted), server);
    if (!connections.back().Start().ok()) connections.pop_back();
  }
  server.Stop();
  return EndAll(connections);
}

Status Serve(const ServeTexts& texts) {
  if (!TheEnd().ok()) return Error(StatusCode::kIo, "the system has no descriptor left");
  ACU_RETURN_IF_ERROR(HandleInterrupts(Interrupts::kEnds, [] { TheEnd().Set(); }));
  ACU_ASSIGN_OR_RETURN(LocalListener listening, LocalListener::Open(texts.socket));
  std::optional<LocalListener> socket(std::move(listening));
  ScoreServer server(texts.max_memory > 0 ? texts.max_memory : AvailableMemory().value_or(2 * kMemoryUnknown) / 2,
                     texts.max_vram);
  if (!texts.quiet) fmt::print(stderr, "acutance serve: listening on {}; Ctrl-C ends it\n", texts.socket);
  std::list<Connection> connections;
  if (ServeAll(*socket, server, connections)) return {};
  // A run waits for input that never comes, such as a FIFO in place of a model.
  socket.reset();
  std::_Exit(kOk);
}

}  // namespace

int RunServeCommand(const ServeTexts& texts) {
  const Status status = Serve(texts);
  return status.ok() ? kOk : Fail("serve", status);
}

}  // namespace acutance::cli
