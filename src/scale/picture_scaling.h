// How the pictures of a video are brought to another's size and bit depth: on the host here, by devices in the same
// way (exec/batch_scaler.h).
#pragma once

#include <memory>

#include "base/status.h"
#include "image/picture.h"
#include "image/picture_pool.h"
#include "image/unmade_picture.h"
#include "scale/scaler.h"

namespace acutance {

class PictureScaling : public PictureMaker {
 public:
  explicit PictureScaling(const std::shared_ptr<const Scaler>& scaler)
      : PictureScaling(scaler, scaler->format().bit_depth) {}
  /// Samples that are scaled are shifted up to `bit_depth` then.
  PictureScaling(std::shared_ptr<const Scaler> scaler, int bit_depth);

  const Scaler& scaler() const { return *scaler_; }
  const PictureFormat& source_format() const { return scaler_->source_format(); }
  const PictureFormat& format() const { return format_; }

  /// The same, with samples of more bits.
  std::shared_ptr<const PictureScaling> Raised(int bit_depth) const;

  Result<Picture> Make(const Picture& source) const override;

 private:
  const std::shared_ptr<const Scaler> scaler_;
  PictureFormat format_;
  mutable PicturePool pool_;
};

}  // namespace acutance
