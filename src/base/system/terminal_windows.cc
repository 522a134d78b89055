#include "base/system/terminal.h"

#include <io.h>
#include <windows.h>

#include <atomic>

#include "base/system/file.h"

namespace acutance {
namespace {

std::atomic<void (*)()> g_handle = nullptr;
std::atomic<Interrupts> g_which = Interrupts::kControlC;

BOOL WINAPI OnControl(DWORD event) {
  const bool is_end = event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT;
  if (is_end && g_which != Interrupts::kEnds) return FALSE;
  g_handle.load()();              // Windows calls this on a new thread
  if (is_end) ::Sleep(INFINITE);  // the process ends when this returns, at the latest after five seconds
  return TRUE;
}

}  // namespace

bool IsTerminal(int descriptor) {
  DWORD mode = 0;  // _isatty() takes NUL and every other device for a terminal
  return ::GetConsoleMode(reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor)), &mode) != 0;
}

int TerminalColumns(int descriptor) {
  CONSOLE_SCREEN_BUFFER_INFO info{};
  const auto console = reinterpret_cast<HANDLE>(::_get_osfhandle(descriptor));
  const bool known = ::GetConsoleScreenBufferInfo(console, &info) && info.srWindow.Right >= info.srWindow.Left;
  return known ? info.srWindow.Right - info.srWindow.Left + 1 : 80;
}

std::vector<std::string> PageOpener(const std::string& page) { return {"cmd", "/c", "start", "", page}; }

Status HandleInterrupts(Interrupts which, void (*handle)()) {
  g_handle = handle;
  g_which = which;
  // A parent that made a process group has turned Ctrl-C off.
  if (::SetConsoleCtrlHandler(nullptr, FALSE) && ::SetConsoleCtrlHandler(OnControl, TRUE)) return {};
  return Error(StatusCode::kIo, "Windows takes no handler of Ctrl-C");
}

void EndProcess(std::string_view message, int status) {
  WriteAll(kStandardError, message);
  ::TerminateProcess(::GetCurrentProcess(), static_cast<UINT>(status));
  std::abort();  // not reached
}

}  // namespace acutance
