#include <cstdlib>
#include <map>
#include <mutex>

#include "base/environment.h"
#include "base/system/windows_text.h"

namespace acutance {

const char* Variable(const char* name) {
  const wchar_t* value = ::_wgetenv(Wide(name).c_str());
  if (!value || !*value) return nullptr;
  // Callers hold what they were given for as long as the program runs, so a value stays when another takes its place.
  static std::mutex mutex;
  static auto* const texts = new std::map<std::wstring, const std::string>();
  const std::lock_guard lock(mutex);
  return texts->try_emplace(value, Utf8(value)).first->second.c_str();
}

void SetVariable(const char* name, const std::string& value) { ::_wputenv_s(Wide(name).c_str(), Wide(value).c_str()); }

}  // namespace acutance
