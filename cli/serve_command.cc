#include "cli/commands.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <optional>
#include <thread>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"
#include "cli/exit_status.h"
#include "cli/serve_request.h"
#include "cli/unix_socket.h"
#include "log/json_text.h"
#include "report/summary_json.h"

namespace acutance::cli {
namespace {

constexpr size_t kLongestLine = size_t{1} << 20;
constexpr size_t kMostConnections = 64;
constexpr int kPatienceMs = 50;
constexpr size_t kMemoryUnknown = size_t{1} << 30;

std::string ErrorLine(const std::string& message) {
  return JsonLine(
      {{"schema", kSchemaName}, {"kind", "reply"}, {"id", nullptr}, {"status", kFailed}, {"error", message}});
}

/// Answers the lines of a connection on a thread of its own.
class Connection {
 public:
  Connection(Descriptor socket, ScoreServer& server) : socket_(std::move(socket)), server_(server) {}
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
  /// What waits for its client continues.
  void Shut() const { shutdown(socket_.number(), SHUT_RDWR); }

 private:
  void Serve() {
    LineSocket lines(socket_.number(), kLongestLine);
    while (std::optional<std::string> line = lines.ReadLine()) {
      if (line->find_first_not_of(" \t\r") == line->npos) continue;
      if (!lines.WriteLine(server_.Answer(*line, [&] { return lines.IsGone(); }))) return;
    }
    if (lines.is_too_long()) lines.WriteLine(ErrorLine(fmt::format("a line has {} bytes at most", kLongestLine)));
  }

  const Descriptor socket_;
  ScoreServer& server_;
  std::atomic<bool> is_done_ = false;
  std::thread thread_;
};

/// Whether all end within the second that a user waits.
bool EndAll(const std::list<Connection>& connections) {
  constexpr auto kPatience = std::chrono::milliseconds(900), kSlice = std::chrono::milliseconds(10);
  for (const Connection& connection : connections) connection.Shut();
  const auto all_done = [&] { return std::ranges::all_of(connections, &Connection::is_done); };
  for (auto waited = kSlice; !all_done() && waited < kPatience; waited += kSlice) std::this_thread::sleep_for(kSlice);
  return all_done();
}

/// Waits for connections until a signal. False: some do not end.
bool ServeAll(const ListeningSocket& socket, int signals, ScoreServer& server, std::list<Connection>& connections) {
  std::array<pollfd, 2> waits = {pollfd{socket.number(), POLLIN, 0}, pollfd{signals, POLLIN, 0}};
  while (true) {
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[1].revents != 0) break;
    connections.remove_if([](const Connection& connection) { return connection.is_done(); });
    Descriptor accepted = socket.Accept();
    if (accepted.number() < 0) {
      // No descriptor is free, say. The connection stays in the queue, so that poll() would return at once.
      poll(&waits[1], 1, kPatienceMs);
      continue;
    }
    if (connections.size() == kMostConnections) {
      LineSocket(accepted.number(), 0)
          .WriteLine(ErrorLine(fmt::format("the server has {} connections, and takes no more", kMostConnections)));
      continue;
    }
    connections.emplace_back(std::move(accepted), server);
    if (!connections.back().Start().ok()) connections.pop_back();
  }
  server.Stop();
  return EndAll(connections);
}

Status Serve(const ServeTexts& texts) {
  // Before any thread starts, so that no other takes the signals.
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  const Descriptor signals(signalfd(-1, &set, SFD_CLOEXEC));
  if (signals.number() < 0) return Error(StatusCode::kIo, "the system has no descriptor left");
  ACU_ASSIGN_OR_RETURN(ListeningSocket listening, ListeningSocket::Open(texts.socket));
  std::optional<ListeningSocket> socket(std::move(listening));
  ScoreServer server(texts.max_memory > 0 ? texts.max_memory : AvailableMemory().value_or(2 * kMemoryUnknown) / 2,
                     texts.max_vram);
  if (!texts.quiet) fmt::print(stderr, "acutance serve: listening on {}; Ctrl-C ends it\n", texts.socket);
  std::list<Connection> connections;
  if (ServeAll(*socket, signals.number(), server, connections)) return {};
  // A run waits for what nothing ends, such as a FIFO in the place of a model.
  socket.reset();
  std::_Exit(kOk);
}

}  // namespace

int RunServeCommand(const ServeTexts& texts) {
  const Status status = Serve(texts);
  return status.ok() ? kOk : Fail("serve", status);
}

}  // namespace acutance::cli
