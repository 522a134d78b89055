#include "io/ffmpeg/hardware.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "base/system/process.h"
#include "io/ffmpeg/damage_watch.h"
#include "io/ffmpeg/demuxer.h"
#include "io/ffmpeg/frame_import.h"
#include "io/ffmpeg/library.h"
#include "io/ffmpeg/stream_facts.h"

namespace acutance {
namespace {

constexpr int kLacksGrain = std::numeric_limits<int>::min();  // no error of FFmpeg

/// How the decoder is set up for a type of devices; null: it is not.
const AVCodecHWConfig* ConfigOf(const AVCodec& decoder, int type) {
  for (int i = 0;; ++i) {
    const AVCodecHWConfig* config = Ffmpeg().avcodec_get_hw_config(&decoder, i);
    if (!config) return nullptr;
    if (config->device_type == type && (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX)) return config;
  }
}

int TypeOf(Hardware kind) { return Ffmpeg().av_hwdevice_find_type_by_name(OptionNameOf(kind).data()); }

/// FFmpeg's callback with the pixel formats that a stream can be decoded to; its own decoder's come last. It is called
/// again without a device's format where the device refuses the stream.
template <Hardware kKind>
AVPixelFormat Choose(AVCodecContext* decoder, const AVPixelFormat* offered) {
  const AVCodecHWConfig* config = ConfigOf(*Fields(*decoder).codec(), TypeOf(kKind));
  for (; config && *offered != AV_PIX_FMT_NONE; ++offered)
    if (*offered == config->pix_fmt) return *offered;
  return AV_PIX_FMT_NONE;
}

/// Whether all decoders give the same pictures: other codecs, such as MPEG-2, allow different roundings.
bool DefinesEveryBit(Codec codec) {
  return codec == Codec::kH264 || codec == Codec::kHevc || codec == Codec::kVp8 || codec == Codec::kVp9 ||
         codec == Codec::kAv1;
}

bool HasType(int type) {
  for (int each = 0; (each = Ffmpeg().av_hwdevice_iterate_types(each)) != 0;)
    if (each == type) return true;
  return false;
}

bool DescribesGrain(const AVFrame& frame) {
  const auto fields = Fields(frame);
  for (int i = 0; i < fields.nb_side_data(); ++i)
    if (fields.side_data()[i]->type == AV_FRAME_DATA_FILM_GRAIN_PARAMS) return true;
  return false;
}

}  // namespace

Result<std::shared_ptr<const HardwareDevice>> HardwareDevice::Open(const HardwareDecoding& which) {
  struct Devices {
    ProcessGuard process;
    std::mutex mutex;
    std::map<std::pair<Hardware, std::string>, std::shared_ptr<const HardwareDevice>> open;
  };
  static Devices& devices = *new Devices;
  const std::string_view kind = NameOf(which.kind);
  const int type = TypeOf(which.kind);
  if (!Ffmpeg().has_hardware || !HasType(type))
    return Error(StatusCode::kUnsupported, "FFmpeg {} was built without {}", Ffmpeg().av_version_info(), kind);
  ACU_RETURN_IF_ERROR(devices.process.Check(kind));
  const std::scoped_lock lock(devices.mutex);
  std::shared_ptr<const HardwareDevice>& known = devices.open[{which.kind, which.device}];
  if (known) return known;
  const LoggedErrors logged;
  std::shared_ptr<HardwareDevice> device(new HardwareDevice(which.kind));
  device->type_ = type;
  const int error = Ffmpeg().av_hwdevice_ctx_create(&device->context_, type,
                                                    which.device.empty() ? nullptr : which.device.c_str(), nullptr, 0);
  if (error < 0)
    return Error(StatusCode::kNoDevice, "FFmpeg opens no {} device{}{}: {}", kind, which.device.empty() ? "" : " ",
                 which.device, logged.text().empty() ? FfmpegReason(error) : logged.text());
  return known = std::move(device);
}

const AVCodec* HardwareDevice::FindDecoder(AVCodecID codec) const {
  void* place = nullptr;
  while (const AVCodec* decoder = Ffmpeg().av_codec_iterate(&place))
    if (decoder->id == codec && Ffmpeg().av_codec_is_decoder(decoder) && ConfigOf(*decoder, type_)) return decoder;
  return nullptr;
}

void HardwareDevice::Attach(AVCodecContext& decoder) const {
  const auto fields = Fields(decoder);
  fields.hw_device_ctx() = Ffmpeg().av_buffer_ref(context_);
  fields.get_format() = kind_ == Hardware::kVulkan ? Choose<Hardware::kVulkan> : Choose<Hardware::kVaapi>;
  ExportFilmGrain(decoder);
}

int HardwareDevice::Download(FramePtr& frame, bool adds_grain) const {
  if (adds_grain && DescribesGrain(*frame)) return kLacksGrain;
  FramePtr copy = MakeFrame();
  if (!copy) return AVERROR(ENOMEM);
  // The copy has the size of the device's memory until the crop at the left and at the top is applied.
  int error = Ffmpeg().av_hwframe_transfer_data(copy.get(), frame.get(), 0);
  if (error >= 0) error = Ffmpeg().av_frame_copy_props(copy.get(), frame.get());
  if (error >= 0) error = Ffmpeg().av_frame_apply_cropping(copy.get(), AV_FRAME_CROP_UNALIGNED);
  frame = std::move(copy);
  return std::min(error, 0);
}

Result<std::shared_ptr<const DecoderSetup>> SetUpHardware(const DecoderSetup& here, const HardwareDecoding& decoding,
                                                          FramePtr declarations) {
  const AVCodecID id = Fields(*here.parameters).codec_id();
  const char* codec = Ffmpeg().avcodec_get_name(id);
  if (!DefinesEveryBit(CodecOf(id)))
    return Error(StatusCode::kUnsupported, "{} decoders may differ in their pictures, so that FFmpeg's own decode it",
                 codec);
  ACU_ASSIGN_OR_RETURN(const std::shared_ptr<const HardwareDevice> device, HardwareDevice::Open(decoding));
  auto there = std::make_shared<DecoderSetup>();
  there->codec = device->FindDecoder(id);
  if (!there->codec)
    return Error(StatusCode::kUnsupported, "FFmpeg {} has no decoder of {} by {}", Ffmpeg().av_version_info(), codec,
                 device->name());
  if (there->codec != here.codec) there->declarations = std::move(declarations);
  there->time_base = here.time_base;
  there->film_grain = here.film_grain;
  there->hardware = device;
  if (there->CopyParameters(*here.parameters) < 0) return Error(StatusCode::kOutOfMemory, "no memory");
  return std::shared_ptr<const DecoderSetup>(std::move(there));
}

namespace {

struct FirstFrames {
  std::vector<FramePtr> frames;
  std::string problem{};  // empty: there is none
};

FirstFrames DecodeFirst(const DecoderSetup& setup, std::span<StreamPacket> packets) {
  FirstFrames decoded;
  DamageWatch watch;
  DecoderPtr decoder;
  int error = setup.Open(1, OnError::kFind, watch, decoder);
  const auto drain = [&] {
    while (error >= 0) {
      FramePtr frame = MakeFrame();
      if (!frame) error = AVERROR(ENOMEM);
      else error = setup.Receive(*decoder, frame);
      if (error >= 0 && (IsCorrupt(*frame) || !watch.IsComplete(*frame))) error = AVERROR_INVALIDDATA;
      if (error >= 0) decoded.frames.push_back(std::move(frame));
    }
    if (error == AVERROR(EAGAIN)) error = 0;
  };
  for (StreamPacket& packet : packets) {
    if (error >= 0) error = SendPacket(*decoder, &packet);
    drain();
  }
  if (error >= 0) error = SendPacket(*decoder, nullptr);
  drain();
  decoded.problem = watch.TakeError();
  if (error == kLacksGrain) decoded.problem = "it leaves out film grain";
  else if (decoded.problem.empty() && error != AVERROR_EOF) decoded.problem = FfmpegReason(error);
  return decoded;
}

bool HasSameSamples(const Picture& one, const Picture& other) {
  for (int p = 0; p < one.format.PlaneCount(); ++p)
    for (int y = 0; y < one.format.PlaneHeight(p); ++y)
      if (std::memcmp(one.planes[p].data + y * one.planes[p].stride, other.planes[p].data + y * other.planes[p].stride,
                      static_cast<size_t>(one.format.PlaneWidth(p)) * one.format.BytesPerSample()) != 0)
        return false;
  return true;
}

/// How the frame of a device differs from that of FFmpeg's own decoder; empty: they are the same.
std::string DifferenceOf(const FramePtr& own, const FramePtr& other) {
  const auto from = Fields(*own), to = Fields(*other);
  const AVPixFmtDescriptor* samples = Ffmpeg().av_pix_fmt_desc_get(to.format());
  const Result<PictureFormat> format = FormatOf(*own, from.format(), "", true);
  const Result<PictureFormat> given = FormatOf(*other, to.format(), "", true);
  if (!format.ok() || !given.ok() || *format != *given || IsRgb(*own) != IsRgb(*other))
    return fmt::format("its frames are {}x{} {}, not {}x{} {}", to.width(), to.height(), samples ? samples->name : "",
                       from.width(), from.height(), Ffmpeg().av_pix_fmt_desc_get(from.format())->name);
  if (from.pts() != to.pts()) return "its frames have other times";
  const auto declares = [](const AVFrame& frame) {
    const auto fields = Fields(frame);
    return std::array{fields.color_range(),
                      fields.color_primaries(),
                      fields.color_trc(),
                      fields.colorspace(),
                      fields.chroma_location(),
                      fields.sample_aspect_ratio().num,
                      fields.sample_aspect_ratio().den};
  };
  if (declares(*own) != declares(*other)) return "its frames declare other colors";
  PicturePool pool;
  const Result<Picture> expected = PictureOf(own, *format, false, pool), got = PictureOf(other, *given, false, pool);
  if (!expected.ok() || !got.ok()) return "there is no memory to compare its frames";
  return HasSameSamples(*expected, *got) ? ""
                                         : "its first frames have other samples than those of FFmpeg's own decoder";
}

}  // namespace

Result<bool> CheckHardware(const DecoderSetup& here, const DecoderSetup& there, std::span<StreamPacket> packets) {
  constexpr size_t kPackets = 8;
  packets = packets.first(std::min(packets.size(), kPackets));
  const FirstFrames own = DecodeFirst(here, packets);
  if (!own.problem.empty()) return false;
  const FirstFrames other = DecodeFirst(there, packets);
  std::string problem = other.problem;
  if (problem.empty() && other.frames.size() != own.frames.size()) problem = "it gives another number of frames";
  for (size_t i = 0; i < own.frames.size() && problem.empty(); ++i)
    problem = DifferenceOf(own.frames[i], other.frames[i]);
  if (problem.empty()) return true;
  return Error(StatusCode::kUnsupported, "{} does not decode this {} as FFmpeg's own decoder does: {}",
               there.hardware->name(), Ffmpeg().avcodec_get_name(Fields(*here.parameters).codec_id()), problem);
}

}  // namespace acutance
