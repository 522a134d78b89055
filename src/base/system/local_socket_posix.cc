#include "base/system/local_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "base/system/file.h"

namespace acutance {
namespace {

constexpr int kBacklog = 64;
constexpr auto kPatience = std::chrono::milliseconds(50);

Status SystemError(const std::string& path, const char* what) {
  return Error(StatusCode::kIo, "{}: {}: {}", path, what, std::strerror(errno));
}

Descriptor MakeSocket() {
  Descriptor made(::socket(AF_UNIX, SOCK_STREAM, 0));
  if (made.ok()) ::fcntl(made.number(), F_SETFD, FD_CLOEXEC);
  return made;
}

/// Removes the socket of a server that has ended; anything else at the address is an error.
Status MakeRoom(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return {};
  if (!S_ISSOCK(found.st_mode))
    return Error(StatusCode::kInvalidArgument, "{}: this file exists, and is no socket", path);
  const Descriptor probe = MakeSocket();
  if (::connect(probe.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0)
    return Error(StatusCode::kInvalidArgument, "{}: another server answers there", path);
  if (errno != ECONNREFUSED) return SystemError(path, "cannot find out whether a server answers there");
  return ::unlink(path.c_str()) == 0 ? Status() : SystemError(path, "a socket is in the way");
}

}  // namespace

struct LocalConnection::State {
  Descriptor socket;
};

LocalConnection::LocalConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}
LocalConnection::LocalConnection(LocalConnection&&) noexcept = default;
LocalConnection::~LocalConnection() = default;

size_t LocalConnection::Receive(std::span<char> to) const {
  ssize_t count = -1;
  do count = ::recv(state_->socket.number(), to.data(), to.size(), 0);
  while (count < 0 && errno == EINTR);
  return count > 0 ? static_cast<size_t>(count) : 0;
}

bool LocalConnection::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(state_->socket.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool LocalConnection::IsGone() const {
  pollfd poll_one{state_->socket.number(), 0, 0};
  return ::poll(&poll_one, 1, 0) > 0 && (poll_one.revents & (POLLHUP | POLLERR)) != 0;
}

void LocalConnection::Shut() const { ::shutdown(state_->socket.number(), SHUT_RDWR); }

struct LocalListener::State {
  std::string path;
  Descriptor socket;
  uint64_t number;  // of the socket's file

  ~State() {
    const std::optional<FileInfo> found = InfoOfLink(path);
    if (found && found->identity.number == number) RemoveFile(path);
  }
};

LocalListener::LocalListener(std::unique_ptr<State> state) : state_(std::move(state)) {}
LocalListener::LocalListener(LocalListener&&) noexcept = default;
LocalListener::~LocalListener() = default;

Result<LocalListener> LocalListener::Open(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path)
    return Error(StatusCode::kInvalidArgument, "\"{}\": the path of a socket has 1 to {} bytes", path,
                 sizeof address.sun_path - 1);
  path.copy(address.sun_path, path.size());
  ACU_RETURN_IF_ERROR(MakeRoom(path, address));
  Descriptor listening = MakeSocket();
  if (!listening.ok()) return SystemError(path, "cannot make a socket");
  const mode_t mask = ::umask(S_IXUSR | S_IRWXG | S_IRWXO);  // the socket is made with these permissions
  const int bound = ::bind(listening.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(mask);
  if (bound != 0) return SystemError(path, "cannot make the socket");
  const std::optional<FileInfo> made = InfoOfLink(path);
  if (!made) return SystemError(path, "the socket is gone");
  LocalListener opened(std::unique_ptr<State>(new State{path, std::move(listening), made->identity.number}));
  if (::listen(opened.state_->socket.number(), kBacklog) != 0) return SystemError(path, "cannot listen");
  return opened;
}

std::optional<LocalConnection> LocalListener::Accept(const WakeEvent& end) const {
  const int listening = state_->socket.number();
  if (WaitForInput(listening, end, nullptr) != WaitEnd::kInput) return std::nullopt;
  Descriptor accepted(::accept(listening, nullptr, nullptr));
  if (!accepted.ok()) {
    // No descriptor is free, for example. The connection stays in the queue, so the next wait would end at once.
    std::this_thread::sleep_for(kPatience);
    return std::nullopt;
  }
  ::fcntl(accepted.number(), F_SETFD, FD_CLOEXEC);
  return LocalConnection(std::make_unique<LocalConnection::State>(std::move(accepted)));
}

}  // namespace acutance
