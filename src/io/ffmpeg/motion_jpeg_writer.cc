#include "io/ffmpeg/motion_jpeg_writer.h"

#include <cmath>
#include <utility>

#include "base/threads/exception_barrier.h"
#include "io/ffmpeg/library.h"

namespace acutance {
namespace {

constexpr int kWriteBuffer = 1 << 16;

struct FreedByWriter {
  void operator()(AVIOContext* io) const {
    Ffmpeg().av_freep(&io->buffer);
    Ffmpeg().avio_context_free(&io);
  }
  void operator()(AVFormatContext* container) const { Ffmpeg().avformat_free_context(container); }
  void operator()(AVPacket* packet) const { Ffmpeg().av_packet_free(&packet); }
};

Status WriteStatus(int result) {
  if (result >= 0) return {};
  char text[AV_ERROR_MAX_STRING_SIZE] = "";
  Ffmpeg().av_strerror(result, text, sizeof text);
  return Error(StatusCode::kIo, "FFmpeg's libavformat could not write a Motion JPEG video: {}", text);
}

class Writer : public MotionJpegWriter {
 public:
  explicit Writer(std::function<void(std::string_view)> write) : write_(std::move(write)) {}

  Status Open(int width, int height, double frame_rate) {
    AVFormatContext* container = nullptr;
    ACU_RETURN_IF_ERROR(WriteStatus(Ffmpeg().avformat_alloc_output_context2(&container, nullptr, "matroska", nullptr)));
    container_.reset(container);
    packet_.reset(Ffmpeg().av_packet_alloc());
    auto* buffer = static_cast<uint8_t*>(Ffmpeg().av_malloc(kWriteBuffer));
    if (buffer) io_.reset(Ffmpeg().avio_alloc_context(buffer, kWriteBuffer, 1, this, nullptr, WriteBytes, nullptr));
    if (buffer && !io_) Ffmpeg().av_free(buffer);
    stream_ = Ffmpeg().avformat_new_stream(container, nullptr);
    if (!packet_ || !io_ || !stream_) return WriteStatus(AVERROR(ENOMEM));
    Fields(*container).pb() = io_.get();
    Ffmpeg().av_opt_set(container, "fflags", "+bitexact", 0);  // else the file has a random number
    Fields(*stream_).avg_frame_rate() = {static_cast<int>(std::lround(kRateUnit * frame_rate)), kRateUnit};
    const auto codec = Fields(*Fields(*stream_).codecpar());
    codec.codec_type() = AVMEDIA_TYPE_VIDEO;
    codec.codec_id() = IdOf(Codec::kMjpeg);
    codec.width() = width;
    codec.height() = height;
    return WriteStatus(Ffmpeg().avformat_write_header(container, nullptr));
  }

  Status Add(std::string_view jpeg) override {
    const AVRational rate = Fields(*stream_).avg_frame_rate();
    AVPacket& packet = *packet_;  // without a reference count: the muxer copies what it holds back
    packet.data = reinterpret_cast<uint8_t*>(const_cast<char*>(jpeg.data()));  // which the muxer only reads
    packet.size = static_cast<int>(jpeg.size());
    packet.flags = AV_PKT_FLAG_KEY;
    packet.stream_index = 0;
    packet.pts = packet.dts = Ffmpeg().av_rescale_q(images_++, {rate.den, rate.num}, Fields(*stream_).time_base());
    packet.duration = 0;  // known from the frame rate
    return WriteStatus(Ffmpeg().av_write_frame(container_.get(), &packet));
  }

  Status Finish() override { return WriteStatus(Ffmpeg().av_write_trailer(container_.get())); }

 private:
  static constexpr int kRateUnit = 1000;

  static int WriteBytes(void* self, const uint8_t* bytes, int size) {
    const Status status = CatchExceptions([&] {
      static_cast<Writer*>(self)->write_({reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)});
      return Status();
    });
    return status.ok() ? size : AVERROR(ENOMEM);
  }

  const std::function<void(std::string_view)> write_;
  std::unique_ptr<AVIOContext, FreedByWriter> io_;
  std::unique_ptr<AVFormatContext, FreedByWriter> container_;
  std::unique_ptr<AVPacket, FreedByWriter> packet_;
  AVStream* stream_ = nullptr;
  int64_t images_ = 0;
};

}  // namespace

Result<std::unique_ptr<MotionJpegWriter>> OpenMotionJpegWriter(int width, int height, double frame_rate,
                                                               std::function<void(std::string_view)> write) {
  ACU_RETURN_IF_ERROR(LoadFfmpeg());
  auto writer = std::make_unique<Writer>(std::move(write));
  ACU_RETURN_IF_ERROR(writer->Open(width, height, frame_rate));
  return std::unique_ptr<MotionJpegWriter>(std::move(writer));
}

}  // namespace acutance
