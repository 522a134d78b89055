// VmafPicture: reference-counted memory with libvmaf's layout (spec/system.md 3.3).
#pragma once

#include <libvmaf/picture.h>

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "image/picture.h"

namespace acutance::libvmaf {

struct PictureParams {
  VmafPixelFormat pix_fmt;
  unsigned bpc;
  unsigned w, h;
};

/// What vmaf_picture_alloc accepts.
Status CheckParams(const PictureParams& params);

Status CheckHeld(const VmafPicture& picture, std::string_view name);  // allocated, and not given back

PictureFormat FormatOf(const VmafPicture& picture);

/// The engine's view of a picture that passed CheckHeld, over the same samples. It holds a reference of its own.
Picture ToEngine(const VmafPicture& picture);

/// Gives back the caller's reference and zeroes the struct.
void Release(VmafPicture& picture);

/// Host pictures of one format, made at once and handed out again and again. Pictures may outlive the pool.
class PicturePool {
 public:
  static Result<std::shared_ptr<PicturePool>> Make(const PictureParams& params, unsigned count);

  /// Waits while none is free.
  VmafPicture Fetch();

 private:
  struct State;
  explicit PicturePool(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace acutance::libvmaf
