#include "base/system/machine.h"

#include <windows.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <thread>

namespace acutance {

int AffinityCpus() {
  DWORD_PTR own = 0, all = 0;  // of the processor group of this process, which has 64 at most
  if (!::GetProcessAffinityMask(::GetCurrentProcess(), &own, &all)) own = 0;
  // Windows 11 lets threads run on all groups where no mask narrows them.
  const int count = own == all ? static_cast<int>(std::thread::hardware_concurrency()) : std::popcount(uint64_t{own});
  return std::max(1, count);
}

std::optional<size_t> FreeMemory() {
  MEMORYSTATUSEX memory{};
  memory.dwLength = sizeof memory;
  if (!::GlobalMemoryStatusEx(&memory)) return std::nullopt;
  return static_cast<size_t>(memory.ullAvailPhys);
}

}  // namespace acutance
