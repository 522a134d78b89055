// How the pictures of a video are brought to another's colors or range, its size, chroma and bit depth, in this order
// and as far as they differ: on the host here, by devices in the same way (exec/batch_converter.h).
#pragma once

#include <memory>
#include <vector>

#include "base/status.h"
#include "convert/chroma_scaler.h"
#include "convert/color_converter.h"
#include "convert/scaler.h"
#include "image/lazy_picture.h"
#include "image/picture.h"
#include "image/picture_pool.h"

namespace acutance {

class PictureConversion : public PictureMaker {
 public:
  /// One way of a plane through the filters.
  struct Step {
    const ScaleTaps *across, *down;
    const PictureFormat *from, *to;
  };

  /// Changes nothing yet.
  explicit PictureConversion(const PictureFormat& source) : source_format_(source), format_(source) {}

  // The same, and one more change; null where it has that or a later one already.
  std::shared_ptr<const PictureConversion> WithColor(std::shared_ptr<const ColorConverter> color) const;
  std::shared_ptr<const PictureConversion> WithSize(std::shared_ptr<const Scaler> scaler) const;
  std::shared_ptr<const PictureConversion> WithChroma(std::shared_ptr<const ChromaScaler> chroma) const;
  /// The same, with samples of more bits.
  std::shared_ptr<const PictureConversion> Raised(int bit_depth) const;

  const PictureFormat& source_format() const { return source_format_; }
  const PictureFormat& format() const { return format_; }

  /// How colors are changed, before all else; null: they stay.
  const ColorConverter* color() const { return color_.get(); }
  /// The planes of the source that a plane of the result is made of. Not where chroma is added.
  std::vector<int> SourcesOf(int plane) const;
  /// What color() makes, which all else is made of; the source's where colors stay.
  const PictureFormat& colored_format() const { return color_ ? color_->format() : source_format_; }
  /// How samples of a plane of the result are made of those, at colored_format()'s depth: at most two steps. None: they
  /// have their places. Not where chroma is added.
  std::vector<Step> Steps(int plane) const;
  /// Whether samples get more bits, after all else.
  bool raises() const { return format_.bit_depth != colored_format().bit_depth; }

  /// Samples of the source may lie at any address, those of the result do not.
  Result<Picture> Make(const Picture& source) const override;
  bool Keeps(int plane) const override;
  /// Whether the result is the source, except where its samples lie.
  bool KeepsAll() const { return !color_ && !scaler_ && !chroma_ && !raises(); }

 private:
  std::shared_ptr<const ColorConverter> color_;  // null: colors stay
  std::shared_ptr<const Scaler> scaler_;         // null: the size stays
  std::shared_ptr<const ChromaScaler> chroma_;   // null: chroma stays
  PictureFormat source_format_, format_;
  mutable PicturePool pool_;
};

}  // namespace acutance
