// A regular file seen as memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

namespace acutance {

/// The bytes that a file has when it is mapped. Where another program shortens the file meanwhile, the system ends
/// (SIGBUS) whoever touches the pages that went; here those pages read as zeros, and the mapping is marked. That takes
/// a signal handler, put in place with the first mapping; faults elsewhere go on to the handler that was there before.
class MappedFile {
 public:
  /// Null when the system does not map it, or maps are many: read the file instead.
  static std::shared_ptr<MappedFile> Map(int fd, size_t bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Memory that these bytes need not take up from now on; they are still there for who looks.
  void Release(std::span<const std::byte> bytes) const;

  /// Whether zeros were read in place of bytes that the file no longer has.
  bool lost_pages() const;

 private:
  MappedFile(std::span<const std::byte> bytes, int slot) : bytes_(bytes), slot_(slot) {}

  const std::span<const std::byte> bytes_;
  const int slot_;  // in the signal handler's table
};

}  // namespace acutance
