#include "report/picture_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace acutance {
namespace {

/// Samples of a plane for one of luma lie at its half where there are fewer of them; what an odd size leaves over has
/// the last one's.
int StepAcross(const Plane& plane, const Plane& luma) { return plane.width == luma.width ? 1 : 2; }
int StepDown(const Plane& plane, const Plane& luma) { return plane.height == luma.height ? 1 : 2; }
bool HasSamples(const Plane& plane) { return plane.data != nullptr && plane.width > 0 && plane.height > 0; }

/// Clamped as an integer, which compilers do with vectors.
uint8_t Byte(float value) { return static_cast<uint8_t>(std::clamp(static_cast<int>(value + 0.5f), 0, 255)); }

/// From samples in steps of 8 bits to red, green and blue.
struct ColorFactors {
  float black = 0, luma = 1;
  float red_v = 0, green_u = 0, green_v = 0, blue_u = 0;
};

ColorFactors FactorsOf(bool full_range, int height) {
  const bool is_hd = height >= 720;
  const double kr = is_hd ? 0.2126 : 0.299, kb = is_hd ? 0.0722 : 0.114, kg = 1 - kr - kb;
  const double chroma = full_range ? 1 : 255.0 / 224;
  ColorFactors factors;
  factors.black = full_range ? 0 : 16;
  factors.luma = static_cast<float>(full_range ? 1 : 255.0 / 219);
  factors.red_v = static_cast<float>(2 * (1 - kr) * chroma);
  factors.blue_u = static_cast<float>(2 * (1 - kb) * chroma);
  factors.green_u = static_cast<float>(2 * (1 - kb) * chroma * kb / kg);
  factors.green_v = static_cast<float>(2 * (1 - kr) * chroma * kr / kg);
  return factors;
}

/// A row of pixels from sums of luma and of both chroma samples, which become samples times `share`.
void StoreRgbRow(const std::array<std::vector<uint32_t>, 3>& sums, float share, const ColorFactors& factors,
                 uint8_t* rgb) {
  for (size_t x = 0; x < sums[0].size(); ++x, rgb += 3) {
    const float luma = (static_cast<float>(sums[0][x]) * share - factors.black) * factors.luma;
    const float cb = static_cast<float>(sums[1][x]) * share - 128, cr = static_cast<float>(sums[2][x]) * share - 128;
    rgb[0] = Byte(luma + factors.red_v * cr);
    rgb[1] = Byte(luma - factors.green_u * cb - factors.green_v * cr);
    rgb[2] = Byte(luma + factors.blue_u * cb);
  }
}

/// How a picture becomes an image of at most `max_width`.
struct Shrinking {
  Shrinking(const Plane& luma, int max_width)
      : factor(std::max(1, (luma.width + max_width - 1) / max_width)),
        rows(std::min(factor, luma.height)),
        columns(std::min(factor, luma.width)),
        image{std::max(1, luma.width / factor), std::max(1, luma.height / factor), {}} {}
  double share() const { return 1.0 / (rows * columns); }
  uint8_t* Row(int y) { return &image.rgb[size_t{3} * image.width * y]; }

  int factor;
  int rows, columns;  // samples of a pixel
  RgbImage image;
};

/// The sums of a plane's samples that lie at the luma samples of each pixel of row `y` of the image; a sample of the
/// plane for kAcross luma samples. Pixels are below 256 samples wide and high, so that sums fit 32 bits.
template <class Sample, int kAcross>
void AddUp(const Plane& plane, int down, const Shrinking& to, int y, std::span<uint32_t> sums) {
  const size_t count = sums.size(), columns = static_cast<size_t>(to.columns);
  std::vector<uint32_t> down_sums((count * columns + kAcross - 1) / kAcross);
  const size_t held = std::min(down_sums.size(), static_cast<size_t>(plane.width));
  for (int j = 0; j < to.rows; ++j) {
    const Sample* row = plane.Row<Sample>(std::min((y * to.factor + j) / down, plane.height - 1));
    for (size_t x = 0; x < held; ++x) down_sums[x] += row[x];
  }
  std::fill(down_sums.begin() + static_cast<ptrdiff_t>(held), down_sums.end(), down_sums[held - 1]);
  const auto add = [&](auto pixel) {
    for (size_t x = 0; x < count; ++x) {
      uint32_t sum = 0;
      for (size_t i = 0; i < pixel; ++i) sum += down_sums[(x * pixel + i) / kAcross];
      sums[x] = sum;
    }
  };
  if (columns == 1) add(std::integral_constant<size_t, 1>());
  else if (columns == 2) add(std::integral_constant<size_t, 2>());
  else if (columns == 3) add(std::integral_constant<size_t, 3>());
  else add(columns);
}

void AddUp(const Picture& picture, int plane, const Shrinking& to, int y, std::span<uint32_t> sums) {
  const Plane &from = picture.planes[plane], &luma = picture.planes[0];
  const int across = StepAcross(from, luma), down = StepDown(from, luma);
  if (!HasSamples(from))
    std::ranges::fill(sums, uint32_t{128} * to.rows * to.columns << (picture.format.bit_depth - 8));
  else if (picture.format.bit_depth == 8)
    across == 1 ? AddUp<uint8_t, 1>(from, down, to, y, sums) : AddUp<uint8_t, 2>(from, down, to, y, sums);
  else across == 1 ? AddUp<uint16_t, 1>(from, down, to, y, sums) : AddUp<uint16_t, 2>(from, down, to, y, sums);
}

/// The sums of how much two planes differ at the samples of each pixel of row `y`; sums of 16-bit samples fit, too.
template <class Sample>
void AddDifferences(const Plane& a, const Plane& b, const Shrinking& to, int y, std::span<uint32_t> down_sums,
                    std::span<uint32_t> sums) {
  std::ranges::fill(down_sums, 0);
  for (int j = 0; j < to.rows; ++j) {
    const Sample *one = a.Row<Sample>(y * to.factor + j), *other = b.Row<Sample>(y * to.factor + j);
    for (size_t x = 0; x < down_sums.size(); ++x)
      down_sums[x] += static_cast<uint32_t>(std::abs(int{one[x]} - int{other[x]}));
  }
  const uint32_t* next = down_sums.data();
  for (uint32_t& sum : sums) {
    sum = 0;
    for (int i = 0; i < to.columns; ++i) sum += *next++;
  }
}

template <class Sample>
uint64_t SumOfDifferences(const Plane& a, const Plane& b, int left, int top, int width, int height) {
  uint64_t sum = 0;
  for (int y = top; y < top + height; ++y) {
    const Sample *one = a.Row<Sample>(y) + left, *other = b.Row<Sample>(y) + left;
    uint32_t row = 0;  // 65,537 samples at least fit
    for (int x = 0; x < width; ++x) row += static_cast<uint32_t>(std::abs(int{one[x]} - int{other[x]}));
    sum += row;
  }
  return sum;
}

}  // namespace

std::pair<int, int> ImageSize(const PictureFormat& format, int max_width) {
  const int factor = std::max(1, (format.width + max_width - 1) / max_width);
  return {std::max(1, format.width / factor), std::max(1, format.height / factor)};
}

RgbImage ToImage(const Picture& picture, bool full_range, int max_width) {
  const Plane& luma = picture.planes[0];
  const ColorFactors factors = FactorsOf(full_range, luma.height);
  Shrinking to(luma, max_width);
  to.image.rgb.resize(size_t{3} * to.image.width * to.image.height);
  const auto share = static_cast<float>(to.share() / (1 << (picture.format.bit_depth - 8)));
  std::array<std::vector<uint32_t>, 3> sums;
  for (auto& row : sums) row.resize(static_cast<size_t>(to.image.width));
  for (int y = 0; y < to.image.height; ++y) {
    for (int p = 0; p < 3; ++p) AddUp(picture, p, to, y, sums[p]);
    StoreRgbRow(sums, share, factors, to.Row(y));
  }
  return std::move(to.image);
}

RgbImage DifferenceImage(const Picture& reference, const Picture& distorted, int max_width) {
  constexpr int kWhite = 32;
  const Plane &a = reference.planes[0], &b = distorted.planes[0];
  Shrinking to(a, max_width);
  to.image.rgb.resize(size_t{3} * to.image.width * to.image.height);
  const int shift = reference.format.bit_depth - 8;  // steps finer than those of 8 bits do not show
  const auto white = static_cast<uint32_t>(kWhite * to.rows * to.columns);
  std::vector<std::array<uint8_t, 3>> colors(white + 1);
  for (uint32_t sum = 0; sum <= white; ++sum)
    HeatColor(static_cast<double>(sum) / static_cast<double>(white), colors[sum].data());
  const auto width = static_cast<size_t>(to.image.width);
  std::vector<uint32_t> down_sums(width * to.columns), sums(width);
  for (int y = 0; y < to.image.height; ++y) {
    if (reference.format.bit_depth == 8) AddDifferences<uint8_t>(a, b, to, y, down_sums, sums);
    else AddDifferences<uint16_t>(a, b, to, y, down_sums, sums);
    for (size_t x = 0; x < width; ++x) std::ranges::copy(colors[std::min(sums[x] >> shift, white)], to.Row(y) + 3 * x);
  }
  return std::move(to.image);
}

RgbImage CropImage(const Picture& picture, bool full_range, int x, int y, int width, int height) {
  const Plane& luma = picture.planes[0];
  RgbImage image{std::min(width, luma.width), std::min(height, luma.height), {}};
  const int left = std::clamp(x - image.width / 2, 0, luma.width - image.width);
  const int top = std::clamp(y - image.height / 2, 0, luma.height - image.height);
  const ColorFactors factors = FactorsOf(full_range, luma.height);
  image.rgb.resize(size_t{3} * image.width * image.height);
  const auto share = static_cast<float>(1.0 / (1 << (picture.format.bit_depth - 8)));
  const Shrinking whole(luma, luma.width);
  std::vector<uint32_t> row(static_cast<size_t>(luma.width));
  std::array<std::vector<uint32_t>, 3> samples;
  for (int j = 0; j < image.height; ++j) {
    for (int p = 0; p < 3; ++p) {
      AddUp(picture, p, whole, top + j, row);
      samples[p].assign(row.begin() + left, row.begin() + left + image.width);
    }
    StoreRgbRow(samples, share, factors, &image.rgb[size_t{3} * image.width * j]);
  }
  return image;
}

CropWindow WorstSpot(const Picture& reference, const Picture& distorted, int size) {
  const Plane &a = reference.planes[0], &b = distorted.planes[0];
  CropWindow worst{a.width / 2, a.height / 2};
  uint64_t most = 0;
  for (int top = 0; top < a.height; top += size)
    for (int left = 0; left < a.width; left += size) {
      const int width = std::min(size, a.width - left), height = std::min(size, a.height - top);
      const uint64_t sum = reference.format.bit_depth == 8 ? SumOfDifferences<uint8_t>(a, b, left, top, width, height)
                                                           : SumOfDifferences<uint16_t>(a, b, left, top, width, height);
      if (sum <= most) continue;
      most = sum;
      worst = {left + width / 2, top + height / 2};
    }
  return worst;
}

void HeatColor(double value, uint8_t* rgb) {
  static constexpr double kStops[][3] = {{0, 0, 0},     {40, 20, 110},  {150, 30, 110},
                                         {230, 90, 40}, {250, 190, 50}, {255, 255, 255}};
  constexpr int kSteps = std::size(kStops) - 1;
  const double place = std::clamp(value, 0.0, 1.0) * kSteps;
  const int stop = std::min(static_cast<int>(place), kSteps - 1);
  for (int c = 0; c < 3; ++c)
    rgb[c] = Byte(static_cast<float>(std::lerp(kStops[stop][c], kStops[stop + 1][c], place - stop)));
}

std::string Base64(std::string_view bytes) {
  static constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t at = 0; at < bytes.size(); at += 3) {
    const size_t left = std::min<size_t>(3, bytes.size() - at);
    uint32_t word = 0;
    for (size_t i = 0; i < 3; ++i) word = word << 8 | (i < left ? static_cast<uint8_t>(bytes[at + i]) : 0);
    for (size_t i = 0; i < 4; ++i) text += i <= left ? kDigits[word >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

namespace {

std::vector<std::array<uint8_t, 3>> BlockColors(std::span<const double> losses, double most) {
  std::vector<std::array<uint8_t, 3>> colors(losses.size());
  for (size_t block = 0; block < losses.size(); ++block) {
    HeatColor(losses[block] / most, colors[block].data());
    for (uint8_t& part : colors[block]) part = static_cast<uint8_t>(part * 0.7);
  }
  return colors;
}

}  // namespace

RgbImage DarkGray(RgbImage image) {
  for (size_t at = 0; at + 3 <= image.rgb.size(); at += 3) {
    uint8_t* rgb = &image.rgb[at];
    const auto gray = static_cast<uint8_t>((rgb[0] + 2 * rgb[1] + rgb[2]) / 8);
    std::fill_n(rgb, 3, gray);
  }
  return image;
}

RgbImage MapOverImage(const RgbImage& gray, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns) {
  const double most = std::max(1e-300, *std::ranges::max_element(losses));
  return MapOverImage(gray, format, losses, size, columns, most);
}

RgbImage MapOverImage(const RgbImage& gray, const PictureFormat& format, std::span<const double> losses, int size,
                      int columns, double most) {
  const std::vector<std::array<uint8_t, 3>> colors = BlockColors(losses, most);
  const auto block_of = [size](int at, int pixels, int samples) {
    return static_cast<size_t>(int64_t{1} * at * samples / pixels / size);
  };
  const size_t row_bytes = size_t{3} * gray.width;
  std::vector<uint8_t> heat(row_bytes);  // of a row of blocks
  RgbImage image{gray.width, gray.height, std::vector<uint8_t>(gray.rgb.size())};
  size_t drawn = ~size_t{0};
  for (int y = 0; y < image.height; ++y) {
    const size_t blocks = block_of(y, image.height, format.height) * columns;
    if (blocks != drawn)
      for (int x = 0; x < image.width; ++x)
        std::ranges::copy(colors[blocks + block_of(x, image.width, format.width)], &heat[size_t{3} * x]);
    drawn = blocks;
    std::transform(heat.begin(), heat.end(), &gray.rgb[row_bytes * y], &image.rgb[row_bytes * y],
                   [](uint8_t color, uint8_t below) { return static_cast<uint8_t>(std::min(color + below, 255)); });
  }
  return image;
}

}  // namespace acutance
