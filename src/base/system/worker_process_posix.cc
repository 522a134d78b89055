#include "base/system/worker_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/prctl.h>
#endif

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "base/system/process.h"
#include "base/system/terminal.h"

namespace acutance {
namespace {

constexpr int kSocket = 3;  // of a worker's process
constexpr int kFailed = 1;  // its exit status where it cannot start
#if defined(__linux__)
constexpr int kStream = SOCK_STREAM | SOCK_CLOEXEC;
#else
constexpr int kStream = SOCK_STREAM;  // macOS has no local sockets of packets, either
#endif

/// What the child does between fork and exec, where only a few calls are safe.
[[noreturn]] void BecomeWorker(pid_t parent, int socket, const char* program, char* const* arguments) {
  sigset_t none;
  sigemptyset(&none);  // a macro on macOS
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
#if defined(__linux__)
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const int null = ::open(kNullFile, O_RDWR);
  if (::getppid() != parent || ::dup2(null, 0) < 0 || ::dup2(null, 1) < 0 || ::dup2(null, 2) < 0) ::_exit(kFailed);
  if (socket == kSocket ? ::fcntl(socket, F_SETFD, 0) < 0 : ::dup2(socket, kSocket) < 0) ::_exit(kFailed);
  ::execv(program, arguments);
  ::_exit(kFailed);
}

/// Calls `move(bytes, size)` until all have moved.
template <class Byte, class Move>
bool MoveAll(Byte* bytes, size_t size, const Move& move) {
  while (size > 0) {
    const ssize_t moved = move(bytes, size);
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    bytes += moved;
    size -= static_cast<size_t>(moved);
  }
  return true;
}

bool Transmit(int socket, const void* bytes, size_t size) {
  const auto move = [&](const char* from, size_t count) { return ::send(socket, from, count, MSG_NOSIGNAL); };
  return MoveAll(static_cast<const char*>(bytes), size, move);
}

/// False at the end, too.
bool Receive(int socket, void* bytes, size_t size) {
  const auto move = [&](char* to, size_t count) { return ::recv(socket, to, count, 0); };
  return MoveAll(static_cast<char*>(bytes), size, move);
}

}  // namespace

const char* const kNullFile = "/dev/null";

struct WorkerProcess::State {
  pid_t process;  // -1: it has ended
  Descriptor socket;
  bool is_due = false;

  int Reap() {
    int ended = 0;
    while (::waitpid(process, &ended, 0) < 0 && errno == EINTR) {
    }
    process = -1;
    return WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  }
};

WorkerProcess::WorkerProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const std::string& command) {
  std::array<int, 2> sockets;
  if (::socketpair(AF_UNIX, kStream, 0, sockets.data()) != 0)
    return Error(StatusCode::kIo, "could not make a socket: {}", std::strerror(errno));
  for (const int end : sockets) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  Descriptor own(sockets[0]), others(sockets[1]);
#if defined(__linux__)
  const std::string program = "/proc/self/exe";  // the same program after an update, too
#else
  const std::string program = ProgramFile().string();
#endif
  std::string name = "acutance", word = command;
  const std::array<char*, 3> arguments = {name.data(), word.data(), nullptr};
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) BecomeWorker(parent, others.number(), program.c_str(), arguments.data());
  if (child < 0) return Error(StatusCode::kIo, "could not start a process: {}", std::strerror(errno));
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(std::make_unique<State>(child, std::move(own))));
}

WorkerProcess::~WorkerProcess() {
  (void)state_->socket.Close();
  if (is_gone()) return;
  if (state_->is_due) ::kill(state_->process, SIGKILL);
  state_->Reap();
}

bool WorkerProcess::is_gone() const { return state_->process < 0; }

Status WorkerProcess::Send(std::string_view packet) {
  const auto size = static_cast<uint32_t>(packet.size());
  state_->is_due = Transmit(state_->socket.number(), &size, sizeof size) &&
                   Transmit(state_->socket.number(), packet.data(), packet.size());
  return state_->is_due ? Status() : Error(StatusCode::kIo, "a process is gone: {}", std::strerror(errno));
}

int WorkerProcess::Await() {
  int answer = kFailed;
  state_->is_due = false;
  return Receive(state_->socket.number(), &answer, sizeof answer) ? answer : state_->Reap();
}

void WorkerProcess::Dismiss() { ::shutdown(state_->socket.number(), SHUT_WR); }

void WorkerProcess::Interrupt() const {
  if (!is_gone()) ::kill(state_->process, SIGINT);
}

Status AwaitAny(std::span<const WorkerProcess* const> workers, std::span<bool> is_ready) {
  std::vector<pollfd> sockets;
  for (const WorkerProcess* worker : workers)
    sockets.push_back({worker ? worker->state().socket.number() : -1, POLLIN, 0});
  if (::poll(sockets.data(), sockets.size(), -1) < 0 && errno != EINTR)
    return Error(StatusCode::kIo, "could not wait for a process: {}", std::strerror(errno));
  for (size_t i = 0; i < sockets.size(); ++i) is_ready[i] = sockets[i].revents != 0;
  return {};
}

WorkerChannel WorkerChannel::OfParent() {
  ::fcntl(kSocket, F_SETFD, FD_CLOEXEC);
  return WorkerChannel(Descriptor(kSocket));
}

std::optional<std::string> WorkerChannel::Receive() {
  uint32_t size = 0;
  if (!acutance::Receive(descriptor_.number(), &size, sizeof size)) return std::nullopt;
  std::string packet(size, '\0');
  return acutance::Receive(descriptor_.number(), packet.data(), size) ? std::optional(std::move(packet)) : std::nullopt;
}

bool WorkerChannel::Answer(int number) { return Transmit(descriptor_.number(), &number, sizeof number); }

bool Redirect(const std::string& path, int descriptor) {
  const Descriptor file = OpenFile(path, OpenMode::kReplace);
  return file.ok() && ::dup2(file.number(), descriptor) == descriptor;
}

}  // namespace acutance
