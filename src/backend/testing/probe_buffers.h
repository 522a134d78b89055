#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Device buffers with contents, and the copies that fill and read them.
class ProbeBuffers {
 public:
  explicit ProbeBuffers(Device& device) : device_(device) {}

  Result<const Buffer*> Upload(std::span<const std::byte> contents) {
    ACU_ASSIGN_OR_RETURN(Buffer * source, Add(contents.size(), MemoryKind::kUpload));
    ACU_ASSIGN_OR_RETURN(Buffer * buffer, Add(contents.size(), MemoryKind::kDevice));
    std::memcpy(source->host(), contents.data(), contents.size());
    commands_.push_back(CopyCommand{source, 0, buffer, 0, contents.size()});
    return static_cast<const Buffer*>(buffer);
  }

  Result<Buffer*> Add(size_t bytes, MemoryKind kind) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_.Allocate(bytes, kind));
    owned_.push_back(std::move(buffer));
    return owned_.back().get();
  }

  std::vector<Command>& commands() { return commands_; }

 private:
  Device& device_;
  std::vector<std::unique_ptr<Buffer>> owned_;
  std::vector<Command> commands_;
};

}  // namespace acutance
