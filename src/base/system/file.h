// Files by descriptor, alike on every system. Names are UTF-8 and may be long; a failure leaves its reason in errno.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace acutance {

/// A descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { (void)Close(); }

  int number() const { return number_; }
  bool ok() const { return number_ >= 0; }
  int Release() { return std::exchange(number_, -1); }
  /// Whether a failure of the last write shows.
  bool Close();

 private:
  int number_;
};

enum class OpenMode {
  kRead,     // a FIFO opens without waiting for its writer: that wait is part of the first read
  kUpdate,   // reads and writes; creates the file
  kReplace,  // writes from the beginning; creates the file
  kNew,      // writes; fails where the file exists
};
/// Child processes do not inherit the descriptor, and other programs may read, write, rename or remove the file
/// meanwhile.
Descriptor OpenFile(const std::string& path, OpenMode mode);

enum class FileKind { kRegular, kFolder, kPipe, kOther };

/// Changes with the file's contents.
struct FileIdentity {
  uint64_t device = 0, number = 0;
  int64_t size = 0;
  int64_t changed = 0;  // nanoseconds
  auto operator<=>(const FileIdentity&) const = default;
};

struct FileInfo {
  FileKind kind = FileKind::kOther;
  unsigned mode = 0;  // permissions
  FileIdentity identity;
};
std::optional<FileInfo> InfoOf(int file);
std::optional<FileInfo> InfoOf(const std::string& path);
/// Of a link itself.
std::optional<FileInfo> InfoOfLink(const std::string& path);

struct ReadPart {
  void* data;
  size_t bytes;
};
/// One read from the system, which fills the parts in order: bytes, 0 at the end, or -1.
std::ptrdiff_t ReadParts(int file, std::span<const ReadPart> parts);
bool WriteAll(int file, std::string_view bytes);
/// Overwrites the beginning.
bool WriteAtStart(int file, std::string_view bytes);
/// `whence`: SEEK_SET, SEEK_CUR or SEEK_END. The new position, or -1.
int64_t SeekTo(int file, int64_t offset, int whence);
bool Truncate(int file, int64_t size);
/// Locks the file for this descriptor until it is closed; false where another holds it.
bool LockFile(int file);
/// Tells the system that `file` will be read from its beginning to its end.
void ExpectSequentialReads(int file, FileKind kind);
/// False where that is not possible.
bool SetMode(int file, unsigned mode);

/// Replaces `to`.
bool Rename(const std::string& from, const std::string& to);
bool RemoveFile(const std::string& path);
/// Whether this user may write a file, or new files into a folder.
bool MayWrite(const std::string& path);

/// fopen(); close it with fclose().
std::FILE* OpenStream(const std::string& path, const char* mode);
/// The name as the functions of the standard library open it.
std::filesystem::path SystemPath(const std::string& path);

}  // namespace acutance
