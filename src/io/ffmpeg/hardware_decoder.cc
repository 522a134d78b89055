#include "io/ffmpeg/hardware_decoder.h"

#include <algorithm>
#include <iterator>

#include "io/ffmpeg/decoder.h"
#include "io/ffmpeg/frame_import.h"
#include "io/ffmpeg/h264_bits.h"
#include "io/ffmpeg/library.h"

namespace acutance {
namespace {

// Other codecs, such as MPEG-2, MPEG-4 and JPEG, leave the last bit to the decoder.
constexpr Codec kExactCodecs[] = {Codec::kH264, Codec::kHevc, Codec::kVp8, Codec::kVp9, Codec::kAv1};

bool RunsOnCuda(const AVCodec* decoder) {
  for (int i = 0; const AVCodecHWConfig* config = Ffmpeg().avcodec_get_hw_config(decoder, i); ++i)
    if (config->device_type == AV_HWDEVICE_TYPE_CUDA && config->pix_fmt == AV_PIX_FMT_CUDA &&
        (config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX))
      return true;
  return false;
}

/// Chooses the format in which a decoder gives its frames. Where the device refuses the stream,
/// FFmpeg asks again without CUDA; the answer "none" then ends decoding.
AVPixelFormat ChooseCuda(AVCodecContext* decoder, const AVPixelFormat* offered) {
  auto& stream = *static_cast<DeviceStream*>(Fields(*decoder).opaque());
  AVPixelFormat own = AV_PIX_FMT_NONE;  // the last one is that of FFmpeg's own decoder
  for (; *offered != AV_PIX_FMT_NONE; own = *offered++) {
    if (*offered != AV_PIX_FMT_CUDA) continue;
    stream.is_offered = true;
    TakeLastFfmpegError();  // drops an earlier one
    return AV_PIX_FMT_CUDA;
  }
  const AVPixFmtDescriptor* desc = Ffmpeg().av_pix_fmt_desc_get(own);
  const std::string reason = stream.is_offered ? TakeLastFfmpegError() : "";
  stream.refusal = fmt::format("NVDEC does not take this stream ({}, {}){}{}",
                               Ffmpeg().avcodec_get_name(Fields(*decoder).codec_id()),
                               desc ? desc->name : "unknown samples", reason.empty() ? "" : ": ", reason);
  return AV_PIX_FMT_NONE;
}

/// FFmpeg takes H.264 without chroma for 4:2:0 and tells the device so, which then decodes other samples.
bool MayLackChroma(const AVCodecContext& decoder) {
  const auto fields = Fields(decoder);
  return CodecOf(fields.codec_id()) == Codec::kH264 &&
         !H264HasChroma({fields.extradata(), static_cast<size_t>(fields.extradata_size())});
}

/// Whether the decoder's format has the coded video's chroma. Decoders add chroma planes to
/// videos without chroma, which is fine.
bool HasChromaOf(const AVPixFmtDescriptor& desc, PixelFormat format) {
  if (format == PixelFormat::k400) return true;
  return desc.nb_components >= 3 && desc.log2_chroma_w == (format != PixelFormat::k444) &&
         desc.log2_chroma_h == (format == PixelFormat::k420);
}

}  // namespace

const AVCodec* FindDeviceDecoder(AVCodecID codec) {
  if (std::ranges::find(kExactCodecs, CodecOf(codec)) == std::end(kExactCodecs)) return nullptr;
  void* place = nullptr;
  while (const AVCodec* each = Ffmpeg().av_codec_iterate(&place))
    if (each->id == codec && Ffmpeg().av_codec_is_decoder(each) && RunsOnCuda(each)) return each;
  return nullptr;
}

Result<std::vector<std::string>> DeviceCodecs() {
  ACU_RETURN_IF_ERROR(LoadFfmpeg());
  std::vector<std::string> names;
  for (Codec codec : kExactCodecs)
    if (FindDeviceDecoder(IdOf(codec))) names.emplace_back(Ffmpeg().avcodec_get_name(IdOf(codec)));
  if (names.empty()) return Error(StatusCode::kUnsupported, "FFmpeg's libraries were built without it");
  return names;
}

// FFmpeg is given the context instead of asked to make one: it refuses a primary context whose
// flags differ from those that it would have set.
Status UseDevice(AVCodecContext& decoder, void* cuda_context, DeviceStream* stream) {
  if (MayLackChroma(decoder))
    return Error(StatusCode::kUnsupported, "NVDEC takes H.264 only where the container says that it has chroma");
  const auto fields = Fields(decoder);
  fields.hw_device_ctx() = Ffmpeg().av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA);
  if (!fields.hw_device_ctx()) return Error(StatusCode::kUnsupported, "this build of FFmpeg does not use CUDA");
  const auto& device = *reinterpret_cast<AVHWDeviceContext*>(fields.hw_device_ctx()->data);
  *static_cast<void**>(Fields(device).hwctx()) = cuda_context;  // the first field of AVCUDADeviceContext
  if (Ffmpeg().av_hwdevice_ctx_init(fields.hw_device_ctx()) < 0)
    return Error(StatusCode::kUnsupported, "FFmpeg could not use the CUDA device");
  if (!fields.has_properties()) ExportFilmGrain(decoder);
  // From FFmpeg 7 on, frames are otherwise copies; here their surfaces are given back at once. Others ignore the flag.
  Ffmpeg().av_opt_set_int(&decoder, "hwaccel_flags", AV_HWACCEL_FLAG_IGNORE_LEVEL | AV_HWACCEL_FLAG_UNSAFE_OUTPUT, 0);
  fields.opaque() = stream;
  fields.get_format() = ChooseCuda;
  return {};
}

/// Versions without the property say it with each frame.
bool HasFilmGrain(const AVCodecContext& decoder, const AVFrame& frame) {
  if (Fields(decoder).has_properties()) return Fields(decoder).properties() & FF_CODEC_PROPERTY_FILM_GRAIN;
  const auto fields = Fields(frame);
  return std::any_of(fields.side_data(), fields.side_data() + fields.nb_side_data(),
                     [](const AVFrameSideData* data) { return data->type == AV_FRAME_DATA_FILM_GRAIN_PARAMS; });
}

Result<DeviceFrame> DeviceFrameOf(const AVFrame& frame, const PictureFormat& format, bool luma_only) {
  const auto fields = Fields(frame);
  const auto& pool = *reinterpret_cast<const AVHWFramesContext*>(fields.hw_frames_ctx()->data);
  const AVPixFmtDescriptor& desc = *Ffmpeg().av_pix_fmt_desc_get(Fields(pool).sw_format());
  const int bytes = format.BytesPerSample();
  // FFmpeg crops frames of devices at the right and the bottom alone.
  if (fields.crop_left() != 0 || fields.crop_top() != 0)
    return Error(StatusCode::kUnsupported, "its pictures are cropped at the left or the top");
  DeviceFrame result{format, {}};
  for (int p = 0; p < (luma_only ? 1 : format.PlaneCount()); ++p) {
    const AVComponentDescriptor& component = desc.comp[p];
    const int bits = component.shift + component.depth;
    if (!HasChromaOf(desc, format.pixel_format) || bits != 8 * bytes || component.step % bytes != 0 ||
        fields.linesize()[component.plane] <= 0)
      return Error(StatusCode::kUnsupported, "the decoder lays frames out as {}", desc.name);
    result.components[p] = {{reinterpret_cast<uint64_t>(fields.data()[component.plane]) + component.offset,
                             static_cast<size_t>(fields.linesize()[component.plane])},
                            component.step / bytes,
                            bits - format.bit_depth};
  }
  return result;
}

Result<Picture> TakeFrame(const AVFrame& frame, const AVCodecContext& decoder, const PictureFormat& format,
                          bool luma_only, const TakeDeviceFrame& take) {
  if (Fields(frame).format() != AV_PIX_FMT_CUDA || HasFilmGrain(decoder, frame))
    return Error(StatusCode::kUnsupported, "the device does not decode it");
  ACU_ASSIGN_OR_RETURN(const PictureFormat own, FormatOf(frame, Fields(decoder).sw_pix_fmt(), ""));
  if (own != format) return Error(StatusCode::kUnsupported, "its format changes");
  ACU_ASSIGN_OR_RETURN(const DeviceFrame there, DeviceFrameOf(frame, format, luma_only));
  return take(there);
}

}  // namespace acutance
