#include "io/ffmpeg/source.h"
#include "base/trace.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "io/ffmpeg/damage_watch.h"
#include "io/ffmpeg/demuxer.h"
#include "io/ffmpeg/frame_import.h"
#include "io/ffmpeg/h264_bits.h"
#include "io/ffmpeg/hardware_decoder.h"
#include "io/ffmpeg/library.h"
#include "io/ffmpeg/stream_facts.h"

#if defined(__SANITIZE_THREAD__)
// FFmpeg's libraries are not instrumented, so that data which their threads hand to each other
// looks like a race to ThreadSanitizer.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libavcodec.so\ncalled_from_lib:libavformat.so\ncalled_from_lib:libavutil.so\n";
}
#endif

namespace acutance {
namespace {

struct Freed {
  void operator()(AVCodecContext* decoder) const { Ffmpeg().avcodec_free_context(&decoder); }
  void operator()(AVPacket* packet) const { Ffmpeg().av_packet_free(&packet); }
};

/// What a decoder does about errors.
enum class OnError {
  kFind,    // any sign of damage ends decoding, before a picture that it may have changed is handed out
  kRecord,  // they are recorded, and decoding continues on one thread: what a decoder conceals depends on its threads
  kIgnore,  // after a jump, where pictures may lack the references of their own
};

/// Numbers the packets, so that a frame names the one that it was decoded from.
void SetNumber([[maybe_unused]] AVCodecContext& decoder, [[maybe_unused]] AVPacket& packet, int64_t number) {
#if LIBAVCODEC_VERSION_MAJOR >= 60
  packet.opaque = reinterpret_cast<void*>(static_cast<intptr_t>(number));
#else
  decoder.reordered_opaque = number;
#endif
}

int64_t NumberOf(const AVFrame& frame) {
#if LIBAVCODEC_VERSION_MAJOR >= 60
  return static_cast<int64_t>(reinterpret_cast<intptr_t>(frame.opaque));
#else
  return frame.reordered_opaque;
#endif
}

class FfmpegSource : public VideoSource {
 public:
  /// device: where to decode; null: on the CPU. fit: of frames that change; null: they are refused.
  FfmpegSource(std::unique_ptr<ByteStream> stream, const DeviceDecoding* device, const OpenOptions& options,
               FrameFit fit)
      : input_(std::move(stream), options.track),
        device_(device ? std::optional(*device) : std::nullopt),
        options_(options),
        fit_(std::move(fit)) {}

  /// Opens everything and decodes the first frame: only that tells size and pixel format for certain.
  Status Open();

  /// Hands the byte stream to another source; this one is not used afterwards.
  std::unique_ptr<ByteStream> TakeStream() { return input_.TakeStream(); }

  const PictureFormat& format() const override { return format_; }
  std::optional<int64_t> frame_count() const override;
  VideoColor color() const override { return color_; }
  VideoFacts facts() const override { return facts_; }
  std::optional<double> frame_rate() const override { return input_.frame_rate(); }
  std::optional<double> time() const override { return time_; }
  bool is_on_device() const override { return device_.has_value(); }
  std::vector<std::string> warnings() const override;
  StreamDamage damage() const override;
  std::vector<InputChange> frame_changes() const override { return changes_.Describe(); }
  void SkipChroma() override { luma_only_ = true; }  // not called for RGB
  void Interrupt() override { input_.Interrupt(); }
  double reading_seconds() const override { return input_.stream().reading_seconds(); }
  std::optional<int64_t> MeasureBitRate() override { return input_.BitRate(); }
  Result<std::optional<Picture>> Next() override;
  bool Jump(double part) override;

 private:
  using FramePtr = std::shared_ptr<AVFrame>;

  Status OpenDecoder();
  Status Failure(std::string_view what, int error) const;

  Result<FramePtr> DecodeFrame();  // null: the end
  Result<FramePtr> DecodeNext();   // likewise; decodes again on one thread where damage is found
  Status DecodeAgain();
  void FeedDecoder();  // one packet, or the end
  void StopFeeding(Status reason);
  void NoteRange(const AVPacket& packet);
  void OnDamage(std::string reason);
  void CheckErrors(const AVFrame& frame);
  Result<PictureFormat> FormatOfFrame(const AVFrame& frame) const;
  Result<FrameDeclaration> CheckFrame(const AVFrame& frame) const;
  Result<Picture> MakePicture(FramePtr frame, const FrameForm& form);
  std::optional<double> TimeOf(const AVFrame& frame);

  Demuxer input_;
  const std::optional<DeviceDecoding> device_;
  const OpenOptions options_;
  const FrameFit fit_;
  DeviceStream device_stream_;
  DamageWatch watch_;  // outlives the decoder
  std::unique_ptr<AVCodecContext, Freed> decoder_;
  std::unique_ptr<AVPacket, Freed> packet_;
  PicturePool pool_;
  PictureFormat format_;
  VideoColor color_;
  VideoFacts facts_;
  FrameChanges changes_;
  std::map<int64_t, bool> ranges_;  // from a packet on: whether H.264 declares range and colors, where that changed
  std::string profile_warning_;
  FramePtr first_;
  Status broken_;  // why feeding stopped early; reported after the frames that the decoder still holds
  bool has_decoded_ = false;
  bool fed_all_ = false;
  bool luma_only_ = false;
  bool ended_ = false;
  int64_t frames_ = 0;          // handed out
  std::optional<double> time_;  // of the last of them
  double clock_offset_ = 0;     // seconds that are added to times

  OnError on_error_ = OnError::kFind;
  bool found_damage_ = false;          // kFind
  int64_t packets_ = 0;                // fed
  int64_t decoded_ = 0;                // frames from the decoder
  std::set<int64_t> damaged_packets_;  // kRecord: those whose frames have not come
  StreamDamage damage_;
};

Status FfmpegSource::Failure(std::string_view what, int error) const {
  if (device_stream_.refusal.empty()) return input_.Failure(what, error);
  return Error(StatusCode::kUnsupported, "{}: {}", input_.name(), device_stream_.refusal);
}

Status FfmpegSource::OpenDecoder() {
  const AVCodec* codec = input_.codec();
  const AVCodecID id = input_.track().codecpar->codec_id;
  if (device_ && !(codec = FindDeviceDecoder(id)))
    return Error(StatusCode::kUnsupported, "{}: this build of FFmpeg does not decode {} on CUDA devices", input_.name(),
                 Ffmpeg().avcodec_get_name(id));
  decoder_.reset(Ffmpeg().avcodec_alloc_context3(codec));
  packet_.reset(Ffmpeg().av_packet_alloc());
  if (!decoder_ || !packet_) return Failure("no memory", AVERROR(ENOMEM));
  int error = Ffmpeg().avcodec_parameters_to_context(decoder_.get(), input_.track().codecpar);
  if (error < 0) return Failure("bad codec parameters", error);
  decoder_->pkt_timebase = input_.track().time_base;
  decoder_->thread_count = device_ || on_error_ == OnError::kRecord ? 1 : options_.decoder_threads;
#if LIBAVCODEC_VERSION_MAJOR >= 60
  decoder_->flags |= AV_CODEC_FLAG_COPY_OPAQUE;
#endif
  if (!options_.film_grain) decoder_->export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
  if (!device_) {
    decoder_->err_recognition |= AV_EF_CRCCHECK;  // HEVC's hashes of pictures
    if (on_error_ == OnError::kFind) decoder_->err_recognition |= AV_EF_EXPLODE;
    watch_.Attach(*decoder_, on_error_ == OnError::kRecord);
  } else {
    const Status used = UseDevice(*decoder_, device_->cuda_context, &device_stream_);
    if (!used.ok()) return Error(used.code(), "{}: {}", input_.name(), used.message());
  }
  decoder_->flags |= AV_CODEC_FLAG_UNALIGNED;  // crop exactly, at the cost of aligned rows
  error = Ffmpeg().avcodec_open2(decoder_.get(), codec, nullptr);
  return error < 0 ? Failure("could not open the decoder", error) : Status();
}

Status FfmpegSource::Open() {
  ACU_RETURN_IF_ERROR(input_.Open(options_.always_probe || device_));
  ACU_RETURN_IF_ERROR(OpenDecoder());
  ACU_ASSIGN_OR_RETURN(first_, DecodeNext());
  if (!first_)
    return Error(StatusCode::kBadData, "{} has no video frames that could be decoded{}", input_.name(),
                 damage_.reason.empty() ? "" : ": it is damaged: " + damage_.reason);
  ACU_ASSIGN_OR_RETURN(format_, FormatOfFrame(*first_));
  input_.DescribeUnprobed();
  color_ = ColorOf(*first_);
  facts_ = FactsOf(input_.container(), input_.track(), *first_);
  changes_.Start(DeclarationOf(*first_, format_));
  profile_warning_ = ProfileWarning(*first_);
  if (const std::optional<ContainerCrop>& crop = input_.crop()) {
    if (device_) return Error(StatusCode::kUnsupported, "{}: its container declares a crop", input_.name());
    facts_.crop_left = crop->left, facts_.crop_right = crop->right;
    facts_.crop_top = crop->top, facts_.crop_bottom = crop->bottom;
  }
  if (!options_.film_grain && decoder_->codec_id == AV_CODEC_ID_AV1)
    facts_.changed_samples = "its film grain is left out";
  return {};
}

std::optional<int64_t> FfmpegSource::frame_count() const {
  const int64_t count = input_.track().nb_frames;
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::vector<std::string> FfmpegSource::warnings() const {
  std::vector<std::string> warnings;
  if (!input_.track_note().empty()) warnings.push_back(input_.track_note());
  if (input_.starts_between_keys())
    warnings.emplace_back("the video starts between key frames; frames count from the first that can be decoded");
  if (!profile_warning_.empty()) warnings.push_back(profile_warning_);
  return warnings;
}

void FfmpegSource::StopFeeding(Status reason) {
  fed_all_ = true;
  broken_ = std::move(reason);
  Ffmpeg().avcodec_send_packet(decoder_.get(), nullptr);  // from here on the decoder gives what it still holds
}

void FfmpegSource::FeedDecoder() {
  const Result<std::optional<bool>> is_ours = input_.Read(*packet_);
  if (!is_ours.ok() || !*is_ours) return StopFeeding(is_ours.ok() ? Status() : is_ours.status());
  int sent = 0;
  const bool is_corrupt = **is_ours && (packet_->flags & AV_PKT_FLAG_CORRUPT);
  if (is_corrupt && !input_.is_transport_stream()) {  // the file ends within it
    Ffmpeg().av_packet_unref(packet_.get());
    return StopFeeding(Failure("damaged or truncated", AVERROR_INVALIDDATA));
  }
  if (**is_ours) {
    SetNumber(*decoder_, *packet_, ++packets_);
    NoteRange(*packet_);
    if (is_corrupt) OnDamage("the container lost bytes of a packet");
    sent = Ffmpeg().avcodec_send_packet(decoder_.get(), packet_.get());
  }
  Ffmpeg().av_packet_unref(packet_.get());
  if (sent >= 0 || sent == AVERROR(EAGAIN)) return;
  if (!device_stream_.refusal.empty()) return StopFeeding(Failure("could not decode", sent));
  OnDamage(FfmpegReason(sent));
}

/// FFmpeg's decoder keeps the range and the colors that a stream declared once, but a later sequence may declare none:
/// then the range is limited.
void FfmpegSource::NoteRange(const AVPacket& packet) {
  if (!(packet.flags & AV_PKT_FLAG_KEY) || decoder_->codec_id != AV_CODEC_ID_H264 || packet.size < 1) return;
  const AVCodecParameters& track = *input_.track().codecpar;
  if (track.extradata_size > 0 && track.extradata[0] == 1) return;  // "avcC": no start codes, and sets stand there
  constexpr size_t kMost = 4096;                                    // sets come first
  const auto start = H264Bytes(packet.data, std::min(static_cast<size_t>(packet.size), kMost));
  const std::optional<bool> declares = H264DeclaresRange(start);
  if (!declares || (ranges_.empty() ? !*declares : std::prev(ranges_.end())->second == *declares)) return;
  ranges_.insert_or_assign(packets_, *declares);
}

/// Frames before the first key frame of a recording cannot be decoded; that is no damage.
void FfmpegSource::OnDamage(std::string reason) {
  std::string logged = watch_.TakeError();
  if (!has_decoded_ && input_.starts_between_keys()) return;
  if (device_) return StopFeeding(Error(StatusCode::kBadData, "{}: could not decode: {}", input_.name(), reason));
  if (on_error_ == OnError::kFind) found_damage_ = true;
  if (on_error_ != OnError::kRecord) return;
  if (!logged.empty()) reason = std::move(logged);
  if (damage_.reason.empty()) damage_.reason = reason;
  damaged_packets_.insert(packets_);
  if (options_.stop_at_damage && broken_.ok())
    broken_ = Error(StatusCode::kBadData, "{} is damaged: {}", input_.name(), damage_.reason);
}

/// Errors that the decoder reports with a frame, or has logged since the last one.
void FfmpegSource::CheckErrors(const AVFrame& frame) {
  const bool is_corrupt = frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT);
  const bool is_incomplete = !device_ && !watch_.IsComplete(frame);
  if (watch_.has_errors()) OnDamage("");
  if (!is_corrupt && !is_incomplete) return;
  OnDamage(is_incomplete ? "a part of the picture is missing" : "a part of the picture could not be decoded");
  damaged_packets_.insert(NumberOf(frame));
}

Result<FfmpegSource::FramePtr> FfmpegSource::DecodeFrame() {
  FramePtr frame(Ffmpeg().av_frame_alloc(), [](AVFrame* done) { Ffmpeg().av_frame_free(&done); });
  if (!frame) return Failure("no memory", AVERROR(ENOMEM));
  constexpr int kMostErrors = 1000;  // without a frame or a packet in between: the decoder does not come to its end
  for (int errors = 0; errors < kMostErrors;) {
    const int error = Ffmpeg().avcodec_receive_frame(decoder_.get(), frame.get());
    if (error == 0) {
      CheckErrors(*frame);
      has_decoded_ = true;
    } else if (watch_.has_errors()) {
      OnDamage("");
    }
    if (found_damage_ || (options_.stop_at_damage && !broken_.ok())) break;
    if (error == 0) {
      if (damaged_packets_.erase(NumberOf(*frame)) > 0) damage_.frames.push_back(decoded_);
      ++decoded_;
      return frame;
    }
    if (error == AVERROR(EAGAIN) && !fed_all_) {
      FeedDecoder();
      errors = 0;
      continue;
    }
    if (error == AVERROR_EOF || error == AVERROR(EAGAIN)) break;
    if (device_) return broken_.ok() ? Failure("could not decode", error) : broken_;
    OnDamage(FfmpegReason(error));
    ++errors;
  }
  if (!broken_.ok()) return broken_;
  return FramePtr();
}

/// Pictures that were handed out before are those that one thread decodes, too: none comes after a sign of damage.
Result<FfmpegSource::FramePtr> FfmpegSource::DecodeNext() {
  ACU_ASSIGN_OR_RETURN(FramePtr frame, DecodeFrame());
  if (!found_damage_) return frame;
  ACU_RETURN_IF_ERROR(DecodeAgain());
  for (int64_t skipped = 0; skipped <= frames_; ++skipped) {
    ACU_ASSIGN_OR_RETURN(frame, DecodeFrame());
    if (!frame) break;
  }
  return frame;
}

Status FfmpegSource::DecodeAgain() {
  found_damage_ = false;
  on_error_ = OnError::kRecord;
  decoder_.reset();
  damage_ = {};
  damaged_packets_.clear();
  ACU_RETURN_IF_ERROR(input_.Reopen(options_.always_probe));
  has_decoded_ = fed_all_ = false;
  broken_ = {};
  packets_ = decoded_ = 0;
  ranges_.clear();
  return OpenDecoder();
}

StreamDamage FfmpegSource::damage() const {
  StreamDamage damage = damage_;
  if (damage.reason.empty()) damage.reason = input_.error();
  damage.lost = static_cast<int64_t>(damaged_packets_.size());
  damage.decoded = decoded_;
  return damage;
}

/// Frames on a device tell only how they are laid out there.
Result<PictureFormat> FfmpegSource::FormatOfFrame(const AVFrame& frame) const {
  if (!device_) return FormatOf(frame, static_cast<AVPixelFormat>(frame.format), input_.name(), options_.take_all);
  if (frame.format != AV_PIX_FMT_CUDA)
    return Error(StatusCode::kUnsupported, "{}: the CUDA device does not decode it", input_.name());
  // FFmpeg's own decoder treats or conceals each of these differently.
  if (decoder_->properties & FF_CODEC_PROPERTY_FILM_GRAIN)
    return Error(StatusCode::kUnsupported, "{}: NVDEC does not take streams with film grain", input_.name());
  if (input_.starts_between_keys())
    return Error(StatusCode::kUnsupported, "{}: NVDEC does not take streams that start between key frames",
                 input_.name());
  return FormatOf(frame, decoder_->sw_pix_fmt, input_.name());
}

/// Frames on a device, and those that become RGB or stop being it, must have the first one's form.
Result<FrameDeclaration> FfmpegSource::CheckFrame(const AVFrame& frame) const {
  const bool is_corrupt = frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT);
  if (is_corrupt && device_)
    return Error(StatusCode::kBadData, "{} is damaged: frame {} could not be decoded whole", input_.name(), frames_);
  ACU_ASSIGN_OR_RETURN(const PictureFormat format, FormatOfFrame(frame));
  FrameDeclaration declared = DeclarationOf(frame, format);
  if (const auto since = ranges_.upper_bound(NumberOf(frame)); since != ranges_.begin() && !std::prev(since)->second) {
    declared.color = {};
    declared.form.full_range = false;
  }
  const bool is_rgb = !device_ && IsRgb(frame);
  if (!device_ && is_rgb != facts_.is_rgb)
    return Error(StatusCode::kUnsupported, "{}: frame {} changes from {} to {}", input_.name(), frames_,
                 facts_.is_rgb ? "RGB" : "YUV", is_rgb ? "RGB" : "YUV");
  if (is_rgb) declared.form.full_range = changes_.first().form.full_range;
  if (fit_ && !device_) return declared;
  if (format == format_) return declared;
  return Error(StatusCode::kUnsupported, "{}: frame {} changes from {}x{} {} {}-bit to {}x{} {} {}-bit", input_.name(),
               frames_, format_.width, format_.height, PixelFormatName(format_.pixel_format), format_.bit_depth,
               format.width, format.height, PixelFormatName(format.pixel_format), format.bit_depth);
}

/// A device's decoder has few surfaces, so that its frames are copied and given back at once.
Result<Picture> FfmpegSource::MakePicture(FramePtr frame, const FrameForm& form) {
  if (!device_) {
    const bool fits = !fit_ || form.Matches(changes_.first().form);
    ACU_ASSIGN_OR_RETURN(Picture picture, PictureOf(std::move(frame), form.format, luma_only_, pool_));
    if (fits) return picture;
    Result<Picture> fitted = fit_(picture, form, changes_.first().form);
    if (fitted.ok()) return fitted;
    return Error(fitted.status().code(), "{}: frame {}: {}", input_.name(), frames_, fitted.status().message());
  }
  Result<DeviceFrame> there = DeviceFrameOf(*frame, format_, luma_only_);
  Result<Picture> picture = there.ok() ? device_->take(*there) : there.status();
  if (picture.ok()) return picture;
  return Error(picture.status().code(), "{}: frame {}: {}", input_.name(), frames_, picture.status().message());
}

/// Jumps to the key frame before that time.
bool FfmpegSource::Jump(double part) {
  if (!input_.Jump(part)) return false;
  Ffmpeg().avcodec_flush_buffers(decoder_.get());
  first_.reset();
  on_error_ = OnError::kIgnore;
  ended_ = fed_all_ = false;
  broken_ = {};
  return true;
}

/// Edit lists are applied. Streams of a container start together, so that a video may start after the sound. Clocks of
/// transport streams jump where recordings were joined or the clock wraps around: there, time continues by one frame.
std::optional<double> FfmpegSource::TimeOf(const AVFrame& frame) {
  if (frame.best_effort_timestamp == AV_NOPTS_VALUE) return std::nullopt;
  constexpr double kBackward = 0.1, kForward = 10;  // seconds, as in FFmpeg's tools
  const int64_t start = input_.container().start_time == AV_NOPTS_VALUE ? 0 : input_.container().start_time;
  const double time = static_cast<double>(frame.best_effort_timestamp) * av_q2d(input_.track().time_base) -
                      static_cast<double>(start) / AV_TIME_BASE;
  if (!input_.is_transport_stream()) return time;
  const double step = time + clock_offset_ - time_.value_or(time + clock_offset_);
  if (step < -kBackward || step > kForward) clock_offset_ += 1 / frame_rate().value_or(25) - step;
  return time + clock_offset_;
}

Result<std::optional<Picture>> FfmpegSource::Next() {
  const TraceSpan span("decode", frames_, input_.name());
  if (ended_) return std::optional<Picture>();
  ended_ = true;  // unless a picture comes of it
  FramePtr frame = std::exchange(first_, nullptr);
  if (!frame) {
    Result<FramePtr> decoded = DecodeNext();
    if (!decoded.ok())
      return Error(decoded.status().code(), "{} (after {} frame{})", decoded.status().message(), frames_,
                   frames_ == 1 ? "" : "s");
    frame = std::move(*decoded);
  }
  if (!frame) return std::optional<Picture>();
  ACU_ASSIGN_OR_RETURN(const FrameDeclaration declared, CheckFrame(*frame));
  if (frames_ > 0) changes_.Add(frames_, declared);
  time_ = TimeOf(*frame);
  ACU_ASSIGN_OR_RETURN(Picture picture, MakePicture(std::move(frame), declared.form));
  ended_ = false;
  ++frames_;
  return std::optional(std::move(picture));
}

}  // namespace

Result<std::unique_ptr<VideoSource>> OpenContainer(std::unique_ptr<ByteStream> stream, const OpenOptions& options,
                                                   FrameFit fit) {
  if (const Status& loaded = LoadFfmpeg(); !loaded.ok())
    return Error(loaded.code(), "{} cannot be read: {}", stream->name(), loaded.message());
  if (options.device_decoding && stream->seekable()) {
    auto source = std::make_unique<FfmpegSource>(std::move(stream), &*options.device_decoding, options, nullptr);
    const Status status = source->Open();
    if (status.ok()) return std::unique_ptr<VideoSource>(std::move(source));
    if (options.device_decoding->required) return status;
    stream = source->TakeStream();
    ACU_RETURN_IF_ERROR(stream->Seek(0));
  }
  auto source = std::make_unique<FfmpegSource>(std::move(stream), nullptr, options, std::move(fit));
  ACU_RETURN_IF_ERROR(source->Open());
  return std::unique_ptr<VideoSource>(std::move(source));
}

}  // namespace acutance
