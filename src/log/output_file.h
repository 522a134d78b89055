// Atomic output file: it appears complete or not at all.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/status.h"
#include "base/system/file.h"

namespace acutance {

/// Writes to a temporary file in the same folder, which Commit renames. A device, a FIFO or a link (/dev/stdout), and a
/// file in a folder that allows no new one, is written directly; a regular file is then emptied if something fails.
class OutputFile {
 public:
  static Result<std::unique_ptr<OutputFile>> Open(const std::string& path);

  /// Whether Open would fail, without opening anything, so that a long run can fail at its start. Also refuses a path
  /// that is one of `inputs`.
  static Status Check(const std::string& path, std::span<const std::string> inputs);

  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Commit reports the first failure; later text is dropped.
  void Write(std::string_view text);

  /// Overwrites the beginning of a regular file with text of the same length.
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
  Descriptor file_;
  int error_ = 0;  // errno of the first failure
};

/// A file with this text.
Status WriteFile(const std::string& path, std::string_view text);

}  // namespace acutance
