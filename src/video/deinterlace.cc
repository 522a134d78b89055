#include "video/deinterlace.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "io/forwarding_source.h"

namespace acutance {
namespace {

template <class Sample>
bool IsBlockCombed(const Plane& plane, int left, int top, int bit_depth) {
  constexpr int kSide = 16;
  int64_t rows = 0, fields = 0;
  for (int y = top; y < top + kSide - 2; ++y) {
    const Sample *row = plane.Row<Sample>(y), *next = plane.Row<Sample>(y + 1), *second = plane.Row<Sample>(y + 2);
    for (int x = left; x < left + kSide; ++x) {
      rows += std::abs(row[x] - next[x]);
      fields += std::abs(row[x] - second[x]);
    }
  }
  constexpr int64_t kLeast = 3 * kSide * (kSide - 2);  // 3 of 256 values a sample: less is noise
  return 4 * rows > 5 * fields + 4 * (kLeast << (bit_depth - 8));
}

template <class Sample>
bool IsPlaneCombed(const Plane& plane, int bit_depth) {
  constexpr int kSide = 16, kEnough = 400;
  int64_t blocks = 0, combed = 0;
  for (int y = 0; y + kSide <= plane.height; y += kSide)
    for (int x = 0; x + kSide <= plane.width; x += kSide) {
      ++blocks;
      combed += IsBlockCombed<Sample>(plane, x, y, bit_depth);
    }
  return combed * kEnough >= std::max<int64_t>(blocks, 1);
}

/// The rows that one row of the other field is computed from.
template <class Sample>
struct Rows {
  const Sample *above, *below, *far_above, *far_below;  // of the first field
  const Sample *before, *now;                           // the row itself
  const Sample *before_above, *before_below, *after_above, *after_below;
};

template <class Sample>
void MakeRow(const Rows<Sample>& rows, bool has_neighbours, int width, int top, Sample* to) {
  const auto apart = [](int a, int b) { return std::abs(a - b); };
  for (int x = 0; x < width; ++x) {
    const int a = rows.above[x], b = rows.below[x];
    int value = (9 * (a + b) - (rows.far_above[x] + rows.far_below[x]) + 8) >> 4;
    if (has_neighbours) {
      const int p = rows.before[x], n = rows.now[x], between = (p + n + 1) >> 1;
      const int moved =
          std::max({apart(p, n) >> 1, (apart(rows.before_above[x], a) + apart(rows.before_below[x], b)) >> 1,
                    (apart(rows.after_above[x], a) + apart(rows.after_below[x], b)) >> 1});
      value = std::clamp(value, between - moved, between + moved);
    }
    to[x] = static_cast<Sample>(std::clamp(value, 0, top));
  }
}

template <class Sample>
void MakePlane(const Plane* before, const Plane& now, const Plane* after, int first_row, int bit_depth, std::byte* to,
               ptrdiff_t stride) {
  const Plane &earlier = before ? *before : after ? *after : now, &later = after ? *after : earlier;
  const int last_row = now.height - 1 - (now.height - 1 - first_row) % 2;  // of the first field
  const auto clamped = [&](int y) { return std::clamp(y, first_row, last_row); };
  for (int y = 0; y < now.height; ++y) {
    auto* out = reinterpret_cast<Sample*>(to + y * stride);
    if (y % 2 == first_row) {
      std::memcpy(out, now.Row<Sample>(y), static_cast<size_t>(now.width) * sizeof(Sample));
      continue;
    }
    const int above = clamped(y - 1), below = clamped(y + 1);
    const Rows<Sample> rows = {now.Row<Sample>(above),          now.Row<Sample>(below),
                               now.Row<Sample>(clamped(y - 3)), now.Row<Sample>(clamped(y + 3)),
                               earlier.Row<Sample>(y),          now.Row<Sample>(y),
                               earlier.Row<Sample>(above),      earlier.Row<Sample>(below),
                               later.Row<Sample>(above),        later.Row<Sample>(below)};
    MakeRow(rows, before || after, now.width, (1 << bit_depth) - 1, out);
  }
}

class DeinterlacedVideo : public ForwardingSource {
 public:
  explicit DeinterlacedVideo(std::unique_ptr<VideoSource> source)
      : ForwardingSource(std::move(source)), bottom_first_(source_->facts().bottom_field_first) {}

  VideoFacts facts() const override {
    VideoFacts facts = source_->facts();
    facts.is_interlaced = false;
    return facts;
  }
  bool is_raw() const override { return false; }
  bool is_instant() const override { return false; }
  Status DecodeOn(const DeviceDecoding& /*decoding*/) override {
    return Error(StatusCode::kUnsupported, "its pictures are deinterlaced on the host");
  }
  std::optional<double> time() const override { return now_.time; }

  Result<std::optional<Picture>> Next() override {
    ACU_RETURN_IF_ERROR(Advance());
    if (!now_.picture) return std::optional<Picture>();
    if (!IsCombed(*now_.picture)) return now_.picture;
    const auto at = [](const TimedPicture& frame) { return frame.picture ? &*frame.picture : nullptr; };
    ACU_ASSIGN_OR_RETURN(Picture picture, Deinterlace(at(before_), *now_.picture, at(after_), bottom_first_));
    return std::optional(std::move(picture));
  }

  /// Skipped pictures are neighbours of others.
  Result<int64_t> Skip(int64_t count) override {
    for (int64_t skipped = 0; skipped < count; ++skipped) {
      ACU_RETURN_IF_ERROR(Advance());
      if (!now_.picture) return skipped;
    }
    return count;
  }

 private:
  struct TimedPicture {
    std::optional<Picture> picture;
    std::optional<double> time;
  };

  /// Advances by one frame. An error of the frame after is reported in its turn.
  Status Advance() {
    if (!has_begun_) ReadAfter();
    has_begun_ = true;
    before_ = std::exchange(now_, std::exchange(after_, {}));
    ACU_RETURN_IF_ERROR(std::exchange(error_, Status()));
    if (now_.picture) ReadAfter();
    return {};
  }

  void ReadAfter() {
    Result<std::optional<Picture>> picture = source_->Next();
    if (picture.ok()) after_ = {std::move(*picture), source_->time()};
    else error_ = picture.status();
  }

  const bool bottom_first_;
  bool has_begun_ = false;
  TimedPicture before_, now_, after_;
  Status error_;  // in the place of after_
};

}  // namespace

bool IsCombed(const Picture& picture) {
  const Plane& luma = picture.planes[0];
  if (!luma.data) return false;
  return picture.format.bit_depth == 8 ? IsPlaneCombed<uint8_t>(luma, 8)
                                       : IsPlaneCombed<uint16_t>(luma, picture.format.bit_depth);
}

Result<Picture> Deinterlace(const Picture* before, const Picture& now, const Picture* after, bool bottom_field_first) {
  const PictureFormat& format = now.format;
  ACU_ASSIGN_OR_RETURN(const MutablePicture made, AllocatePicture(format));
  Picture out = made.Share();
  for (int p = 0; p < format.PlaneCount(); ++p) {
    const Plane* earlier = before ? &before->planes[p] : nullptr;
    const Plane* later = after ? &after->planes[p] : nullptr;
    const int first_row = bottom_field_first && format.PlaneHeight(p) > 1 ? 1 : 0;
    if (!now.planes[p].data) out.planes[p] = {};
    else if (format.bit_depth == 8)
      MakePlane<uint8_t>(earlier, now.planes[p], later, first_row, 8, made.data[p], made.stride[p]);
    else MakePlane<uint16_t>(earlier, now.planes[p], later, first_row, format.bit_depth, made.data[p], made.stride[p]);
  }
  return out;
}

Result<std::unique_ptr<VideoSource>> DeinterlaceVideo(std::unique_ptr<VideoSource> source) {
  return std::unique_ptr<VideoSource>(std::make_unique<DeinterlacedVideo>(std::move(source)));
}

}  // namespace acutance
