#include <unistd.h>

#include <cstdlib>

#include "base/environment.h"

namespace acutance {

const char* Variable(const char* name) {
#if defined(__linux__)
  const char* value = ::secure_getenv(name);
#else
  const char* value = ::issetugid() ? nullptr : ::getenv(name);
#endif
  return value && *value ? value : nullptr;
}

void SetVariable(const char* name, const std::string& value) { ::setenv(name, value.c_str(), 1); }

}  // namespace acutance
