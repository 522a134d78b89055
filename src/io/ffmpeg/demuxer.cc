#include "io/ffmpeg/demuxer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/shell_word.h"
#include "base/threads/exception_barrier.h"
#include "io/ffmpeg/container_facts.h"
#include "io/ffmpeg/library.h"
#include "io/ffmpeg/stream_probe.h"

namespace acutance {
namespace {

constexpr int kIoBuffer = 1 << 16;
constexpr size_t kStartBytes = std::max(kDeclaredEndBytes, 2 * ProgramChanges::kPacket + 1);

}  // namespace

std::string FfmpegReason(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = "";
  Ffmpeg().av_strerror(error, text, sizeof text);
  return text;
}

void Demuxer::Freed::operator()(AVIOContext* io) const {
  Ffmpeg().av_freep(&io->buffer);
  Ffmpeg().avio_context_free(&io);
}

void Demuxer::Freed::operator()(AVFormatContext* container) const { Ffmpeg().avformat_close_input(&container); }

Demuxer::Demuxer(std::unique_ptr<ByteStream> stream, std::string track, size_t most_replayed)
    : stream_(std::move(stream)),
      wanted_track_(std::move(track)),
      most_replayed_(most_replayed),
      can_replay_(!stream_->seekable()) {}

void Demuxer::Interrupt() {
  interrupted_ = true;
  if (!stream_->seekable()) stream_->Interrupt();
}

/// More than any packet holds: FFmpeg is looking for the next one in a damaged file.
bool Demuxer::IsReadingTooLong(int count) {
  constexpr int64_t kMostOfAPacket = int64_t{1} << 28;
  return interrupted_ && (read_since_ += count) > kMostOfAPacket;
}

Result<size_t> Demuxer::ReadStream(uint8_t* to, size_t count) {
  if (replayed_ < replay_.size()) {
    count = std::min(count, replay_.size() - replayed_);
    std::memcpy(to, replay_.data() + replayed_, count);
    replayed_ += count;
    return count;
  }
  ACU_ASSIGN_OR_RETURN(const size_t got, stream_->ReadSome(to, count));
  can_replay_ &= replay_.size() + got <= most_replayed_;
  if (can_replay_) replay_.reserve(most_replayed_);  // pages count once they are used
  if (can_replay_) replay_.insert(replay_.end(), to, to + got);
  else replay_ = {};
  replayed_ = replay_.size();
  return got;
}

Result<size_t> Demuxer::ReadRewritten(uint8_t* to, size_t count) {
  if (!programs_) return ReadStream(to, count);
  while (true) {
    if (const size_t taken = programs_->Take(to, count); taken > 0) return taken;
    ACU_ASSIGN_OR_RETURN(const size_t got, ReadStream(to, count));
    if (got > 0) programs_->Add({to, got});
    else if (!programs_->End()) return size_t{0};
  }
}

int Demuxer::ReadBytes(void* opaque, uint8_t* to, int count) {
  auto* self = static_cast<Demuxer*>(opaque);
  if (self->IsReadingTooLong(count)) self->stream_->Interrupt();
  const Result<size_t> got =
      CatchExceptionsResult<size_t>([&] { return self->ReadRewritten(to, static_cast<size_t>(count)); });
  if (got.ok()) return *got == 0 ? AVERROR_EOF : static_cast<int>(*got);
  self->io_error_ = got.status();
  return AVERROR_EXIT;
}

int64_t Demuxer::SeekBytes(void* opaque, int64_t offset, int whence) {
  auto* self = static_cast<Demuxer*>(opaque);
  ByteStream& stream = *self->stream_;
  const auto seek = [&](int64_t to) {
    if (self->programs_) self->programs_->Jump();
    return CatchExceptions([&] { return stream.Seek(to); });
  };
  switch (whence & ~AVSEEK_FORCE) {
    case AVSEEK_SIZE:
      return stream.size();
    case SEEK_SET:
      break;
    case SEEK_CUR:
      offset += stream.position();
      break;
    case SEEK_END:
      offset += stream.size();
      break;
    default:
      return AVERROR(EINVAL);
  }
  return seek(offset).ok() ? offset : AVERROR(EIO);
}

Status Demuxer::Failure(std::string_view what, int error) const {
  if (!io_error_.ok()) return io_error_;
  const StatusCode code = error == AVERROR(ENOMEM) ? StatusCode::kOutOfMemory : StatusCode::kBadData;
  const char* hint = stream_->seekable() ? "" : " (some containers can be read from a file only, not from a pipe)";
  return Error(code, "{}: {}: {}{}", name(), what, FfmpegReason(error), hint);
}

Status Demuxer::OpenIo() {
  // FFmpeg may replace the buffer; the context owns it from here on.
  auto* buffer = static_cast<uint8_t*>(Ffmpeg().av_malloc(kIoBuffer));
  if (!buffer) return Failure("no memory", AVERROR(ENOMEM));
  io_.reset(Ffmpeg().avio_alloc_context(buffer, kIoBuffer, 0, this, ReadBytes, nullptr,
                                        stream_->seekable() ? SeekBytes : nullptr));
  if (io_) return {};
  Ffmpeg().av_free(buffer);
  return Failure("no memory", AVERROR(ENOMEM));
}

/// Why FFmpeg does not open the file, in the user's terms where its first bytes show them.
Status Demuxer::NotReadable(int error) const {
  const std::string_view start = start_;
  if (start.starts_with("#EXTM3U"))
    return Error(
        StatusCode::kBadData,
        "{} is an HLS playlist, which names the files of its segments; make one file of them first: ffmpeg -i {} "
        "-c copy out.mp4",
        name(), ShellWord(name()));
  if (start.starts_with("ffconcat version"))
    return Error(
        StatusCode::kBadData,
        "{} is a list of files for FFmpeg's concat demuxer; make one file of them first: ffmpeg -f concat -safe 0 "
        "-i {} -c copy out.mkv",
        name(), ShellWord(name()));
  if (start.size() >= 8 && start.substr(4, 4) == "ftyp" && error == AVERROR_INVALIDDATA && io_error_.ok())
    return Error(
        StatusCode::kBadData,
        "{} is an MP4 file without an index (moov): its recording or download was not completed; repair it with "
        "the program that wrote it, or copy it again",
        name());
  return Failure("neither y4m nor a video file that FFmpeg can read (raw yuv needs its size)", error);
}

Status Demuxer::OpenContainer(bool always_probe) {
  AVFormatContext* container = Ffmpeg().avformat_alloc_context();
  if (!container) return Failure("no memory", AVERROR(ENOMEM));
  Fields(*container).pb() = io_.get();
  watch_.Attach(*container);
  // One file is scored: play lists and lists of parts, which name others, open none of them.
  Fields(*container).io_open() = [](AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
    return AVERROR(EPERM);
  };
  AVDictionary* options = nullptr;
  Ffmpeg().av_dict_set(&options, "protocol_whitelist", "none", 0);
  const int opened = Ffmpeg().avformat_open_input(&container, name().c_str(), nullptr, &options);  // frees on failure
  Ffmpeg().av_dict_free(&options);
  if (opened < 0) return NotReadable(opened);
  container_.reset(container);
  is_probed_ = always_probe || !stream_->seekable() || !CanSkipStreamProbe(*container);
  if (!is_probed_) return {};
  const int probed = Ffmpeg().avformat_find_stream_info(container, nullptr);
  return probed < 0 ? Failure("no usable stream found", probed) : Status();
}

namespace {

std::string LanguageOf(const AVStream& stream) {
  const AVDictionaryEntry* const entry = Ffmpeg().av_dict_get(Fields(stream).metadata(), "language", nullptr, 0);
  return entry ? entry->value : "";
}

}  // namespace

std::string Demuxer::DescribeTrack(int stream) const {
  const auto video = Fields(*Fields(Stream(stream)).codecpar());
  const std::string language = LanguageOf(Stream(stream));
  return fmt::format("{}x{} {}{}", video.width(), video.height(), Ffmpeg().avcodec_get_name(video.codec_id()),
                     language.empty() ? "" : ", " + language);
}

/// The stream that the user named; -1: none was named.
Result<int> Demuxer::FindTrack(const std::vector<int>& videos) const {
  if (wanted_track_.empty()) return -1;
  for (size_t k = 0; k < videos.size(); ++k) {
    const AVStream& video = Stream(videos[k]);
    const bool is_default = wanted_track_ == "default" && (Fields(video).disposition() & AV_DISPOSITION_DEFAULT);
    if (is_default || wanted_track_ == std::to_string(k) || wanted_track_ == LanguageOf(video)) return videos[k];
  }
  std::string tracks;
  for (size_t k = 0; k < videos.size(); ++k)
    tracks += fmt::format("{}{} ({})", k > 0 ? ", " : "", k, DescribeTrack(videos[k]));
  return Error(StatusCode::kInvalidArgument, "{} has no video track '{}'; there are {}", name(), wanted_track_, tracks);
}

Status Demuxer::ChooseTrack() {
  std::vector<int> videos;
  const int streams = static_cast<int>(Fields(*container_).nb_streams());
  for (int i = 0; i < streams; ++i) {
    const auto stream = Fields(Stream(i));
    if (Fields(*stream.codecpar()).codec_type() == AVMEDIA_TYPE_VIDEO &&
        !(stream.disposition() & AV_DISPOSITION_ATTACHED_PIC))
      videos.push_back(i);
  }
  ACU_ASSIGN_OR_RETURN(const int wanted, FindTrack(videos));
  track_ = Ffmpeg().av_find_best_stream(container_.get(), AVMEDIA_TYPE_VIDEO, wanted, -1, &codec_, 0);
  if (track_ == AVERROR_DECODER_NOT_FOUND)
    return Error(StatusCode::kUnsupported, "{}: this build of FFmpeg has no decoder for its video", name());
  if (track_ < 0) return Error(StatusCode::kBadData, "{} has no video stream", name());
  for (int i = 0; i < streams; ++i)
    if (i != track_) Fields(Stream(i)).discard() = AVDISCARD_ALL;
  const Codec codec = CodecOf(Fields(parameters()).codec_id());
  if (Fields(track()).disposition() & AV_DISPOSITION_ATTACHED_PIC)
    return Error(StatusCode::kBadData, "{} has no video stream, but the picture of a cover", name());
  if (codec == Codec::kAnsi || codec == Codec::kBintext || codec == Codec::kXbin || codec == Codec::kIdf)
    return Error(StatusCode::kBadData, "{} is text and no video", name());
  watch_.NoteWarnings();
  if (videos.size() < 2) return {};
  const auto number = std::ranges::find(videos, track_) - videos.begin();
  track_note_ = fmt::format("it has {} video tracks; track {} ({}) is scored{}", videos.size(), number,
                            DescribeTrack(track_), wanted_track_.empty() ? ", and --track names another" : "");
  return {};
}

Status Demuxer::Open(bool always_probe) {
  ACU_ASSIGN_OR_RETURN(const std::string_view start, stream_->Peek(kStartBytes));
  start_ = start.substr(0, 32);
  declared_end_ = DeclaredFileSize(start.substr(0, kDeclaredEndBytes));
  if (ProgramChanges programs(start); programs.is_active()) programs_ = std::move(programs);
  if (!Ffmpeg().crops) crop_ = FindContainerCrop(*stream_);
  ACU_RETURN_IF_ERROR(OpenIo());
  ACU_RETURN_IF_ERROR(OpenContainer(always_probe));
  return ChooseTrack();
}

Status Demuxer::Reopen(bool always_probe) {
  if (!stream_->seekable() && !std::exchange(can_replay_, false))
    return Error(StatusCode::kBadData,
                 "{} is damaged: a pipe of more than {} MB is not decoded beyond its damage; write it to a file",
                 name(), most_replayed_ >> 20);
  auto io = std::move(io_);
  auto container = std::move(container_);
  const int track = track_;
  Status opened = OpenAgain(always_probe);
  if (opened.ok()) {
    container.reset();
    return opened;
  }
  // Callers still ask what the container declared.
  container_.reset();
  io_ = std::move(io);
  container_ = std::move(container);
  track_ = track;
  has_ended_ = true;
  return opened;
}

Status Demuxer::OpenAgain(bool always_probe) {
  watch_.TakeError();
  if (stream_->seekable()) ACU_RETURN_IF_ERROR(stream_->Seek(0));
  replayed_ = 0;
  if (programs_) programs_->Jump();
  io_error_ = {};
  starts_between_keys_ = has_ended_ = has_jumped_ = false;
  count_ = {};
  ACU_RETURN_IF_ERROR(OpenIo());
  ACU_RETURN_IF_ERROR(OpenContainer(always_probe));
  return ChooseTrack();
}

Status Demuxer::CheckWhole() const {
  const int64_t end = stream_->seekable() ? stream_->size() : stream_->position();
  if (!declared_end_ || end >= *declared_end_) return {};
  return Error(StatusCode::kBadData, "{} is truncated: it has {} of {} bytes", name(), end, *declared_end_);
}

/// Clocks of transport streams jump where recordings were joined.
void Demuxer::NoteJump(int64_t decoding_time) {
  constexpr double kForward = 10;  // seconds, as for the times of frames
  if (decoding_time == AV_NOPTS_VALUE || !is_transport_stream()) return;
  const int64_t last = std::exchange(count_.decoding_time, decoding_time);
  if (last == AV_NOPTS_VALUE) return;
  const double step = static_cast<double>(decoding_time - last) * av_q2d(Fields(track()).time_base());
  if (step >= 0 && step <= kForward) return;
  count_.duration += count_.end_time - count_.first_time;
  count_.first_time = count_.end_time = AV_NOPTS_VALUE;
}

void Demuxer::Count(const AVPacket& packet) {
  if (count_.packets++ == 0) {
    starts_between_keys_ = !(packet.flags & AV_PKT_FLAG_KEY);
    count_.first_packet_time = packet.pts;
  }
  count_.bytes += packet.size;
  NoteJump(packet.dts);
  if (packet.pts == AV_NOPTS_VALUE) return;
  if (count_.first_time == AV_NOPTS_VALUE) count_.first_time = count_.end_time = packet.pts;
  count_.first_time = std::min(count_.first_time, packet.pts);
  count_.end_time = std::max(count_.end_time, packet.pts + packet.duration);
}

Result<std::optional<bool>> Demuxer::Read(AVPacket& packet) {
  if (interrupted_) return Error(StatusCode::kCancelled, "reading {} was cancelled", name());
  const int read = Ffmpeg().av_read_frame(container_.get(), &packet);
  if (read == AVERROR_EOF && io_error_.ok()) {
    has_ended_ = true;
    ACU_RETURN_IF_ERROR(CheckWhole());
    return std::optional<bool>();
  }
  if (read < 0) return Failure("damaged or truncated", read);
  const bool is_ours = packet.stream_index == track_;
  if (is_ours) Count(packet);
  return std::optional(is_ours);
}

bool Demuxer::Jump(double part) {
  const auto container = Fields(*container_);
  if (!stream_->seekable() || container.duration() <= 0) return false;
  const int64_t start = container.start_time() == AV_NOPTS_VALUE ? 0 : container.start_time();
  const auto time = start + static_cast<int64_t>(part * static_cast<double>(container.duration()));
  has_jumped_ = Ffmpeg().av_seek_frame(container_.get(), -1, time, AVSEEK_FLAG_BACKWARD) >= 0;
  return has_jumped_;
}

std::optional<int64_t> Demuxer::BitRate() {
  constexpr int64_t kMostBytes = int64_t{1} << 30;
  interrupted_ = false;  // by the end of the run, which needed no more frames
  AVPacket* packet = Ffmpeg().av_packet_alloc();
  while (packet && !has_ended_ && !has_jumped_ && stream_->seekable() &&
         stream_->size() - stream_->position() <= kMostBytes) {
    const Result<std::optional<bool>> read = Read(*packet);
    Ffmpeg().av_packet_unref(packet);
    if (!read.ok() || !*read) break;
  }
  Ffmpeg().av_packet_free(&packet);
  const int64_t duration = count_.duration + count_.end_time - count_.first_time;
  double seconds = static_cast<double>(duration) * av_q2d(Fields(track()).time_base());
  if (duration == 0 && frame_rate()) seconds = static_cast<double>(count_.packets) / *frame_rate();
  if (has_jumped_ || count_.bytes == 0 || seconds <= 0) return std::nullopt;
  return static_cast<int64_t>(8 * static_cast<double>(count_.bytes) / seconds + 0.5);
}

std::optional<double> Demuxer::frame_rate() const {
  const AVRational rate = Ffmpeg().av_guess_frame_rate(container_.get(), &track(), nullptr);
  return rate.num > 0 && rate.den > 0 ? std::optional(av_q2d(rate)) : std::nullopt;
}

void Demuxer::DescribeUnprobed() {
  if (!is_probed_) DescribeContainer(*container_, count_.first_packet_time, stream_->size());
}

}  // namespace acutance
