#include "io/deepened_video.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "image/raise_plane.h"
#include "io/wrapped_video.h"

namespace acutance {
namespace {

using Table = std::vector<uint16_t>;

/// What becomes of each value of full range.
Table MakeTable(int from_depth, int to_depth, bool is_chroma) {
  const int64_t from_top = (int64_t{1} << from_depth) - 1, to_top = (int64_t{1} << to_depth) - 1;
  const int64_t from_zero = is_chroma ? int64_t{1} << (from_depth - 1) : 0;
  const int64_t to_zero = is_chroma ? int64_t{1} << (to_depth - 1) : 0;
  Table table;
  for (int64_t value = 0; value <= from_top; ++value) {
    const int64_t scaled = 2 * (value - from_zero) * to_top;  // twice, to round to nearest
    const int64_t rounded = (scaled + (scaled < 0 ? -from_top : from_top)) / (2 * from_top);
    table.push_back(static_cast<uint16_t>(std::clamp<int64_t>(to_zero + rounded, 0, to_top)));
  }
  return table;
}

template <class Sample>
void MapPlane(const Plane& from, const Table& table, std::byte* to, ptrdiff_t stride) {
  for (int y = 0; y < from.height; ++y) {
    const Sample* in = from.Row<Sample>(y);
    auto* out = reinterpret_cast<uint16_t*>(to + y * stride);
    for (int x = 0; x < from.width; ++x) out[x] = table[std::min<size_t>(in[x], table.size() - 1)];
  }
}

class DeepenedVideo : public WrappedVideo {
 public:
  DeepenedVideo(std::unique_ptr<VideoSource> source, int bit_depth, bool full_range)
      : WrappedVideo(std::move(source)), format_(this->source().format()), full_range_(full_range) {
    const int from = format_.bit_depth;
    format_.bit_depth = bit_depth;
    if (!full_range) return;
    luma_ = MakeTable(from, bit_depth, false);
    chroma_ = this->source().facts().is_rgb ? luma_ : MakeTable(from, bit_depth, true);
  }

  const PictureFormat& format() const override { return format_; }

 protected:
  Result<Picture> Make(const Picture& picture) override {
    ACU_ASSIGN_OR_RETURN(const MutablePicture deep, AllocatePicture(format_));
    Picture out = deep.Share();
    for (int p = 0; p < format_.PlaneCount(); ++p) {
      const Plane& plane = picture.planes[p];
      const int from = picture.format.bit_depth;
      const Table& table = p > 0 ? chroma_ : luma_;
      if (!plane.data) out.planes[p] = {};
      else if (!full_range_) RaisePlane(plane, from, format_.bit_depth, deep.data[p], deep.stride[p]);
      else if (from == 8) MapPlane<uint8_t>(plane, table, deep.data[p], deep.stride[p]);
      else MapPlane<uint16_t>(plane, table, deep.data[p], deep.stride[p]);
    }
    return out;
  }

 private:
  PictureFormat format_;
  bool full_range_;
  Table luma_, chroma_;  // of full range; those of RGB are one
};

}  // namespace

std::unique_ptr<VideoSource> DeepenVideo(std::unique_ptr<VideoSource> source, int bit_depth, bool full_range) {
  return std::make_unique<DeepenedVideo>(std::move(source), bit_depth, full_range);
}

}  // namespace acutance
