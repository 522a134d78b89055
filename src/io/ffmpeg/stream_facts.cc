#include "io/ffmpeg/stream_facts.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string_view>

#include "io/ffmpeg/decoder.h"
#include "io/ffmpeg/frame_import.h"
#include "io/ffmpeg/library.h"
#include "io/icc_profile.h"

namespace acutance {
namespace {

/// The stream's side data of a type; null: it has none.
const AVPacketSideData* SideDataOf(const AVStream& stream, AVPacketSideDataType type) {
  const auto fields = Fields(stream);
  const auto codec = Fields(*fields.codecpar());
  const AVPacketSideData* all = fields.has_side_data() ? fields.side_data() : codec.coded_side_data();
  const int count = fields.has_side_data() ? fields.nb_side_data() : codec.nb_coded_side_data();
  for (int i = 0; i < count; ++i)
    if (all[i].type == type) return &all[i];
  return nullptr;
}

std::optional<ChromaSiting> SitingOf(AVChromaLocation location) {
  switch (location) {
    case AVCHROMA_LOC_LEFT:
      return ChromaSiting{0, 0.5};
    case AVCHROMA_LOC_CENTER:
      return ChromaSiting{0.5, 0.5};
    case AVCHROMA_LOC_TOPLEFT:
      return ChromaSiting{0, 0};
    case AVCHROMA_LOC_TOP:
      return ChromaSiting{0.5, 0};
    case AVCHROMA_LOC_BOTTOMLEFT:
      return ChromaSiting{0, 1};
    case AVCHROMA_LOC_BOTTOM:
      return ChromaSiting{0.5, 1};
    default:
      return std::nullopt;
  }
}

bool IsInterlaced(const AVStream& stream, const AVFrame& frame) {
  const AVFieldOrder order = Fields(*Fields(stream).codecpar()).field_order();
  return IsInterlaced(frame) || (order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE);
}

bool IsBottomFirst(const AVStream& stream, const AVFrame& frame) {
  if (IsInterlaced(frame)) return !IsTopFirst(frame);
  // The second letter is the field that is shown first.
  const AVFieldOrder order = Fields(*Fields(stream).codecpar()).field_order();
  return order == AV_FIELD_BB || order == AV_FIELD_TB;
}

/// The bytes of side data of the frame, or of the stream. FFmpeg's structs grow at their ends.
template <class Data>
const Data* FindData(const AVStream& stream, const AVFrame& frame, AVFrameSideDataType of_frame,
                     AVPacketSideDataType of_stream) {
  const auto fields = Fields(frame);
  for (int i = 0; i < fields.nb_side_data(); ++i)
    if (fields.side_data()[i]->type == of_frame && fields.side_data()[i]->size >= sizeof(Data))
      return reinterpret_cast<const Data*>(fields.side_data()[i]->data);
  const AVPacketSideData* data = SideDataOf(stream, of_stream);
  return data && data->size >= sizeof(Data) ? reinterpret_cast<const Data*>(data->data) : nullptr;
}

std::optional<Mastering> MasteringOf(const AVStream& stream, const AVFrame& frame) {
  const auto* display = FindData<AVMasteringDisplayMetadata>(stream, frame, AV_FRAME_DATA_MASTERING_DISPLAY_METADATA,
                                                             AV_PKT_DATA_MASTERING_DISPLAY_METADATA);
  if (!display || !display->has_luminance || display->max_luminance.den == 0 || display->min_luminance.den == 0)
    return std::nullopt;
  return Mastering{av_q2d(display->min_luminance), av_q2d(display->max_luminance)};
}

std::optional<LightLevel> LightLevelOf(const AVStream& stream, const AVFrame& frame) {
  const auto* level = FindData<AVContentLightMetadata>(stream, frame, AV_FRAME_DATA_CONTENT_LIGHT_LEVEL,
                                                       AV_PKT_DATA_CONTENT_LIGHT_LEVEL);
  if (!level) return std::nullopt;
  return LightLevel{static_cast<int>(level->MaxCLL), static_cast<int>(level->MaxFALL)};
}

/// Whether a color of the palette is not opaque. The highest byte of an entry is its alpha.
bool IsTransparent(const uint8_t* palette) {
  for (int index = 0; index < 256; ++index) {
    uint32_t color;
    std::memcpy(&color, palette + sizeof(color) * index, sizeof(color));
    if (color >> 24 != 0xff) return true;
  }
  return false;
}

void DescribeSamples(const AVFrame& frame, VideoFacts& facts) {
  const AVPixFmtDescriptor* desc = Ffmpeg().av_pix_fmt_desc_get(Fields(frame).format());
  if (!desc) return;
  const bool has_palette = desc->flags & AV_PIX_FMT_FLAG_PAL;
  facts.is_rgb = has_palette || (desc->flags & AV_PIX_FMT_FLAG_RGB);
  if (has_palette ? IsTransparent(Fields(frame).data()[1]) : (desc->flags & AV_PIX_FMT_FLAG_ALPHA) != 0)
    facts.changed_samples = "its alpha is left out";
  if (desc->log2_chroma_w == 2) facts.changed_samples = "4:1:1 is widened to 4:2:2";
}

const AVFrameSideData* SideDataOf(const AVFrame& frame, AVFrameSideDataType type) {
  const auto fields = Fields(frame);
  for (int i = 0; i < fields.nb_side_data(); ++i)
    if (fields.side_data()[i]->type == type) return fields.side_data()[i];
  return nullptr;
}

constexpr size_t kMatrixSize = 9 * sizeof(int32_t);

Orientation OrientationByBytes(const uint8_t* bytes) {
  int32_t matrix[9];
  std::memcpy(matrix, bytes, sizeof matrix);
  return OrientationOf(matrix);
}

/// How EXIF, or a message in the stream, rotates the picture.
std::optional<Orientation> TurnOf(const AVFrame& frame) {
  const AVFrameSideData* data = SideDataOf(frame, AV_FRAME_DATA_DISPLAYMATRIX);
  if (data && data->size >= kMatrixSize) return OrientationByBytes(data->data);
  // WebP's EXIF comes as text alone. The numbers are those of EXIF.
  const AVDictionaryEntry* entry = Ffmpeg().av_dict_get(Fields(frame).metadata(), "Orientation", nullptr, 0);
  return OrientationOfExif(entry ? std::atoi(entry->value) : 0);
}

}  // namespace

std::optional<Orientation> OrientationOfExif(int number) {
  if (number < 1 || number > 8) return std::nullopt;
  constexpr Orientation kTurns[] = {{},
                                    {false, true, false},
                                    {false, true, true},
                                    {false, false, true},
                                    {true, false, false},
                                    {true, true, false},
                                    {true, true, true},
                                    {true, false, true}};
  return kTurns[number - 1];
}

Orientation OrientationOf(const int32_t* matrix) {
  // The shown place of a stored one is (a x + c y, b x + d y), up to where the picture's corner lies.
  const int32_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  if (a == 0 && d == 0 && b != 0 && c != 0) return {true, c < 0, b < 0};
  if (b == 0 && c == 0 && a != 0 && d != 0) return {false, a < 0, d < 0};
  return {};
}

VideoFacts FactsOf(const AVFormatContext& container, const AVStream& stream, const AVFrame& frame) {
  VideoFacts facts;
  const auto parameters = Fields(*Fields(stream).codecpar());
  const Codec codec = CodecOf(parameters.codec_id());
  if (codec != Codec::kRawVideo) facts.codec = Ffmpeg().avcodec_get_name(parameters.codec_id());
  const int64_t bit_rate = parameters.bit_rate() > 0 ? parameters.bit_rate() : Fields(container).bit_rate();
  if (bit_rate > 0) facts.bit_rate = bit_rate;
  // AV1 and VP9 have none of their own: decoders compute one from the size for display, by default that of the
  // pictures.
  const bool may_be_computed = codec == Codec::kAv1 || codec == Codec::kVp9;
  for (const AVRational aspect :
       {Fields(frame).sample_aspect_ratio(), parameters.sample_aspect_ratio(), Fields(stream).sample_aspect_ratio()}) {
    if (aspect.num <= 0 || aspect.den <= 0 || (may_be_computed && aspect.num == aspect.den)) continue;
    facts.pixel_aspect = av_q2d(aspect);
    facts.has_pixel_aspect = true;
  }
  const AVPacketSideData* turn = SideDataOf(stream, AV_PKT_DATA_DISPLAYMATRIX);
  if (turn && turn->size >= kMatrixSize) facts.orientation = OrientationByBytes(turn->data);
  else facts.orientation = TurnOf(frame).value_or(Orientation());
  if (const AVPacketSideData* data = SideDataOf(stream, AV_PKT_DATA_DOVI_CONF)) {
    const auto* record = reinterpret_cast<const AVDOVIDecoderConfigurationRecord*>(data->data);
    facts.dolby_vision_profile = record->dv_profile;
    facts.has_dolby_base = record->dv_bl_signal_compatibility_id != 0;
  }
  facts.siting = SitingOf(Fields(frame).chroma_location());
  facts.is_interlaced = IsInterlaced(stream, frame);
  facts.bottom_field_first = facts.is_interlaced && IsBottomFirst(stream, frame);
  facts.mastering = MasteringOf(stream, frame);
  facts.light_level = LightLevelOf(stream, frame);
  DescribeSamples(frame, facts);
  return facts;
}

FrameDeclaration DeclarationOf(const AVFrame& frame, const PictureFormat& format) {
  FrameDeclaration declared;
  declared.color = ColorOf(frame);
  declared.form = {format, declared.color.full_range.value_or(false),
                   SitingOf(Fields(frame).chroma_location()).value_or(ChromaSiting())};
  if (const AVRational aspect = Fields(frame).sample_aspect_ratio(); aspect.num > 0 && aspect.den > 0)
    declared.pixel_aspect = av_q2d(aspect);
  declared.orientation = TurnOf(frame);
  return declared;
}

bool IsRgb(const AVFrame& frame) {
  const AVPixFmtDescriptor* desc = Ffmpeg().av_pix_fmt_desc_get(Fields(frame).format());
  return desc && (desc->flags & (AV_PIX_FMT_FLAG_PAL | AV_PIX_FMT_FLAG_RGB));
}

std::string ProfileWarning(const AVFrame& frame) {
  constexpr std::string_view kNotApplied = "which is not applied: its samples mean other colors than models expect";
  if (const AVFrameSideData* data = SideDataOf(frame, AV_FRAME_DATA_ICC_PROFILE)) {
    const IccProfile profile = ReadIccProfile(std::as_bytes(std::span(data->data, data->size)));
    if (profile.is_srgb) return "";
    return profile.description.empty()
               ? fmt::format("it has an ICC profile, {}", kNotApplied)
               : fmt::format("it has the ICC profile '{}', {}", profile.description, kNotApplied);
  }
  if (Fields(frame).color_trc() == AVCOL_TRC_LINEAR) return fmt::format("it declares linear light, {}", kNotApplied);
  return "";
}

}  // namespace acutance
