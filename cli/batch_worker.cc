#include "cli/batch_worker.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "run/score_run.h"

namespace acutance::cli {
namespace {

constexpr int kSocket = 3;                        // of a worker's process
constexpr size_t kLongestTask = size_t{1} << 17;  // bytes; a packet is never split

/// Texts, each ended by a null character: out, log, words.
std::string PacketOf(const WorkerTask& task) {
  std::string packet;
  const auto add = [&](const std::string& text) { packet.append(text.c_str(), text.size() + 1); };
  add(task.out);
  add(task.log);
  for (const std::string& word : task.words) add(word);
  return packet;
}

WorkerTask ReadPacket(std::string_view packet) {
  std::vector<std::string> texts;
  for (size_t end = 0; (end = packet.find('\0')) != packet.npos; packet.remove_prefix(end + 1))
    texts.emplace_back(packet.substr(0, end));
  WorkerTask task{.words = {}, .out = texts[0], .log = texts[1]};
  task.words.assign(texts.begin() + 2, texts.end());
  return task;
}

bool Redirect(const std::string& path, int descriptor) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const bool done = file >= 0 && ::dup2(file, descriptor) == descriptor;
  if (file >= 0) ::close(file);
  return done;
}

/// Closes the files that a task wrote.
void CloseOutputs() {
  Redirect("/dev/null", STDOUT_FILENO);
  Redirect("/dev/null", STDERR_FILENO);
  std::clearerr(stdout);
}

int RunTask(WorkerTask task) {
  if (!Redirect(task.log, STDERR_FILENO)) return kFailed;
  if (!Redirect(task.out, STDOUT_FILENO))
    return Fail("batch", Error(StatusCode::kIo, "could not write {}: {}", task.out, std::strerror(errno)));
  std::string name = "acutance";
  std::vector<char*> arguments = {name.data()};
  for (std::string& word : task.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return RunProgram(static_cast<int>(arguments.size()) - 1, arguments.data());
}

/// What the child does between fork and exec, where only a few calls are safe.
[[noreturn]] void BecomeWorker(pid_t parent, int socket, char* const* arguments) {
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int null = ::open("/dev/null", O_RDWR);
  if (::getppid() != parent || ::dup2(null, 0) < 0 || ::dup2(null, 1) < 0 || ::dup2(null, 2) < 0) ::_exit(kFailed);
  if (socket == kSocket ? ::fcntl(socket, F_SETFD, 0) < 0 : ::dup2(socket, kSocket) < 0) ::_exit(kFailed);
  ::execv("/proc/self/exe", arguments);
  ::_exit(kFailed);
}

}  // namespace

Result<std::unique_ptr<BatchWorker>> BatchWorker::Start() {
  std::array<int, 2> sockets;
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    return Error(StatusCode::kIo, "could not make a socket: {}", std::strerror(errno));
  std::string name = "acutance", command(kWorkerCommand);
  const std::array<char*, 3> arguments = {name.data(), command.data(), nullptr};
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) BecomeWorker(parent, sockets[1], arguments.data());
  ::close(sockets[1]);
  if (child > 0) return std::unique_ptr<BatchWorker>(new BatchWorker(child, sockets[0]));
  ::close(sockets[0]);
  return Error(StatusCode::kIo, "could not start a process: {}", std::strerror(errno));
}

BatchWorker::~BatchWorker() {
  ::close(socket_);
  if (is_gone()) return;
  if (has_task_) ::kill(process_, SIGKILL);
  Reap();
}

Status BatchWorker::Give(const WorkerTask& task) {
  const std::string packet = PacketOf(task);
  if (packet.size() > kLongestTask)
    return Error(StatusCode::kInvalidArgument, "the options of a pair have {} bytes at most", kLongestTask);
  ssize_t sent = -1;
  do sent = ::send(socket_, packet.data(), packet.size(), MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  has_task_ = sent >= 0;
  return has_task_ ? Status() : Error(StatusCode::kIo, "a process is gone: {}", std::strerror(errno));
}

int BatchWorker::Await() {
  int status = kFailed;
  ssize_t size = -1;
  has_task_ = false;
  do size = ::recv(socket_, &status, sizeof status, 0);
  while (size < 0 && errno == EINTR);
  return size == sizeof status ? status : Reap();
}

int BatchWorker::Reap() {
  int state = 0;
  while (::waitpid(process_, &state, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

void BatchWorker::Dismiss() const { ::shutdown(socket_, SHUT_WR); }

void BatchWorker::Interrupt() const {
  if (!is_gone()) ::kill(process_, SIGINT);
}

int RunBatchWorker() {
  ::fcntl(kSocket, F_SETFD, FD_CLOEXEC);
  const std::shared_ptr<DeviceCache> devices = ShareDevices();
  std::string packet(kLongestTask, '\0');
  while (true) {
    const ssize_t size = ::recv(kSocket, packet.data(), packet.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return kOk;
    const int status = RunTask(ReadPacket(std::string_view(packet).substr(0, static_cast<size_t>(size))));
    CloseOutputs();
    if (::send(kSocket, &status, sizeof status, MSG_NOSIGNAL) != sizeof status) return kOk;
  }
}

}  // namespace acutance::cli
