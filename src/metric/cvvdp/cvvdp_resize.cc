#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

#include "metric/cvvdp/cvvdp_input.h"

namespace acutance {
namespace {

using Filter = CvvdpResizing::Filter;

constexpr std::string_view kFilters[] = {"none", "nearest", "bilinear", "bicubic", "area"};

/// Keys' cubic with a = -0.75, of a sample that lies `fraction` behind the second of four.
std::array<double, 4> CubicWeights(double fraction) {
  constexpr double kA = -0.75;
  const auto near = [](double v) { return ((kA + 2) * v - (kA + 3)) * v * v + 1; };
  const auto far = [](double v) { return ((kA * v - 5 * kA) * v + 8 * kA) * v - 4 * kA; };
  return {far(fraction + 1), near(fraction), near(1 - fraction), far(2 - fraction)};
}

int TapsOf(Filter filter, int from, int to) {
  switch (filter) {
    case Filter::kBilinear:
      return 2;
    case Filter::kBicubic:
      return 4;
    case Filter::kArea:
      return from / to + 2;  // a sample of the result may begin and end within one
    default:
      return 1;
  }
}

}  // namespace

Result<Filter> ReadCvvdpFilter(const std::string& text) {
  const auto found = std::ranges::find(kFilters, text);
  if (found != std::end(kFilters)) return static_cast<Filter>(found - std::begin(kFilters));
  return Error(StatusCode::kInvalidArgument, "resize={} is none of {}", text, fmt::join(kFilters, ", "));
}

PictureSize CvvdpResizing::SizeOf(PictureSize picture) const {
  if (filter == Filter::kNone) return picture;
  if (!keeps_aspect) return display;
  const auto share = [](int64_t side, int64_t of, int64_t by) {
    return static_cast<int>(std::max<int64_t>((2 * side * of + by) / (2 * by), 1));
  };
  if (int64_t{picture.width} * display.height >= int64_t{picture.height} * display.width)
    return {display.width, share(picture.height, display.width, picture.width)};
  return {share(picture.width, display.height, picture.height), display.height};
}

std::string CvvdpResizing::key() const {
  if (filter == Filter::kNone) return "";
  return fmt::format(" {} to {}x{}{}", kFilters[static_cast<int>(filter)], display.width, display.height,
                     keeps_aspect ? " by its aspect" : "");
}

CvvdpResizer::Axis::Axis(Filter filter, int from, int to) : taps(TapsOf(filter, from, to)) {
  const double step = static_cast<double>(from) / to;
  for (int i = 0; i < to; ++i) {
    std::vector<double> own(taps, 0.0);
    double position = (i + 0.5) * step - 0.5;
    if (filter == Filter::kBilinear) position = std::max(position, 0.0);
    int first = static_cast<int>(std::floor(position));
    if (filter == Filter::kBilinear) {
      own = {1 - (position - first), position - first};
    } else if (filter == Filter::kBicubic) {
      std::ranges::copy(CubicWeights(position - first), own.begin());
      --first;
    } else {
      first = static_cast<int>(int64_t{i} * from / to);
      const int end = filter == Filter::kArea ? static_cast<int>((int64_t{i + 1} * from + to - 1) / to) : first + 1;
      std::fill_n(own.begin(), end - first, 1.0 / (end - first));
    }
    for (int k = 0; k < taps; ++k) {
      places.push_back(std::clamp(first + k, 0, from - 1));
      weights.push_back(static_cast<float>(own[k]));
    }
  }
}

CvvdpResizer::CvvdpResizer(Filter filter, PictureSize from, PictureSize to)
    : from_(from),
      to_(to),
      across_(filter, from.width, to.width),
      down_(filter, from.height, to.height),
      row_(from.width) {}

void CvvdpResizer::MakeRow(const std::vector<float>& plane, int y, float* to) {
  for (int k = 0; k < down_.taps; ++k) {
    const float* from = plane.data() + static_cast<size_t>(down_.places[size_t{1} * y * down_.taps + k]) * from_.width;
    const float weight = down_.weights[size_t{1} * y * down_.taps + k];
    if (k == 0)
      for (int x = 0; x < from_.width; ++x) row_[x] = from[x] * weight;
    else
      for (int x = 0; x < from_.width; ++x) row_[x] = row_[x] + from[x] * weight;
  }
  for (int x = 0; x < to_.width; ++x) {
    const size_t first = size_t{1} * x * across_.taps;
    float sum = row_[across_.places[first]] * across_.weights[first];
    for (int k = 1; k < across_.taps; ++k) sum = sum + row_[across_.places[first + k]] * across_.weights[first + k];
    to[x] = sum;
  }
}

}  // namespace acutance
