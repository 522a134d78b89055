#include "base/system/worker_process.h"

#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/system/process.h"
#include "base/system/terminal.h"
#include "base/system/windows_process.h"
#include "base/system/windows_text.h"

namespace acutance {
namespace {

constexpr int kCrashed = 128 + 11;     // as of a process that SIGSEGV ended elsewhere
constexpr char kPacket = 1, kEnd = 0;  // the first byte of a message

}  // namespace

const char* const kNullFile = "NUL";

/// The pipe passes whole messages. The answer to the last packet is read meanwhile; its event says that it has come.
struct WorkerProcess::State {
  Handle pipe, process, job, event;
  DWORD id = 0;
  OVERLAPPED reading{}, writing{};
  int answer = 0;
  bool is_due = false;

  bool Write(char kind, std::string_view bytes) {
    const std::string message = kind + std::string(bytes);
    DWORD written = 0;
    writing = {};
    const bool started =
        ::WriteFile(pipe.get(), message.data(), static_cast<DWORD>(message.size()), nullptr, &writing) ||
        ::GetLastError() == ERROR_IO_PENDING;
    return started && ::GetOverlappedResult(pipe.get(), &writing, &written, TRUE) && written == message.size();
  }

  void StartReading() {
    reading = {};
    reading.hEvent = event.get();
    ::ResetEvent(event.get());
    if (!::ReadFile(pipe.get(), &answer, sizeof answer, nullptr, &reading) && ::GetLastError() != ERROR_IO_PENDING)
      ::SetEvent(event.get());  // the process is gone
  }

  int Reap() {
    DWORD status = 0;
    ::WaitForSingleObject(process.get(), INFINITE);
    ::GetExitCodeProcess(process.get(), &status);
    process = Handle();
    constexpr DWORD kMostStatus = 255;
    return status > kMostStatus ? kCrashed : static_cast<int>(status);
  }
};

WorkerProcess::WorkerProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::Start(const std::string& command) {
  static std::atomic<unsigned> count = 0;
  const std::string name = fmt::format("\\\\.\\pipe\\acutance-{}-{}", ProcessId(), count++);
  constexpr DWORD kBytes = 1 << 12;
  auto state = std::make_unique<State>();
  state->pipe = Handle(::CreateNamedPipeW(
      Wide(name).c_str(), PIPE_ACCESS_DUPLEX | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
      PIPE_TYPE_MESSAGE | PIPE_READMODE_MESSAGE | PIPE_REJECT_REMOTE_CLIENTS, 1, kBytes, kBytes, 0, nullptr));
  const Handle others = OpenInheritable(name, GENERIC_READ | GENERIC_WRITE, OPEN_EXISTING);
  DWORD mode = PIPE_READMODE_MESSAGE;
  if (!state->pipe.ok() || !others.ok() || !::SetNamedPipeHandleState(others.get(), &mode, nullptr, nullptr))
    return Error(StatusCode::kIo, "could not make a pipe: {}", LastErrorText());
  const Handle null = OpenInheritable(kNullFile, GENERIC_WRITE, OPEN_EXISTING);
  state->event = Handle(::CreateEventW(nullptr, TRUE, FALSE, nullptr));
  // A process group of its own, for Interrupt(); a job that ends with its last handle, and so with this process.
  state->job = Handle(::CreateJobObjectW(nullptr, nullptr));
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits{};
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  ::SetInformationJobObject(state->job.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
  state->process = StartProcess({ProgramFile().string(), command}, others.get(), null.get(), null.get(),
                                CREATE_NEW_PROCESS_GROUP, state->id);
  if (!state->process.ok()) return Error(StatusCode::kIo, "could not start a process: {}", LastErrorText());
  ::AssignProcessToJobObject(state->job.get(), state->process.get());
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(std::move(state)));
}

WorkerProcess::~WorkerProcess() {
  if (is_gone()) return;
  if (state_->is_due) ::TerminateProcess(state_->process.get(), 1);
  else Dismiss();
  state_->Reap();
}

bool WorkerProcess::is_gone() const { return !state_->process.ok(); }

Status WorkerProcess::Send(std::string_view packet) {
  state_->is_due = state_->Write(kPacket, packet);
  if (!state_->is_due) return Error(StatusCode::kIo, "a process is gone: {}", LastErrorText());
  state_->StartReading();
  return {};
}

int WorkerProcess::Await() {
  DWORD got = 0;
  state_->is_due = false;
  const bool came = ::GetOverlappedResult(state_->pipe.get(), &state_->reading, &got, TRUE) != 0;
  return came && got == sizeof state_->answer ? state_->answer : state_->Reap();
}

void WorkerProcess::Dismiss() { state_->Write(kEnd, ""); }

void WorkerProcess::Interrupt() const {
  if (!is_gone()) ::GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, state_->id);
}

Status AwaitAny(std::span<const WorkerProcess* const> workers, std::span<bool> is_ready) {
  std::vector<HANDLE> events;
  for (const WorkerProcess* worker : workers)
    if (worker && events.size() < MAXIMUM_WAIT_OBJECTS) events.push_back(worker->state().event.get());
  if (::WaitForMultipleObjects(static_cast<DWORD>(events.size()), events.data(), FALSE, INFINITE) == WAIT_FAILED)
    return Error(StatusCode::kIo, "could not wait for a process: {}", LastErrorText());
  for (size_t i = 0; i < workers.size(); ++i)
    is_ready[i] = workers[i] && ::WaitForSingleObject(workers[i]->state().event.get(), 0) == WAIT_OBJECT_0;
  return {};
}

/// The pipe was the worker's standard input, which becomes NUL.
WorkerChannel WorkerChannel::OfParent() {
  Descriptor channel(::_dup(kStandardInput));
  const Descriptor null = OpenFile(kNullFile, OpenMode::kRead);
  ::_dup2(null.number(), kStandardInput);
  ::SetHandleInformation(reinterpret_cast<HANDLE>(::_get_osfhandle(channel.number())), HANDLE_FLAG_INHERIT, 0);
  return WorkerChannel(std::move(channel));
}

std::optional<std::string> WorkerChannel::Receive() {
  std::string packet(kLongestPacket + 1, '\0');
  const ReadPart whole{packet.data(), packet.size()};
  const std::ptrdiff_t size = ReadParts(descriptor_.number(), {&whole, 1});
  if (size <= 0 || packet[0] == kEnd) return std::nullopt;
  return packet.substr(1, static_cast<size_t>(size) - 1);
}

bool WorkerChannel::Answer(int number) {
  return WriteAll(descriptor_.number(), {reinterpret_cast<const char*>(&number), sizeof number});
}

bool Redirect(const std::string& path, int descriptor) {
  const Descriptor file = OpenFile(path, OpenMode::kReplace);
  return file.ok() && ::_dup2(file.number(), descriptor) == 0;
}

}  // namespace acutance
