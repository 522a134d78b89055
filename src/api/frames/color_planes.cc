#include "api/frames/color_planes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/int_math.h"
#include "convert/scale_taps.h"

namespace acutance::frames {
namespace {

/// IEEE 754's binary16.
float FloatOfHalf(uint16_t half) {
  const uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 1023u;
  if (exponent == 0) return (sign != 0 ? -1.0f : 1.0f) * static_cast<float>(fraction) * 0x1p-24f;
  if (exponent == 31) return std::numeric_limits<float>::quiet_NaN();  // nor is infinity a sample
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

template <class Sample>
Sample At(const uint8_t* row, int x) {
  Sample sample;
  std::memcpy(&sample, row + static_cast<ptrdiff_t>(x) * static_cast<ptrdiff_t>(sizeof sample), sizeof sample);
  return sample;
}

/// Four samples around a position and what they weigh.
struct Cubic {
  Cubic(int position, int factor, bool is_centred) {
    const double at = is_centred ? (position + 0.5) / factor - 0.5 : static_cast<double>(position) / factor;
    const double whole = std::floor(at), t = at - whole;
    first = static_cast<int>(whole) - 1;
    weights = {static_cast<float>(((2 - t) * t - 1) * t / 2), static_cast<float>(((3 * t - 5) * t * t + 2) / 2),
               static_cast<float>(((4 - 3 * t) * t + 1) * t / 2), static_cast<float>((t - 1) * t * t / 2)};
  }

  template <class Sample>  // (index) -> float
  float Sum(int count, Sample sample) const {
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += weights[i] * sample(std::clamp(first + i, 0, count - 1));
    return sum;
  }

  int first;
  std::array<float, 4> weights;
};

LinearRgbSettings Unclipped(LinearRgbSettings settings) {
  settings.clips = false;
  settings.transfer = LINEAR_RGB_NONE;
  return settings;
}

}  // namespace

Status CheckPlane(const FramePlanes& planes, int plane, int height, int64_t row_bytes) {
  const int64_t stride = planes[plane].stride;
  if (!planes[plane].data) return Error(StatusCode::kInvalidArgument, "plane {} is null", plane);
  if (height > 1 && stride > -row_bytes && stride < row_bytes)
    return Error(StatusCode::kInvalidArgument, "plane {}: rows of {} bytes do not fit into a stride of {}", plane,
                 row_bytes, stride);
  return {};
}

ColorPlanes::ColorPlanes(const FrameFormat& format, const LinearRgbSettings& settings)
    : format_(format),
      is_rgb_(settings.matrix == LinearRgbSettings::Matrix::kRgb),
      conversion_(Unclipped(settings),
                  {format.width, format.height, format.is_float ? 16 : format.bits, PixelFormat::k444}) {}

Status ColorPlanes::ReadPlane(const FramePlanes& planes, int plane, Levels& levels) const {
  const int width = plane == 0 ? format_.width : CeilDiv(format_.width, 1 << format_.subsampling_x);
  const int bytes = BytesPerSample(format_);
  const int height = plane == 0 ? format_.height : CeilDiv(format_.height, 1 << format_.subsampling_y);
  ACU_RETURN_IF_ERROR(CheckPlane(planes, plane, height, int64_t{width} * bytes));
  const light::LinearRgbFactors& factors = conversion_.factors;
  const int offset = plane == 0 ? factors.luma_offset : factors.chroma_offset;
  const float scale = plane == 0 ? factors.luma_scale : factors.chroma_scale;
  const int mask = format_.is_float ? 0 : (1 << format_.bits) - 1;
  levels.resize(static_cast<size_t>(width) * height);
  bool is_finite = true;
  for (int y = 0; y < height; ++y) {
    const uint8_t* row = static_cast<const uint8_t*>(planes[plane].data) + y * planes[plane].stride;
    float* to = levels.data() + static_cast<size_t>(y) * width;
    for (int x = 0; x < width; ++x) {
      if (!format_.is_float) {
        const int sample = (bytes == 2 ? At<uint16_t>(row, x) : row[x]) & mask;
        to[x] = static_cast<float>(sample - offset) * scale;
      } else {
        to[x] = bytes == 2 ? FloatOfHalf(At<uint16_t>(row, x)) : At<float>(row, x);
        is_finite = is_finite && std::isfinite(to[x]);
      }
    }
  }
  if (is_finite) return {};
  return Error(StatusCode::kUnsupported, "plane {} has samples that are not finite numbers", plane);
}

ColorPlanes::Levels ColorPlanes::Widened(const Levels& levels, int width, int height) const {
  using enum LinearRgbSettings::Siting;
  Levels wide(static_cast<size_t>(format_.width) * height);
  for (int x = 0; x < format_.width; ++x) {
    const Cubic cubic(x, 1 << format_.subsampling_x, conversion_.across.centred);
    for (int y = 0; y < height; ++y) {
      const float* row = levels.data() + static_cast<size_t>(y) * width;
      wide[static_cast<size_t>(y) * format_.width + x] = cubic.Sum(width, [&](int i) { return row[i]; });
    }
  }
  return wide;
}

ColorPlanes::Levels ColorPlanes::Heightened(const Levels& levels, int height) const {
  Levels high(static_cast<size_t>(format_.width) * format_.height);
  for (int y = 0; y < format_.height; ++y) {
    const Cubic cubic(y, 1 << format_.subsampling_y, conversion_.down.centred);
    for (int x = 0; x < format_.width; ++x)
      high[static_cast<size_t>(y) * format_.width + x] =
          cubic.Sum(height, [&](int i) { return levels[static_cast<size_t>(i) * format_.width + x]; });
  }
  return high;
}

Status ColorPlanes::Read(const FramePlanes& planes, const MutablePicture& rgb) const {
  std::array<Levels, 3> levels;
  for (int p = 0; p < 3; ++p) {
    ACU_RETURN_IF_ERROR(ReadPlane(planes, p, levels[p]));
    if (p == 0) continue;
    const int height = CeilDiv(format_.height, 1 << format_.subsampling_y);
    if (format_.subsampling_x > 0)
      levels[p] = Widened(levels[p], CeilDiv(format_.width, 1 << format_.subsampling_x), height);
    if (format_.subsampling_y > 0) levels[p] = Heightened(levels[p], height);
  }
  const light::LinearRgbFactors& factors = conversion_.factors;
  for (int y = 0; y < format_.height; ++y) {
    const size_t first = static_cast<size_t>(y) * format_.width;
    for (int x = 0; x < format_.width; ++x) {
      const float luma = levels[0][first + x], u = levels[1][first + x], v = levels[2][first + x];
      rgb.Row<float>(0, y)[x] = is_rgb_ ? luma : luma + factors.cr_red * v;
      rgb.Row<float>(1, y)[x] = is_rgb_ ? u : (luma - factors.cb_green * u) - factors.cr_green * v;
      rgb.Row<float>(2, y)[x] = is_rgb_ ? v : luma + factors.cb_blue * u;
    }
  }
  return {};
}

namespace {

template <class Sample>  // (index) -> float
float SumOfTaps(const ScaleTaps& taps, int i, int count, Sample sample) {
  float sum = 0;
  for (int k = 0; k < taps.used; ++k)
    sum += static_cast<float>(taps.weight(i, k)) * sample(std::clamp(taps.first[i] + k, 0, count - 1));
  return sum * (1.0f / (1 << ScaleTaps::kBits));
}

}  // namespace

Result<Picture> ScaleColors(const Picture& picture, int width, int height) {
  const auto taps_of = [](int from, int to) {
    return MakeScaleTaps(ScaleFilter::kBicubic, {.from = from, .to = to, .step = static_cast<double>(from) / to});
  };
  const int from_width = picture.format.width, from_height = picture.format.height;
  const ScaleTaps across = taps_of(from_width, width), down = taps_of(from_height, height);
  ACU_ASSIGN_OR_RETURN(const MutablePicture scaled, AllocatePicture({width, height, kFloatDepth, PixelFormat::k444}));
  std::vector<float> wide(static_cast<size_t>(width) * from_height);
  for (int p = 0; p < 3; ++p) {
    for (int y = 0; y < from_height; ++y) {
      const float* row = picture.planes[p].Row<float>(y);
      for (int x = 0; x < width; ++x)
        wide[static_cast<size_t>(y) * width + x] = SumOfTaps(across, x, from_width, [&](int i) { return row[i]; });
    }
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        scaled.Row<float>(p, y)[x] =
            SumOfTaps(down, y, from_height, [&](int i) { return wide[static_cast<size_t>(i) * width + x]; });
  }
  return scaled.Share();
}

}  // namespace acutance::frames
