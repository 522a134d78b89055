#include "base/system/local_socket.h"

#include <windows.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/system/windows_process.h"
#include "base/system/windows_text.h"

namespace acutance {
namespace {

constexpr DWORD kBytes = 1 << 16;
constexpr std::string_view kPlace = "\\\\.\\pipe\\";

/// Without a security descriptor, a pipe is its owner's and administrators' to write to; others may read, which a reply
/// needs a request for.
HANDLE MakePipe(const std::string& path, DWORD first) {
  return ::CreateNamedPipeW(Wide(path).c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | first,
                            PIPE_TYPE_BYTE | PIPE_REJECT_REMOTE_CLIENTS, PIPE_UNLIMITED_INSTANCES, kBytes, kBytes, 0,
                            nullptr);
}

}  // namespace

struct LocalConnection::State {
  Handle pipe;
  std::mutex mutex;  // guards is_shut, with which a read that starts is cancelled, too
  bool is_shut = false;

  /// Whether the transfer that `start` began has moved bytes.
  template <class Start>
  DWORD Transfer(Start&& start) {
    const Handle event(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
    OVERLAPPED overlapped{};
    overlapped.hEvent = event.get();
    DWORD count = 0;
    {
      const std::lock_guard lock(mutex);
      if (is_shut || (!start(&overlapped) && ::GetLastError() != ERROR_IO_PENDING)) return 0;
    }
    return ::GetOverlappedResult(pipe.get(), &overlapped, &count, TRUE) ? count : 0;
  }
};

LocalConnection::LocalConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}
LocalConnection::LocalConnection(LocalConnection&&) noexcept = default;
LocalConnection::~LocalConnection() = default;

size_t LocalConnection::Receive(std::span<char> to) const {
  return state_->Transfer([&](OVERLAPPED* overlapped) {
    return ::ReadFile(state_->pipe.get(), to.data(), static_cast<DWORD>(to.size()), nullptr, overlapped);
  });
}

bool LocalConnection::Send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const DWORD count = state_->Transfer([&](OVERLAPPED* overlapped) {
      const auto part = static_cast<DWORD>(std::min(bytes.size(), size_t{kBytes}));
      return ::WriteFile(state_->pipe.get(), bytes.data(), part, nullptr, overlapped);
    });
    if (count == 0) return false;
    bytes.remove_prefix(count);
  }
  return true;
}

bool LocalConnection::IsGone() const {
  return !::PeekNamedPipe(state_->pipe.get(), nullptr, 0, nullptr, nullptr, nullptr);
}

void LocalConnection::Shut() const {
  const std::lock_guard lock(state_->mutex);
  state_->is_shut = true;
  ::CancelIoEx(state_->pipe.get(), nullptr);
}

struct LocalListener::State {
  std::string path;
  Handle next;  // the pipe that the next client connects to
};

LocalListener::LocalListener(std::unique_ptr<State> state) : state_(std::move(state)) {}
LocalListener::LocalListener(LocalListener&&) noexcept = default;
LocalListener::~LocalListener() = default;

Result<LocalListener> LocalListener::Open(const std::string& path) {
  if (!path.starts_with(kPlace) || path.size() == kPlace.size())
    return Error(StatusCode::kInvalidArgument, "\"{}\": on Windows, a server's path is {}NAME", path, kPlace);
  const bool is_there = ::WaitNamedPipeW(Wide(path).c_str(), 1);  // wine does not refuse a second one
  Handle first(MakePipe(path, FILE_FLAG_FIRST_PIPE_INSTANCE));
  if (is_there || (!first.ok() && ::GetLastError() == ERROR_ACCESS_DENIED))
    return Error(StatusCode::kInvalidArgument, "{}: another server answers there", path);
  if (!first.ok()) return Error(StatusCode::kIo, "{}: cannot make the pipe: {}", path, LastErrorText());
  return LocalListener(std::unique_ptr<State>(new State{path, std::move(first)}));
}

std::optional<LocalConnection> LocalListener::Accept(const WakeEvent& end) const {
  constexpr DWORD kPatience = 50;  // milliseconds
  if (!state_->next.ok()) state_->next = Handle(MakePipe(state_->path, 0));
  const Handle event(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
  OVERLAPPED overlapped{};
  overlapped.hEvent = event.get();
  const HANDLE pipe = state_->next.get();
  bool is_connected = ::ConnectNamedPipe(pipe, &overlapped) || ::GetLastError() == ERROR_PIPE_CONNECTED;
  const bool is_pending = !is_connected && ::GetLastError() == ERROR_IO_PENDING;
  DWORD none = 0;
  while (is_pending && !is_connected && !end.is_set())
    is_connected = ::WaitForSingleObject(event.get(), kPatience) == WAIT_OBJECT_0;
  if (is_pending && !is_connected) ::CancelIo(pipe);
  if (is_pending) is_connected = ::GetOverlappedResult(pipe, &overlapped, &none, TRUE) != 0;
  if (!is_connected) {
    if (!is_pending) ::Sleep(kPatience);
    return std::nullopt;
  }
  auto connection = std::make_unique<LocalConnection::State>();
  connection->pipe = std::exchange(state_->next, Handle());
  return LocalConnection(std::move(connection));
}

}  // namespace acutance
