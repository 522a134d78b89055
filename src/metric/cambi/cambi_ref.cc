#include <algorithm>
#include <cmath>
#include <functional>

#include "metric/cambi/cambi.h"

namespace acutance {
namespace {

/// Values of a picture, which are read as 0 outside of it.
struct Samples {
  int width = 0;
  int height = 0;
  std::vector<int> values{};

  Samples(int w, int h) : width(w), height(h), values(static_cast<size_t>(w) * h) {}
  int& at(int x, int y) { return values[static_cast<size_t>(y) * width + x]; }
  int at(int x, int y) const { return values[static_cast<size_t>(y) * width + x]; }
  bool Has(int x, int y) const { return x >= 0 && y >= 0 && x < width && y < height; }
};

/// The 10-bit codes of a picture, resampled.
Samples ReadCodes(const CambiSettings& settings, const CambiPass& pass, const Plane& plane, int64_t& invalid) {
  const int depth = settings.format.bit_depth;
  const std::vector<int> columns = CambiNearest(plane.width, pass.width);
  const std::vector<int> rows = CambiNearest(plane.height, pass.height);
  const int largest = (1 << depth) - 1;
  const auto sample = [&](int x, int y) -> int {
    return depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
  };
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x) invalid += sample(x, y) > largest;
  Samples codes(pass.width, pass.height);
  for (int y = 0; y < codes.height; ++y)
    for (int x = 0; x < codes.width; ++x)
      codes.at(x, y) = cambi::ten_bit_code(std::min(sample(columns[x], rows[y]), largest), depth);
  return codes;
}

/// The mean of 2x2 pixels, of two at the right and lower edges.
Samples FilterDither(const Samples& codes) {
  Samples filtered(codes.width, codes.height);
  for (int y = 0; y < codes.height; ++y)
    for (int x = 0; x < codes.width; ++x) {
      const bool right = x + 1 < codes.width, below = y + 1 < codes.height;
      const int code = codes.at(x, y);
      if (right && below)
        filtered.at(x, y) = (code + codes.at(x + 1, y) + codes.at(x, y + 1) + codes.at(x + 1, y + 1)) >> 2;
      else if (right) filtered.at(x, y) = (code + codes.at(x + 1, y)) >> 1;
      else if (below) filtered.at(x, y) = (code + codes.at(x, y + 1)) >> 1;
      else filtered.at(x, y) = code;
    }
  return filtered;
}

bool IsFlat(const Samples& codes, int x, int y) {
  const auto equals = [&](int to_x, int to_y) {
    return !codes.Has(to_x, to_y) || codes.at(to_x, to_y) == codes.at(x, y);
  };
  return equals(x + 1, y) && equals(x, y + 1);
}

/// 1 where a pixel has enough flat neighbours.
Samples MakeMask(const Samples& codes, int minimum) {
  Samples mask(codes.width, codes.height);
  for (int y = 0; y < codes.height; ++y)
    for (int x = 0; x < codes.width; ++x) {
      int flat = 0;
      for (int v = y - 3; v <= y + 3; ++v)
        for (int u = x - 3; u <= x + 3; ++u) flat += codes.Has(u, v) && IsFlat(codes, u, v);
      mask.at(x, y) = flat > minimum;
    }
  return mask;
}

Samples KeepEverySecond(const Samples& from) {
  Samples to((from.width + 1) / 2, (from.height + 1) / 2);
  for (int y = 0; y < to.height; ++y)
    for (int x = 0; x < to.width; ++x) to.at(x, y) = from.at(2 * x, 2 * y);
  return to;
}

/// The first and the last row stay as they are, and so do the first and the last column along the rows.
Samples FilterModes(const Samples& image) {
  Samples along = image;
  for (int y = 0; y < image.height; ++y)
    for (int x = 1; x + 1 < image.width; ++x)
      along.at(x, y) = cambi::mode_of(image.at(x - 1, y), image.at(x, y), image.at(x + 1, y));
  Samples modes = image;
  for (int y = 1; y + 1 < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      modes.at(x, y) = cambi::mode_of(along.at(x, y - 1), along.at(x, y), along.at(x, y + 1));
  return modes;
}

/// How often values occur in the window around a pixel, which slides along a row.
class WindowCounts {
 public:
  WindowCounts(const Samples& image, const Samples& mask, int radius, int y)
      : image_(image), mask_(mask), radius_(radius), y_(y), counts_(kCambiCodes) {
    for (int x = 0; x < radius; ++x) AddColumn(x, 1);
  }

  void MoveTo(int x) {  // from x - 1
    AddColumn(x + radius_, 1);
    AddColumn(x - radius_ - 1, -1);
  }

  int Of(int value) const { return value < 0 || value >= kCambiCodes ? 0 : counts_[value]; }

 private:
  void AddColumn(int x, int sign) {
    for (int y = y_ - radius_; y <= y_ + radius_; ++y)
      if (image_.Has(x, y) && mask_.at(x, y)) counts_[image_.at(x, y)] += sign;
  }

  const Samples& image_;
  const Samples& mask_;
  const int radius_, y_;
  std::vector<int> counts_;
};

float Contrast(const CambiSettings& settings, const WindowCounts& counts, int value) {
  const auto reciprocals = CambiReciprocals();
  const int own = counts.Of(value);
  float contrast = 0;
  for (int d = 0; d < settings.contrasts; ++d) {
    if (!CambiCompares(settings, value, d)) continue;
    const int other = std::max(counts.Of(value + d + 1), counts.Of(value - d - 1));
    contrast = std::max(contrast, cambi::value_contrast(static_cast<float>(CambiWeight(d)), static_cast<float>(own),
                                                        static_cast<float>(other), reciprocals[own + other]));
  }
  return contrast;
}

std::vector<float> Contrasts(const CambiSettings& settings, const Samples& image, const Samples& mask, int window) {
  std::vector<float> contrasts;
  for (int y = 0; y < image.height; ++y) {
    WindowCounts counts(image, mask, window / 2, y);
    for (int x = 0; x < image.width; ++x) {
      counts.MoveTo(x);
      contrasts.push_back(mask.at(x, y) ? Contrast(settings, counts, image.at(x, y)) : 0.0f);
    }
  }
  return contrasts;
}

CambiSum SumOfLargest(std::vector<float> contrasts, int64_t count) {
  std::ranges::sort(contrasts, std::greater());
  CambiSum sum;
  for (int64_t i = 0; i < count; ++i) {
    const double whole = std::floor(contrasts[i]);
    sum.whole += static_cast<int64_t>(whole);
    sum.fraction += static_cast<int64_t>(std::ldexp(contrasts[i] - whole, kCambiFractionBits));
  }
  return Canonical(sum);
}

}  // namespace

CambiPassResult RunCambiRef(const CambiSettings& settings, const CambiPass& pass, const Plane& plane) {
  CambiPassResult result;
  Samples image = ReadCodes(settings, pass, plane, result.invalid);
  if (settings.filter_dither) image = FilterDither(image);
  Samples mask = MakeMask(image, pass.mask_minimum);
  for (int scale = 0; scale < kCambiScales; ++scale) {
    if (scale > 0 || settings.half_size) {
      image = KeepEverySecond(image);
      mask = KeepEverySecond(mask);
    }
    image = FilterModes(image);
    result.contrasts[scale] = Contrasts(settings, image, mask, pass.window);
    const int64_t count = CambiTopCount(settings.top_share, {image.width, image.height});
    result.sums[scale] = SumOfLargest(result.contrasts[scale], count);
  }
  return result;
}

}  // namespace acutance
