#include "io/ffmpeg/source.h"
#include "base/trace.h"

#include <utility>

#include "io/ffmpeg/frame_import.h"
#include "io/ffmpeg/library.h"
#include "io/ffmpeg/still_orientation.h"
#include "io/ffmpeg/stream_decoder.h"
#include "io/ffmpeg/stream_facts.h"

#if defined(__SANITIZE_THREAD__)
// FFmpeg's libraries are not instrumented, so that data which their threads hand to each other, and frames' memory that
// comes back through their pools, look like races to ThreadSanitizer.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libavcodec.so\ncalled_from_lib:libavformat.so\ncalled_from_lib:libavutil.so\n"
         "called_from_lib:libdav1d.so\n"
         "race:acutance::DamageWatch::Prepare\n";
}
#endif

namespace acutance {
namespace {

class FfmpegSource : public VideoSource {
 public:
  /// fit: of frames that change; null: they are refused.
  FfmpegSource(std::unique_ptr<ByteStream> stream, const OpenOptions& options, FrameFit fit)
      : options_(options), fit_(std::move(fit)), decoder_(std::move(stream), options_) {}

  /// Opens everything and decodes the first frame: only that tells size and pixel format for certain.
  Status Open();

  const PictureFormat& format() const override { return format_; }
  std::optional<int64_t> frame_count() const override;
  VideoColor color() const override { return color_; }
  VideoFacts facts() const override { return facts_; }
  std::optional<double> frame_rate() const override { return input().frame_rate(); }
  std::optional<double> time() const override { return time_; }
  Status DecodeOn(const DeviceDecoding& decoding) override;
  Status DecodeBy(const HardwareDecoding& decoding) override;
  std::vector<std::string> warnings() const override;
  StreamDamage damage() const override { return decoder_.damage(); }
  Decoding decoding() const override { return decoder_.decoding(); }
  std::vector<InputChange> frame_changes() const override;
  void SkipChroma() override { luma_only_ = true; }  // not called for RGB
  void Interrupt() override { decoder_.Interrupt(); }
  double reading_seconds() const override { return input().stream().reading_seconds(); }
  std::optional<int64_t> MeasureBitRate() override { return input().BitRate(); }
  Result<std::optional<Picture>> Next() override;
  Result<int64_t> Skip(int64_t count) override;
  bool Jump(double part) override;

 private:
  Demuxer& input() { return decoder_.input(); }
  const Demuxer& input() const { return decoder_.input(); }
  Result<PictureFormat> FormatOfFrame(const DecodedFrame& next) const;
  Result<FrameDeclaration> CheckFrame(const DecodedFrame& next) const;
  Result<Picture> MakePicture(DecodedFrame next, const FrameForm& form);
  std::optional<double> TimeAt(int64_t timestamp);

  const OpenOptions options_;
  const FrameFit fit_;
  StreamDecoder decoder_;
  PicturePool pool_;
  PictureFormat format_;
  VideoColor color_;
  VideoFacts facts_;
  FrameChanges changes_;
  std::string profile_warning_;
  DecodedFrame first_;
  FramePtr declarations_;  // the first frame's
  bool luma_only_ = false;
  bool ended_ = false;
  int64_t frames_ = 0;          // handed out
  std::optional<double> time_;  // of the last of them
  double clock_offset_ = 0;     // seconds that are added to times
};

Status FfmpegSource::Open() {
  ACU_RETURN_IF_ERROR(decoder_.Open());
  ACU_ASSIGN_OR_RETURN(first_, decoder_.Next());
  if (!first_.frame) {
    const std::string reason = decoder_.damage().reason;
    return Error(StatusCode::kBadData, "{} has no video frames that could be decoded{}", input().name(),
                 reason.empty() ? "" : ": it is damaged: " + reason);
  }
  ACU_ASSIGN_OR_RETURN(format_, FormatOfFrame(first_));
  declarations_ = MakeFrame();
  if (!declarations_ || Ffmpeg().av_frame_copy_props(declarations_.get(), first_.frame.get()) < 0)
    return Error(StatusCode::kOutOfMemory, "{}: no memory", input().name());
  input().DescribeUnprobed();
  color_ = ColorOf(*first_.frame);
  facts_ = FactsOf(input().container(), input().track(), *first_.frame);
  changes_.Start(DeclarationOf(*first_.frame, format_));
  if (facts_.orientation == Orientation())
    facts_.orientation = OrientationOfExif(decoder_.exif_orientation()).value_or(Orientation());
  profile_warning_ = ProfileWarning(*first_.frame);
  if (const std::optional<ContainerCrop>& crop = input().crop()) {
    facts_.crop_left = crop->left, facts_.crop_right = crop->right;
    facts_.crop_top = crop->top, facts_.crop_bottom = crop->bottom;
  }
  if (!options_.film_grain && CodecOf(Fields(input().parameters()).codec_id()) == Codec::kAv1)
    facts_.changed_samples = "its film grain is left out";
  return {};
}

std::optional<int64_t> FfmpegSource::frame_count() const {
  const int64_t count = Fields(input().track()).nb_frames();
  return count > 0 ? std::optional(count) : std::nullopt;
}

std::vector<std::string> FfmpegSource::warnings() const {
  std::vector<std::string> warnings;
  if (!input().track_note().empty()) warnings.push_back(input().track_note());
  if (input().starts_between_keys())
    warnings.emplace_back("the video starts between key frames; frames count from the first that can be decoded");
  if (!profile_warning_.empty()) warnings.push_back(profile_warning_);
  return warnings;
}

std::vector<InputChange> FfmpegSource::frame_changes() const {
  std::vector<InputChange> changes = changes_.Describe();
  if (std::string left_out = input().left_out(); !left_out.empty())
    changes.push_back({Change::kNone, std::move(left_out)});
  return changes;
}

Status FfmpegSource::DecodeOn(const DeviceDecoding& decoding) {
  std::string_view reason;
  if (input().crop()) reason = "its container declares a crop";
  else if (input().starts_between_keys()) reason = "it starts between key frames";
  else if (facts_.is_rgb || !first_.frame) reason = "its pictures are RGB, or read already";
  if (!reason.empty()) return Error(StatusCode::kUnsupported, "{}: {}", input().name(), reason);
  decoder_.SetPictures(format_, luma_only_);
  return decoder_.DecodeOn(decoding, *first_.frame);
}

Status FfmpegSource::DecodeBy(const HardwareDecoding& decoding) {
  std::string_view reason;
  if (input().starts_between_keys()) reason = "it starts between key frames";
  else if (ended_) reason = "its pictures are read already";
  if (!reason.empty()) return Error(StatusCode::kUnsupported, "{}: {}", input().name(), reason);
  decoder_.SetPictures(format_, luma_only_);
  return decoder_.DecodeBy(decoding, declarations_);
}

Result<PictureFormat> FfmpegSource::FormatOfFrame(const DecodedFrame& next) const {
  if (next.picture) return next.picture->format;
  return FormatOf(*next.frame, Fields(*next.frame).format(), input().name(), options_.take_all);
}

/// Frames that become RGB or stop being it must have the first one's form; a device's have it.
Result<FrameDeclaration> FfmpegSource::CheckFrame(const DecodedFrame& next) const {
  const AVFrame& frame = *next.frame;
  ACU_ASSIGN_OR_RETURN(const PictureFormat format, FormatOfFrame(next));
  FrameDeclaration declared = DeclarationOf(frame, format);
  if (decoder_.LacksColors(frame)) {
    declared.color = {};
    declared.form.full_range = false;
  }
  const bool is_rgb = IsRgb(frame);
  if (is_rgb != facts_.is_rgb)
    return Error(StatusCode::kUnsupported, "{}: frame {} changes from {} to {}", input().name(), frames_,
                 facts_.is_rgb ? "RGB" : "YUV", is_rgb ? "RGB" : "YUV");
  if (is_rgb) declared.form.full_range = changes_.first().form.full_range;
  if (fit_) return declared;
  if (format == format_) return declared;
  return Error(StatusCode::kUnsupported, "{}: frame {} changes from {}x{} {} {}-bit to {}x{} {} {}-bit", input().name(),
               frames_, format_.width, format_.height, PixelFormatName(format_.pixel_format), format_.bit_depth,
               format.width, format.height, PixelFormatName(format.pixel_format), format.bit_depth);
}

Result<Picture> FfmpegSource::MakePicture(DecodedFrame next, const FrameForm& form) {
  if (next.picture) return *std::move(next.picture);
  const bool fits = !fit_ || form.Matches(changes_.first().form);
  ACU_ASSIGN_OR_RETURN(Picture picture, PictureOf(std::move(next.frame), form.format, luma_only_, pool_));
  if (fits) return picture;
  Result<Picture> fitted = fit_(picture, form, changes_.first().form);
  if (fitted.ok()) return fitted;
  return Error(fitted.status().code(), "{}: frame {}: {}", input().name(), frames_, fitted.status().message());
}

/// Jumps to the key frame before that time.
bool FfmpegSource::Jump(double part) {
  if (!decoder_.Jump(part)) return false;
  first_ = {};
  ended_ = false;
  return true;
}

/// Edit lists are applied. Streams of a container start together, so that a video may start after the sound. Clocks of
/// transport streams jump where recordings were joined or the clock wraps around: there, time continues by one frame.
std::optional<double> FfmpegSource::TimeAt(int64_t timestamp) {
  if (timestamp == AV_NOPTS_VALUE) return std::nullopt;
  constexpr double kBackward = 0.1, kForward = 10;  // seconds, as in FFmpeg's tools
  int64_t start = Fields(input().container()).start_time();
  if (start == AV_NOPTS_VALUE) start = 0;
  const double time = static_cast<double>(timestamp) * av_q2d(Fields(input().track()).time_base()) -
                      static_cast<double>(start) / AV_TIME_BASE;
  if (!input().is_transport_stream()) return time;
  const double step = time + clock_offset_ - time_.value_or(time + clock_offset_);
  if (step < -kBackward || step > kForward) clock_offset_ += 1 / frame_rate().value_or(25) - step;
  return time + clock_offset_;
}

Result<std::optional<Picture>> FfmpegSource::Next() {
  const TraceSpan span("decode", frames_, input().name());
  if (ended_) return std::optional<Picture>();
  ended_ = true;  // unless a picture comes of it
  DecodedFrame next = std::exchange(first_, {});
  if (frames_ == 0) decoder_.SetPictures(format_, luma_only_);
  if (!next.frame) {
    Result<DecodedFrame> decoded = decoder_.Next();
    if (!decoded.ok())
      return Error(decoded.status().code(), "{} (after {} frame{})", decoded.status().message(), frames_,
                   frames_ == 1 ? "" : "s");
    next = *std::move(decoded);
  }
  if (!next.frame) return std::optional<Picture>();
  ACU_ASSIGN_OR_RETURN(const FrameDeclaration declared, CheckFrame(next));
  if (frames_ > 0) changes_.Add(frames_, declared);
  time_ = TimeAt(Fields(*next.frame).best_effort_timestamp());
  ACU_ASSIGN_OR_RETURN(Picture picture, MakePicture(std::move(next), declared.form));
  ended_ = false;
  ++frames_;
  return std::optional(std::move(picture));
}

/// What is left out of segments is not decoded.
Result<int64_t> FfmpegSource::Skip(int64_t count) {
  int64_t skipped = 0;
  while (skipped < count) {
    if (!first_.frame) {
      const int64_t left_out = decoder_.Skip(count - skipped, [this](int64_t time) { time_ = TimeAt(time); });
      frames_ += left_out;
      skipped += left_out;
      if (skipped == count) break;
    }
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, Next());
    if (!picture) break;
    ++skipped;
  }
  return skipped;
}

}  // namespace

Result<std::unique_ptr<VideoSource>> OpenContainer(std::unique_ptr<ByteStream> stream, const OpenOptions& options,
                                                   FrameFit fit) {
  if (const Status& loaded = LoadFfmpeg(); !loaded.ok())
    return Error(loaded.code(), "{} cannot be read: {}", stream->name(), loaded.message());
  auto source = std::make_unique<FfmpegSource>(std::move(stream), options, std::move(fit));
  ACU_RETURN_IF_ERROR(source->Open());
  return std::unique_ptr<VideoSource>(std::move(source));
}

}  // namespace acutance
