#include "base/system/process.h"

#include <fcntl.h>
#include <io.h>
#undef WIN32_LEAN_AND_MEAN  // CommandLineToArgvW()
#include <windows.h>

#include <atomic>
#include <cstdio>
#include <vector>

#include "base/system/shared_library.h"
#include "base/system/windows_text.h"

namespace acutance {
namespace {

std::atomic<bool> g_owned = false;

/// Text and pictures pass the standard streams as they are. A console shows UTF-8 and takes the codes that wipe a line.
void PrepareStreams() {
  for (FILE* stream : {stdin, stdout, stderr}) ::_setmode(::_fileno(stream), _O_BINARY);
  std::setvbuf(stderr, nullptr, _IONBF, 0);  // Windows buffers it in a file
  static const UINT before = ::GetConsoleOutputCP();
  if (before != CP_UTF8 && ::SetConsoleOutputCP(CP_UTF8)) std::atexit([] { ::SetConsoleOutputCP(before); });
  DWORD mode = 0;
  const HANDLE console = ::GetStdHandle(STD_ERROR_HANDLE);
  if (::GetConsoleMode(console, &mode)) ::SetConsoleMode(console, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
}

}  // namespace

void SetMainProgram() {
  g_owned = true;
  PrepareStreams();
}

bool IsMainProgram() { return g_owned; }

void TakeArguments(int& argc, char**& argv) {
  int count = 0;
  LPWSTR* const wide = ::CommandLineToArgvW(::GetCommandLineW(), &count);
  if (!wide) return;
  static std::vector<std::string> texts;  // as long as the program
  static std::vector<char*> pointers;
  for (int i = 0; i < count; ++i) texts.push_back(Utf8(wide[i]));
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  ::LocalFree(wide);
  argc = count;
  argv = pointers.data();
}

int ProcessId() { return static_cast<int>(::GetCurrentProcessId()); }

std::filesystem::path ProgramFile() { return FileWith(::GetModuleHandleW(nullptr)); }

std::string KernelRelease() {
  using RtlGetVersion = LONG(WINAPI*)(OSVERSIONINFOW*);  // GetVersionEx() says what the program's manifest names
  OSVERSIONINFOW version{};
  version.dwOSVersionInfoSize = sizeof version;
  const auto get = reinterpret_cast<RtlGetVersion>(
      reinterpret_cast<void*>(::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "RtlGetVersion")));
  if (!get || get(&version) != 0) return "a Windows of unknown version";
  return fmt::format("Windows {}.{}.{}", version.dwMajorVersion, version.dwMinorVersion, version.dwBuildNumber);
}

}  // namespace acutance
