#include "run/sample_hash.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <utility>

#include "image/lazy_picture.h"
#include "io/forwarding_source.h"
#include "stats/bootstrap.h"

namespace acutance {
namespace {

/// Samples are hashed as little-endian numbers.
void AddRow(const std::byte* row, size_t bytes, bool is_wide, Sha256& hash) {
  if (!is_wide || std::endian::native == std::endian::little) return hash.Add(std::span(row, bytes));
  std::vector<std::byte> swapped(row, row + bytes);
  for (size_t i = 0; i + 1 < bytes; i += 2) std::swap(swapped[i], swapped[i + 1]);
  hash.Add(swapped);
}

void AddPlane(const Plane& plane, int64_t frame, bool is_wide, Sha256& hash) {
  hash.AddNumber(static_cast<uint64_t>(plane.width));
  hash.AddNumber(static_cast<uint64_t>(plane.height));
  const auto rows = static_cast<size_t>(std::min(plane.height, kRowsPerHashed));
  const int first = static_cast<int>(Random(static_cast<uint64_t>(frame)).Below(rows));
  for (int y = first; y < plane.height; y += kRowsPerHashed)
    AddRow(plane.data + y * plane.stride, static_cast<size_t>(plane.width) * (is_wide ? 2 : 1), is_wide, hash);
}

class HashedSource : public ForwardingSource {
 public:
  HashedSource(std::unique_ptr<VideoSource> source, std::shared_ptr<SampleHasher> hasher)
      : ForwardingSource(std::move(source)), hasher_(std::move(hasher)) {}

  Result<std::optional<Picture>> Next() override {
    ACU_ASSIGN_OR_RETURN(std::optional<Picture> picture, source_->Next());
    if (picture) hasher_->Add(next_++, *picture);
    return picture;
  }
  Result<int64_t> Skip(int64_t count) override {
    ACU_ASSIGN_OR_RETURN(const int64_t skipped, source_->Skip(count));
    next_ += skipped;
    return skipped;
  }
  bool Jump(double part) override {
    const bool has_jumped = source_->Jump(part);
    if (has_jumped) hasher_->Invalidate();
    return has_jumped;
  }
  std::unique_ptr<VideoSource> TakeRgb() override {
    std::unique_ptr<VideoSource> rgb = source_->TakeRgb();
    return rgb ? HashSamples(std::move(rgb), hasher_) : nullptr;
  }
  std::shared_ptr<const PictureConversion> conversion() const override { return source_->conversion(); }
  void DeferConversion() override { source_->DeferConversion(); }
  bool has_misaligned_samples() const override { return source_->has_misaligned_samples(); }

 private:
  const std::shared_ptr<SampleHasher> hasher_;
  int64_t next_ = 0;
};

}  // namespace

void SampleHasher::Add(int64_t number, const Picture& decoded) {
  const Picture& picture = decoded.lazy ? decoded.lazy->source() : decoded;
  Frame frame{.number = number};
  const bool is_wide = picture.format.bit_depth > 8;
  if (picture.planes[0].data != nullptr) {
    Sha256 hash;
    AddPlane(picture.planes[0], number, is_wide, hash);
    frame.luma = hash.Finish();
    frame.has_luma = true;
  }
  if (picture.planes[1].data != nullptr && picture.planes[2].data != nullptr) {
    Sha256 hash;
    AddPlane(picture.planes[1], number, is_wide, hash);
    AddPlane(picture.planes[2], number, is_wide, hash);
    frame.chroma = hash.Finish();
    frame.has_chroma = true;
  }
  const std::lock_guard lock(mutex_);
  frames_.push_back(frame);
}

void SampleHasher::Invalidate() {
  const std::lock_guard lock(mutex_);
  is_valid_ = false;
}

SampleHash SampleHasher::Hash(int64_t end) const {
  const std::lock_guard lock(mutex_);
  Sha256 luma, chroma;
  SampleHash hash;
  bool has_luma = is_valid_, has_chroma = is_valid_;
  const auto add = [](int64_t number, const Sha256::Digest& digest, Sha256& to) {
    to.AddNumber(static_cast<uint64_t>(number));
    to.Add(std::as_bytes(std::span(digest)));
  };
  for (const Frame& frame : frames_) {
    if (frame.number >= end) break;
    ++hash.frames;
    add(frame.number, frame.luma, luma);
    add(frame.number, frame.chroma, chroma);
    has_luma &= frame.has_luma;
    has_chroma &= frame.has_chroma;
  }
  if (has_luma && hash.frames > 0) hash.luma = HexOf(luma.Finish());
  if (has_chroma && hash.frames > 0) hash.chroma = HexOf(chroma.Finish());
  return hash;
}

std::unique_ptr<VideoSource> HashSamples(std::unique_ptr<VideoSource> video, std::shared_ptr<SampleHasher> hasher) {
  return std::make_unique<HashedSource>(std::move(video), std::move(hasher));
}

}  // namespace acutance
