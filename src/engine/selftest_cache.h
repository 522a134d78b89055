// Which devices passed their self-test: the lines of a file in the user's cache folder ($XDG_CACHE_HOME or ~/.cache,
// then acutance/selftest). A file that cannot be read or written only costs time. Processes may use it at once.
#pragma once

#include <string>

namespace acutance {

bool HasPassed(const std::string& key);  // a key is one line
void RememberPass(const std::string& key);
void ForgetPass(const std::string& key);

}  // namespace acutance
