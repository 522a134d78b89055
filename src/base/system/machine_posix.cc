#include "base/system/machine.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#if defined(__APPLE__)
#include <mach/mach.h>
#else
#include <sched.h>
#endif

namespace acutance {

int AffinityCpus() {
#if !defined(__APPLE__)
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof(set), &set) == 0 && CPU_COUNT(&set) > 0) return CPU_COUNT(&set);
#endif
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));  // more CPUs than a set has room for
}

std::optional<size_t> FreeMemory() {
#if defined(__APPLE__)
  vm_statistics64_data_t pages{};
  mach_msg_type_number_t count = HOST_VM_INFO64_COUNT;
  const auto to = reinterpret_cast<host_info64_t>(&pages);
  if (::host_statistics64(::mach_host_self(), HOST_VM_INFO64, to, &count) != KERN_SUCCESS) return std::nullopt;
  return (size_t{pages.free_count} + pages.inactive_count) * vm_page_size;
#else
  std::optional<size_t> available;
  std::ifstream file("/proc/meminfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("MemAvailable:")) available = std::strtoull(line.c_str() + 13, nullptr, 10) << 10;
  return available;
#endif
}

}  // namespace acutance
