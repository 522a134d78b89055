// `acutance serve`: answers on a Unix socket, and keeps references decoded between the runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace acutance::cli {

struct ServeTexts {
  std::string socket;
  uint64_t max_memory = 0;           // bytes; 0: half of what the machine has left
  std::optional<uint64_t> max_vram;  // bytes of each device; not set: half of what is free
  bool quiet = false;
};

/// Serves until Ctrl-C or SIGTERM; the exit status.
int RunServeCommand(const ServeTexts& texts);

}  // namespace acutance::cli
