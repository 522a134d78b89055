#include "io/ffmpeg/segment_worker.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "io/ffmpeg/device_packets.h"
#include "io/ffmpeg/library.h"

namespace acutance {
namespace {

/// Feeds a decoder and checks the order of its frames. One decoder serves for all segments until there are doubts:
/// their parameter sets are the same, and the memory of its frames is used again, which the system would clear. Some
/// devices report an error a few frames late, so that their last frames are held.
class FfmpegWorker : public SegmentWorker {
 public:
  FfmpegWorker(const DecoderSetup& setup, int threads) : setup_(setup), threads_(threads) {}
  ~FfmpegWorker() override { decoder_.reset(); }

  Outcome Decode(Segment& segment, const Give& give) override {
    segment.order.Restart();
    held_.clear();
    if (decoder_) Ffmpeg().avcodec_flush_buffers(decoder_.get());
    else if (setup_.Open(threads_, OnError::kFind, watch_, decoder_) < 0) return decoder_.reset(), Outcome::kUnable;
    if (DecodeAll(segment, give)) return Outcome::kDone;
    decoder_.reset();
    return Outcome::kDoubt;
  }

 private:
  bool DecodeAll(Segment& segment, const Give& give) {
    for (StreamPacket& packet : segment.packets)
      if (SendPacket(*decoder_, &packet) < 0 || !Drain(segment.order, give)) return false;
    SendPacket(*decoder_, nullptr);
    return Drain(segment.order, give) && segment.order.is_complete() && GiveAllBut(0, give);
  }

  bool GiveAllBut(size_t count, const Give& give) {
    for (; held_.size() > count; held_.pop_front())
      if (!give(std::move(held_.front()))) return false;
    return true;
  }

  /// Takes the frames that the decoder gives without another packet. False: one, or one before it, is damaged.
  bool Drain(FrameOrder& order, const Give& give) {
    for (;;) {
      DecodedFrame next{MakeFrame()};
      if (!next.frame) return false;
      const int error = setup_.Receive(*decoder_, next.frame);
      if (watch_.has_errors()) return false;
      if (error == AVERROR(EAGAIN) || error == AVERROR_EOF) return true;
      if (error < 0 || IsCorrupt(*next.frame)) return false;
      const FrameOrder::Verdict verdict = order.Check(*next.frame);
      if (verdict == FrameOrder::Verdict::kWrong || !watch_.IsComplete(*next.frame)) return false;
      if (verdict == FrameOrder::Verdict::kNext) held_.push_back(std::move(next));
      if (!GiveAllBut(setup_.hardware ? kHeld : 0, give)) return false;
    }
  }

  static constexpr size_t kHeld = 8;  // FFmpeg has about two frames in flight in a device of Vulkan

  const DecoderSetup& setup_;
  const int threads_;
  DamageWatch watch_;  // outlives the decoder
  DecoderPtr decoder_;
  std::deque<DecodedFrame> held_;
};

/// Shows what a device decodes, with the times that the packets declare.
class DeviceWorker : public SegmentWorker {
 public:
  DeviceWorker(const DecoderSetup& setup, const DeviceCrew& device)
      : device_(device), packets_(device.video.codec, *setup.parameters) {}

  Outcome Decode(Segment& segment, const Give& give) override {
    segment.order.Restart();
    if (!decoder_) {
      Result<std::unique_ptr<DeviceDecoder>> opened = device_.open(device_.video);
      if (!opened.ok()) return Outcome::kUnable;
      decoder_ = *std::move(opened);
    }
    const Status status = DecodeAll(segment, give);
    if (status.ok() && segment.order.is_complete()) return Outcome::kDone;
    decoder_.reset();
    return status.code() == StatusCode::kUnsupported ? Outcome::kUnable : Outcome::kDoubt;
  }

 private:
  Status DecodeAll(Segment& segment, const Give& give) {
    const int64_t first =
        TimeOf(*std::ranges::min_element(segment.packets, {}, [](const StreamPacket& next) { return TimeOf(next); }));
    const auto show = [&](Picture picture, int64_t time) {
      return Show(segment, std::move(picture), time - 1 + first, give);
    };
    bool starts = true;
    for (const StreamPacket& next : segment.packets) {
      const AVPacket& packet = *next.packet;
      const auto bytes =
          packets_.Convert({packet.data, static_cast<size_t>(packet.size)}, std::exchange(starts, false));
      if (bytes.empty()) return Error(StatusCode::kUnsupported, "FFmpeg's decoder adds film grain");
      ACU_RETURN_IF_ERROR(decoder_->Decode(bytes, packet.pts - first + 1, show));
    }
    return decoder_->Finish(show);
  }

  static int64_t TimeOf(const StreamPacket& next) { return next.packet->pts; }

  Status Show(Segment& segment, Picture picture, int64_t time, const Give& give) const {
    const auto packet = std::ranges::find(segment.packets, time, TimeOf);
    if (packet == segment.packets.end()) return Error(StatusCode::kBadData, "a picture comes from no packet");
    if (packet->packet->flags & AV_PKT_FLAG_DISCARD) return {};
    DecodedFrame next{MakeFrame(), std::move(picture)};
    if (!next.frame || Ffmpeg().av_frame_copy_props(next.frame.get(), device_.declarations.get()) < 0)
      return Error(StatusCode::kOutOfMemory, "no memory for a frame");
    const auto fields = Fields(*next.frame);
    fields.pts() = fields.best_effort_timestamp() = time;
    SetNumber(*next.frame, packet->number);
    const FrameOrder::Verdict verdict = segment.order.Check(*next.frame);
    if (verdict == FrameOrder::Verdict::kWrong)
      return Error(StatusCode::kBadData, "pictures are not in the order that packets declare");
    if (verdict == FrameOrder::Verdict::kNext && !give(std::move(next)))
      return Error(StatusCode::kCancelled, "there is no use for more");
    return {};
  }

  const DeviceCrew device_;
  DevicePackets packets_;
  std::unique_ptr<DeviceDecoder> decoder_;
};

}  // namespace

std::unique_ptr<SegmentWorker> MakeFfmpegWorker(const DecoderSetup& setup, int threads) {
  return std::make_unique<FfmpegWorker>(setup, threads);
}

std::unique_ptr<SegmentWorker> MakeDeviceWorker(const DecoderSetup& setup, const DeviceCrew& device) {
  if (device.hardware) return MakeFfmpegWorker(*device.hardware, 1);
  return std::make_unique<DeviceWorker>(setup, device);
}

}  // namespace acutance
