// The behaviour of a queue's copies on every backend.
#pragma once

#include <cstring>
#include <memory>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Copies rows up and back with Queue::Copy; an error says what came back wrong.
inline Status ProbeCopies(Device& device) {
  constexpr size_t kBytes = 4096, kRow = 24, kRows = 7, kUpStride = 40, kDownStride = 31, kFirst = 5;
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, device.MakeQueue());
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> from, device.Allocate(kBytes, MemoryKind::kUpload));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> memory, device.Allocate(kBytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> back, device.Allocate(kBytes, MemoryKind::kReadback));
  for (size_t i = 0; i < kBytes; ++i) from->host()[i] = static_cast<std::byte>(i * 7 + i / 256);
  std::memset(back->host(), 0xee, kBytes);
  const CopyCommand up[] = {{from.get(), kFirst, memory.get(), 0, kRow, kRows, kUpStride, kRow}};
  const CopyCommand down[] = {{memory.get(), 0, back.get(), 0, kRow, kRows, kRow, kDownStride},
                              {memory.get(), 0, back.get(), 2048, kRow * kRows}};
  ACU_RETURN_IF_ERROR(queue->Copy(up));
  ACU_RETURN_IF_ERROR(queue->Copy(down));
  ACU_RETURN_IF_ERROR(queue->Wait());
  for (size_t row = 0; row < kRows; ++row) {
    const std::byte* want = from->host() + kFirst + row * kUpStride;
    if (std::memcmp(back->host() + row * kDownStride, want, kRow) != 0 ||
        std::memcmp(back->host() + 2048 + row * kRow, want, kRow) != 0)
      return Error(StatusCode::kBadData, "row {} came back wrong", row);
    if (back->host()[row * kDownStride + kRow] != std::byte{0xee})
      return Error(StatusCode::kBadData, "a copy wrote beyond row {}", row);
  }
  const CopyCommand overlapping[] = {{from.get(), 0, memory.get(), 0, kRow, 2, kRow, kRow - 1}};
  const CopyCommand beyond[] = {{from.get(), 0, memory.get(), 0, kRow, 200, kRow, kRow}};
  for (const auto& wrong : {overlapping, beyond})
    if (queue->Copy({wrong, 1}).ok()) return Error(StatusCode::kBadData, "a copy that cannot be was taken");
  return {};
}

}  // namespace acutance
