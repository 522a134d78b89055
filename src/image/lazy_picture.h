// A picture that is not made yet: it comes with the picture that it is made of, and is made when the host reads its
// samples. Devices take the source alone, and make it themselves.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

/// Makes pictures of others, on the host.
class PictureMaker {
 public:
  virtual ~PictureMaker() = default;
  /// Several threads may call it. Planes that the source does not have stay empty.
  virtual Result<Picture> Make(const Picture& source) const = 0;
  /// Whether a plane of each picture is its source's, as it is.
  virtual bool Keeps(int /*plane*/) const { return false; }
};

class LazyPicture {
 public:
  LazyPicture(Picture source, std::shared_ptr<const PictureMaker> maker)
      : source_(std::move(source)), maker_(std::move(maker)) {}

  /// Its samples may lie at any address.
  const Picture& source() const { return source_; }
  const PictureMaker* maker() const { return maker_.get(); }

  /// Makes it, unless that is done: the thread that comes first does, and others wait. Any thread.
  Status Make() const;
  /// The picture that Make() made, if it did not fail.
  const Picture& made() const { return made_; }

 private:
  const Picture source_;
  const std::shared_ptr<const PictureMaker> maker_;
  mutable std::atomic<bool> is_made_ = false;
  mutable std::mutex mutex_;
  mutable Picture made_;  // guarded by mutex_ until is_made_
};

/// A picture of `format` that `maker` makes of `source` when it is needed.
Picture DeferPicture(Picture source, const PictureFormat& format, std::shared_ptr<const PictureMaker> maker);

/// The picture with its samples, which are made where they are not yet.
Result<Picture> Materialize(const Picture& picture);

/// A plane with its samples, which are made where they are not yet. Those of a plane that the maker keeps may lie at
/// any address: copy bytes.
Result<Plane> PlaneOf(const Picture& picture, int plane);

/// Whether the picture's samples are in the host's memory, or can be made there.
inline bool IsForHost(const Picture& picture) { return picture.planes[0].data != nullptr || picture.lazy != nullptr; }

}  // namespace acutance
