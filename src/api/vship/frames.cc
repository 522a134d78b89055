#include "api/vship/frames.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "image/raise_plane.h"

namespace acutance::vship {
namespace {

std::optional<int> DepthOf(int sample) {
  switch (sample) {
    case kUint8:
      return 8;
    case kUint9:
      return 9;
    case kUint10:
      return 10;
    case kUint12:
      return 12;
    case kUint14:
      return 14;
    case kUint16:
      return 16;
    default:
      return std::nullopt;
  }
}

std::optional<PixelFormat> PixelFormatOf(int sub_width, int sub_height) {
  if (sub_width == 0 && sub_height == 0) return PixelFormat::k444;
  if (sub_width == 1 && sub_height == 0) return PixelFormat::k422;
  if (sub_width == 1 && sub_height == 1) return PixelFormat::k420;
  return std::nullopt;
}

/// The value of the option `matrix`; null: none has it.
const char* MatrixName(int matrix) {
  if (matrix == kMatrixBt709) return "bt709";
  if (matrix == kMatrixBt470Bg || matrix == kMatrixSt170M) return "bt601";
  if (matrix == kMatrixBt2020Ncl) return "bt2020";
  return nullptr;
}

const char* SitingName(int location) {
  static constexpr std::array<const char*, 4> kNames = {"left", "center", "topleft", "top"};
  return location >= kLeft && location <= kTop ? kNames[location] : nullptr;
}

ChromaSiting SitingOf(int location) {
  const bool is_centered = location == kCenter || location == kTop, is_top = location == kTopLeft || location == kTop;
  return {.horizontal = is_centered ? 0.5 : 0.0, .vertical = is_top ? 0.0 : 0.5};
}

Outcome ReadColors(const Colorspace& colors, OptionTexts& options) {
  if (colors.matrix == kRgb)
    return Failure(kNotSupported, "red, green and blue are not read here; give YUV with its matrix");
  const char *matrix = MatrixName(colors.matrix), *siting = SitingName(colors.chroma_location);
  if (!matrix) return Failure(kNotSupported, "matrix {}: there are 1, 5, 6 and 9", colors.matrix);
  if (!siting) return Failure(kNotSupported, "chroma location {}: there are 0 to 3", colors.chroma_location);
  if (colors.range != kLimited && colors.range != kFull)
    return Failure(kNotSupported, "range {}: there are 0 and 1", colors.range);
  options = {{"matrix", matrix}, {"chroma_location", siting}, {"range", colors.range == kFull ? "full" : "limited"}};
  return {};
}

}  // namespace

Outcome FrameReader::Make(const Colorspace& colors, std::optional<FrameReader>& reader) {
  FrameReader made(colors);
  if (Outcome bad = made.ReadFormat(); !bad.ok()) return bad;
  if (Outcome bad = made.ReadGeometry(); !bad.ok()) return bad;
  reader = std::move(made);
  return {};
}

Outcome FrameReader::ReadFormat() {
  const auto depth = DepthOf(colors_.sample);
  if (!depth)
    return Failure(kNotSupported, "sample type {}: there are 2, 3, 5, 7, 9 and 11, integers of 8 to 16 bits",
                   colors_.sample);
  const auto pixel_format = PixelFormatOf(colors_.sub_width, colors_.sub_height);
  if (!pixel_format)
    return Failure(kNotSupported, "chroma subsampled by {} and {}: there are 4:2:0, 4:2:2 and 4:4:4", colors_.sub_width,
                   colors_.sub_height);
  if (colors_.width < 1 || colors_.height < 1 || colors_.width > kMaxDimension || colors_.height > kMaxDimension)
    return Failure(kNotSupported, "{}x{} pixels: each side must be 1 to {}", colors_.width, colors_.height,
                   kMaxDimension);
  depth_ = *depth;
  // The engine has 10 bits for 9 and 16 for 14: codes of limited range scale by a power of two.
  const int whole = depth_ == 9 ? 10 : depth_ == 14 ? 16 : depth_;
  if (whole != depth_ && colors_.range == kFull)
    return Failure(kNotSupported, "{} bits in full range: there are 8, 10, 12 and 16", depth_);
  source_ = {static_cast<int>(colors_.width), static_cast<int>(colors_.height), whole, *pixel_format};
  format_ = source_;
  return {};
}

/// -1 stands for no resizing; 0 is taken so as well.
Outcome FrameReader::ReadGeometry() {
  for (const auto& [side, target, name] : {std::tuple{&format_.width, colors_.target_width, "width"},
                                           std::tuple{&format_.height, colors_.target_height, "height"}}) {
    if (target < -1 || target > kMaxDimension)
      return Failure(kNotSupported, "target {} {}: it must be 1 to {}, or -1", name, target, kMaxDimension);
    if (target > 0) *side = static_cast<int>(target);
  }
  if (format_ != source_) {
    Result<Scaler> scaler = Scaler::Make(source_, format_, {.siting = SitingOf(colors_.chroma_location)});
    if (!scaler.ok()) return Outcome(scaler.status());
    scaler_ = std::move(scaler).value();
  }
  const int64_t left = colors_.crop_left, right = colors_.crop_right, top = colors_.crop_top,
                bottom = colors_.crop_bottom;
  if (left < 0 || right < 0 || top < 0 || bottom < 0 || left + right >= format_.width || top + bottom >= format_.height)
    return Failure(kNotSupported, "crop of {}, {}, {} and {} leaves nothing of {}x{} pixels", left, right, top, bottom,
                   format_.width, format_.height);
  if (left % (1 << colors_.sub_width) != 0 || top % (1 << colors_.sub_height) != 0)
    return Failure(kNotSupported, "crop of {} from the left and {} from the top: chroma has no sample there", left,
                   top);
  format_.width -= static_cast<int>(left + right);
  format_.height -= static_cast<int>(top + bottom);
  return {};
}

/// Rows may begin at any byte, and bits above the depth do not count.
Outcome FrameReader::CopyPlanes(const Planes& planes, const MutablePicture& to) const {
  const uint16_t mask = static_cast<uint16_t>((1U << depth_) - 1);
  for (int p = 0; p < source_.PlaneCount(); ++p) {
    const int width = source_.PlaneWidth(p), height = source_.PlaneHeight(p);
    const size_t row = static_cast<size_t>(width) * source_.BytesPerSample();
    const int64_t stride = planes.strides[p];
    if (!planes.data[p]) return Failure(kBadPointer, "plane {} is null", p);
    if (height > 1 && stride > -static_cast<int64_t>(row) && stride < static_cast<int64_t>(row))
      return Failure(kBadPointer, "plane {}: rows of {} bytes do not fit into a stride of {}", p, row, stride);
    for (int y = 0; y < height; ++y) {
      std::byte* out = to.data[p] + y * to.stride[p];
      std::memcpy(out, planes.data[p] + y * stride, row);
      if (depth_ == 8 || depth_ == 16) continue;
      auto* samples = reinterpret_cast<uint16_t*>(out);
      for (int x = 0; x < width; ++x) samples[x] &= mask;
    }
    if (depth_ == source_.bit_depth) continue;
    const Plane plane = {to.data[p], to.stride[p], width, height};
    RaisePlane(plane, depth_, source_.bit_depth, to.data[p], to.stride[p]);
  }
  return {};
}

Outcome FrameReader::Read(const Planes& planes, Picture& picture) const {
  Result<MutablePicture> copy = AllocatePicture(source_);
  if (!copy.ok()) return Outcome(copy.status());
  if (Outcome bad = CopyPlanes(planes, *copy); !bad.ok()) return bad;
  picture = copy->Share();
  if (scaler_) {
    Result<MutablePicture> scaled = AllocatePicture(scaler_->format());
    if (!scaled.ok()) return Outcome(scaled.status());
    scaler_->Scale(picture, *scaled);
    picture = scaled->Share();
  }
  PictureFormat cropped = format_;
  cropped.bit_depth = source_.bit_depth;
  for (int p = 0; p < cropped.PlaneCount(); ++p) {
    Plane& plane = picture.planes[p];
    const int across = p == 0 ? 0 : colors_.sub_width, down = p == 0 ? 0 : colors_.sub_height;
    plane.data += (colors_.crop_top >> down) * plane.stride +
                  static_cast<ptrdiff_t>(colors_.crop_left >> across) * source_.BytesPerSample();
    plane.width = cropped.PlaneWidth(p);
    plane.height = cropped.PlaneHeight(p);
  }
  picture.format = cropped;
  if (format_.bit_depth == source_.bit_depth) return {};
  Result<MutablePicture> raised = AllocatePicture(format_);
  if (!raised.ok()) return Outcome(raised.status());
  for (int p = 0; p < format_.PlaneCount(); ++p)
    RaisePlane(picture.planes[p], source_.bit_depth, format_.bit_depth, raised->data[p], raised->stride[p]);
  picture = raised->Share();
  return {};
}

Outcome FramePair::Make(const Colorspace& reference, const Colorspace& distorted, std::optional<FramePair>& pair) {
  OptionTexts colors, other;
  if (Outcome bad = ReadColors(reference, colors); !bad.ok()) return bad;
  if (Outcome bad = ReadColors(distorted, other); !bad.ok()) return bad;
  std::optional<FrameReader> first, second;
  if (Outcome bad = FrameReader::Make(reference, first); !bad.ok()) return bad;
  if (Outcome bad = FrameReader::Make(distorted, second); !bad.ok()) return bad;
  const PictureFormat &a = first->format(), &b = second->format();
  if (a.width != b.width || a.height != b.height)
    return Failure(kDifferingInputType, "the reference has {}x{} pixels, the distorted video {}x{}", a.width, a.height,
                   b.width, b.height);
  if (a.pixel_format != b.pixel_format || colors != other || reference.transfer != distorted.transfer)
    return Failure(kNotSupported,
                   "both videos must have the same chroma subsampling and location, matrix, range and transfer");
  if (a.bit_depth != b.bit_depth && reference.range == kFull)
    return Failure(kNotSupported, "videos of full range must have the same bit depth");
  const int depth = std::max(a.bit_depth, b.bit_depth);
  first->RaiseTo(depth);
  second->RaiseTo(depth);
  pair = FramePair{std::move(*first), std::move(*second), std::move(colors), reference.transfer};
  return {};
}

}  // namespace acutance::vship
