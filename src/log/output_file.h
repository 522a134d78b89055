// A file that appears whole or not at all.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"

namespace acutance {

/// Writes to a temporary file in the same folder, which Commit renames to the wanted name. If the
/// name is a device, a FIFO or a link (/dev/stdout), or the folder allows no new file, it writes
/// to the name directly; a regular file is then emptied again if something fails.
class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> Open(const std::string& path);

  /// Tells what Open would refuse, without opening anything, so that a long run can fail at its
  /// start. Also refuses a path that is one of `inputs`.
  static Status Check(const std::string& path, std::span<const std::string> inputs);

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// The first failure is kept for Commit; later text is dropped.
  void Write(std::string_view text);

  /// The same length of text in the place of the file's first, of a regular file.
  void Replace(std::string_view text);

  /// Puts the file in place. If it is not called, or fails, no file is left behind.
  Status Commit();

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)) {}

  void Flush();
  void Fail(int error);
  void Discard();

  std::string path_;
  std::string temporary_;  // empty: written directly
  std::string buffer_;
  int fd_ = -1;
  int error_ = 0;  // errno of the first failure
};

/// A file with this text.
Status WriteFile(const std::string& path, std::string_view text);

}  // namespace acutance
