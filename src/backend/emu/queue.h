#pragma once

#include <memory>
#include <random>
#include <vector>

#include "backend/emu/emu.h"
#include "exec/device.h"

namespace acutance {

class EmuRecording : public Recording {
 public:
  explicit EmuRecording(std::span<const Command> commands) : commands_(commands.begin(), commands.end()) {}
  const std::vector<Command>& commands() const { return commands_; }

 private:
  const std::vector<Command> commands_;
};

/// Runs submitted work as late as the contract allows, in Wait, so that code which reads results
/// or reuses staging memory too early fails.
class EmuQueue : public Queue {
 public:
  explicit EmuQueue(const EmuSettings& settings) : settings_(settings), random_(settings.seed) {}

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override;
  Status Submit(Recording& recording) override;
  Status Copy(std::span<const CopyCommand> copies) override;
  Status Wait() override;

 private:
  Status RunAll(std::span<const Command> commands);
  Status Run(const CopyCommand& copy);
  Status Run(const LaunchCommand& launch);

  const EmuSettings settings_;
  std::mt19937_64 random_;
  std::vector<std::variant<const EmuRecording*, std::vector<Command>>> submitted_;  // recordings, and copies
};

}  // namespace acutance
