// VmafPicture: reference-counted memory with libvmaf's layout (spec/system.md 3.3), on the host or a CUDA device.
#pragma once

#include <libvmaf/picture.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "api/libvmaf/cuda_memory.h"
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
bool IsOnDevice(const VmafPicture& picture);

/// The engine's view of a picture that passed CheckHeld, over the same samples. It holds a reference of its own. Of a
/// picture on a device with a copy in the host's memory, where that is needed.
Result<Picture> ToEngine(const VmafPicture& picture, bool needs_host);

/// Gives back the caller's reference and zeroes the struct.
void Release(VmafPicture& picture);

Result<VmafPicture> AllocateVmafPicture(const PictureParams& params);

/// Pictures of one format that are handed out again and again. Pictures may outlive their source.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  virtual Result<VmafPicture> Fetch() = 0;
};

/// A fixed number in the host's memory, made at once; Fetch waits while none is free.
Result<std::shared_ptr<PictureSource>> MakeHostPool(const PictureParams& params, unsigned count);

/// In memory of a CUDA device (kDevice) or in page-locked memory of the host (kUpload), made when none is free: a
/// session holds no more than it has in flight.
Result<std::shared_ptr<PictureSource>> MakeCudaPool(const PictureParams& params, std::shared_ptr<CudaMemory> cuda,
                                                    MemoryKind kind);

}  // namespace acutance::libvmaf
