#include "api/vship/frames.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "image/expand_plane.h"

namespace acutance::vship {
namespace {

std::optional<SampleKind> KindOf(int sample) {
  switch (sample) {
    case kFloat:
      return SampleKind{.bytes = 4, .depth = 16, .is_float = true};
    case kHalf:
      return SampleKind{.bytes = 2, .depth = 16, .is_float = true};
    case kUint8:
      return SampleKind{.bytes = 1, .depth = 8};
    case kUint9:
      return SampleKind{.bytes = 2, .depth = 9};
    case kUint10:
      return SampleKind{.bytes = 2, .depth = 10};
    case kUint12:
      return SampleKind{.bytes = 2, .depth = 12};
    case kUint14:
      return SampleKind{.bytes = 2, .depth = 14};
    case kUint16:
      return SampleKind{.bytes = 2, .depth = 16};
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

/// How many columns, or rows, of a plane clients have: ceil(n/2) chroma samples of an odd size, as files have.
int WholeSide(int side, int sub) { return (side + (1 << sub) - 1) >> sub; }

/// A picture with room for the chroma samples of odd sizes that are more than the format has.
Result<MutablePicture> AllocateWhole(PictureFormat format) {
  if (format.pixel_format != PixelFormat::k444) format.width += format.width % 2;
  if (format.pixel_format == PixelFormat::k420) format.height += format.height % 2;
  return AllocatePicture(format);
}

Picture ShareWhole(const MutablePicture& copy, const PictureFormat& format) {
  Picture picture = copy.Share();
  picture.format = format;
  for (int p = 0; p < format.PlaneCount(); ++p) {
    Plane& plane = picture.planes[p];
    const int width = plane.width, height = plane.height;
    plane.width = format.PlaneWidth(p);
    plane.height = format.PlaneHeight(p);
    plane.more_columns = p > 0 ? width - plane.width : 0;
    plane.more_rows = p > 0 ? height - plane.height : 0;
  }
  return picture;
}

struct MatrixChoice {
  const char* option;
  LinearRgbSettings::Matrix matrix;
};

std::optional<MatrixChoice> MatrixOf(int matrix) {
  using enum LinearRgbSettings::Matrix;
  if (matrix == vship::Matrix::kRgb) return MatrixChoice{"rgb", LinearRgbSettings::Matrix::kRgb};
  if (matrix == kMatrixBt709) return MatrixChoice{"bt709", kBt709};
  if (matrix == kMatrixBt470Bg || matrix == kMatrixSt170M) return MatrixChoice{"bt601", kBt601};
  if (matrix == kMatrixBt2020Ncl) return MatrixChoice{"bt2020", kBt2020};
  return std::nullopt;
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
  const auto matrix = MatrixOf(colors.matrix);
  if (!matrix)
    return Failure(kNotSupported, "matrix {}: there are 0 (red, green and blue), 1, 5, 6 and 9", colors.matrix);
  const bool is_rgb = colors.matrix == Matrix::kRgb;
  const char* siting = is_rgb ? "left" : SitingName(colors.chroma_location);
  if (!siting) return Failure(kNotSupported, "chroma location {}: there are 0 to 3", colors.chroma_location);
  if (colors.range != kLimited && colors.range != kFull)
    return Failure(kNotSupported, "range {}: there are 0 and 1", colors.range);
  if (is_rgb && (colors.sub_width != 0 || colors.sub_height != 0))
    return Failure(kNotSupported, "red, green and blue have planes of one size, these are subsampled by {} and {}",
                   colors.sub_width, colors.sub_height);
  options = {
      {"matrix", matrix->option}, {"chroma_location", siting}, {"range", colors.range == kFull ? "full" : "limited"}};
  return {};
}

/// After ReadColors.
LinearRgbSettings SettingsOf(const Colorspace& colors) {
  using enum LinearRgbSettings::Siting;
  constexpr LinearRgbSettings::Siting kSitings[] = {kLeft, kCenter, kTopLeft, kTop};
  return {.matrix = MatrixOf(colors.matrix)->matrix,
          .full_range = colors.range == kFull,
          .transfer = LINEAR_RGB_NONE,
          .siting = colors.matrix == kRgb ? kLeft : kSitings[colors.chroma_location],
          .clips = false};
}

}  // namespace

/// After ReadColors.
Outcome FrameReader::Make(const Colorspace& colors, std::optional<FrameReader>& reader) {
  FrameReader made(colors);
  if (Outcome bad = made.ReadFormat(); !bad.ok()) return bad;
  if (Outcome bad = made.ReadGeometry(); !bad.ok()) return bad;
  reader = std::move(made);
  return {};
}

Outcome FrameReader::ReadFormat() {
  constexpr int kMostSubsampling = 2;  // a sample for each four
  const auto samples = KindOf(colors_.sample);
  if (!samples)
    return Failure(kNotSupported, "sample type {}: there are 0 and 1, floats, and 2, 3, 5, 7, 9 and 11, integers",
                   colors_.sample);
  if (colors_.sub_width < 0 || colors_.sub_width > kMostSubsampling || colors_.sub_height < 0 ||
      colors_.sub_height > kMostSubsampling)
    return Failure(kNotSupported, "chroma subsampled by {} and {}: there are 0 to 2", colors_.sub_width,
                   colors_.sub_height);
  if (colors_.width < 1 || colors_.height < 1 || colors_.width > kMaxDimension || colors_.height > kMaxDimension)
    return Failure(kNotSupported, "{}x{} pixels: each side must be 1 to {}", colors_.width, colors_.height,
                   kMaxDimension);
  samples_ = *samples;
  settings_ = SettingsOf(colors_);
  const int width = static_cast<int>(colors_.width), height = static_cast<int>(colors_.height);
  // The engine has 10 bits for 9 and 16 for 14: codes of limited range scale by a power of two.
  const int whole = samples_.depth == 9 ? 10 : samples_.depth == 14 ? 16 : samples_.depth;
  const auto pixel_format = PixelFormatOf(colors_.sub_width, colors_.sub_height);
  if (samples_.is_float || !pixel_format || (whole != samples_.depth && colors_.range == kFull))
    source_ = {width, height, kFloatDepth, PixelFormat::k444};
  else source_ = {width, height, whole, *pixel_format};
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
  resized_ = {format_.width, format_.height};
  if (format_ != source_) {
    // Floats have the limits of integers.
    PictureFormat from = source_, to = format_;
    if (makes_colors()) from.bit_depth = to.bit_depth = 16;
    Result<Scaler> scaler = Scaler::Make(from, to, {.siting = SitingOf(colors_.chroma_location)});
    if (!scaler.ok()) return Outcome(scaler.status());
    if (!makes_colors()) scaler_ = std::move(scaler).value();
  }
  const int64_t left = colors_.crop_left, right = colors_.crop_right, top = colors_.crop_top,
                bottom = colors_.crop_bottom;
  if (left < 0 || right < 0 || top < 0 || bottom < 0 || left + right >= format_.width || top + bottom >= format_.height)
    return Failure(kNotSupported, "crop of {}, {}, {} and {} leaves nothing of {}x{} pixels", left, right, top, bottom,
                   format_.width, format_.height);
  format_.width -= static_cast<int>(left + right);
  format_.height -= static_cast<int>(top + bottom);
  return {};
}

bool FrameReader::is_crop_between_chroma() const {
  if (makes_colors()) return false;
  return colors_.crop_left % (1 << colors_.sub_width) != 0 || colors_.crop_top % (1 << colors_.sub_height) != 0;
}

void FrameReader::MakeColors() {
  format_.bit_depth = kFloatDepth;
  format_.pixel_format = PixelFormat::k444;
}

/// Rows may begin at any byte, and bits above the depth do not count.
Outcome FrameReader::CopyPlanes(const Planes& planes, const MutablePicture& to) const {
  const int depth = samples_.depth;
  const auto mask = static_cast<uint16_t>((1U << depth) - 1);
  for (int p = 0; p < source_.PlaneCount(); ++p) {
    const int width = WholeSide(source_.width, p > 0 ? colors_.sub_width : 0);
    const int height = WholeSide(source_.height, p > 0 ? colors_.sub_height : 0);
    const size_t row = static_cast<size_t>(width) * source_.BytesPerSample();
    if (Outcome bad = CheckPlane(planes, p, height, static_cast<int64_t>(row)); !bad.ok()) return bad;
    for (int y = 0; y < height; ++y) {
      std::byte* out = to.data[p] + y * to.stride[p];
      std::memcpy(out, planes.data[p] + y * planes.strides[p], row);
      if (depth == 8 || depth == 16) continue;
      auto* samples = reinterpret_cast<uint16_t*>(out);
      for (int x = 0; x < width; ++x) samples[x] &= mask;
    }
    if (depth == source_.bit_depth) continue;
    const Plane plane = {to.data[p], to.stride[p], width, height};
    ExpandPlane(plane, depth, source_.bit_depth, to.data[p], to.stride[p]);
  }
  return {};
}

Outcome FrameReader::ReadSamples(const Planes& planes, Picture& picture) const {
  Result<MutablePicture> copy = AllocateWhole(source_);
  if (!copy.ok()) return Outcome(copy.status());
  if (Outcome bad = CopyPlanes(planes, *copy); !bad.ok()) return bad;
  picture = ShareWhole(*copy, source_);
  if (scaler_) {
    Result<MutablePicture> scaled = AllocatePicture(scaler_->format());
    if (!scaled.ok()) return Outcome(scaled.status());
    scaler_->Scale(picture, *scaled);
    picture = scaled->Share();
  }
  return {};
}

Outcome FrameReader::ReadColorPlanes(const Planes& planes, Picture& picture) const {
  Result<MutablePicture> made = AllocatePicture(source_);
  if (!made.ok()) return Outcome(made.status());
  if (Outcome bad = ColorPlanes(colors_, samples_, settings_).Read(planes, *made); !bad.ok()) return bad;
  picture = made->Share();
  const auto [width, height] = resized_;
  return width == source_.width && height == source_.height ? Outcome() : ScaleColors(picture, width, height, picture);
}

/// Converts samples to colors as the metrics do.
Outcome FrameReader::ConvertToColors(Picture& picture) const {
  const LinearRgbConversion conversion(settings_, picture.format);
  Result<MutablePicture> made =
      AllocatePicture({picture.format.width, picture.format.height, kFloatDepth, PixelFormat::k444});
  if (!made.ok()) return Outcome(made.status());
  for (int y = 0; y < picture.format.height; ++y)
    LinearRgbRow(conversion, picture, y, {made->Row<float>(0, y), made->Row<float>(1, y), made->Row<float>(2, y)});
  picture = made->Share();
  return {};
}

void FrameReader::Crop(Picture& picture) const {
  const bool is_subsampled = picture.format.pixel_format != PixelFormat::k444;
  picture.format.width = format_.width;
  picture.format.height = format_.height;
  for (int p = 0; p < picture.format.PlaneCount(); ++p) {
    Plane& plane = picture.planes[p];
    const int across = p > 0 && is_subsampled ? colors_.sub_width : 0;
    const int down = p > 0 && is_subsampled ? colors_.sub_height : 0;
    plane.data += (colors_.crop_top >> down) * plane.stride +
                  static_cast<ptrdiff_t>(colors_.crop_left >> across) * picture.format.BytesPerSample();
    plane.width = picture.format.PlaneWidth(p);
    plane.height = picture.format.PlaneHeight(p);
    if (colors_.crop_left > 0 || colors_.crop_right > 0) plane.more_columns = 0;
    if (colors_.crop_top > 0 || colors_.crop_bottom > 0) plane.more_rows = 0;
  }
}

Outcome FrameReader::Raise(Picture& picture) const {
  Result<MutablePicture> raised = AllocateWhole(format_);
  if (!raised.ok()) return Outcome(raised.status());
  for (int p = 0; p < format_.PlaneCount(); ++p)
    ExpandPlane(picture.planes[p].Whole(), source_.bit_depth, format_.bit_depth, raised->data[p], raised->stride[p]);
  Picture shared = ShareWhole(*raised, format_);
  for (int p = 0; p < format_.PlaneCount(); ++p) {
    shared.planes[p].more_columns = picture.planes[p].more_columns;
    shared.planes[p].more_rows = picture.planes[p].more_rows;
  }
  picture = std::move(shared);
  return {};
}

Outcome FrameReader::Read(const Planes& planes, Picture& picture) const {
  const bool has_colors = source_.bit_depth == kFloatDepth;
  if (Outcome bad = has_colors ? ReadColorPlanes(planes, picture) : ReadSamples(planes, picture); !bad.ok()) return bad;
  if (makes_colors() && !has_colors)
    if (Outcome bad = ConvertToColors(picture); !bad.ok()) return bad;
  Crop(picture);
  return picture.format.bit_depth == format_.bit_depth ? Outcome() : Raise(picture);
}

namespace {

/// What keeps samples of both videos from being compared as they are; "": nothing.
std::string DifferenceOf(const FrameReader& reference, const FrameReader& distorted, bool same_colors,
                         bool full_range) {
  const PictureFormat &a = reference.format(), &b = distorted.format();
  if (reference.makes_colors() || distorted.makes_colors()) return "samples must be integers in 4:2:0, 4:2:2 or 4:4:4";
  if (a.pixel_format != b.pixel_format || !same_colors)
    return "both videos must have the same chroma subsampling and location, matrix and range";
  if (a.bit_depth != b.bit_depth && full_range) return "videos of full range must have the same bit depth";
  if (reference.is_crop_between_chroma() || distorted.is_crop_between_chroma())
    return "a crop begins between two chroma samples";
  return "";
}

}  // namespace

Outcome FramePair::Make(const Colorspace& reference, const Colorspace& distorted, Use use,
                        std::optional<FramePair>& pair) {
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
  if (reference.transfer != distorted.transfer)
    return Failure(kNotSupported, "both videos must have the same transfer function");
  const std::string difference = DifferenceOf(*first, *second, colors == other, reference.range == kFull);
  if (difference.empty()) {
    const int depth = std::max(a.bit_depth, b.bit_depth);
    first->RaiseTo(depth);
    second->RaiseTo(depth);
  } else {
    if (use == Use::kSamples) return {kNotSupported, difference};
    first->MakeColors();
    second->MakeColors();
    colors = {{"matrix", "rgb"}, {"range", "full"}};
  }
  // Light of floats may be brighter than white.
  const bool is_light = reference.transfer == kTransferLinear && (first->is_float() || second->is_float());
  if (is_light) colors["clip_rgb"] = "false";
  pair = FramePair{std::move(*first), std::move(*second), std::move(colors), reference.transfer};
  return {};
}

}  // namespace acutance::vship
