#include "cli/unix_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace acutance::cli {
namespace {

constexpr int kBacklog = 64;

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
  if (errno != ECONNREFUSED) return SystemError(path, "cannot tell whether a server answers there");
  return unlink(path.c_str()) == 0 ? Status() : SystemError(path, "a socket is in the way");
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

Descriptor::~Descriptor() {
  if (number_ >= 0) close(number_);
}

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

/// Another server's socket at the same path stays.
ListeningSocket::~ListeningSocket() {
  struct stat found {};
  if (socket_.number() >= 0 && lstat(path_.c_str(), &found) == 0 && found.st_ino == inode_) unlink(path_.c_str());
}

Descriptor ListeningSocket::Accept() const { return Descriptor(accept4(number(), nullptr, nullptr, SOCK_CLOEXEC)); }

std::optional<std::string> LineSocket::ReadLine() {
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

bool LineSocket::WriteLine(std::string_view line) {
  while (!line.empty()) {
    const ssize_t count = send(descriptor_, line.data(), line.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    line.remove_prefix(static_cast<size_t>(count));
  }
  return true;
}

bool LineSocket::IsGone() const {
  pollfd poll_one{descriptor_, 0, 0};
  return poll(&poll_one, 1, 0) > 0 && (poll_one.revents & (POLLHUP | POLLERR)) != 0;
}

}  // namespace acutance::cli
