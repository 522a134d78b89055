#include "api/frames/frame_reader.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <tuple>

#include "image/expand_plane.h"

namespace acutance::frames {
namespace {

std::optional<PixelFormat> PixelFormatOf(int sub_width, int sub_height) {
  if (sub_width == 0 && sub_height == 0) return PixelFormat::k444;
  if (sub_width == 1 && sub_height == 0) return PixelFormat::k422;
  if (sub_width == 1 && sub_height == 1) return PixelFormat::k420;
  return std::nullopt;
}

/// Columns or rows of a plane of FrameFormat.
int WholeSide(int side, int sub) { return (side + (1 << sub) - 1) >> sub; }

/// Rows as in pictures and on devices.
ptrdiff_t PaddedStride(size_t row_bytes) {
  constexpr size_t kAlignment = 64;
  return static_cast<ptrdiff_t>((row_bytes + kAlignment - 1) / kAlignment * kAlignment);
}

/// A picture in memory that the device reads; where there is none, in memory of its own.
Result<MutablePicture> AllocateFor(SharedDevice* device, const PictureFormat& format) {
  MutablePicture picture{.format = format};
  size_t bytes = 0;
  for (int p = 0; p < format.PlaneCount(); ++p) {
    picture.stride[p] = PaddedStride(static_cast<size_t>(format.PlaneWidth(p)) * format.BytesPerSample());
    bytes += static_cast<size_t>(picture.stride[p]) * format.PlaneHeight(p);
  }
  std::shared_ptr<std::byte> memory = device ? device->Take(bytes) : nullptr;
  if (!memory) return AllocatePicture(format);
  std::byte* at = memory.get();
  for (int p = 0; p < format.PlaneCount(); at += picture.stride[p] * format.PlaneHeight(p), ++p) picture.data[p] = at;
  picture.memory = std::move(memory);
  return picture;
}

/// A picture with room for the chroma samples of odd sizes that are more than the format has.
Result<MutablePicture> AllocateWhole(PictureFormat format, SharedDevice* device) {
  if (format.pixel_format != PixelFormat::k444) format.width += format.width % 2;
  if (format.pixel_format == PixelFormat::k420) format.height += format.height % 2;
  return AllocateFor(device, format);
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

constexpr int kRgbMatrix = 0;

struct MatrixChoice {
  const char* option;
  LinearRgbSettings::Matrix matrix;
};

std::optional<MatrixChoice> MatrixOf(int matrix) {
  using enum LinearRgbSettings::Matrix;
  if (matrix == kRgbMatrix) return MatrixChoice{"rgb", LinearRgbSettings::Matrix::kRgb};
  if (matrix == 1) return MatrixChoice{"bt709", kBt709};
  if (matrix == 5 || matrix == 6) return MatrixChoice{"bt601", kBt601};
  if (matrix == 9) return MatrixChoice{"bt2020", kBt2020};
  return std::nullopt;
}

// Chroma locations, of which 1 and 3 are centered between columns, 2 and 3 on the first row.
constexpr const char* kLocations[] = {"left", "center", "topleft", "top"};
constexpr int kLastLocation = 3;

ChromaSiting SitingOf(int location) {
  return {.horizontal = location % 2 == 1 ? 0.5 : 0.0, .vertical = location >= 2 ? 0.0 : 0.5};
}

Result<OptionTexts> ReadColors(const FrameFormat& frame) {
  const auto matrix = MatrixOf(frame.matrix);
  if (!matrix)
    return Error(StatusCode::kUnsupported, "matrix {}: there are 0 (red, green and blue), 1, 5, 6 and 9", frame.matrix);
  const bool is_rgb = frame.matrix == kRgbMatrix;
  if (!is_rgb && (frame.chroma_location < 0 || frame.chroma_location > kLastLocation))
    return Error(StatusCode::kUnsupported, "chroma location {}: there are 0 to 3", frame.chroma_location);
  if (is_rgb && (frame.subsampling_x != 0 || frame.subsampling_y != 0))
    return Error(StatusCode::kUnsupported,
                 "red, green and blue have planes of one size, these are subsampled by {} and {}", frame.subsampling_x,
                 frame.subsampling_y);
  return OptionTexts{{"matrix", matrix->option},
                     {"chroma_location", kLocations[is_rgb ? 0 : frame.chroma_location]},
                     {"range", frame.full_range ? "full" : "limited"}};
}

/// After ReadColors.
LinearRgbSettings SettingsOf(const FrameFormat& frame) {
  using enum LinearRgbSettings::Siting;
  constexpr LinearRgbSettings::Siting kSitings[] = {kLeft, kCenter, kTopLeft, kTop};
  return {.matrix = MatrixOf(frame.matrix)->matrix,
          .full_range = frame.full_range,
          .transfer = LINEAR_RGB_NONE,
          .siting = frame.matrix == kRgbMatrix ? kLeft : kSitings[frame.chroma_location],
          .clips = false};
}

}  // namespace

/// After ReadColors.
Result<FrameReader> FrameReader::Make(const FrameFormat& format) {
  FrameReader reader(format);
  ACU_RETURN_IF_ERROR(reader.ReadFormat());
  ACU_RETURN_IF_ERROR(reader.ReadGeometry());
  return reader;
}

Status FrameReader::ReadFormat() {
  constexpr int kMostSubsampling = 2;  // a sample for each four
  constexpr int kIntegers[] = {8, 9, 10, 12, 14, 16}, kFloats[] = {16, 32};
  const std::span<const int> bits = frame_.is_float ? std::span<const int>(kFloats) : kIntegers;
  if (std::ranges::find(bits, frame_.bits) == bits.end())
    return Error(StatusCode::kUnsupported, "{} of {} bits: there are {}", frame_.is_float ? "floats" : "integers",
                 frame_.bits, fmt::join(bits, ", "));
  const int across = frame_.subsampling_x, down = frame_.subsampling_y;
  if (across < 0 || across > kMostSubsampling || down < 0 || down > kMostSubsampling)
    return Error(StatusCode::kUnsupported, "chroma subsampled by {} and {}: there are 0 to 2", across, down);
  const int width = frame_.width, height = frame_.height;
  if (width < 1 || height < 1 || width > kMaxDimension || height > kMaxDimension)
    return Error(StatusCode::kUnsupported, "{}x{} pixels: each side must be 1 to {}", width, height, kMaxDimension);
  settings_ = SettingsOf(frame_);
  // The engine has 10 bits for 9 and 16 for 14: codes of limited range scale by a power of two.
  const int whole = frame_.bits == 9 ? 10 : frame_.bits == 14 ? 16 : frame_.bits;
  const auto pixel_format = PixelFormatOf(across, down);
  if (frame_.is_float || !pixel_format || (whole != frame_.bits && frame_.full_range))
    source_ = {width, height, kFloatDepth, PixelFormat::k444};
  else source_ = {width, height, whole, *pixel_format};
  format_ = source_;
  return {};
}

Status FrameReader::ReadGeometry() {
  for (const auto& [side, target, name] : {std::tuple{&format_.width, frame_.target_width, "width"},
                                           std::tuple{&format_.height, frame_.target_height, "height"}}) {
    if (target < 0 || target > kMaxDimension)
      return Error(StatusCode::kUnsupported, "target {} {}: it must be 1 to {}, or 0", name, target, kMaxDimension);
    if (target > 0) *side = target;
  }
  resized_ = {format_.width, format_.height};
  if (format_ != source_) {
    // Floats have the limits of integers.
    PictureFormat from = source_, to = format_;
    if (makes_colors()) from.bit_depth = to.bit_depth = 16;
    ACU_ASSIGN_OR_RETURN(Scaler scaler, Scaler::Make(from, to, {.siting = SitingOf(frame_.chroma_location)}));
    if (!makes_colors()) scaler_ = std::move(scaler);
  }
  const int64_t left = frame_.crop_left, right = frame_.crop_right, top = frame_.crop_top, bottom = frame_.crop_bottom;
  if (left < 0 || right < 0 || top < 0 || bottom < 0 || left + right >= format_.width || top + bottom >= format_.height)
    return Error(StatusCode::kUnsupported, "crop of {}, {}, {} and {} leaves nothing of {}x{} pixels", left, right, top,
                 bottom, format_.width, format_.height);
  format_.width -= static_cast<int>(left + right);
  format_.height -= static_cast<int>(top + bottom);
  return {};
}

bool FrameReader::is_crop_between_chroma() const {
  if (makes_colors()) return false;
  return frame_.crop_left % (1 << frame_.subsampling_x) != 0 || frame_.crop_top % (1 << frame_.subsampling_y) != 0;
}

void FrameReader::MakeColors() {
  format_.bit_depth = kFloatDepth;
  format_.pixel_format = PixelFormat::k444;
}

/// Rows may begin at any byte, and bits above the depth do not count.
Status FrameReader::CopyPlanes(const FramePlanes& planes, const MutablePicture& to) const {
  const int depth = frame_.bits;
  const auto mask = static_cast<uint16_t>((1U << depth) - 1);
  for (int p = 0; p < source_.PlaneCount(); ++p) {
    const int width = WholeSide(source_.width, p > 0 ? frame_.subsampling_x : 0);
    const int height = WholeSide(source_.height, p > 0 ? frame_.subsampling_y : 0);
    const size_t row = static_cast<size_t>(width) * source_.BytesPerSample();
    ACU_RETURN_IF_ERROR(CheckPlane(planes, p, height, static_cast<int64_t>(row)));
    for (int y = 0; y < height; ++y) {
      std::byte* out = to.data[p] + y * to.stride[p];
      std::memcpy(out, static_cast<const std::byte*>(planes[p].data) + y * planes[p].stride, row);
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

/// The planes as a picture, where the device reads them and each bit counts.
std::optional<Picture> FrameReader::Borrow(const FramePlanes& planes, const SharedDevice& device) const {
  const bool is_plain = !scaler_ && format_ == source_ && (frame_.bits == 8 || frame_.bits == 16);
  if (!is_plain || source_.width % 2 != 0 || source_.height % 2 != 0) return std::nullopt;
  Picture picture{.format = source_, .planes = {}, .memory = {}};
  for (int p = 0; p < source_.PlaneCount(); ++p) {
    const int width = source_.PlaneWidth(p), height = source_.PlaneHeight(p);
    const size_t row = static_cast<size_t>(width) * source_.BytesPerSample();
    const auto* data = static_cast<const std::byte*>(planes[p].data);
    if (planes[p].stride != PaddedStride(row) || reinterpret_cast<uintptr_t>(data) % source_.BytesPerSample() != 0)
      return std::nullopt;
    const size_t bytes = static_cast<size_t>(planes[p].stride) * (height - 1) + row;
    if (!device.Find(data, bytes).buffer) return std::nullopt;
    picture.planes[p] = {data, planes[p].stride, width, height};
  }
  return picture;
}

Result<Picture> FrameReader::ReadSamples(const FramePlanes& planes, const Target& target) const {
  if (target.borrows && target.device)
    if (std::optional<Picture> borrowed = Borrow(planes, *target.device)) return *std::move(borrowed);
  ACU_ASSIGN_OR_RETURN(const MutablePicture copy, AllocateWhole(source_, target.device));
  ACU_RETURN_IF_ERROR(CopyPlanes(planes, copy));
  Picture picture = ShareWhole(copy, source_);
  if (!scaler_) return picture;
  ACU_ASSIGN_OR_RETURN(const MutablePicture scaled, AllocatePicture(scaler_->format()));
  scaler_->Scale(picture, scaled);
  return scaled.Share();
}

Result<Picture> FrameReader::ReadColorPlanes(const FramePlanes& planes) const {
  ACU_ASSIGN_OR_RETURN(const MutablePicture colors, AllocatePicture(source_));
  ACU_RETURN_IF_ERROR(ColorPlanes(frame_, settings_).Read(planes, colors));
  const auto [width, height] = resized_;
  if (width == source_.width && height == source_.height) return colors.Share();
  return ScaleColors(colors.Share(), width, height);
}

/// Converts samples to colors as the metrics do.
Result<Picture> FrameReader::ConvertToColors(const Picture& picture) const {
  const LinearRgbConversion conversion(settings_, picture.format);
  ACU_ASSIGN_OR_RETURN(const MutablePicture colors,
                       AllocatePicture({picture.format.width, picture.format.height, kFloatDepth, PixelFormat::k444}));
  for (int y = 0; y < picture.format.height; ++y)
    LinearRgbRow(conversion, picture, y, {0, picture.format.width},
                 {colors.Row<float>(0, y), colors.Row<float>(1, y), colors.Row<float>(2, y)});
  return colors.Share();
}

void FrameReader::Crop(Picture& picture) const {
  const bool is_subsampled = picture.format.pixel_format != PixelFormat::k444;
  picture.format.width = format_.width;
  picture.format.height = format_.height;
  for (int p = 0; p < picture.format.PlaneCount(); ++p) {
    Plane& plane = picture.planes[p];
    const int across = p > 0 && is_subsampled ? frame_.subsampling_x : 0;
    const int down = p > 0 && is_subsampled ? frame_.subsampling_y : 0;
    plane.data += (frame_.crop_top >> down) * plane.stride +
                  static_cast<ptrdiff_t>(frame_.crop_left >> across) * picture.format.BytesPerSample();
    plane.width = picture.format.PlaneWidth(p);
    plane.height = picture.format.PlaneHeight(p);
    if (frame_.crop_left > 0 || frame_.crop_right > 0) plane.more_columns = 0;
    if (frame_.crop_top > 0 || frame_.crop_bottom > 0) plane.more_rows = 0;
  }
}

Result<Picture> FrameReader::Expand(const Picture& picture, SharedDevice* device) const {
  ACU_ASSIGN_OR_RETURN(const MutablePicture deeper, AllocateWhole(format_, device));
  for (int p = 0; p < format_.PlaneCount(); ++p)
    ExpandPlane(picture.planes[p].Whole(), source_.bit_depth, format_.bit_depth, deeper.data[p], deeper.stride[p]);
  Picture expanded = ShareWhole(deeper, format_);
  for (int p = 0; p < format_.PlaneCount(); ++p) {
    expanded.planes[p].more_columns = picture.planes[p].more_columns;
    expanded.planes[p].more_rows = picture.planes[p].more_rows;
  }
  return expanded;
}

Result<Picture> FrameReader::Read(const FramePlanes& planes, const Target& target) const {
  const bool has_colors = source_.bit_depth == kFloatDepth;
  ACU_ASSIGN_OR_RETURN(Picture picture, has_colors ? ReadColorPlanes(planes) : ReadSamples(planes, target));
  if (makes_colors() && !has_colors) {
    ACU_ASSIGN_OR_RETURN(picture, ConvertToColors(picture));
  }
  Crop(picture);
  return picture.format.bit_depth == format_.bit_depth ? picture : Expand(picture, target.device);
}

namespace {

/// Why samples of both videos cannot be compared as they are; "": they can.
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

Result<PairReader> PairReader::Make(const FrameFormat& reference, const FrameFormat& distorted, bool compares_samples) {
  constexpr int kLinear = 8;
  ACU_ASSIGN_OR_RETURN(OptionTexts colors, ReadColors(reference));
  ACU_ASSIGN_OR_RETURN(const OptionTexts other, ReadColors(distorted));
  ACU_ASSIGN_OR_RETURN(FrameReader first, FrameReader::Make(reference));
  ACU_ASSIGN_OR_RETURN(FrameReader second, FrameReader::Make(distorted));
  const PictureFormat &a = first.format(), &b = second.format();
  if (a.width != b.width || a.height != b.height)
    return Error(StatusCode::kInvalidArgument, "the reference has {}x{} pixels, the distorted video {}x{}", a.width,
                 a.height, b.width, b.height);
  if (reference.transfer != distorted.transfer)
    return Error(StatusCode::kUnsupported, "both videos must have the same transfer function");
  const std::string difference = DifferenceOf(first, second, colors == other, reference.full_range);
  if (difference.empty()) {
    const int depth = std::max(a.bit_depth, b.bit_depth);
    first.ExpandTo(depth);
    second.ExpandTo(depth);
  } else {
    if (compares_samples) return Status(StatusCode::kUnsupported, difference);
    first.MakeColors();
    second.MakeColors();
    colors = {{"matrix", "rgb"}, {"range", "full"}};
  }
  // Light of floats may be brighter than white.
  if (reference.transfer == kLinear && (reference.is_float || distorted.is_float)) colors["clip_rgb"] = "false";
  return PairReader{std::move(first), std::move(second), std::move(colors), reference.transfer};
}

}  // namespace acutance::frames
