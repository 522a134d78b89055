// Compiled kernels between runs, in the user's cache folder ($XDG_CACHE_HOME or ~/.cache, acutance/sycl). A damaged
// file reads as a missing one. The runtime's own cache (SYCL_CACHE_PERSISTENT) is not used: version 2026.2 aborts the
// program when one of its files is damaged.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace acutance::sycl_backend {

/// What was last written for `key`; nothing if there is none or it is damaged.
std::optional<std::vector<char>> ReadCache(std::string_view key);

/// Keeps a bounded number of files, the newest. Where it cannot write, the next run compiles again.
void WriteCache(std::string_view key, std::span<const char> content);

}  // namespace acutance::sycl_backend
