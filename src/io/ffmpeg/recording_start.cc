#include "io/ffmpeg/recording_start.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>
#include <utility>

#include "io/ffmpeg/library.h"

namespace acutance {
namespace {

bool HasSamplesOf(const AVFrame& one, const AVFrame& other) {
  const auto a = Fields(one), b = Fields(other);
  if (a.format() != b.format() || a.width() != b.width() || a.height() != b.height()) return false;
  const AVPixFmtDescriptor* desc = Ffmpeg().av_pix_fmt_desc_get(a.format());
  if (!desc) return false;
  for (int p = 0; p < static_cast<int>(std::size(a.data())) && a.data()[p] && b.data()[p]; ++p) {
    const int bytes = Ffmpeg().av_image_get_linesize(a.format(), a.width(), p);
    if (bytes <= 0) break;
    const bool is_chroma = p == 1 || p == 2;
    const int height = is_chroma ? -(-a.height() >> desc->log2_chroma_h) : a.height();
    for (ptrdiff_t y = 0; y < height; ++y)
      if (std::memcmp(a.data()[p] + y * a.linesize()[p], b.data()[p] + y * b.linesize()[p],
                      static_cast<size_t>(bytes)) != 0)
        return false;
  }
  return true;
}

}  // namespace

bool FirstKey::Follows(const AVPacket& packet) {
  if (!time_ && (packet.flags & AV_PKT_FLAG_KEY)) time_ = packet.pts;
  if (!time_) return true;
  return packet.pts != AV_NOPTS_VALUE && *time_ != AV_NOPTS_VALUE && packet.pts < *time_;
}

bool RecordingStart::Add(const StreamPacket& packet) {
  constexpr size_t kMost = 1024;
  if (packets_.size() == kMost) return false;
  packets_.push_back({PacketPtr(Ffmpeg().av_packet_clone(packet.packet.get())), packet.number});
  if (!packets_.back().packet) throw std::bad_alloc();
  return true;
}

void RecordingStart::Clear() {
  packets_.clear();
  frames_.clear();
  held_.clear();
}

/// False: it finds damage, too, or no frame.
bool RecordingStart::Decode(const DecoderSetup& setup) {
  DamageWatch watch;
  DecoderPtr decoder;
  if (setup.Open(1, OnError::kRecord, watch, decoder) < 0) return false;
  FirstKey key;
  constexpr int kMostErrors = 1000;
  for (StreamPacket& packet : packets_) {
    const bool leads = frames_.empty() && key.Follows(*packet.packet);
    const bool is_corrupt = packet.packet->flags & AV_PKT_FLAG_CORRUPT;
    bool has_error = SendPacket(*decoder, &packet) < 0 || is_corrupt;
    for (int errors = 0; errors < kMostErrors; ++errors) {
      FramePtr frame = MakeFrame();
      if (!frame) throw std::bad_alloc();
      const int error = Ffmpeg().avcodec_receive_frame(decoder.get(), frame.get());
      const bool is_out = error == AVERROR(EAGAIN) || error == AVERROR_EOF;
      has_error |= watch.has_errors() || (error < 0 && !is_out);
      if (has_error && !leads) return false;
      if (error == 0 && (IsCorrupt(*frame) || !watch.IsComplete(*frame))) return false;
      if (is_out) break;
      if (error == 0) frames_.push_back(std::move(frame));
    }
    watch.TakeError();
  }
  SendPacket(*decoder, nullptr);
  for (FramePtr frame = MakeFrame(); frame; frame = MakeFrame()) {
    if (Ffmpeg().avcodec_receive_frame(decoder.get(), frame.get()) < 0) break;
    held_.push_back(std::move(frame));
  }
  return !frames_.empty();
}

bool RecordingStart::Check(const AVFrame& frame, const DecoderSetup& setup) {
  if (!packets_.empty()) {
    const bool is_sound = Decode(setup);
    packets_.clear();
    if (!is_sound) return false;
  }
  if (!frames_.empty()) {
    const FramePtr expected = std::move(frames_.front());
    frames_.pop_front();
    return NumberOf(*expected) == NumberOf(frame) && HasSamplesOf(*expected, frame);
  }
  const auto same =
      std::ranges::find_if(held_, [&](const FramePtr& held) { return NumberOf(*held) == NumberOf(frame); });
  if (same == held_.end()) return true;
  const FramePtr expected = std::move(*same);
  held_.erase(same);
  return HasSamplesOf(*expected, frame);
}

}  // namespace acutance
