// Derived pictures that several metrics share, each computed once: resized, as floats, as RGB.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "image/picture.h"
#include "image/picture_pool.h"

namespace acutance {

class Plan;
class PlanContext;

/// One kind of derived picture. Metrics that name equal keys share the pictures: each is computed once.
class DerivedInput {
 public:
  virtual ~DerivedInput() = default;

  /// Names the computation with all its parameters: "half float".
  virtual std::string key() const = 0;
  /// The planes of the video's picture that it reads, as a mask: bit p is plane p.
  virtual unsigned planes() const = 0;
  /// The format of the derived picture; its bit depth may be kFloatDepth.
  virtual PictureFormat Format(const PictureFormat& source) const = 0;

  /// Writes all samples of the planes that it reads; `derived` holds anything before.
  virtual void Compute(const Picture& source, const MutablePicture& derived) const = 0;
  /// Launches that compute all derived pictures of a video on a device: context.pictures(video) of
  /// them, from context.AllPictures(video, plane) into context.AllPictures(video, plane, key()).
  virtual Status AddLaunches(Plan& plan, const PlanContext& context, Video video) const = 0;
};

/// The derived pictures of one picture. Each is computed by the thread that needs it first.
class DerivedPictures {
 public:
  DerivedPictures(size_t count, std::shared_ptr<PicturePool> pool) : pool_(std::move(pool)), slots_(count) {}

  /// Computes derived picture `index` unless that is done. Fails when there is no memory for it.
  Status Prepare(size_t index, const DerivedInput& input, const Picture& source);
  /// A picture that Prepare made, if it did not fail.
  const Picture& at(size_t index) const { return slots_[index].picture; }

 private:
  struct Slot {
    std::atomic<bool> is_ready = false;
    Picture picture;
  };
  const std::shared_ptr<PicturePool> pool_;
  std::mutex mutex_;
  std::vector<Slot> slots_;
};

}  // namespace acutance
