// Lazily converted picture: holds its source, and converts it on first access by the host. Devices take the source and
// convert it themselves.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

/// A conversion of pictures that the host can defer.
class DeferrableConversion {
 public:
  virtual ~DeferrableConversion() = default;
  /// Converts a picture on the host. Several threads may call it. Planes that the source does not have stay empty.
  virtual Result<Picture> Apply(const Picture& source) const = 0;
  /// Whether a plane of each result is its source's, unchanged.
  virtual bool PassesThrough(int /*plane*/) const { return false; }
};

class LazyPicture {
 public:
  LazyPicture(Picture source, std::shared_ptr<const DeferrableConversion> conversion)
      : source_(std::move(source)), conversion_(std::move(conversion)) {}

  /// Its samples may lie at any address.
  const Picture& source() const { return source_; }
  const DeferrableConversion* conversion() const { return conversion_.get(); }

  /// Converts the source, unless that is done: the first thread does, and others wait. Any thread.
  Status Materialize() const;
  /// The result of Materialize(), if it did not fail.
  const Picture& result() const { return result_; }

 private:
  const Picture source_;
  const std::shared_ptr<const DeferrableConversion> conversion_;
  mutable std::atomic<bool> is_done_ = false;
  mutable std::mutex mutex_;
  mutable Picture result_;  // guarded by mutex_ until is_done_
};

/// A picture of `format` that `conversion` computes from `source` on demand.
Picture DeferPicture(Picture source, const PictureFormat& format,
                     std::shared_ptr<const DeferrableConversion> conversion);

/// The picture with its samples, which are computed now if they were deferred.
Result<Picture> Materialize(const Picture& picture);

/// A plane with its samples, which are computed now if they were deferred. Those of a plane that the conversion passes
/// through may lie at any address: copy bytes.
Result<Plane> PlaneOf(const Picture& picture, int plane);

/// Whether the picture's samples are in the host's memory, or can be computed there.
inline bool IsForHost(const Picture& picture) { return picture.planes[0].data != nullptr || picture.lazy != nullptr; }

}  // namespace acutance
