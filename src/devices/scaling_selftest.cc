#include "devices/scaling_selftest.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "base/threads/exception_barrier.h"
#include "devices/test_picture.h"
#include "exec/batch_converter.h"
#include "exec/run_plan.h"
#include "exec/uploader.h"

namespace acutance {
namespace {

/// A batch of pictures of one distorted video, whose converted planes are read back.
class ScaledBatch {
 public:
  ScaledBatch(Device& device, std::shared_ptr<const PictureConversion> scaling, int frames)
      : device_(device), scaling_(std::move(scaling)) {
    context_.format = scaling_->format();
    context_.frames = frames;
    for (int p = 0; p < context_.format.PlaneCount(); ++p)
      if (!scaling_->PassesThrough(p))
        context_.inputs.push_back({.video = Video::kDistorted, .plane = p, .format = context_.format});
    context_.scalings.push_back({Video::kDistorted, 0, scaling_});
  }
  ScaledBatch(const ScaledBatch&) = delete;
  /// The device may still use the memory.
  ~ScaledBatch() {
    if (queue_) static_cast<void>(CatchExceptions([&] { return queue_->Wait(); }));
  }

  Status Allocate() {
    ACU_ASSIGN_OR_RETURN(queue_, device_.MakeQueue());
    std::vector<BatchConverter::Target> targets;
    for (const PlanInput& input : context_.inputs) {
      const size_t bytes = context_.InputBytes(input);
      ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_.Allocate(bytes, MemoryKind::kDevice));
      ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> result, device_.Allocate(bytes, MemoryKind::kReadback));
      copies_.push_back({buffer.get(), 0, result.get(), 0, bytes});
      targets.push_back({&input, buffer.get()});
      buffers_.push_back(std::move(buffer));
      results_.push_back(std::move(result));
    }
    ACU_ASSIGN_OR_RETURN(scaler_, BatchConverter::Make(device_, *queue_, context_, targets));
    ACU_ASSIGN_OR_RETURN(uploader_,
                         Uploader::Make(device_, scaler_->upload_bytes(), queue_->BestCopyBytes(), std::byte{0}));
    std::vector<CopyCommand> fills;  // kernels read padding, and so do copies
    for (const auto& buffer : buffers_) uploader_->AppendFill(*buffer, fills);
    for (const Buffer* buffer : scaler_->upload_buffers()) uploader_->AppendFill(*buffer, fills);
    return queue_->Copy(fills);
  }

  Status Run(std::span<const Picture> sources) {
    std::vector<Picture> lazy;
    BatchPictures pictures;
    for (const Picture& source : sources) lazy.push_back(DeferPicture(source, context_.format, scaling_));
    for (const Picture& picture : lazy) pictures.distorted.push_back(&picture);
    if (!scaler_->Takes(pictures))
      return Error(StatusCode::kInvalidArgument, "self-test failed: deferred pictures were rejected");
    Upload upload;
    ACU_RETURN_IF_ERROR(scaler_->AddUploads(pictures, upload));
    ACU_RETURN_IF_ERROR(uploader_->Run(upload, *queue_, nullptr));
    ACU_RETURN_IF_ERROR(scaler_->Submit(*queue_));
    ACU_RETURN_IF_ERROR(queue_->Copy(copies_));
    return queue_->Wait();
  }

  /// Starts the kernels `times` times on the latest upload, and waits.
  Status Repeat(int times) {
    for (int i = 0; i < times; ++i) ACU_RETURN_IF_ERROR(scaler_->Submit(*queue_));
    return queue_->Wait();
  }

  const std::vector<PlanInput>& inputs() const { return context_.inputs; }

  const std::byte* Row(int frame, size_t input, int y) const {
    const PlanInput& spec = context_.inputs[input];
    return results_[input]->host() + spec.picture_bytes() * frame +
           static_cast<size_t>(spec.row_stride()) * spec.format.BytesPerSample() * y;
  }

 private:
  Device& device_;
  const std::shared_ptr<const PictureConversion> scaling_;
  PlanContext context_;
  std::vector<std::unique_ptr<Buffer>> buffers_, results_;  // by input
  std::vector<CopyCommand> copies_;
  std::unique_ptr<Queue> queue_;
  std::unique_ptr<Uploader> uploader_;
  std::unique_ptr<BatchConverter> scaler_;
};

template <class Sample>
Status CompareRow(const Sample* found, const Sample* expected, int width, std::string_view where) {
  for (int x = 0; x < width; ++x)
    if (found[x] != expected[x])
      return Error(StatusCode::kBadData, "self-test failed: scaling: sample {} of {} is {}, not {}", x, where, found[x],
                   expected[x]);
  return {};
}

Status ComparePlane(const ScaledBatch& batch, int frame, size_t input, const Picture& expected,
                    const PictureFormat& source) {
  const int p = batch.inputs()[input].plane, width = expected.format.PlaneWidth(p);
  for (int y = 0; y < expected.format.PlaneHeight(p); ++y) {
    const std::string where =
        fmt::format("row {} of plane {} of picture {}, of {}x{}", y, p, frame, source.width, source.height);
    const std::byte* found = batch.Row(frame, input, y);
    if (expected.format.bit_depth == 8)
      ACU_RETURN_IF_ERROR(
          CompareRow(reinterpret_cast<const uint8_t*>(found), expected.planes[p].Row<uint8_t>(y), width, where));
    else
      ACU_RETURN_IF_ERROR(
          CompareRow(reinterpret_cast<const uint16_t*>(found), expected.planes[p].Row<uint16_t>(y), width, where));
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const PictureConversion>> MakeScaling(const PictureFormat& from, const PictureFormat& to,
                                                             const ScaleOptions& options, const ChromaSiting& to_siting,
                                                             const std::optional<ColorWeights>& colors) {
  PictureFormat sized = from;
  sized.width = to.width, sized.height = to.height;
  auto scaling = std::make_shared<const PictureConversion>(from);
  if (colors) scaling = scaling->WithColor(std::make_shared<const ColorConverter>(from, *colors));
  sized.bit_depth = scaling->format().bit_depth;
  if (sized != scaling->format() || (from == to && !colors)) {
    ACU_ASSIGN_OR_RETURN(Scaler scaler, Scaler::Make(scaling->format(), sized, options));
    scaling = scaling->WithSize(std::make_shared<const Scaler>(std::move(scaler)));
  }
  if (to.pixel_format != from.pixel_format) {
    const ChromaChange change = {to.pixel_format, options.siting, to_siting, options.filter};
    ACU_ASSIGN_OR_RETURN(ChromaScaler chroma, ChromaScaler::Make(sized, change));
    scaling = scaling->WithChroma(std::make_shared<const ChromaScaler>(std::move(chroma)));
  }
  return to.bit_depth == sized.bit_depth ? scaling : scaling->WithBitDepth(to.bit_depth);
}

Status CheckScaling(Device& device, const std::shared_ptr<const PictureConversion>& scaling,
                    std::span<const Picture> sources) {
  ScaledBatch batch(device, scaling, static_cast<int>(sources.size()));
  ACU_RETURN_IF_ERROR(batch.Allocate());
  ACU_RETURN_IF_ERROR(batch.Run(sources));
  for (int frame = 0; frame < std::ssize(sources); ++frame) {
    ACU_ASSIGN_OR_RETURN(const Picture expected, scaling->Apply(sources[frame]));
    for (size_t input = 0; input < batch.inputs().size(); ++input)
      ACU_RETURN_IF_ERROR(ComparePlane(batch, frame, input, expected, scaling->source_format()));
  }
  return {};
}

Result<double> TimeScaling(Device& device, const std::shared_ptr<const PictureConversion>& scaling, int frames) {
  constexpr int kRuns = 5, kTimes = 50;
  ScaledBatch batch(device, scaling, frames);
  ACU_RETURN_IF_ERROR(batch.Allocate());
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run <= kRuns; ++run) {
    const auto start = std::chrono::steady_clock::now();
    ACU_RETURN_IF_ERROR(batch.Repeat(kTimes));
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (run > 0) least = std::min(least, time.count());  // the first run warms up
  }
  return least / kTimes / frames;
}

Status TestScaling(Device& device) {
  struct Case {
    PictureFormat from, to;
    ScaleFilter filter;
    std::optional<ColorWeights> colors{};
  };
  constexpr LumaShares kBt709 = {2126, 722};
  using enum PixelFormat;
  using enum ScaleFilter;
  const Case cases[] = {{{61, 35, 8, k420}, {135, 53, 8, k420}, kBicubic},
                        {{135, 53, 8, k444}, {61, 35, 10, k444}, kLanczos},
                        {{66, 34, 10, k422}, {132, 68, 12, k422}, kBilinear},
                        {{97, 90, 16, k400}, {33, 200, 16, k400}, kArea},
                        {{96, 60, 8, k420}, {64, 40, 8, k420}, kAom},
                        {{61, 35, 8, k444}, {61, 35, 10, k420}, kBicubic},
                        {{61, 35, 12, k420}, {135, 53, 12, k422}, kBicubic},
                        {{61, 35, 8, k444}, {61, 35, 8, k444}, kBicubic, WeightsOfRgb(kBt709, 8, {true, 8})},
                        {{61, 35, 16, k444}, {97, 23, 16, k420}, kBicubic, WeightsOfRgb(kBt709, 16, {false, 16})},
                        {{61, 35, 8, k420}, {61, 35, 10, k420}, kBicubic, WeightsOfRange({false, 8}, {true, 10})},
                        {{61, 35, 16, k422}, {61, 35, 16, k422}, kBicubic, WeightsOfRange({true, 16}, {false, 16})}};
  for (const Case& which : cases) {
    const ScaleOptions options = {.filter = which.filter};
    ACU_ASSIGN_OR_RETURN(const auto scaling, MakeScaling(which.from, which.to, options, {0, 0}, which.colors));
    std::vector<Picture> sources;
    for (int frame = 0; frame < 2; ++frame) {
      ACU_ASSIGN_OR_RETURN(Picture source, MakeTestPicture(which.from, frame, 1));
      sources.push_back(std::move(source));
    }
    ACU_RETURN_IF_ERROR(CheckScaling(device, scaling, sources));
  }
  return {};
}

}  // namespace acutance
