// How a stream's segments go to decoders of a device.
#include <utility>

#include "io/ffmpeg/hardware.h"
#include "io/ffmpeg/library.h"
#include "io/ffmpeg/stream_decoder.h"

namespace acutance {

Status StreamDecoder::DecodeOn(const DeviceDecoding& decoding, const AVFrame& declarations) {
  const std::string_view name = input_.name();
  if (!cutter_.refusal().empty()) return Error(StatusCode::kUnsupported, "{}: {}", name, cutter_.refusal());
  const AVCodecID id = Fields(*setup_.parameters).codec_id();
  const Codec codec = CodecOf(id);
  if (codec != Codec::kH264 && codec != Codec::kHevc && (codec != Codec::kVp9 || decoding.host_threads > 0))
    return Error(StatusCode::kUnsupported, "{}: {} is not decoded there", name, Ffmpeg().avcodec_get_name(id));
  on_device_.video.codec = codec == Codec::kH264   ? DeviceCodec::kH264
                           : codec == Codec::kHevc ? DeviceCodec::kHevc
                                                   : DeviceCodec::kVp9;
  ACU_RETURN_IF_ERROR(decoding.open(on_device_.video).status());
  on_device_.open = decoding.open;
  on_device_.declarations = MakeFrame();
  if (!on_device_.declarations || Ffmpeg().av_frame_copy_props(on_device_.declarations.get(), &declarations) < 0)
    return Error(StatusCode::kOutOfMemory, "{}: no memory", name);
  device_ = decoding;
  return StartWithSegments();
}

Status StreamDecoder::DecodeBy(const HardwareDecoding& decoding, const FramePtr& declarations) {
  const auto refuse = [&](const Status& status) {
    return Error(status.code(), "{}: {}", input_.name(), status.message());
  };
  if (on_error_ == OnError::kRecord) return {};  // it is damaged
  if (const std::string why = WhyOneDecoder(); !why.empty()) return refuse(Error(StatusCode::kUnsupported, "{}", why));
  const auto there = SetUpHardware(setup_, decoding, declarations);
  if (!there.ok()) return refuse(there.status());
  crew_.Dismiss();
  ACU_RETURN_IF_ERROR(StartAnew());
  repeated_ = frames_;
  EndHere();
  next_ = cutter_.Cut(options_.segments.least_packets);
  if (!next_ || !cutter_.starts_surely()) return refuse(Error(StatusCode::kUnsupported, "{}", WhyNoSegments()));
  const Result<bool> is_same = CheckHardware(setup_, **there, next_->packets);
  if (!is_same.ok()) return refuse(is_same.status());
  if (!*is_same) return {};
  on_device_.hardware = *there;
  device_ = DeviceDecoding{
      .open = nullptr, .decoders = decoding.decoders, .host_threads = 0, .most_bytes = options_.segments.most_bytes};
  return {};
}

/// The decoder that began leaves the first segment to the device, too, where that gives the same frames. Those that it
/// gave are decoded once more, and left out.
Status StreamDecoder::StartWithSegments() {
  TakeHere(cutter_.Cut(options_.segments.least_packets));
  is_first_ = true;
  if (!here_ || !cutter_.starts_surely()) return {};
  ACU_RETURN_IF_ERROR(input_.Reopen(options_.always_probe));
  cutter_.Start(WhyOneDecoder());
  EndHere();
  ranges_.clear();
  packet_ = decoded_ = in_a_row_ = 0;
  repeated_ = frames_;
  return {};
}

}  // namespace acutance
