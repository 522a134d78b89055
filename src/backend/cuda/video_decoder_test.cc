// NVDEC on libraries that stand in for the driver's: pictures come whole, in order, and what is odd is refused.
#include <gmock/gmock.h>

#include <cstring>

#include "backend/cuda/api.h"
#include "backend/cuda/testing/fake_driver.h"
#include "backend/cuda/testing/fake_nvcuvid.h"
#include "exec/device.h"

namespace acutance {
namespace {

using cuda::FakeSample;
using testing::HasSubstr;

class NvdecTest : public testing::Test {
 protected:
  void SetUp() override {
    driver_ = &cuda::UseFakeDriver(FAKE_CUDA_LIBRARY);
    ::setenv("ACUTANCE_NVCUVID_LIBRARY", FAKE_NVCUVID_LIBRARY, 1);
    void* library = ::dlopen(FAKE_NVCUVID_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library, nullptr);
    fake_ = reinterpret_cast<cuda::FakeNvcuvidControlsFunction*>(::dlsym(library, "FakeNvcuvidControls"))();
    *fake_ = {};
    device_ = kCudaBackend.open(0).value();
  }

  void TearDown() override {
    device_.reset();
    EXPECT_EQ(fake_->mapped, 0);
    EXPECT_EQ(fake_->decoders, 0);
    EXPECT_EQ(fake_->parsers, 0);
    EXPECT_EQ(driver_->misuse, 0);
  }

  /// The stream holds what `video` says, with a border that is not shown at the left and the top.
  void Contain(const CodedVideo& video, int left = 0, int top = 0) {
    cuda::CUVIDEOFORMAT& format = fake_->format;
    format.bit_depth_luma_minus8 = format.bit_depth_chroma_minus8 =
        static_cast<unsigned char>(video.format.bit_depth - 8);
    format.chroma_format = video.format.pixel_format == PixelFormat::k444 ? cuda::cudaVideoChromaFormat_444
                                                                          : cuda::cudaVideoChromaFormat_420;
    format.min_num_decode_surfaces = 5;
    format.display_area = {left, top, left + video.format.width, top + video.format.height};
    format.coded_width = static_cast<unsigned>(left + video.format.width + 15) / 16 * 16;
    format.coded_height = static_cast<unsigned>(top + video.format.height + 15) / 16 * 16;
  }

  Result<std::unique_ptr<DeviceDecoder>> Open(const CodedVideo& video) {
    return kCudaBackend.open_decoder(device_, video);
  }

  /// Decodes packets of these times, and returns those of the pictures, whose samples are checked.
  Result<std::vector<int64_t>> Decode(DeviceDecoder& decoder, const std::vector<int64_t>& times,
                                      const CodedVideo& video, int left = 0, int top = 0) {
    std::vector<int64_t> shown;
    const auto show = [&](const Picture& picture, int64_t time) {
      shown.push_back(time);
      for (int p = 0; p < (video.luma_only ? 1 : 3); ++p)
        EXPECT_EQ(CountDifferent(picture, time, p, left, top), 0) << "plane " << p << " of " << time;
      EXPECT_EQ(picture.device_planes[1].address == 0, video.luma_only);
      return Status();
    };
    const std::vector<uint8_t> packet(10);
    for (const int64_t time : times) ACU_RETURN_IF_ERROR(decoder.Decode(packet, time, show));
    ACU_RETURN_IF_ERROR(decoder.Finish(show));
    return shown;
  }

  static int CountDifferent(const Picture& picture, int64_t time, int p, int left, int top) {
    const PictureFormat& format = picture.format;
    const DevicePlane& plane = picture.device_planes[static_cast<size_t>(p)];
    const bool halves = p > 0 && format.pixel_format == PixelFormat::k420;
    const auto bytes = static_cast<size_t>(format.BytesPerSample());
    int different = 0;
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x) {
        uint16_t sample = 0;
        std::memcpy(&sample,
                    reinterpret_cast<const std::byte*>(plane.address) + static_cast<size_t>(y) * plane.stride +
                        static_cast<size_t>(x) * bytes,
                    bytes);
        const int from_x = x + (halves ? left / 2 : left), from_y = y + (halves ? top / 2 : top);
        different += sample != FakeSample(time, p, from_x, from_y, format.bit_depth);
      }
    return different;
  }

  cuda::FakeCuda* driver_ = nullptr;
  cuda::FakeNvcuvid* fake_ = nullptr;
  std::shared_ptr<Device> device_;
};

TEST_F(NvdecTest, LumaComesInTheOrderOfTimes) {
  const CodedVideo video{DeviceCodec::kHevc, {50, 34, 8, PixelFormat::k420}, true};
  Contain(video);
  const auto shown = Decode(*Open(video).value(), {1, 5, 3, 2, 4, 9, 7, 6, 8}, video);
  ASSERT_TRUE(shown.ok()) << shown.status().message();
  EXPECT_THAT(*shown, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_F(NvdecTest, OneDecoderServesManyStreams) {
  const CodedVideo video{DeviceCodec::kH264, {48, 32, 8, PixelFormat::k420}, true};
  Contain(video);
  auto decoder = Open(video).value();
  for (int stream = 0; stream < 3; ++stream) EXPECT_EQ(Decode(*decoder, {1, 2, 3}, video).value().size(), 3u);
  EXPECT_EQ(fake_->made, 1);
}

TEST_F(NvdecTest, PicturesAreCutOutAsTheStreamSays) {
  const CodedVideo video{DeviceCodec::kH264, {50, 30, 8, PixelFormat::k420}, true};
  Contain(video, 6, 4);
  EXPECT_EQ(Decode(*Open(video).value(), {1, 2}, video, 6, 4).value().size(), 2u);
}

TEST_F(NvdecTest, DamageThatIsConcealedIsAnError) {
  const CodedVideo video{DeviceCodec::kH264, {48, 32, 8, PixelFormat::k420}, true};
  Contain(video);
  fake_->concealed = {2};
  EXPECT_THAT(Decode(*Open(video).value(), {1, 2, 3}, video).status().message(), HasSubstr("found an error"));
}

TEST_F(NvdecTest, DamageIsFoundInAPictureThatIsStillBeingDecoded) {
  const CodedVideo video{DeviceCodec::kH264, {48, 32, 8, PixelFormat::k420}, true};
  Contain(video);
  fake_->looks_in_progress = 3;
  EXPECT_EQ(Decode(*Open(video).value(), {1, 2, 3}, video).value().size(), 3u);
  fake_->concealed = {2};
  EXPECT_THAT(Decode(*Open(video).value(), {1, 2, 3}, video).status().message(), HasSubstr("found an error"));
}

TEST_F(NvdecTest, PicturesThatReferToADamagedOneAreNotShown) {
  const CodedVideo video{DeviceCodec::kH264, {48, 32, 8, PixelFormat::k420}, true};
  Contain(video);
  fake_->concealed = {5};
  std::vector<int64_t> shown;
  const auto show = [&](const Picture& /*picture*/, int64_t time) { return shown.push_back(time), Status(); };
  const std::vector<uint8_t> packet(10);
  const auto decoder = Open(video).value();
  Status status;
  for (const int64_t time : {1, 5, 3, 2, 4, 6, 7, 8})
    if (status.ok()) status = decoder->Decode(packet, time, show);
  EXPECT_THAT(status.message(), HasSubstr("found an error"));
  EXPECT_THAT(shown, testing::ElementsAre(1));
}

TEST_F(NvdecTest, StreamsThatAreNotAsDeclaredAreRefused) {
  const CodedVideo video{DeviceCodec::kHevc, {48, 32, 8, PixelFormat::k420}, true};
  const auto refusal = [&] { return Decode(*Open(video).value(), {1}, video).status().message(); };
  Contain({DeviceCodec::kHevc, {48, 48, 8, PixelFormat::k420}});
  EXPECT_THAT(refusal(), HasSubstr("another size"));
  Contain({DeviceCodec::kHevc, {48, 32, 10, PixelFormat::k420}});
  EXPECT_THAT(refusal(), HasSubstr("another bit depth"));
  Contain({DeviceCodec::kHevc, {48, 32, 8, PixelFormat::k444}});
  EXPECT_THAT(refusal(), HasSubstr("another chroma format"));
}

TEST_F(NvdecTest, WhatItDoesNotDecodeIsSaid) {
  const auto refusal = [&](PixelFormat format) {
    return Open({DeviceCodec::kH264, {48, 32, 8, format}, true}).status().message();
  };
  EXPECT_THAT(refusal(PixelFormat::k422), HasSubstr("does not decode H.264 with 8 bits, 422, 48x32"));
  EXPECT_THAT(refusal(PixelFormat::k400), HasSubstr("does not decode"));
  fake_->supports = false;
  EXPECT_THAT(refusal(PixelFormat::k420), HasSubstr("does not decode"));
  EXPECT_FALSE(kCudaBackend.count_engines(*device_, {}).ok());
}

TEST_F(NvdecTest, ErrorsOfTheDriverAreErrors) {
  const CodedVideo video{DeviceCodec::kH264, {48, 32, 8, PixelFormat::k420}, true};
  Contain(video);
  for (const char* function : {"cuvidCreateDecoder", "cuvidDecodePicture", "cuvidMapVideoFrame64"}) {
    fake_->fails = function;
    EXPECT_FALSE(Decode(*Open(video).value(), {1, 2, 3}, video).ok()) << function;
  }
  for (const char* function : {"cuvidGetDecoderCaps", "cuvidCreateVideoParser"}) {
    fake_->fails = function;
    EXPECT_FALSE(Open(video).ok()) << function;
  }
}

}  // namespace
}  // namespace acutance
