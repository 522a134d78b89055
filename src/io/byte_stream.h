// Sequential byte input from a file, a pipe or standard input. Large reads go straight to the caller's memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancellation_token.h"
#include "base/status.h"
#include "base/system/file.h"
#include "base/system/mapped_file.h"
#include "base/time_sum.h"

namespace acutance {

class ByteStream {
 public:
  /// "-" is standard input. The first read of a FIFO waits for its writer. Cancelling `run` interrupts reads of pipes
  /// as Interrupt() does; it may be null.
  static Result<std::unique_ptr<ByteStream>> Open(const std::string& path,
                                                  std::shared_ptr<const CancellationToken> run = nullptr);

  ~ByteStream();
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Fills `to` with `count` bytes; fewer only at the end.
  Result<size_t> Read(void* to, size_t count);
  /// Reads at least one byte, unless at the end, and at most `count`, without waiting for more than one.
  Result<size_t> ReadSome(void* to, size_t count);
  /// Skips `count` bytes, in a regular file without reading them; fewer only at the end.
  Result<int64_t> Skip(int64_t count);
  /// The next bytes, left in place: `count` of them (at most kBufferSize), fewer only at the end.
  Result<std::string_view> Peek(size_t count);
  /// A line without its line feed; nullopt at the end. Error: no line feed within `limit` bytes.
  Result<std::optional<std::string>> ReadLine(size_t limit);

  /// Regular files only.
  bool seekable() const { return seekable_; }
  int64_t size() const;  // of the file, which may change
  Status Seek(int64_t position);

  /// Maps a regular file if the system allows it; Share then hands out its bytes in place. Bytes that the file gains
  /// later are read. With `keep`, pages stay mapped after their last reference is dropped. Called once, after opening.
  void Map(bool keep);
  /// Hands out the next `count` bytes, which stay in memory while the result is held. Null where they are not mapped.
  std::shared_ptr<const std::byte> Share(size_t count);
  /// The memory that Share hands bytes out of; empty when nothing is mapped.
  std::span<const std::byte> mapped_bytes() const;
  /// An error if the file has lost bytes that were mapped.
  Status CheckMapping() const;

  int64_t position() const { return position_; }
  const std::string& name() const { return name_; }

  /// The time that reads from the system took.
  double reading_seconds() const { return reading_.seconds(); }

  /// Makes all reads fail with kCancelled from now on, including one in which another thread waits.
  void Interrupt();

  static constexpr size_t kBufferSize = 4096;

 private:
  /// Mapped bytes that are handed out one after another and released together. A release interrupts all threads, and a
  /// page fault maps the pages before it again, which small pictures have just released. Each range has its own
  /// counter: threads that drop pictures of one do not contend with the thread that hands out the next.
  struct MappedRange {
    MappedRange(std::shared_ptr<MappedFile> file, const std::byte* first, bool keep)
        : mapping(std::move(file)), begin(first), keep_mapped(keep) {}
    ~MappedRange() {
      if (!keep_mapped) mapping->Release({begin, bytes});
    }

    const std::shared_ptr<MappedFile> mapping;
    const std::byte* const begin;
    const bool keep_mapped;
    size_t bytes = 0;
  };
  static constexpr size_t kRangeBytes = size_t{4} << 20;

  ByteStream(std::string name, Descriptor file, bool owned, std::shared_ptr<const CancellationToken> run)
      : name_(std::move(name)), file_(std::move(file)), owned_(owned), run_(std::move(run)) {}
  Status Prepare();
  bool is_interrupted() const;
  Status CheckInterrupted() const;
  Status WaitUntilReadable();
  Status ReadError() const;  // of errno
  /// One read from the system.
  Result<size_t> ReadNow(std::span<const ReadPart> parts);
  /// Fills `to`, then the buffer, which is empty, with one read. Returns the bytes in `to`.
  Result<size_t> ReadThrough(void* to, size_t count);
  size_t Drain(void* to, size_t count);
  Result<size_t> FillBuffer(size_t count);
  size_t buffered() const { return end_ - begin_; }
  Status LeaveMapping();  // reads what follows it

  std::string name_;
  Descriptor file_;
  bool owned_;
  bool seekable_ = false;
  int64_t position_ = 0;  // of the next byte handed out
  std::vector<char> buffer_ = std::vector<char>(kBufferSize);
  const char* data_ = buffer_.data();  // the buffer's, or the mapping's while that lasts
  size_t begin_ = 0, end_ = 0;         // of what is next, in data_
  std::shared_ptr<MappedFile> mapping_;
  bool keep_mapped_ = false;
  std::shared_ptr<MappedRange> range_;  // handed out last
  std::vector<char> scratch_;           // of Skip on a pipe
  const std::shared_ptr<const CancellationToken> run_;
  std::shared_ptr<CancellationToken> own_;  // of what is not a regular file; else null
  std::atomic<bool> interrupted_ = false;
  TimeSum reading_;
};

}  // namespace acutance
