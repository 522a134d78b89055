// The check of a copy that every backend makes.
#pragma once

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// Refuses a copy that leaves its buffers or whose rows overlap.
inline Status CheckCopy(const CopyCommand& copy) {
  const auto fits = [](const Buffer& buffer, size_t offset, size_t extent) {
    return offset <= buffer.bytes() && extent <= buffer.bytes() - offset;
  };
  if (copy.rows > 1 && (copy.from_stride < copy.bytes || copy.to_stride < copy.bytes))
    return Error(StatusCode::kInvalidArgument, "a copy of rows of {} bytes has strides of {} and {}", copy.bytes,
                 copy.from_stride, copy.to_stride);
  if (fits(*copy.from, copy.from_offset, copy.from_extent()) && fits(*copy.to, copy.to_offset, copy.to_extent()))
    return {};
  return Error(StatusCode::kInvalidArgument,
               "a copy of {} bytes ({} rows) reads at {} of a buffer of {} bytes and writes at {} of one of {}",
               copy.bytes, copy.rows, copy.from_offset, copy.from->bytes(), copy.to_offset, copy.to->bytes());
}

}  // namespace acutance
