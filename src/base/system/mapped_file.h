// Memory-mapped file that survives truncation.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>

namespace acutance {

/// The bytes that a file has when it is mapped. If another program shortens the file, the system sends SIGBUS to a
/// process that touches the lost pages. A signal handler, installed with the first mapping, makes them read as zeros
/// and marks the mapping; faults elsewhere continue to the handler that was installed before.
/// Windows lets no program shorten a mapped file.
class MappedFile {
 public:
  /// Null if the system refuses or too many mappings exist; the caller then reads the file.
  static std::shared_ptr<MappedFile> Map(int file, size_t bytes);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

  /// Releases the memory behind these bytes. They can still be read: the system loads them again.
  void Release(std::span<const std::byte> bytes) const;

  /// Whether zeros were read in place of bytes that the file no longer has.
  bool lost_pages() const;

 private:
  MappedFile(std::span<const std::byte> bytes, int slot) : bytes_(bytes), slot_(slot) {}

  const std::span<const std::byte> bytes_;
  const int slot_;  // in the signal handler's table
};

}  // namespace acutance
