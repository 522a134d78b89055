#include "image/picture_key.h"

#include <atomic>
#include <map>
#include <mutex>

namespace acutance {

uint64_t NewVideoIdentity() {
  static std::atomic<uint64_t> last = 0;
  return ++last;
}

uint32_t PreparationOf(const std::string& how) {
  static std::mutex mutex;
  static std::map<std::string, uint32_t> known;  // as many as there are ways to prepare a video
  if (how.empty()) return 0;
  const std::lock_guard lock(mutex);
  return known.try_emplace(how, static_cast<uint32_t>(known.size() + 1)).first->second;
}

}  // namespace acutance
