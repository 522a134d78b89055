#include "backend/cuda/video_decoder.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "backend/cuda/nvcuvid.h"
#include "backend/gpu_driver/queue.h"
#include "base/threads/exception_barrier.h"
#include "exec/surface_splitter.h"

namespace acutance::cuda {
namespace {

// Pictures that the engine has while the first of them is copied.
constexpr unsigned kAhead = 4;

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kLongestDecoding(10);  // of a picture, by engines that others use, too
constexpr std::chrono::microseconds kBetweenLooks(50);

struct CodecName {
  DeviceCodec codec;
  cudaVideoCodec number;
  const char* name;
};
constexpr CodecName kCodecs[] = {{DeviceCodec::kH264, cudaVideoCodec_H264, "H.264"},
                                 {DeviceCodec::kHevc, cudaVideoCodec_HEVC, "HEVC"},
                                 {DeviceCodec::kVp9, cudaVideoCodec_VP9, "VP9"}};

const CodecName& NameOf(DeviceCodec codec) { return kCodecs[static_cast<int>(codec)]; }

std::optional<cudaVideoChromaFormat> ChromaOf(PixelFormat format) {
  switch (format) {
    case PixelFormat::k420:
      return cudaVideoChromaFormat_420;
    case PixelFormat::k444:
      return cudaVideoChromaFormat_444;
    default:
      return std::nullopt;  // no engine that was tested decodes 4:2:2, and chroma is added where there is none
  }
}

cudaVideoSurfaceFormat SurfaceOf(const PictureFormat& format) {
  const bool is_deep = format.bit_depth > 8;
  if (format.pixel_format == PixelFormat::k444)
    return is_deep ? cudaVideoSurfaceFormat_YUV444_16Bit : cudaVideoSurfaceFormat_YUV444;
  return is_deep ? cudaVideoSurfaceFormat_P016 : cudaVideoSurfaceFormat_NV12;
}

class VideoDecoder : public DeviceDecoder {
 public:
  VideoDecoder(const Nvcuvid& api, std::shared_ptr<Context> context, std::shared_ptr<Device> device,
               const CodedVideo& video)
      : api_(api), context_(std::move(context)), splitter_(std::move(device)), video_(video) {}

  ~VideoDecoder() override {
    const gpu::CurrentContext<Api> current(*context_);
    if (!current.pushed()) return;
    if (parser_) api_.cuvidDestroyVideoParser(parser_);
    if (decoder_) api_.cuvidDestroyDecoder(decoder_);
  }

  Status Open() {
    const gpu::CurrentContext<Api> current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    CUVIDPARSERPARAMS parameters{};
    parameters.codec = NameOf(video_.codec).number;
    parameters.decode_surfaces = 1;  // OnSequence says how many there are
    parameters.display_delay = kAhead;
    parameters.user = this;
    parameters.on_sequence = [](void* self, CUVIDEOFORMAT* format) {
      return static_cast<VideoDecoder*>(self)->Guard([&](VideoDecoder& mine) { return mine.OnSequence(*format); });
    };
    parameters.on_decode = [](void* self, CUVIDPICPARAMS* picture) {
      return static_cast<VideoDecoder*>(self)->Guard([&](VideoDecoder& mine) { return mine.OnDecode(*picture); });
    };
    parameters.on_display = [](void* self, CUVIDPARSERDISPINFO* info) {
      return static_cast<VideoDecoder*>(self)->Guard([&](VideoDecoder& mine) { return mine.OnDisplay(*info); });
    };
    return Check(api_.cuvidCreateVideoParser(&parser_, &parameters), "make a parser of video");
  }

  /// A packet of VP9 may hold further pictures, which are not shown. The parser hands out times in their order.
  Status Decode(std::span<const uint8_t> packet, int64_t time, const Show& show) override {
    const unsigned long end = video_.codec == DeviceCodec::kVp9 ? 0 : CUVID_PKT_ENDOFPICTURE;
    return Parse({CUVID_PKT_TIMESTAMP | end, static_cast<unsigned long>(packet.size()), packet.data(), time}, show);
  }

  Status Finish(const Show& show) override {
    ACU_RETURN_IF_ERROR(Parse({CUVID_PKT_ENDOFSTREAM, 0, nullptr, 0}, show));
    unchecked_.clear();  // pictures that are not shown
    return {};
  }

 private:
  /// What a callback returns to the parser: 0 ends parsing.
  template <class Call>
  int Guard(const Call& call) {
    int answer = 0;
    const Status status = CatchExceptions([&]() -> Status {
      ACU_ASSIGN_OR_RETURN(answer, call(*this));
      return {};
    });
    if (failure_.ok()) failure_ = status;
    return status.ok() ? answer : 0;
  }

  Status Parse(CUVIDSOURCEDATAPACKET packet, const Show& show) {
    const gpu::CurrentContext<Api> current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    show_ = &show;
    const Status parsed = Check(api_.cuvidParseVideoData(parser_, &packet), "decode video");
    show_ = nullptr;
    return failure_.ok() ? parsed : failure_;
  }

  /// A stream may cause any error of these calls, so that none means that the device is lost.
  Status Check(CUresult result, std::string_view doing) const {
    return CallStatus(context_->api().driver, context_->info().name, result, doing);
  }

  Status Refuse(std::string_view what) const {
    return Error(StatusCode::kUnsupported, "NVDEC finds {} in the {} stream that its container does not declare", what,
                 NameOf(video_.codec).name);
  }

  /// The number of decode surfaces, for the parser.
  Result<int> OnSequence(const CUVIDEOFORMAT& format) {
    const int surfaces = static_cast<int>(format.min_num_decode_surfaces + kAhead);
    const VideoRectangle& area = format.display_area;
    if (area.right - area.left != video_.format.width || area.bottom - area.top != video_.format.height)
      return Refuse("another size");
    if (ChromaOf(video_.format.pixel_format) != format.chroma_format) return Refuse("another chroma format");
    const int depth = video_.format.bit_depth - 8;
    if (format.bit_depth_luma_minus8 != depth || format.bit_depth_chroma_minus8 != depth)
      return Refuse("another bit depth");
    if (decoder_ &&
        (format.coded_width != info_.width || format.coded_height != info_.height ||
         static_cast<unsigned long>(surfaces) > info_.decode_surfaces || area.left != left_ || area.top != top_))
      return Refuse("other parameters");
    if (decoder_) return static_cast<int>(info_.decode_surfaces);
    left_ = area.left, top_ = area.top;
    info_ = {};
    info_.width = info_.max_width = info_.target_width = format.coded_width;
    info_.height = info_.max_height = info_.target_height = format.coded_height;
    info_.decode_surfaces = static_cast<unsigned long>(surfaces);
    info_.codec = format.codec;
    info_.chroma_format = format.chroma_format;
    info_.flags = cudaVideoCreate_PreferCUVID;
    info_.bit_depth_minus8 = static_cast<unsigned long>(depth);
    info_.output_format = SurfaceOf(video_.format);
    info_.output_surfaces = 1;
    ACU_RETURN_IF_ERROR(Check(api_.cuvidCreateDecoder(&decoder_, &info_), "make a decoder of video"));
    return surfaces;
  }

  Result<int> OnDecode(CUVIDPICPARAMS& picture) {
    ACU_RETURN_IF_ERROR(Check(api_.cuvidDecodePicture(decoder_, &picture), "decode a picture"));
    unchecked_.push_back(picture.index);
    return 1;
  }

  Result<int> OnDisplay(const CUVIDPARSERDISPINFO& info) {
    if (info.repeat_first_field < 0) return Error(StatusCode::kUnsupported, "a field stands alone");
    ACU_ASSIGN_OR_RETURN(Queue* const queue, splitter_.queue());
    CUVIDPROCPARAMS parameters{};
    parameters.progressive_frame = info.progressive_frame;
    parameters.top_field_first = info.top_field_first;
    parameters.stream = static_cast<gpu::GpuQueue<Api>*>(queue)->stream();
    unsigned long long address = 0;
    unsigned pitch = 0;
    ACU_RETURN_IF_ERROR(CheckDecodedUpTo(info.index));
    ACU_RETURN_IF_ERROR(
        Check(api_.cuvidMapVideoFrame64(decoder_, info.index, &address, &pitch, &parameters), "map a frame"));
    std::optional<Picture> picture;
    Status status;
    Result<Picture> made = splitter_.Unpack(FrameAt(address, pitch));
    if (made.ok()) picture = *std::move(made);
    else status = made.status();
    const Status unmapped = Check(api_.cuvidUnmapVideoFrame64(decoder_, address), "give a frame back");
    if (status.ok()) status = unmapped;
    if (status.ok()) status = (*show_)(*std::move(picture), info.timestamp);
    ACU_RETURN_IF_ERROR(status);
    return 1;
  }

  /// The engine decodes pictures in the order in which it gets them. A picture may refer to any of those before it,
  /// also where that is shown later.
  Status CheckDecodedUpTo(int index) {
    const auto last = std::ranges::find(unchecked_, index);
    const auto end = last == unchecked_.end() ? last : last + 1;
    for (auto decoded = unchecked_.begin(); decoded != end; ++decoded) ACU_RETURN_IF_ERROR(CheckDecoded(*decoded));
    unchecked_.erase(unchecked_.begin(), end);
    return {};
  }

  /// The engine conceals damage and says so, of H.264 and HEVC alone, once it has decoded the picture. Mapping a
  /// picture would not wait for that. Those that follow it keep the engine busy.
  Status CheckDecoded(int index) const {
    CUVIDGETDECODESTATUS decoded{};
    for (const Clock::time_point end = Clock::now() + kLongestDecoding; Clock::now() < end;) {
      if (api_.cuvidGetDecodeStatus(decoder_, index, &decoded) != CUDA_SUCCESS) return {};
      if (decoded.status == cuvidDecodeStatus_Error || decoded.status == cuvidDecodeStatus_Error_Concealed)
        return Error(StatusCode::kBadData, "NVDEC found an error in a picture");
      if (decoded.status != cuvidDecodeStatus_InProgress) return {};
      std::this_thread::sleep_for(kBetweenLooks);
    }
    return Error(StatusCode::kBadData, "NVDEC does not end decoding a picture");
  }

  /// Chroma follows luma: rows of Cb and Cr in turns, or two planes.
  DeviceFrame FrameAt(uint64_t address, size_t pitch) const {
    const PictureFormat& format = video_.format;
    const size_t bytes = static_cast<size_t>(format.BytesPerSample());
    const bool is_planar = format.pixel_format == PixelFormat::k444;
    const int shift = 8 * format.BytesPerSample() - format.bit_depth;
    const size_t left = static_cast<size_t>(left_), top = static_cast<size_t>(top_);
    DeviceFrame frame{format, {}};
    frame.components[0] = {{address + top * pitch + left * bytes, pitch}, 1, shift};
    if (video_.luma_only) return frame;
    const uint64_t rows = (info_.target_height + 1) / 2 * 2, chroma = address + rows * pitch;
    for (size_t p = 1; p < 3; ++p) {
      if (is_planar) frame.components[p] = {{chroma + ((p - 1) * rows + top) * pitch + left * bytes, pitch}, 1, shift};
      else frame.components[p] = {{chroma + top / 2 * pitch + (left / 2 * 2 + p - 1) * bytes, pitch}, 2, shift};
    }
    return frame;
  }

  const Nvcuvid& api_;
  const std::shared_ptr<Context> context_;
  SurfaceSplitter splitter_;
  const CodedVideo video_;
  CUvideoparser parser_ = nullptr;
  CUvideodecoder decoder_ = nullptr;
  CUVIDDECODECREATEINFO info_{};
  int left_ = 0, top_ = 0;
  std::vector<int> unchecked_;  // surfaces of pictures, in the order in which they are decoded
  const Show* show_ = nullptr;
  Status failure_;
};

}  // namespace

Result<int> CountEngines(Context& context, const CodedVideo& video) {
  ACU_ASSIGN_OR_RETURN(const Nvcuvid* api, OpenNvcuvid());
  const gpu::CurrentContext<Api> current(context);
  ACU_RETURN_IF_ERROR(current.status());
  const PictureFormat& format = video.format;
  const std::optional<cudaVideoChromaFormat> chroma = ChromaOf(format.pixel_format);
  CUVIDDECODECAPS caps{};
  caps.codec = NameOf(video.codec).number;
  caps.chroma_format = chroma.value_or(cudaVideoChromaFormat_Monochrome);
  caps.bit_depth_minus8 = static_cast<unsigned>(format.bit_depth - 8);
  ACU_RETURN_IF_ERROR(
      CallStatus(context.api().driver, context.info().name, api->cuvidGetDecoderCaps(&caps), "say what it decodes"));
  const auto width = static_cast<unsigned>(format.width), height = static_cast<unsigned>(format.height);
  const bool fits = width <= caps.max_width && height <= caps.max_height && width >= caps.min_width &&
                    height >= caps.min_height && (width + 15) / 16 * ((height + 15) / 16) <= caps.max_macroblocks;
  if (chroma && caps.is_supported && (caps.output_formats >> SurfaceOf(format) & 1) && fits)
    return std::max<int>(caps.engines, 1);
  return Error(StatusCode::kUnsupported, "NVDEC of {} does not decode {} with {} bits, {}, {}x{}", context.info().name,
               NameOf(video.codec).name, format.bit_depth, PixelFormatName(format.pixel_format), format.width,
               format.height);
}

Result<std::unique_ptr<DeviceDecoder>> OpenVideoDecoder(std::shared_ptr<Context> context,
                                                        std::shared_ptr<Device> device, const CodedVideo& video) {
  ACU_RETURN_IF_ERROR(CountEngines(*context, video).status());
  ACU_ASSIGN_OR_RETURN(const Nvcuvid* api, OpenNvcuvid());
  auto decoder = std::make_unique<VideoDecoder>(*api, std::move(context), std::move(device), video);
  ACU_RETURN_IF_ERROR(decoder->Open());
  return std::unique_ptr<DeviceDecoder>(std::move(decoder));
}

}  // namespace acutance::cuda
