// Conversion of a video's pictures to another's colors or range, size, chroma and bit depth, in this order, where they
// differ: on the host here, by devices in the same way (exec/batch_converter.h).
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

class PictureConversion : public DeferrableConversion {
 public:
  /// One pass of a plane through the filters.
  struct Step {
    const ScaleTaps *across, *down;
    const PictureFormat *from, *to;
  };

  /// The identity.
  explicit PictureConversion(const PictureFormat& source) : source_format_(source), format_(source) {}

  // The same with one more change; null if it has that or a later one already.
  std::shared_ptr<const PictureConversion> WithColor(std::shared_ptr<const ColorConverter> color) const;
  std::shared_ptr<const PictureConversion> WithSize(std::shared_ptr<const Scaler> scaler) const;
  std::shared_ptr<const PictureConversion> WithChroma(std::shared_ptr<const ChromaScaler> chroma) const;
  /// The same at a deeper bit depth.
  std::shared_ptr<const PictureConversion> WithBitDepth(int bit_depth) const;

  const PictureFormat& source_format() const { return source_format_; }
  const PictureFormat& format() const { return format_; }

  /// The first step; null: colors stay.
  const ColorConverter* color() const { return color_.get(); }
  /// The planes of the source that a plane of the result is computed from. Not where chroma is added.
  std::vector<int> SourcesOf(int plane) const;
  /// The format after color(), of which the next steps start; the source's where colors stay.
  const PictureFormat& colored_format() const { return color_ ? color_->format() : source_format_; }
  /// The filters of a plane of the result, at colored_format()'s depth: at most two steps; none where samples stay in
  /// their places. Not where chroma is added.
  std::vector<Step> Steps(int plane) const;
  /// Whether the last step expands samples to a deeper bit depth.
  bool expands_depth() const { return format_.bit_depth != colored_format().bit_depth; }

  /// Samples of the source may lie at any address, those of the result do not. luma_only: chroma may stay empty.
  Result<Picture> Apply(const Picture& source, bool luma_only) const;
  Result<Picture> Apply(const Picture& source) const override { return Apply(source, false); }
  bool PassesThrough(int plane) const override;
  /// Whether the result is the source, except for where its samples lie.
  bool is_identity() const { return !color_ && !scaler_ && !chroma_ && !expands_depth(); }

 private:
  template <class Part>
  std::shared_ptr<const PictureConversion> With(Part part, Part PictureConversion::*member) const;

  std::shared_ptr<const ColorConverter> color_;  // null: colors stay
  std::shared_ptr<const Scaler> scaler_;         // null: the size stays
  std::shared_ptr<const ChromaScaler> chroma_;   // null: chroma stays
  PictureFormat source_format_, format_;
  mutable PicturePool pool_;
};

}  // namespace acutance
