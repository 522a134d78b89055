// Processors and memory that this process may use.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace acutance {

/// Where the system describes control groups.
struct ControlGroups {
  std::string folder = "/sys/fs/cgroup";
  std::string own = "/proc/self/cgroup";  // those of the process
};

/// The number of threads that may run at once: the affinity of the process, and the quota of its control group where
/// that is less (a container's --cpus). At least 1.
int UsableCpus(const ControlGroups& groups = {});

/// Bytes of memory that programs may still take: the free memory of the machine, or of the process' control group where
/// that is less. nullopt where the system does not report it.
std::optional<size_t> AvailableMemory(const ControlGroups& groups = {});

/// The CPUs that a quota of `cpu.max` ("200000 100000", "max 100000") allows, rounded up; nullopt: no limit.
std::optional<int> CpusOfQuota(const std::string& text);

}  // namespace acutance
