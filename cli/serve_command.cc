#include "cli/commands.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/status.h"
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
constexpr int kPatienceMs = 50;
constexpr size_t kMemoryUnknown = size_t{1} << 30;
constexpr int kBacklog = 64;

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

Status SystemError(const std::string& path, const char* what) {
  return Error(StatusCode::kIo, "{}: {}: {}", path, what, std::strerror(errno));
}

/// Removes the socket of a server that has ended; anything else at the address is an error.
Status MakeRoom(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (lstat(path.c_str(), &found) != 0) return {};
  if (!S_ISSOCK(found.st_mode))
    return Error(StatusCode::kInvalidArgument, "{}: this file exists, and is no socket", path);
  const Descriptor probe(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return Error(StatusCode::kInvalidArgument, "{}: another server answers there", path);
  if (errno != ECONNREFUSED) return SystemError(path, "cannot find out whether a server answers there");
  return unlink(path.c_str()) == 0 ? Status() : SystemError(path, "a socket is in the way");
}

/// A listening socket in the file system, which only its owner can open; its destructor removes the file.
class ListeningSocket {
 public:
  /// The socket that a killed server left at `path` is replaced; one that answers, or another file, is an error.
  static Result<ListeningSocket> Open(const std::string& path);
  ListeningSocket(ListeningSocket&&) = default;
  /// Another server's socket at the same path stays.
  ~ListeningSocket() {
    struct stat found {};
    if (socket_.number() >= 0 && lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_) unlink(path_.c_str());
  }

  int number() const { return socket_.number(); }
  /// The next connection; a negative number where it is gone.
  Descriptor Accept() const { return Descriptor(accept4(number(), nullptr, nullptr, SOCK_CLOEXEC)); }

 private:
  ListeningSocket(std::string path, Descriptor socket, ino_t inode)
      : path_(std::move(path)), socket_(std::move(socket)), inode_(inode) {}

  std::string path_;
  Descriptor socket_;
  ino_t inode_;
};

Result<ListeningSocket> ListeningSocket::Open(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Error(StatusCode::kInvalidArgument, "\"{}\": the path of a socket has 1 to {} bytes", path,
                 sizeof address.sun_path - 1);
  path.copy(address.sun_path, path.size());
  ACU_RETURN_IF_ERROR(MakeRoom(path, address));
  Descriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (listening.number() < 0) return SystemError(path, "cannot make a socket");
  const mode_t mask = umask(S_IXUSR | S_IRWXG | S_IRWXO);  // the socket is made with these permissions
  const int bound = bind(listening.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  umask(mask);
  if (bound != 0) return SystemError(path, "cannot make the socket");
  struct stat made {};
  if (lstat(path.c_str(), &made) != 0) return SystemError(path, "the socket is gone");
  ListeningSocket opened(path, std::move(listening), made.st_ino);
  if (listen(opened.number(), kBacklog) != 0) return SystemError(path, "cannot listen");
  return opened;
}

/// Reads and writes lines of a connection.
class LineSocket {
 public:
  LineSocket(int descriptor, size_t longest) : descriptor_(descriptor), longest_(longest) {}

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
      const ssize_t count = recv(descriptor_, bytes.data(), bytes.size(), 0);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      buffer_.append(bytes.data(), static_cast<size_t>(count));
    }
    if (buffer_.empty()) return std::nullopt;
    return std::exchange(buffer_, {});  // the last line may lack its newline
  }
  bool is_too_long() const { return is_too_long_; }

  /// False: the other side is gone.
  bool WriteLine(std::string_view line) {
    while (!line.empty()) {
      const ssize_t count = send(descriptor_, line.data(), line.size(), MSG_NOSIGNAL);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) return false;
      line.remove_prefix(static_cast<size_t>(count));
    }
    return true;
  }

  /// Whether the other side has closed the connection as a whole, not only its sending half.
  bool IsGone() const {
    pollfd poll_one{descriptor_, 0, 0};
    return poll(&poll_one, 1, 0) > 0 && (poll_one.revents & (POLLHUP | POLLERR)) != 0;
  }

 private:
  const int descriptor_;
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
  /// Wakes the thread if it waits for its client.
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

/// Ends all connections; whether they ended within a second.
bool EndAll(const std::list<Connection>& connections) {
  constexpr auto kPatience = std::chrono::milliseconds(900), kSlice = std::chrono::milliseconds(10);
  for (const Connection& connection : connections) connection.Shut();
  const auto all_done = [&] { return std::ranges::all_of(connections, &Connection::is_done); };
  for (auto waited = kSlice; !all_done() && waited < kPatience; waited += kSlice) std::this_thread::sleep_for(kSlice);
  return all_done();
}

/// Accepts connections until a signal. False: some did not end.
bool ServeAll(const ListeningSocket& socket, int signals, ScoreServer& server, std::list<Connection>& connections) {
  std::array<pollfd, 2> waits = {pollfd{socket.number(), POLLIN, 0}, pollfd{signals, POLLIN, 0}};
  while (true) {
    if (poll(waits.data(), waits.size(), -1) < 0) continue;
    if (waits[1].revents != 0) break;
    connections.remove_if([](const Connection& connection) { return connection.is_done(); });
    Descriptor accepted = socket.Accept();
    if (accepted.number() < 0) {
      // No descriptor is free, for example. The connection stays in the queue, so poll() would return at once.
      poll(&waits[1], 1, kPatienceMs);
      continue;
    }
    if (connections.size() == kMostConnections) {
      LineSocket(accepted.number(), 0)
          .WriteLine(ErrorLine(fmt::format("the server has {} connections, which is its limit", kMostConnections)));
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
