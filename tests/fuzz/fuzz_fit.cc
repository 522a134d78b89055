// Fuzz target: two videos of any shape, rotated, cropped and scaled to one, and the search for their bars.
#include <memory>

#include "align/black_bars.h"
#include "tests/fuzz/fuzz.h"
#include "video/fit_videos.h"

using namespace acutance;

namespace {

class SmallVideo : public VideoSource {
 public:
  explicit SmallVideo(fuzz::Input& input) {
    constexpr int kMostSide = 64;
    constexpr PixelFormat kFormats[] = {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444, PixelFormat::k400};
    format_ = {1 + input.Byte() % kMostSide, 1 + input.Byte() % kMostSide, 8 + input.Byte() % 9,
               kFormats[input.Byte() % 4]};
    const int how = input.Byte();
    facts_.orientation = {(how & 1) != 0, (how & 2) != 0, (how & 4) != 0};
    facts_.pixel_aspect = how & 8 ? input.Real() : 1 + (how >> 6);
    if (how & 16) color_.full_range = (how & 32) != 0;
    value_ = input.Byte();
  }

  const PictureFormat& format() const override { return format_; }
  VideoFacts facts() const override { return facts_; }
  VideoColor color() const override { return color_; }
  Result<std::optional<Picture>> Next() override {
    ACU_ASSIGN_OR_RETURN(const MutablePicture picture, AllocatePicture(format_));
    const int shift = format_.bit_depth - 8;
    for (int p = 0; p < format_.PlaneCount(); ++p)
      for (int y = 0; y < format_.PlaneHeight(p); ++y)
        for (int x = 0; x < format_.PlaneWidth(p); ++x) {
          const int sample = y < value_ / 16 ? 16 : (x * value_ + y) & 255;
          if (shift > 0) picture.Row<uint16_t>(p, y)[x] = static_cast<uint16_t>(sample << shift);
          else picture.Row<uint8_t>(p, y)[x] = static_cast<uint8_t>(sample);
        }
    return std::optional(picture.Share());
  }

 private:
  PictureFormat format_;
  VideoFacts facts_;
  VideoColor color_;
  int value_ = 0;
};

PairReaderInput ReadInput(fuzz::Input& input, const char* name) {
  PairReaderInput result{name, std::make_unique<SmallVideo>(input)};
  if (input.Byte() & 1) {
    const auto side = [&input] { return static_cast<int>(static_cast<int8_t>(input.Byte())); };
    result.crop = Rectangle{side(), side(), side(), side()};
    if (result.crop->width == -1) result.crop->width = 0x7fffffff;
    if (result.crop->x == -1) result.crop->x = 0x7fffffff;
  }
  return result;
}

/// The sum of all samples of two pictures: the samples of a wide 16-bit picture overflow an int.
unsigned Read(VideoSource& video) {
  unsigned sum = 0;
  BarFinder bars;
  for (int k = 0; k < 2; ++k) {
    const Result<std::optional<Picture>> picture = video.Next();
    if (!picture.ok() || !*picture) break;
    const PictureFormat& format = (*picture)->format;
    if (format != video.format()) std::abort();
    for (int p = 0; p < format.PlaneCount(); ++p)
      for (int y = 0; y < format.PlaneHeight(p); ++y)
        for (int x = 0; x < format.PlaneWidth(p); ++x) {
          const Plane& plane = (*picture)->planes[p];
          sum += format.bit_depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
        }
    bars.Add(**picture);
  }
  return sum + (bars.content() ? bars.content()->width : 0);
}

}  // namespace

ACU_FUZZ_TARGET(input) {
  const int how = input.Byte();
  FitOptions options{.raise_bit_depth = (how & 1) != 0,
                     .heed_color = (how & 2) != 0,
                     .heed_display = (how & 4) != 0,
                     .force = (how & 8) != 0};
  const std::string scale = input.Line(), filter = input.Line();
  if (how & 16) options.size = ParseCommonSize(scale, filter);
  // A run has the memory for large sizes; this target does not.
  if (options.size && (options.size->width > 256 || options.size->height > 256)) return;
  PairReaderInput reference = ReadInput(input, "reference");
  std::vector<PairReaderInput> distorted;
  distorted.push_back(ReadInput(input, "distorted"));
  if (!FitVideos(options, reference, distorted).ok()) return;
  volatile unsigned sink = Read(*reference.video);
  sink = sink + Read(*distorted[0].video);
}
