// Checkpoint file with the results of a run's frames, to resume the run or to join it with its other parts.
#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/system/file.h"
#include "engine/frame_results.h"

namespace acutance {

/// A line of a header. Several may have the same key.
struct JournalLine {
  std::string key;
  std::vector<std::string> fields;  // at least one, of any characters
  bool operator==(const JournalLine&) const = default;
};

/// The request: the file begins with it, as text.
using JournalHeader = std::vector<JournalLine>;

/// An error that names the first line in which `path`'s header differs from `here`. Paths may differ: the videos'
/// fingerprints tell them apart. Parts of one run may also differ in their frames and in the videos' times.
Status CompareHeaders(const std::string& path, const JournalHeader& there, const JournalHeader& here, bool are_parts);

/// The stored results of a frame. Records are of consecutive frames.
struct JournalRecord {
  int64_t frame = 0;
  std::vector<int64_t> words;
};

/// The results of a frame to store; and back: false if their number is not that of `frame`, which Assign allocated.
std::vector<int64_t> StoredResults(const FrameResults& frame);
bool RestoreResults(std::span<const int64_t> words, FrameResults& frame);

/// Reads a journal from its beginning.
class JournalReader {
 public:
  static Result<std::unique_ptr<JournalReader>> Open(const std::string& path);

  const std::string& path() const { return path_; }
  const JournalHeader& header() const { return header_; }

  /// The next frame; nullopt at the end, or where a record is truncated or damaged.
  std::optional<JournalRecord> Next();

  /// The frame before which the run ended by itself; nullopt: it was stopped. Valid after the last record.
  std::optional<int64_t> end() const { return end_; }

  /// Bytes of the header and of the whole records read so far.
  int64_t bytes() const { return bytes_; }
  /// The value with which the records' checksums begin: the header's own.
  uint64_t seed() const { return seed_; }

 private:
  JournalReader(std::string path, int64_t size);
  Status ReadHeader();
  std::optional<JournalRecord> ReadRecord();

  const std::string path_;
  const int64_t size_;
  std::ifstream file_;
  JournalHeader header_;
  uint64_t seed_ = 0;
  int64_t bytes_ = 0;
  std::optional<int64_t> end_, next_;
};

/// Writes a journal, which it locks.
class JournalWriter {
 public:
  /// Creates the file, or opens that of a run that was stopped. A journal of another run is an error that says what
  /// differs.
  static Result<std::unique_ptr<JournalWriter>> Open(const std::string& path, const JournalHeader& header);
  JournalWriter(const JournalWriter&) = delete;
  JournalWriter& operator=(const JournalWriter&) = delete;

  /// Whether the file has no header yet.
  bool is_new() const { return !start_.empty(); }

  /// Before the first Append. Removes what follows the whole records that `reader` has read, such as a truncated
  /// record; a new file, which has no reader, gets its header.
  Status ContinueAfter(const JournalReader* reader);

  /// The frames that follow. After an error nothing more is written.
  Status Append(std::span<FrameResults* const> frames);

  /// The run ended by itself before frame `frame`.
  Status End(int64_t frame);

 private:
  JournalWriter(std::string path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  Status Write(std::string_view bytes);
  Status Failed(const char* what);
  std::string Record(int64_t frame, std::span<const int64_t> words) const;

  const std::string path_;
  const Descriptor file_;
  uint64_t seed_ = 0;
  std::string start_;  // of a new file: its header
  Status error_;
};

}  // namespace acutance
