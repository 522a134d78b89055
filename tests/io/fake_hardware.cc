#include "tests/io/fake_hardware.h"

#include <cstring>
#include <string_view>

namespace acutance::test {
namespace {

FakeHardware* g_fake = nullptr;

FfmpegLibrary& TheLibrary() { return const_cast<FfmpegLibrary&>(Ffmpeg()); }

void WriteSample(uint8_t* at, int bytes, uint32_t value) {
  at[0] = static_cast<uint8_t>(value);
  if (bytes == 2) at[1] = static_cast<uint8_t>(value >> 8);
}

uint32_t ReadSample(const uint8_t* at, int bytes) { return bytes == 2 ? at[0] | at[1] << 8 : at[0]; }

}  // namespace

AVPixelFormat PixelFormatNamed(std::string_view name) {
  for (AVPixelFormat format = 0; format < 1000; ++format)
    if (const AVPixFmtDescriptor* found = Ffmpeg().av_pix_fmt_desc_get(format); found && found->name == name)
      return format;
  return AV_PIX_FMT_NONE;
}

FakeHardware::FakeHardware() : real_(Ffmpeg()) {
  config_ = {PixelFormatNamed("vaapi"), AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX,
             real_.av_hwdevice_find_type_by_name("vaapi")};
  g_fake = this;
  FfmpegLibrary& library = TheLibrary();
  library.av_hwdevice_ctx_create = OpenDevice;
  library.av_hwdevice_iterate_types = NextType;
  library.avcodec_get_hw_config = ConfigOf;
  library.avcodec_open2 = OpenDecoder;
  library.avcodec_receive_frame = Receive;
  library.av_hwframe_transfer_data = Copy;
}

FakeHardware::~FakeHardware() {
  TheLibrary() = real_;
  g_fake = nullptr;
}

int FakeHardware::OpenDevice(AVBufferRef** context, int type, const char* device, AVDictionary* /*options*/,
                             int /*flags*/) {
  FakeHardware& fake = *g_fake;
  if (!fake.opens || type != fake.config_.device_type) return AVERROR(ENODEV);
  fake.device = device ? device : "";
  static uint8_t bytes[16];
  *context = fake.real_.av_buffer_create(
      bytes, sizeof bytes, [](void*, uint8_t*) {}, nullptr, 0);
  return *context ? 0 : AVERROR(ENOMEM);
}

int FakeHardware::NextType(int type) { return type == 0 && g_fake->is_built_in ? g_fake->config_.device_type : 0; }

const AVCodecHWConfig* FakeHardware::ConfigOf(const AVCodec* codec, int index) {
  const std::string_view name = codec->name;
  const bool has = name == "h264" || name == "hevc" || name == "libvpx-vp9" || name == "mpeg2video";
  return has && index == 0 ? &g_fake->config_ : nullptr;
}

int FakeHardware::OpenDecoder(AVCodecContext* decoder, const AVCodec* codec, AVDictionary** options) {
  FakeHardware& fake = *g_fake;
  const auto fields = Fields(*decoder);
  if (fields.hw_device_ctx()) {
    ++fake.decoders;
    const std::scoped_lock lock(fake.mutex_);
    fake.choosers_.insert_or_assign(decoder, fields.get_format());
    fields.get_format() = Choose;
  } else {
    const std::scoped_lock lock(fake.mutex_);
    fake.choosers_.erase(decoder);
  }
  return fake.real_.avcodec_open2(decoder, codec, options);
}

/// The device's format is offered first; where it is chosen, the decoder uses the last one, its own.
AVPixelFormat FakeHardware::Choose(AVCodecContext* decoder, const AVPixelFormat* offered) {
  FakeHardware& fake = *g_fake;
  AVPixelFormat own = AV_PIX_FMT_NONE;
  for (; *offered != AV_PIX_FMT_NONE; ++offered) own = *offered;
  GetFormat choose = nullptr;
  {
    const std::scoped_lock lock(fake.mutex_);
    choose = fake.choosers_.at(decoder);
  }
  const AVPixelFormat with[] = {fake.config_.pix_fmt, own, AV_PIX_FMT_NONE}, without[] = {own, AV_PIX_FMT_NONE};
  const AVPixelFormat chosen = choose(decoder, fake.offers ? with : without);
  return chosen == fake.config_.pix_fmt ? own : AV_PIX_FMT_NONE;
}

int FakeHardware::Receive(AVCodecContext* decoder, AVFrame* frame) {
  FakeHardware& fake = *g_fake;
  const int error = fake.real_.avcodec_receive_frame(decoder, frame);
  const std::scoped_lock lock(fake.mutex_);
  if (error < 0 || !fake.choosers_.contains(decoder)) return error;
  if (fake.frames_left-- <= 0) return fake.reported;
  const auto fields = Fields(*frame);
  fake.surfaces_[fields.data()[0]] = fields.format();
  fields.format() = fake.config_.pix_fmt;
  const bool is_other = std::string_view(Fields(*decoder).codec()->name) == "libvpx-vp9";
  if (fake.declares_other || is_other) fields.color_primaries() = AVCOL_PRI_BT2020;
  if (fake.describes_grain) fake.real_.av_frame_new_side_data(frame, AV_FRAME_DATA_FILM_GRAIN_PARAMS, 8);
  return 0;
}

int FakeHardware::Copy(AVFrame* to, const AVFrame* from, int /*flags*/) {
  FakeHardware& fake = *g_fake;
  if (fake.copies_left-- <= 0) return AVERROR(EIO);
  AVPixelFormat own = AV_PIX_FMT_NONE;
  {
    const std::scoped_lock lock(fake.mutex_);
    own = fake.surfaces_.at(Fields(*from).data()[0]);
  }
  const std::string_view name = fake.real_.av_pix_fmt_desc_get(own)->name;
  const bool is_420 = name.starts_with("yuv420p") || name.starts_with("yuvj420p");
  const bool is_deep = name.ends_with("10le");
  const std::string_view given = !is_420 ? name : is_deep && !fake.gives_8_bits ? "p010le" : "nv12";
  return fake.CopySamples(*to, *from, PixelFormatNamed(given));
}

/// The planes' samples at the places, and with the shift, that the format has.
int FakeHardware::CopySamples(AVFrame& to, const AVFrame& from, AVPixelFormat samples) {
  const auto out = Fields(to);
  const auto in = Fields(from);
  out.width() = in.width();
  out.height() = in.height();
  out.format() = samples;
  if (const int error = real_.av_frame_get_buffer(&to, 0); error < 0) return error;
  const AVPixFmtDescriptor& layout = *real_.av_pix_fmt_desc_get(samples);
  const int bytes = layout.comp[0].depth > 8 ? 2 : 1;
  for (int p = 0; p < layout.nb_components; ++p) {
    const AVComponentDescriptor& component = layout.comp[p];
    const int width = p == 0 ? in.width() : -(-in.width() >> layout.log2_chroma_w);
    const int height = p == 0 ? in.height() : -(-in.height() >> layout.log2_chroma_h);
    for (int y = 0; y < height; ++y) {
      uint8_t* row = out.data()[component.plane] + ptrdiff_t{y} * out.linesize()[component.plane] + component.offset;
      const uint8_t* source = in.data()[p] + ptrdiff_t{y} * in.linesize()[p];
      for (int x = 0; x < width; ++x)
        WriteSample(row + ptrdiff_t{x} * component.step, bytes,
                    ReadSample(source + ptrdiff_t{x} * bytes, bytes) << component.shift);
    }
  }
  const int count = copies++;
  if (alters || count == altered) out.data()[1][0] ^= 128;
  if (count == altered) frames_left = 2;
  return 0;
}

}  // namespace acutance::test
