// What this process may use of the machine, before limits of a container.
#pragma once

#include <cstddef>
#include <optional>

namespace acutance {

/// Processors that its threads may run on; at least 1.
int AffinityCpus();
/// Bytes of memory that programs may still take; nullopt where the system does not report it.
std::optional<size_t> FreeMemory();

}  // namespace acutance
