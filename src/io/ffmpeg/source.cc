#include "io/ffmpeg/source.h"
#include "base/threads/exception_barrier.h"
#include "base/trace.h"

#include <atomic>
#include <utility>

#include "io/ffmpeg/frame_import.h"
#include "io/ffmpeg/hardware_decoder.h"
#include "io/ffmpeg/library.h"
#include "io/ffmpeg/matroska_size.h"
#include "io/ffmpeg/stream_facts.h"
#include "io/ffmpeg/stream_probe.h"

#if defined(__SANITIZE_THREAD__)
// FFmpeg's libraries are not instrumented, so that data which their threads hand to each other
// looks like a race to ThreadSanitizer.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libavcodec.so\ncalled_from_lib:libavformat.so\ncalled_from_lib:libavutil.so\n";
}
#endif

namespace acutance {
namespace {

constexpr int kIoBuffer = 1 << 16;

struct Freed {
  void operator()(AVIOContext* io) const {
    Ffmpeg().av_freep(&io->buffer);
    Ffmpeg().avio_context_free(&io);
  }
  void operator()(AVFormatContext* container) const { Ffmpeg().avformat_close_input(&container); }
  void operator()(AVCodecContext* decoder) const { Ffmpeg().avcodec_free_context(&decoder); }
  void operator()(AVPacket* packet) const { Ffmpeg().av_packet_free(&packet); }
};

std::string Reason(int error) {
  char text[AV_ERROR_MAX_STRING_SIZE] = "";
  Ffmpeg().av_strerror(error, text, sizeof text);
  return text;
}

class FfmpegSource : public VideoSource {
 public:
  /// device: where to decode; null: on the CPU.
  FfmpegSource(std::unique_ptr<ByteStream> stream, const DeviceDecoding* device)
      : stream_(std::move(stream)), device_(device ? std::optional(*device) : std::nullopt) {}

  /// Opens everything and decodes the first frame: only that tells size and pixel format for certain.
  Status Open(const OpenOptions& options);

  /// Hands the byte stream to another source; this one is not used afterwards.
  std::unique_ptr<ByteStream> TakeStream() { return std::move(stream_); }

  const PictureFormat& format() const override { return format_; }
  std::optional<int64_t> frame_count() const override;
  VideoColor color() const override { return color_; }
  VideoFacts facts() const override { return facts_; }
  std::optional<double> frame_rate() const override;
  std::optional<double> time() const override { return time_; }
  bool is_on_device() const override { return device_.has_value(); }
  std::vector<std::string> warnings() const override;
  void SkipChroma() override { luma_only_ = true; }  // not called for RGB
  void Interrupt() override;
  Result<std::optional<Picture>> Next() override;
  bool Jump(double part) override;

 private:
  using FramePtr = std::shared_ptr<AVFrame>;

  static int ReadBytes(void* self, uint8_t* to, int count);
  static int64_t SeekBytes(void* self, int64_t offset, int whence);
  bool IsReadingTooLong(int count);
  Status OpenIo();
  Status OpenInput(bool always_probe);
  Status OpenDecoder(const OpenOptions& options);
  Status Failure(std::string_view what, int error) const;

  Result<FramePtr> DecodeFrame();  // null: the end
  void FeedDecoder();              // one packet, or the end
  void StopFeeding(Status reason);
  Status CheckWhole() const;
  Result<PictureFormat> FormatOfFrame(const AVFrame& frame) const;
  Status CheckFrame(const AVFrame& frame) const;
  Result<Picture> MakePicture(FramePtr frame);
  std::optional<double> TimeOf(const AVFrame& frame) const;

  std::unique_ptr<ByteStream> stream_;
  const std::optional<DeviceDecoding> device_;
  DeviceStream device_stream_;
  Status io_error_;  // of the byte stream; FFmpeg knows only that there was one
  std::unique_ptr<AVIOContext, Freed> io_;
  std::unique_ptr<AVFormatContext, Freed> container_;
  std::unique_ptr<AVCodecContext, Freed> decoder_;
  std::unique_ptr<AVPacket, Freed> packet_;
  std::optional<int64_t> declared_end_;
  PicturePool pool_;
  int track_ = 0;
  PictureFormat format_;
  VideoColor color_;
  VideoFacts facts_;
  FramePtr first_;
  Status broken_;  // why feeding stopped early; reported after the frames that the decoder still holds
  bool is_described_ = false;
  bool has_decoded_ = false;
  bool has_fed_ = false;
  int64_t first_time_ = AV_NOPTS_VALUE;  // of the packet fed first
  bool starts_between_keys_ = false;
  bool fed_all_ = false;
  bool luma_only_ = false;
  bool take_rgb_ = false;
  bool ended_ = false;
  std::atomic<bool> interrupted_ = false;
  int64_t read_since_ = 0;      // bytes, since it was interrupted
  int64_t frames_ = 0;          // handed out
  std::optional<double> time_;  // of the last of them
};

/// A packet of a file is read to its end: half a packet would be damage to FFmpeg, which complains of it on standard
/// error in a process that is not ours. A pipe may never give the rest.
void FfmpegSource::Interrupt() {
  interrupted_ = true;
  if (!stream_->seekable()) stream_->Interrupt();
}

/// More than any packet holds: FFmpeg is looking for the next one in a damaged file.
bool FfmpegSource::IsReadingTooLong(int count) {
  constexpr int64_t kMostOfAPacket = int64_t{1} << 28;
  return interrupted_ && (read_since_ += count) > kMostOfAPacket;
}

int FfmpegSource::ReadBytes(void* opaque, uint8_t* to, int count) {
  auto* self = static_cast<FfmpegSource*>(opaque);
  if (self->IsReadingTooLong(count)) self->stream_->Interrupt();
  const Result<size_t> got =
      CatchExceptionsResult<size_t>([&] { return self->stream_->ReadSome(to, static_cast<size_t>(count)); });
  if (got.ok()) return *got == 0 ? AVERROR_EOF : static_cast<int>(*got);
  self->io_error_ = got.status();
  return AVERROR_EXIT;
}

int64_t FfmpegSource::SeekBytes(void* opaque, int64_t offset, int whence) {
  ByteStream& stream = *static_cast<FfmpegSource*>(opaque)->stream_;
  const auto seek = [&](int64_t to) { return CatchExceptions([&] { return stream.Seek(to); }); };
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

Status FfmpegSource::Failure(std::string_view what, int error) const {
  if (!io_error_.ok()) return io_error_;
  if (!device_stream_.refusal.empty())
    return Error(StatusCode::kUnsupported, "{}: {}", stream_->name(), device_stream_.refusal);
  const StatusCode code = error == AVERROR(ENOMEM) ? StatusCode::kOutOfMemory : StatusCode::kBadData;
  const char* hint = stream_->seekable() ? "" : " (some containers can be read from a file only, not from a pipe)";
  return Error(code, "{}: {}: {}{}", stream_->name(), what, Reason(error), hint);
}

Status FfmpegSource::OpenIo() {
  // FFmpeg may replace the buffer; the context owns it from here on.
  auto* buffer = static_cast<uint8_t*>(Ffmpeg().av_malloc(kIoBuffer));
  if (!buffer) return Failure("no memory", AVERROR(ENOMEM));
  io_.reset(Ffmpeg().avio_alloc_context(buffer, kIoBuffer, 0, this, ReadBytes, nullptr,
                                        stream_->seekable() ? SeekBytes : nullptr));
  if (io_) return {};
  Ffmpeg().av_free(buffer);
  return Failure("no memory", AVERROR(ENOMEM));
}

Status FfmpegSource::OpenInput(bool always_probe) {
  AVFormatContext* container = Ffmpeg().avformat_alloc_context();
  if (!container) return Failure("no memory", AVERROR(ENOMEM));
  container->pb = io_.get();
  // One file is scored: play lists and lists of parts, which name others, open none of them.
  container->io_open = [](AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) { return AVERROR(EPERM); };
  AVDictionary* options = nullptr;
  Ffmpeg().av_dict_set(&options, "protocol_whitelist", "none", 0);
  const int opened =
      Ffmpeg().avformat_open_input(&container, stream_->name().c_str(), nullptr, &options);  // frees on failure
  Ffmpeg().av_dict_free(&options);
  if (opened < 0) return Failure("neither y4m nor a video file that FFmpeg can read (raw yuv needs its size)", opened);
  container_.reset(container);
  is_described_ = !always_probe && !device_ && stream_->seekable() && CanSkipStreamProbe(*container);
  if (is_described_) return {};
  const int probed = Ffmpeg().avformat_find_stream_info(container, nullptr);
  if (probed < 0) return Failure("no usable stream found", probed);
  return {};
}

Status FfmpegSource::OpenDecoder(const OpenOptions& options) {
  const AVCodec* codec = nullptr;
  track_ = Ffmpeg().av_find_best_stream(container_.get(), AVMEDIA_TYPE_VIDEO, -1, -1, &codec, 0);
  if (track_ == AVERROR_DECODER_NOT_FOUND)
    return Error(StatusCode::kUnsupported, "{}: this build of FFmpeg has no decoder for its video", stream_->name());
  if (track_ < 0) return Error(StatusCode::kBadData, "{} has no video stream", stream_->name());
  for (unsigned i = 0; i < container_->nb_streams; ++i)
    if (static_cast<int>(i) != track_) container_->streams[i]->discard = AVDISCARD_ALL;
  const AVCodecID id = container_->streams[track_]->codecpar->codec_id;
  if (container_->streams[track_]->disposition & AV_DISPOSITION_ATTACHED_PIC)
    return Error(StatusCode::kBadData, "{} has no video stream, but the picture of a cover", stream_->name());
  if (id == AV_CODEC_ID_ANSI || id == AV_CODEC_ID_BINTEXT || id == AV_CODEC_ID_XBIN || id == AV_CODEC_ID_IDF)
    return Error(StatusCode::kBadData, "{} is text and no video", stream_->name());
  if (device_ && !(codec = FindDeviceDecoder(id)))
    return Error(StatusCode::kUnsupported, "{}: this build of FFmpeg does not decode {} on CUDA devices",
                 stream_->name(), Ffmpeg().avcodec_get_name(id));
  decoder_.reset(Ffmpeg().avcodec_alloc_context3(codec));
  packet_.reset(Ffmpeg().av_packet_alloc());
  if (!decoder_ || !packet_) return Failure("no memory", AVERROR(ENOMEM));
  int error = Ffmpeg().avcodec_parameters_to_context(decoder_.get(), container_->streams[track_]->codecpar);
  if (error < 0) return Failure("bad codec parameters", error);
  decoder_->pkt_timebase = container_->streams[track_]->time_base;
  decoder_->thread_count = device_ ? 1 : options.decoder_threads;
  if (!options.film_grain) decoder_->export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
  if (device_) {
    const Status used = UseDevice(*decoder_, device_->cuda_context, &device_stream_);
    if (!used.ok()) return Error(used.code(), "{}: {}", stream_->name(), used.message());
  }
  decoder_->flags |= AV_CODEC_FLAG_UNALIGNED;  // crop exactly, whatever that does to the alignment of rows
  error = Ffmpeg().avcodec_open2(decoder_.get(), codec, nullptr);
  return error < 0 ? Failure("could not open the decoder", error) : Status();
}

Status FfmpegSource::Open(const OpenOptions& options) {
  take_rgb_ = options.take_all;
  ACU_ASSIGN_OR_RETURN(const std::string_view start, stream_->Peek(kDeclaredEndBytes));
  declared_end_ = DeclaredFileSize(start);
  ACU_RETURN_IF_ERROR(OpenIo());
  ACU_RETURN_IF_ERROR(OpenInput(options.always_probe));
  ACU_RETURN_IF_ERROR(OpenDecoder(options));
  ACU_ASSIGN_OR_RETURN(first_, DecodeFrame());
  if (!first_) return Error(StatusCode::kBadData, "{} has no video frames that could be decoded", stream_->name());
  ACU_ASSIGN_OR_RETURN(format_, FormatOfFrame(*first_));
  if (is_described_) DescribeContainer(*container_, first_time_, stream_->size());
  color_ = ColorOf(*first_);
  facts_ = FactsOf(*container_, *container_->streams[track_], *first_);
  if (!options.film_grain && decoder_->codec_id == AV_CODEC_ID_AV1)
    facts_.changed_samples = "its film grain is left out";
  return {};
}

std::optional<int64_t> FfmpegSource::frame_count() const {
  const int64_t count = container_->streams[track_]->nb_frames;
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::optional<double> FfmpegSource::frame_rate() const {
  const AVRational rate = Ffmpeg().av_guess_frame_rate(container_.get(), container_->streams[track_], nullptr);
  return rate.num > 0 && rate.den > 0 ? std::optional(av_q2d(rate)) : std::nullopt;
}

std::vector<std::string> FfmpegSource::warnings() const {
  if (!starts_between_keys_) return {};
  return {"the video starts between key frames; frames count from the first that can be decoded"};
}

void FfmpegSource::StopFeeding(Status reason) {
  fed_all_ = true;
  broken_ = std::move(reason);
  Ffmpeg().avcodec_send_packet(decoder_.get(), nullptr);  // from here on the decoder gives what it still holds
}

Status FfmpegSource::CheckWhole() const {
  const int64_t end = stream_->seekable() ? stream_->size() : stream_->position();
  if (!declared_end_ || end >= *declared_end_) return {};
  return Error(StatusCode::kBadData, "{} is truncated: it has {} of {} bytes", stream_->name(), end, *declared_end_);
}

void FfmpegSource::FeedDecoder() {
  if (interrupted_) return StopFeeding(Error(StatusCode::kCancelled, "reading {} was cancelled", stream_->name()));
  const int read = Ffmpeg().av_read_frame(container_.get(), packet_.get());
  if (read == AVERROR_EOF && io_error_.ok()) return StopFeeding(CheckWhole());
  if (read < 0) return StopFeeding(Failure("damaged or truncated", read));
  int sent = 0;
  const bool is_ours = packet_->stream_index == track_;
  const bool is_corrupt = packet_->flags & AV_PKT_FLAG_CORRUPT;
  if (is_ours && !std::exchange(has_fed_, true)) {
    starts_between_keys_ = !(packet_->flags & AV_PKT_FLAG_KEY);
    first_time_ = packet_->pts;
  }
  if (is_ours && !is_corrupt) sent = Ffmpeg().avcodec_send_packet(decoder_.get(), packet_.get());
  Ffmpeg().av_packet_unref(packet_.get());
  if (is_ours && is_corrupt) return StopFeeding(Failure("damaged or truncated", AVERROR_INVALIDDATA));
  if (sent >= 0 || sent == AVERROR(EAGAIN)) return;
  // Frames before the first key frame of a recording cannot be decoded; that is no damage.
  if (has_decoded_ || !starts_between_keys_ || !device_stream_.refusal.empty())
    StopFeeding(Failure("could not decode", sent));
}

Result<FfmpegSource::FramePtr> FfmpegSource::DecodeFrame() {
  FramePtr frame(Ffmpeg().av_frame_alloc(), [](AVFrame* done) { Ffmpeg().av_frame_free(&done); });
  if (!frame) return Failure("no memory", AVERROR(ENOMEM));
  for (;;) {
    const int error = Ffmpeg().avcodec_receive_frame(decoder_.get(), frame.get());
    if (error == 0) {
      has_decoded_ = true;
      return frame;
    }
    if (error == AVERROR(EAGAIN) && !fed_all_) {
      FeedDecoder();
      continue;
    }
    if (!broken_.ok()) return broken_;
    if (error == AVERROR_EOF) return FramePtr();
    return Failure("could not decode", error);
  }
}

/// Frames on a device tell only how they are laid out there.
Result<PictureFormat> FfmpegSource::FormatOfFrame(const AVFrame& frame) const {
  if (!device_) return FormatOf(frame, static_cast<AVPixelFormat>(frame.format), stream_->name(), take_rgb_);
  if (frame.format != AV_PIX_FMT_CUDA)
    return Error(StatusCode::kUnsupported, "{}: the CUDA device does not decode it", stream_->name());
  // FFmpeg's own decoder treats or conceals each of these differently.
  if (decoder_->properties & FF_CODEC_PROPERTY_FILM_GRAIN)
    return Error(StatusCode::kUnsupported, "{}: NVDEC does not take streams with film grain", stream_->name());
  if (starts_between_keys_)
    return Error(StatusCode::kUnsupported, "{}: NVDEC does not take streams that start between key frames",
                 stream_->name());
  return FormatOf(frame, decoder_->sw_pix_fmt, stream_->name());
}

Status FfmpegSource::CheckFrame(const AVFrame& frame) const {
  if (frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT))
    return Error(StatusCode::kBadData, "{} is damaged: frame {} could not be decoded whole", stream_->name(), frames_);
  ACU_ASSIGN_OR_RETURN(const PictureFormat format, FormatOfFrame(frame));
  if (format == format_) return {};
  return Error(StatusCode::kUnsupported, "{}: frame {} changes from {}x{} {} {}-bit to {}x{} {} {}-bit",
               stream_->name(), frames_, format_.width, format_.height, PixelFormatName(format_.pixel_format),
               format_.bit_depth, format.width, format.height, PixelFormatName(format.pixel_format), format.bit_depth);
}

/// A device's decoder has few surfaces, so that its frames are copied and given back at once.
Result<Picture> FfmpegSource::MakePicture(FramePtr frame) {
  if (!device_) return PictureOf(std::move(frame), format_, luma_only_, pool_);
  Result<DeviceFrame> there = DeviceFrameOf(*frame, format_, luma_only_);
  Result<Picture> picture = there.ok() ? device_->take(*there) : there.status();
  if (picture.ok()) return picture;
  return Error(picture.status().code(), "{}: frame {}: {}", stream_->name(), frames_, picture.status().message());
}

/// Jumps to the key frame before that time.
bool FfmpegSource::Jump(double part) {
  if (!stream_->seekable() || container_->duration <= 0) return false;
  const int64_t start = container_->start_time == AV_NOPTS_VALUE ? 0 : container_->start_time;
  const auto time = start + static_cast<int64_t>(part * static_cast<double>(container_->duration));
  if (Ffmpeg().av_seek_frame(container_.get(), -1, time, AVSEEK_FLAG_BACKWARD) < 0) return false;
  Ffmpeg().avcodec_flush_buffers(decoder_.get());
  first_.reset();
  ended_ = fed_all_ = false;
  broken_ = {};
  return true;
}

/// Edit lists are applied. Streams of a container start together, so that a video may start after the sound.
std::optional<double> FfmpegSource::TimeOf(const AVFrame& frame) const {
  if (frame.best_effort_timestamp == AV_NOPTS_VALUE) return std::nullopt;
  const int64_t start = container_->start_time == AV_NOPTS_VALUE ? 0 : container_->start_time;
  return static_cast<double>(frame.best_effort_timestamp) * av_q2d(container_->streams[track_]->time_base) -
         static_cast<double>(start) / AV_TIME_BASE;
}

Result<std::optional<Picture>> FfmpegSource::Next() {
  const TraceSpan span("decode", frames_);
  if (ended_) return std::optional<Picture>();
  ended_ = true;  // unless a picture comes of it
  FramePtr frame = std::exchange(first_, nullptr);
  if (!frame) {
    Result<FramePtr> decoded = DecodeFrame();
    if (!decoded.ok())
      return Error(decoded.status().code(), "{} (after {} frame{})", decoded.status().message(), frames_,
                   frames_ == 1 ? "" : "s");
    frame = std::move(*decoded);
  }
  if (!frame) return std::optional<Picture>();
  ACU_RETURN_IF_ERROR(CheckFrame(*frame));
  time_ = TimeOf(*frame);
  ACU_ASSIGN_OR_RETURN(Picture picture, MakePicture(std::move(frame)));
  ended_ = false;
  ++frames_;
  return std::optional(std::move(picture));
}

}  // namespace

Result<std::unique_ptr<VideoSource>> OpenContainer(std::unique_ptr<ByteStream> stream, const OpenOptions& options) {
  if (const Status& loaded = LoadFfmpeg(); !loaded.ok())
    return Error(loaded.code(), "{} cannot be read: {}", stream->name(), loaded.message());
  if (options.device_decoding && stream->seekable()) {
    auto source = std::make_unique<FfmpegSource>(std::move(stream), &*options.device_decoding);
    const Status status = source->Open(options);
    if (status.ok()) return std::unique_ptr<VideoSource>(std::move(source));
    if (options.device_decoding->required) return status;
    stream = source->TakeStream();
    ACU_RETURN_IF_ERROR(stream->Seek(0));
  }
  auto source = std::make_unique<FfmpegSource>(std::move(stream), nullptr);
  ACU_RETURN_IF_ERROR(source->Open(options));
  return std::unique_ptr<VideoSource>(std::move(source));
}

}  // namespace acutance
