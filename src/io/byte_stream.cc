#include "io/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/system/terminal.h"

namespace acutance {
namespace {

constexpr size_t kPipeBlock = size_t{1} << 18;
constexpr size_t kMaxRead = size_t{1} << 30;  // the system refuses single reads of 2 GB and more

Status OpenError(const std::string& path, int reason) {
  if (path.find("://") != path.npos)
    return Error(StatusCode::kNotFound,
                 "could not open file: {}: URLs are not read; download it, or pipe it as y4m to standard input: "
                 "ffmpeg -v error -i URL -f yuv4mpegpipe - | ...",
                 path);
  // The ffmpeg command takes these as patterns of image sequences.
  const bool is_pattern = reason == ENOENT && path.find_first_of("%*") != path.npos;
  const std::string hint =
      reason == EISDIR || is_pattern
          ? fmt::format("; of pictures make a video first, for example: ffmpeg -framerate 25 -i {} -c:v ffv1 out.mkv",
                        is_pattern ? path : path + "/%04d.png")
          : "";
  return Error(reason == ENOENT ? StatusCode::kNotFound : StatusCode::kIo, "could not open file: {}: {}{}", path,
               std::strerror(reason), hint);
}

}  // namespace

Result<std::unique_ptr<ByteStream>> ByteStream::Open(const std::string& path,
                                                     std::shared_ptr<const CancellationToken> run) {
  const bool is_stdin = path == "-";
  Descriptor file = is_stdin ? Descriptor(kStandardInput) : OpenFile(path, OpenMode::kRead);
  if (!file.ok()) return OpenError(path, errno);
  const std::string& name = is_stdin ? "standard input" : path;
  std::unique_ptr<ByteStream> stream(new ByteStream(name, std::move(file), !is_stdin, std::move(run)));
  ACU_RETURN_IF_ERROR(stream->Prepare());
  return stream;
}

Status ByteStream::Prepare() {
  const std::optional<FileInfo> info = InfoOf(file_.number());
  if (!info) return OpenError(name_, errno);
  if (info->kind == FileKind::kFolder) return OpenError(name_, EISDIR);
  ExpectSequentialReads(file_.number(), info->kind);
  if (info->kind == FileKind::kRegular) {
    const int64_t start = SeekTo(file_.number(), 0, SEEK_CUR);
    seekable_ = start >= 0;
    position_ = std::max<int64_t>(start, 0);
    return {};
  }
  own_ = CancellationToken::Make();
  return own_->event().ok() ? Status() : OpenError(name_, errno);
}

ByteStream::~ByteStream() {
  if (!owned_) (void)file_.Release();
}

void ByteStream::Interrupt() {
  interrupted_ = true;
  if (own_) own_->Cancel();
}

bool ByteStream::is_interrupted() const { return interrupted_ || (own_ && run_ && run_->is_cancelled()); }

Status ByteStream::CheckInterrupted() const {
  return is_interrupted() ? Error(StatusCode::kCancelled, "reading {} was cancelled", name_) : Status();
}

Status ByteStream::ReadError() const {
  return Error(StatusCode::kIo, "could not read {}: {}", name_, std::strerror(errno));
}

Status ByteStream::WaitUntilReadable() {
  if (!own_) return CheckInterrupted();
  while (!is_interrupted()) {
    const WaitEnd end = WaitForInput(file_.number(), own_->event(), run_ ? &run_->event() : nullptr);
    if (end == WaitEnd::kFailed) return ReadError();
    if (end == WaitEnd::kInput) return {};
  }
  return CheckInterrupted();
}

Result<size_t> ByteStream::ReadNow(std::span<const ReadPart> parts) {
  const TimeSum::Scope time(reading_);
  for (;;) {
    ACU_RETURN_IF_ERROR(WaitUntilReadable());
    const std::ptrdiff_t got = ReadParts(file_.number(), parts);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR && errno != EAGAIN) return ReadError();
  }
}

Result<size_t> ByteStream::ReadThrough(void* to, size_t count) {
  begin_ = end_ = 0;
  count = std::min(count, kMaxRead);
  const ReadPart parts[2] = {{to, count}, {buffer_.data(), buffer_.size()}};
  ACU_ASSIGN_OR_RETURN(const size_t got, ReadNow(parts));
  const size_t direct = std::min(got, count);
  end_ = got - direct;
  return direct;
}

size_t ByteStream::Drain(void* to, size_t count) {
  const size_t n = std::min(count, buffered());
  if (n > 0 && to) std::memcpy(to, data_ + begin_, n);
  begin_ += n;
  position_ += static_cast<int64_t>(n);
  return n;
}

Result<size_t> ByteStream::ReadSome(void* to, size_t count) {
  if (buffered() > 0 || count == 0) return Drain(to, count);
  ACU_RETURN_IF_ERROR(LeaveMapping());
  ACU_ASSIGN_OR_RETURN(const size_t got, ReadThrough(to, count));
  position_ += static_cast<int64_t>(got);
  return got;
}

Result<size_t> ByteStream::Read(void* to, size_t count) {
  size_t done = 0;
  while (done < count) {
    ACU_ASSIGN_OR_RETURN(const size_t got, ReadSome(static_cast<char*>(to) + done, count - done));
    if (got == 0) break;
    done += got;
  }
  return done;
}

Result<int64_t> ByteStream::Skip(int64_t count) {
  int64_t done = static_cast<int64_t>(Drain(nullptr, static_cast<size_t>(count)));
  if (seekable_ && done < count) {
    const int64_t step = std::clamp<int64_t>(size() - position_, 0, count - done);
    ACU_RETURN_IF_ERROR(Seek(position_ + step));
    return done + step;
  }
  while (done < count) {
    scratch_.resize(kPipeBlock);
    const size_t wanted = static_cast<size_t>(std::min<int64_t>(count - done, kPipeBlock));
    ACU_ASSIGN_OR_RETURN(const size_t got, ReadSome(scratch_.data(), wanted));
    if (got == 0) break;
    done += static_cast<int64_t>(got);
  }
  return done;
}

Result<size_t> ByteStream::FillBuffer(size_t count) {
  count = std::min(count, buffer_.size());
  ACU_RETURN_IF_ERROR(CheckInterrupted());
  if (buffered() >= count) return buffered();
  ACU_RETURN_IF_ERROR(LeaveMapping());
  std::memmove(buffer_.data(), buffer_.data() + begin_, buffered());
  end_ -= begin_;
  begin_ = 0;
  while (end_ < count) {
    const ReadPart rest = {buffer_.data() + end_, buffer_.size() - end_};
    ACU_ASSIGN_OR_RETURN(const size_t got, ReadNow({&rest, 1}));
    if (got == 0) break;
    end_ += got;
  }
  return buffered();
}

Result<std::string_view> ByteStream::Peek(size_t count) {
  ACU_ASSIGN_OR_RETURN(const size_t got, FillBuffer(count));
  return std::string_view(data_ + begin_, std::min(got, count));
}

Result<std::optional<std::string>> ByteStream::ReadLine(size_t limit) {
  std::string line;
  while (line.size() <= limit) {
    ACU_ASSIGN_OR_RETURN(const size_t got, FillBuffer(1));
    if (got == 0 && line.empty()) return std::optional<std::string>();
    if (got == 0) return Error(StatusCode::kBadData, "{} ends inside a line", name_);
    char c;
    Drain(&c, 1);
    if (c == '\n') return std::optional(std::move(line));
    line += c;
  }
  return Error(StatusCode::kBadData, "{} has a line of more than {} bytes", name_, limit);
}

int64_t ByteStream::size() const {
  const std::optional<FileInfo> info = InfoOf(file_.number());
  return info ? info->identity.size : 0;
}

Status ByteStream::Seek(int64_t position) {
  if (SeekTo(file_.number(), position, SEEK_SET) < 0)
    return Error(StatusCode::kIo, "could not seek in {}: {}", name_, std::strerror(errno));
  data_ = buffer_.data();
  begin_ = end_ = 0;
  position_ = position;
  return {};
}

void ByteStream::Map(bool keep) {
  keep_mapped_ = keep;
  if (!seekable_ || !owned_) return;  // processes that share standard input rely on its position
  mapping_ = MappedFile::Map(file_.number(), static_cast<size_t>(std::max<int64_t>(size(), 0)));
  const std::span<const std::byte> bytes = mapped_bytes();
  if (static_cast<size_t>(position_) >= bytes.size()) return;
  data_ = reinterpret_cast<const char*>(bytes.data());
  begin_ = static_cast<size_t>(position_);
  end_ = bytes.size();
}

Status ByteStream::LeaveMapping() { return data_ == buffer_.data() ? Status() : Seek(position_); }

std::shared_ptr<const std::byte> ByteStream::Share(size_t count) {
  if (data_ == buffer_.data() || buffered() < count) return nullptr;
  const std::byte* bytes = mapping_->bytes().data() + begin_;
  Drain(nullptr, count);
  if (!range_ || range_->bytes >= kRangeBytes) range_ = std::make_shared<MappedRange>(mapping_, bytes, keep_mapped_);
  range_->bytes = static_cast<size_t>(bytes + count - range_->begin);
  return {range_, bytes};
}

std::span<const std::byte> ByteStream::mapped_bytes() const {
  return mapping_ ? mapping_->bytes() : std::span<const std::byte>();
}

Status ByteStream::CheckMapping() const {
  const bool is_shorter = mapping_ && size() < static_cast<int64_t>(mapping_->bytes().size());
  if (!mapping_ || (!mapping_->lost_pages() && !is_shorter)) return {};
  if (!is_shorter)
    return Error(StatusCode::kIo, "{} was written to while it was read, or its disk or server fails; score it again",
                 name_);
  return Error(StatusCode::kBadData,
               "{} became shorter while it was read: of {} bytes {} are left; score it again when it is whole", name_,
               mapping_->bytes().size(), size());
}

}  // namespace acutance
