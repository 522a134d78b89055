#include "report/picture_image.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#include <stb/stb_image_write.h>

namespace acutance {
namespace {

/// A sample in steps of 8 bits.
double Sample8(const Picture& picture, int plane, int x, int y) {
  const Plane& samples = picture.planes[plane];
  if (picture.format.bit_depth == 8) return samples.Row<uint8_t>(y)[x];
  return samples.Row<uint16_t>(y)[x] / static_cast<double>(1 << (picture.format.bit_depth - 8));
}

/// The sample of a chroma plane that lies nearest to a luma sample; 128 where there is none.
double Chroma8(const Picture& picture, int plane, int x, int y) {
  const Plane& samples = picture.planes[plane];
  if (samples.data == nullptr || samples.width == 0 || samples.height == 0) return 128;
  const Plane& luma = picture.planes[0];
  return Sample8(picture, plane, std::min(x * samples.width / luma.width, samples.width - 1),
                 std::min(y * samples.height / luma.height, samples.height - 1));
}

uint8_t Byte(double value) { return static_cast<uint8_t>(std::clamp(value, 0.0, 255.0) + 0.5); }

struct Yuv {
  double y = 0, u = 0, v = 0;
};

void Store(const Yuv& color, bool full_range, int height, uint8_t* rgb) {
  const bool is_hd = height >= 720;
  const double kr = is_hd ? 0.2126 : 0.299, kb = is_hd ? 0.0722 : 0.114, kg = 1 - kr - kb;
  const double y = full_range ? color.y : (color.y - 16) * 255 / 219;
  const double scale = full_range ? 1 : 255.0 / 224;
  const double u = (color.u - 128) * scale, v = (color.v - 128) * scale;
  const double red = y + 2 * (1 - kr) * v, blue = y + 2 * (1 - kb) * u;
  rgb[0] = Byte(red);
  rgb[1] = Byte((y - kr * red - kb * blue) / kg);
  rgb[2] = Byte(blue);
}

/// An image of at most `max_width`: pixel(x, y) of the source is added up for each of its pixels, and stored by
/// store(mean, rgb).
template <class Value, class Pixel, class Store>
RgbImage Shrink(const Plane& luma, int max_width, Pixel pixel, Store store) {
  const int factor = std::max(1, (luma.width + max_width - 1) / max_width);
  RgbImage image{std::max(1, luma.width / factor), std::max(1, luma.height / factor), {}};
  image.rgb.resize(size_t{3} * image.width * image.height);
  const int rows = std::min(factor, luma.height), columns = std::min(factor, luma.width);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) {
      Value sum{};
      for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) pixel(x * factor + i, y * factor + j, sum);
      store(sum, 1.0 / (rows * columns), &image.rgb[3 * (size_t{1} * y * image.width + x)]);
    }
  return image;
}

void Append(void* to, void* data, int size) {
  static_cast<std::string*>(to)->append(static_cast<const char*>(data), static_cast<size_t>(size));
}

}  // namespace

RgbImage ToImage(const Picture& picture, bool full_range, int max_width) {
  const Plane& luma = picture.planes[0];
  const auto pixel = [&](int x, int y, Yuv& sum) {
    sum.y += Sample8(picture, 0, x, y);
    sum.u += Chroma8(picture, 1, x, y);
    sum.v += Chroma8(picture, 2, x, y);
  };
  const auto store = [&](const Yuv& sum, double share, uint8_t* rgb) {
    Store({sum.y * share, sum.u * share, sum.v * share}, full_range, luma.height, rgb);
  };
  return Shrink<Yuv>(luma, max_width, pixel, store);
}

RgbImage DifferenceImage(const Picture& reference, const Picture& distorted, int max_width) {
  constexpr double kWhite = 32;
  const auto pixel = [&](int x, int y, double& sum) {
    sum += std::abs(Sample8(reference, 0, x, y) - Sample8(distorted, 0, x, y));
  };
  const auto store = [](double sum, double share, uint8_t* rgb) { HeatColor(sum * share / kWhite, rgb); };
  return Shrink<double>(reference.planes[0], max_width, pixel, store);
}

RgbImage CropImage(const Picture& picture, bool full_range, int x, int y, int width, int height) {
  const Plane& luma = picture.planes[0];
  RgbImage image{std::min(width, luma.width), std::min(height, luma.height), {}};
  image.rgb.resize(size_t{3} * image.width * image.height);
  const int left = std::clamp(x - image.width / 2, 0, luma.width - image.width);
  const int top = std::clamp(y - image.height / 2, 0, luma.height - image.height);
  for (int j = 0; j < image.height; ++j)
    for (int i = 0; i < image.width; ++i)
      Store({Sample8(picture, 0, left + i, top + j), Chroma8(picture, 1, left + i, top + j),
             Chroma8(picture, 2, left + i, top + j)},
            full_range, luma.height, &image.rgb[3 * (size_t{1} * j * image.width + i)]);
  return image;
}

Spot WorstSpot(const Picture& reference, const Picture& distorted, int size) {
  const Plane& luma = reference.planes[0];
  Spot worst{luma.width / 2, luma.height / 2};
  double most = 0;
  for (int top = 0; top < luma.height; top += size)
    for (int left = 0; left < luma.width; left += size) {
      double sum = 0;
      for (int y = top; y < std::min(top + size, luma.height); ++y)
        for (int x = left; x < std::min(left + size, luma.width); ++x)
          sum += std::abs(Sample8(reference, 0, x, y) - Sample8(distorted, 0, x, y));
      if (sum <= most) continue;
      most = sum;
      worst = {left + size / 2, top + size / 2};
    }
  return worst;
}

void HeatColor(double value, uint8_t* rgb) {
  static constexpr double kStops[][3] = {{0, 0, 0},     {40, 20, 110},  {150, 30, 110},
                                         {230, 90, 40}, {250, 190, 50}, {255, 255, 255}};
  constexpr int kSteps = std::size(kStops) - 1;
  const double place = std::clamp(value, 0.0, 1.0) * kSteps;
  const int stop = std::min(static_cast<int>(place), kSteps - 1);
  for (int c = 0; c < 3; ++c) rgb[c] = Byte(std::lerp(kStops[stop][c], kStops[stop + 1][c], place - stop));
}

std::string Jpeg(const RgbImage& image, int quality) {
  std::string bytes;
  stbi_write_jpg_to_func(Append, &bytes, image.width, image.height, 3, image.rgb.data(), quality);
  return bytes;
}

std::string Png(const RgbImage& image) {
  std::string bytes;
  stbi_write_png_to_func(Append, &bytes, image.width, image.height, 3, image.rgb.data(), 3 * image.width);
  return bytes;
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

}  // namespace acutance
