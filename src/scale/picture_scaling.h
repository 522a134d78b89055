// How the pictures of a video are brought to another's size, chroma and bit depth, in this order and as far as they
// differ: on the host here, by devices in the same way (exec/batch_scaler.h).
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "image/picture.h"
#include "image/picture_pool.h"
#include "image/unmade_picture.h"
#include "scale/chroma_scaler.h"
#include "scale/scaler.h"

namespace acutance {

class PictureScaling : public PictureMaker {
 public:
  /// One way of a plane through the filters.
  struct Step {
    const ScaleTaps *across, *down;
    const PictureFormat *from, *to;
  };

  /// Changes nothing yet.
  explicit PictureScaling(const PictureFormat& source) : PictureScaling(source, nullptr, nullptr, source.bit_depth) {}
  explicit PictureScaling(const std::shared_ptr<const Scaler>& scaler)
      : PictureScaling(scaler, scaler->format().bit_depth) {}
  /// Samples that are scaled are shifted up to `bit_depth` then.
  PictureScaling(const std::shared_ptr<const Scaler>& scaler, int bit_depth)
      : PictureScaling(scaler->source_format(), scaler, nullptr, bit_depth) {}

  /// The same, then with other chroma; null where it has other chroma or more bits already.
  std::shared_ptr<const PictureScaling> WithChroma(std::shared_ptr<const ChromaScaler> chroma) const;
  /// The same, with samples of more bits.
  std::shared_ptr<const PictureScaling> Raised(int bit_depth) const;

  const PictureFormat& source_format() const { return source_format_; }
  const PictureFormat& format() const { return format_; }

  /// How samples of a plane of the result are made, at the source's bit depth: at most two steps. None: they are the
  /// source's. Not where chroma is added.
  std::vector<Step> Steps(int plane) const;
  /// Whether the result has chroma that the source does not have.
  bool adds_chroma() const { return chroma_ && chroma_->adds(); }

  /// Samples of the source may lie at any address, those of the result do not.
  Result<Picture> Make(const Picture& source) const override;
  bool Keeps(int plane) const override;
  /// Whether the result is the source, but for where its samples lie.
  bool KeepsAll() const { return !scaler_ && !chroma_ && format_ == source_format_; }

 private:
  PictureScaling(const PictureFormat& source, std::shared_ptr<const Scaler> scaler,
                 std::shared_ptr<const ChromaScaler> chroma, int bit_depth);

  const PictureFormat source_format_;
  const std::shared_ptr<const Scaler> scaler_;        // null: the size stays
  const std::shared_ptr<const ChromaScaler> chroma_;  // null: chroma stays
  PictureFormat format_;
  mutable PicturePool pool_;
};

}  // namespace acutance
