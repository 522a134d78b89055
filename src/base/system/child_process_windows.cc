#include "base/system/child_process.h"

#include <windows.h>

#include <algorithm>
#include <memory>

#include "base/system/windows_process.h"
#include "base/system/windows_text.h"

namespace acutance {
namespace {

/// As CommandLineToArgvW() takes it apart.
std::wstring Quote(const std::string& word) {
  std::wstring quoted = L"\"";
  size_t backslashes = 0;
  for (const wchar_t c : Wide(word)) {
    if (c == L'"') quoted.append(backslashes + 1, L'\\');
    backslashes = c == L'\\' ? backslashes + 1 : 0;
    quoted += c;
  }
  return quoted.append(backslashes, L'\\') + L'"';
}

}  // namespace

Handle OpenInheritable(const std::string& path, DWORD access, DWORD disposition) {
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  constexpr DWORD kShare = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  return Handle(
      ::CreateFileW(WidePath(path).c_str(), access, kShare, &inherited, disposition, FILE_ATTRIBUTE_NORMAL, nullptr));
}

Handle StartProcess(const std::vector<std::string>& words, HANDLE input, HANDLE output, HANDLE error, DWORD flags,
                    DWORD& id) {
  std::wstring line;
  for (const std::string& word : words) line += (line.empty() ? L"" : L" ") + Quote(word);
  SIZE_T bytes = 0;
  ::InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
  const auto memory = std::make_unique<std::byte[]>(bytes);
  const auto list = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(memory.get());
  std::vector<HANDLE> handles = {input, output, error};
  std::ranges::sort(handles);
  handles.erase(std::unique(handles.begin(), handles.end()), handles.end());
  if (!::InitializeProcThreadAttributeList(list, 1, 0, &bytes)) return Handle();
  STARTUPINFOEXW startup{};
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = input;
  startup.StartupInfo.hStdOutput = output;
  startup.StartupInfo.hStdError = error;
  startup.lpAttributeList = list;
  PROCESS_INFORMATION started{};
  const bool done = ::UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles.data(),
                                                handles.size() * sizeof(HANDLE), nullptr, nullptr) &&
                    ::CreateProcessW(nullptr, line.data(), nullptr, nullptr, TRUE, flags | EXTENDED_STARTUPINFO_PRESENT,
                                     nullptr, nullptr, &startup.StartupInfo, &started);
  ::DeleteProcThreadAttributeList(list);
  if (!done) return Handle();
  ::CloseHandle(started.hThread);
  id = started.dwProcessId;
  return Handle(started.hProcess);
}

Result<int> RunChild(const std::vector<std::string>& words, const std::string& output, double seconds) {
  const Handle null = OpenInheritable("NUL", GENERIC_READ, OPEN_EXISTING);
  const Handle file = OpenInheritable(output, GENERIC_WRITE, CREATE_ALWAYS);
  DWORD id = 0;
  const Handle child = file.ok() ? StartProcess(words, null.get(), file.get(), file.get(), 0, id) : Handle();
  if (!child.ok()) return Error(StatusCode::kIo, "could not start {}: {}", words[0], LastErrorText());
  constexpr double kMost = 4e9;  // milliseconds that a DWORD holds
  if (::WaitForSingleObject(child.get(), static_cast<DWORD>(std::min(seconds * 1000, kMost))) != WAIT_OBJECT_0) {
    ::TerminateProcess(child.get(), 1);
    ::WaitForSingleObject(child.get(), INFINITE);
    return Error(StatusCode::kIo, "{} did not end within {:g} s and was stopped", words[0], seconds);
  }
  DWORD status = 0;
  ::GetExitCodeProcess(child.get(), &status);
  return static_cast<int>(status);  // negative after an exception, such as 0xc0000005
}

}  // namespace acutance
