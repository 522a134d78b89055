#include "io/ffmpeg/segment_worker.h"

#include <utility>

#include "io/ffmpeg/library.h"

namespace acutance {
namespace {

/// Feeds a decoder and checks the order of its frames. One decoder serves for all segments until there are doubts:
/// their parameter sets are the same, and the memory of its frames is used again, which the system would clear.
class CheckedWorker : public SegmentWorker {
 public:
  Outcome Decode(Segment& segment, const Give& give) override {
    segment.order.Restart();
    if (decoder_) Ffmpeg().avcodec_flush_buffers(decoder_.get());
    else if (!Open()) return Outcome::kUnable;
    if (DecodeAll(segment, give)) return Outcome::kDone;
    decoder_.reset();
    return Outcome::kDoubt;
  }

 protected:
  virtual bool Open() = 0;
  /// False: the frame, or one before it, is damaged or cannot be taken.
  virtual bool Check(DecodedFrame& frame) = 0;
  virtual bool has_errors() const { return false; }

  DecoderPtr decoder_;

 private:
  bool DecodeAll(Segment& segment, const Give& give) {
    for (StreamPacket& packet : segment.packets)
      if (SendPacket(*decoder_, &packet) < 0 || !Drain(segment.order, give)) return false;
    SendPacket(*decoder_, nullptr);
    return Drain(segment.order, give) && segment.order.is_complete();
  }

  /// Takes the frames that the decoder gives without another packet.
  bool Drain(FrameOrder& order, const Give& give) {
    for (;;) {
      DecodedFrame next{MakeFrame()};
      if (!next.frame) return false;
      const int error = Ffmpeg().avcodec_receive_frame(decoder_.get(), next.frame.get());
      if (has_errors()) return false;
      if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return true;
      if (error < 0 || IsCorrupt(*next.frame)) return false;
      const FrameOrder::Verdict verdict = order.Check(*next.frame);
      if (verdict == FrameOrder::Verdict::kWrong || !Check(next)) return false;
      if (verdict == FrameOrder::Verdict::kNext && !give(std::move(next))) return false;
    }
  }
};

class CpuWorker : public CheckedWorker {
 public:
  CpuWorker(const DecoderSetup& setup, int threads) : setup_(setup), threads_(threads) {}
  ~CpuWorker() override { decoder_.reset(); }

 private:
  bool Open() override {
    if (setup_.Open(threads_, OnError::kFind, watch_, decoder_) >= 0) return true;
    decoder_.reset();
    return false;
  }
  bool Check(DecodedFrame& next) override { return watch_.IsComplete(*next.frame); }
  bool has_errors() const override { return watch_.has_errors(); }

  const DecoderSetup& setup_;
  const int threads_;
  DamageWatch watch_;  // outlives the decoder
};

class DeviceWorker : public CheckedWorker {
 public:
  DeviceWorker(const DecoderSetup& setup, const DeviceCrew& device)
      : setup_(setup), device_(device), take_(device.decoding->take_elsewhere()) {}
  ~DeviceWorker() override { decoder_.reset(); }

 private:
  bool Open() override {
    const AVCodec* codec = FindDeviceDecoder(Fields(*setup_.parameters).codec_id());
    decoder_ = codec ? setup_.Make(codec, 1) : nullptr;
    if (!decoder_) return false;
    Ffmpeg().av_opt_set_int(decoder_.get(), "err_detect", AV_EF_EXPLODE, 0);
    if (UseDevice(*decoder_, device_.decoding->cuda_context, &stream_).ok() &&
        Ffmpeg().avcodec_open2(decoder_.get(), codec, nullptr) >= 0)
      return true;
    decoder_.reset();
    return false;
  }

  bool Check(DecodedFrame& next) override {
    Result<Picture> taken = TakeFrame(*next.frame, *decoder_, device_.format, device_.luma_only, take_);
    FramePtr facts = MakeFrame();
    if (!taken.ok() || !facts || Ffmpeg().av_frame_copy_props(facts.get(), next.frame.get()) < 0) return false;
    next = {std::move(facts), *std::move(taken)};
    return true;
  }

  const DecoderSetup& setup_;
  const DeviceCrew device_;
  const TakeDeviceFrame take_;
  DeviceStream stream_;  // outlives the decoder
};

}  // namespace

std::unique_ptr<SegmentWorker> MakeCpuWorker(const DecoderSetup& setup, int threads) {
  return std::make_unique<CpuWorker>(setup, threads);
}

std::unique_ptr<SegmentWorker> MakeDeviceWorker(const DecoderSetup& setup, const DeviceCrew& device) {
  return std::make_unique<DeviceWorker>(setup, device);
}

}  // namespace acutance
