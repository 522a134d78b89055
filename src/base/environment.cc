#include "base/environment.h"

#include <cstdlib>
#include <string_view>

namespace acutance {

const char* Variable(const char* name) {
  const char* value = ::secure_getenv(name);
  return value && *value ? value : nullptr;
}

bool IsOn(const char* name, bool otherwise) {
  const char* value = Variable(name);
  return value ? std::string_view(value) != "0" : otherwise;
}

}  // namespace acutance
