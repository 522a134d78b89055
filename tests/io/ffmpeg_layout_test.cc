// Tests of what this build declares of FFmpeg: against the loaded libraries, and the headers where there are some.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/ffmpeg/library.h"
#include "io/video_source.h"

namespace acutance {
namespace {

class FfmpegLayout : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(LoadFfmpeg().ok()) << LoadFfmpeg().message(); }
};

TEST_F(FfmpegLayout, IsThatOfTheLoadedLibraries) {
  EXPECT_EQ(static_cast<int>(Ffmpeg().avcodec_version() >> 16), kFirstAvutil + 2 + g_ffmpeg_layout);
  EXPECT_TRUE(CheckFfmpegLayout().ok()) << CheckFfmpegLayout().message();
  EXPECT_THAT(FfmpegVersion().value(), testing::StartsWith("FFmpeg "));
}

/// Versions 8 and 9 differ only in a field that 9 lacks.
TEST_F(FfmpegLayout, OfAnotherVersionIsRefusedByName) {
  const int own = g_ffmpeg_layout;
  for (int other = 0; other < kFfmpegLayouts; ++other) {
    if (std::min(other, 3) == std::min(own, 3)) continue;
    g_ffmpeg_layout = other;
    const Status status = CheckFfmpegLayout();
    g_ffmpeg_layout = own;
    ASSERT_FALSE(status.ok()) << "the layout of version " << other + 5;
    EXPECT_THAT(status.message(), testing::MatchesRegex("its AV[A-Za-z]+\\.[a-z_0-9]+ is not where version [5-9] of "
                                                        "FFmpeg has it"));
  }
}

TEST_F(FfmpegLayout, CodecsAreFoundByTheirNames) {
  EXPECT_STREQ(Ffmpeg().avcodec_get_name(IdOf(Codec::kHevc)), "hevc");
  EXPECT_STREQ(Ffmpeg().avcodec_get_name(IdOf(Codec::kAv1)), "av1");
  for (int i = 0; i < static_cast<int>(Codec::kOther); ++i)
    EXPECT_EQ(CodecOf(IdOf(static_cast<Codec>(i))), static_cast<Codec>(i)) << i;
  EXPECT_EQ(CodecOf(0), Codec::kOther);
}

// The values before FFmpeg's headers give the names another meaning.
constexpr int kConstants[] = {
#define ACU_VALUE(name, value) name,
    ACU_FFMPEG_CONSTANTS(ACU_VALUE)
#undef ACU_VALUE
};

}  // namespace
}  // namespace acutance

#if __has_include(<libavformat/avformat.h>)
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/hwcontext.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
}

namespace {

constexpr int kLayout = LIBAVUTIL_VERSION_MAJOR - acutance::kFirstAvutil;
static_assert(kLayout >= 0 && kLayout < acutance::kFfmpegLayouts, "a version of FFmpeg that is not known");

constexpr std::pair<const char*, int> kInHeaders[] = {
#define ACU_VALUE(name, value) {#name, static_cast<int>(name)},
    ACU_FFMPEG_CONSTANTS(ACU_VALUE)
#undef ACU_VALUE
};

TEST(FfmpegHeaders, HaveTheConstants) {
  for (size_t i = 0; i < std::size(kInHeaders); ++i)
    EXPECT_EQ(acutance::kConstants[i], kInHeaders[i].second) << kInHeaders[i].first;
}

#define ACU_SAME(Struct, field) \
  static_assert(offsetof(::Struct, field) == offsetof(acutance::Struct, field), #Struct "." #field)
ACU_SAME(AVBufferRef, data);
ACU_SAME(AVBufferRef, size);
ACU_SAME(AVClass, class_name);
ACU_SAME(AVCodec, type);
ACU_SAME(AVCodec, id);
ACU_SAME(AVCodec, capabilities);
ACU_SAME(AVCodecDescriptor, id);
ACU_SAME(AVComponentDescriptor, plane);
ACU_SAME(AVComponentDescriptor, step);
ACU_SAME(AVComponentDescriptor, offset);
ACU_SAME(AVComponentDescriptor, shift);
ACU_SAME(AVComponentDescriptor, depth);
ACU_SAME(AVContentLightMetadata, MaxCLL);
ACU_SAME(AVContentLightMetadata, MaxFALL);
ACU_SAME(AVDictionaryEntry, value);
ACU_SAME(AVDOVIDecoderConfigurationRecord, dv_profile);
ACU_SAME(AVDOVIDecoderConfigurationRecord, dv_bl_signal_compatibility_id);
ACU_SAME(AVFrameSideData, type);
ACU_SAME(AVFrameSideData, data);
ACU_SAME(AVFrameSideData, size);
ACU_SAME(AVInputFormat, name);
ACU_SAME(AVInputFormat, flags);
ACU_SAME(AVIOContext, buffer);
ACU_SAME(AVMasteringDisplayMetadata, min_luminance);
ACU_SAME(AVMasteringDisplayMetadata, max_luminance);
ACU_SAME(AVMasteringDisplayMetadata, has_luminance);
ACU_SAME(AVOption, offset);
ACU_SAME(AVPacket, pts);
ACU_SAME(AVPacket, dts);
ACU_SAME(AVPacket, data);
ACU_SAME(AVPacket, size);
ACU_SAME(AVPacket, stream_index);
ACU_SAME(AVPacket, flags);
ACU_SAME(AVPacket, side_data);
ACU_SAME(AVPacket, side_data_elems);
ACU_SAME(AVPacket, duration);
ACU_SAME(AVPacket, opaque);
ACU_SAME(AVPacketSideData, data);
ACU_SAME(AVPacketSideData, size);
ACU_SAME(AVPacketSideData, type);
ACU_SAME(AVPixFmtDescriptor, nb_components);
ACU_SAME(AVPixFmtDescriptor, log2_chroma_w);
ACU_SAME(AVPixFmtDescriptor, log2_chroma_h);
ACU_SAME(AVPixFmtDescriptor, flags);
ACU_SAME(AVPixFmtDescriptor, comp);
ACU_SAME(AVRational, den);

#define ACU_COMPARE(Type, field, ...)                                                                          \
  {                                                                                                            \
    constexpr uint16_t kOffsets[] = {__VA_ARGS__};                                                             \
    constexpr int kFound = [](auto* object) {                                                                  \
      using Struct = std::remove_pointer_t<decltype(object)>;                                                  \
      if constexpr (requires(Struct & each) { each.field; }) return static_cast<int>(offsetof(Struct, field)); \
      else return -1;                                                                                          \
    }(static_cast<Compared*>(nullptr));                                                                        \
    const bool is_used = kOffsets[kLayout] != kNoField;                                                        \
    EXPECT_TRUE(!is_used || kOffsets[kLayout] == kFound) << #field << " at " << kFound;                        \
  }
#define ACU_COMPARE_STRUCT(Struct, FIELDS) \
  {                                        \
    using Compared = ::Struct;             \
    FIELDS(ACU_COMPARE)                    \
  }
constexpr uint16_t kNoField = acutance::kNoField;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(FfmpegHeaders, HaveTheFieldsWhereTheLayoutSays) {
  ACU_COMPARE_STRUCT(AVFrame, ACU_FRAME_FIELDS)
  ACU_COMPARE_STRUCT(AVCodecContext, ACU_CODEC_CONTEXT_FIELDS)
  ACU_COMPARE_STRUCT(AVCodecParameters, ACU_PARAMETERS_FIELDS)
  ACU_COMPARE_STRUCT(AVStream, ACU_STREAM_FIELDS)
  ACU_COMPARE_STRUCT(AVFormatContext, ACU_CONTAINER_FIELDS)
}
#pragma GCC diagnostic pop

}  // namespace
#endif
