#include "io/converted_range.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "io/wrapped_video.h"

namespace acutance {
namespace {

/// What becomes of each sample value of luma and of chroma.
using Table = std::vector<uint16_t>;

/// from_zero becomes to_zero, and from_span values from there become to_span.
Table MakeTable(int bit_depth, int64_t from_zero, int64_t from_span, int64_t to_zero, int64_t to_span) {
  const int64_t top = (int64_t{1} << bit_depth) - 1;
  Table table;
  for (int64_t value = 0; value <= top; ++value) {
    const int64_t scaled = 2 * (value - from_zero) * to_span;  // twice, to round to nearest
    const int64_t rounded = (scaled + (scaled < 0 ? -from_span : from_span)) / (2 * from_span);
    table.push_back(static_cast<uint16_t>(std::clamp<int64_t>(to_zero + rounded, 0, top)));
  }
  return table;
}

template <class Sample>
void MapPlane(const Plane& from, const Table& table, std::byte* to, ptrdiff_t stride) {
  for (int y = 0; y < from.height; ++y) {
    const Sample* in = from.Row<Sample>(y);
    auto* out = reinterpret_cast<Sample*>(to + y * stride);
    for (int x = 0; x < from.width; ++x) out[x] = static_cast<Sample>(table[std::min<size_t>(in[x], table.size() - 1)]);
  }
}

class ConvertedRange : public WrappedVideo {
 public:
  ConvertedRange(std::unique_ptr<VideoSource> source, bool to_full)
      : WrappedVideo(std::move(source)), color_(this->source().color()) {
    const int depth = format().bit_depth;
    const int64_t unit = int64_t{1} << (depth - 8), top = (int64_t{1} << depth) - 1, middle = 128 * unit;
    const int64_t black = 16 * unit, luma = 219 * unit, chroma = 224 * unit;
    color_.full_range = to_full;
    if (to_full) tables_ = {MakeTable(depth, black, luma, 0, top), MakeTable(depth, middle, chroma, middle, top)};
    else tables_ = {MakeTable(depth, 0, top, black, luma), MakeTable(depth, middle, top, middle, chroma)};
  }

  VideoColor color() const override { return color_; }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    ACU_ASSIGN_OR_RETURN(const MutablePicture converted, AllocatePicture(format()));
    Picture out = converted.Share();
    for (int p = 0; p < format().PlaneCount(); ++p) {
      const Plane& plane = picture.planes[p];
      const Table& table = tables_[p > 0];
      if (!plane.data) out.planes[p] = {};
      else if (format().bit_depth == 8) MapPlane<uint8_t>(plane, table, converted.data[p], converted.stride[p]);
      else MapPlane<uint16_t>(plane, table, converted.data[p], converted.stride[p]);
    }
    return out;
  }

 private:
  VideoColor color_;
  std::array<Table, 2> tables_;  // luma, chroma
};

}  // namespace

std::unique_ptr<VideoSource> ConvertRange(std::unique_ptr<VideoSource> source, bool to_full) {
  return std::make_unique<ConvertedRange>(std::move(source), to_full);
}

}  // namespace acutance
