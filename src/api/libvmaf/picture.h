// VmafPicture: reference-counted memory with libvmaf's layout (docs/spec/system.md 3.3), on the
// host or a CUDA device.
#pragma once

#include <libvmaf/picture.h>

#include <memory>
#include <string_view>

#include "api/libvmaf/cuda_memory.h"
#include "base/status.h"
#include "image/picture.h"

namespace acutance::libvmaf {

struct PictureParams {
  VmafPixelFormat pix_fmt;
  unsigned bpc;
  unsigned w, h;
};

/// Arguments of vmaf_picture_alloc.
Status CheckParams(const PictureParams& params);

struct PictureMemory;

/// A client's picture that passed the checks: it is allocated, was not given back, and its fields
/// fit its memory.
class HeldPicture {
 public:
  static Result<HeldPicture> Find(const VmafPicture& picture, std::string_view name);

  const PictureFormat& format() const { return format_; }
  bool on_device() const;
  bool operator==(const HeldPicture& other) const { return memory_ == other.memory_; }

  /// The engine's picture of the same samples, which shares their ownership. A picture on a device gets
  /// a copy in the host's memory where that is needed.
  Result<Picture> ToEngine(bool needs_host) const;

 private:
  HeldPicture(const VmafPicture& picture, std::shared_ptr<PictureMemory> memory);
  Status CheckPlane(int plane, std::string_view name) const;
  void SetPlanes(Picture& engine, const std::byte* begin) const;
  Status CopyToHost(Picture& engine) const;

  const PictureFormat format_;
  const VmafPicture picture_;
  const std::shared_ptr<PictureMemory> memory_;
};

/// Gives the picture back and zeroes the struct.
Status Release(VmafPicture& picture);

Result<VmafPicture> AllocateVmafPicture(const PictureParams& params);

/// Pool of pictures of one format. Pictures may outlive it.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  virtual Result<VmafPicture> Fetch() = 0;
  /// Makes Fetch fail instead of wait from now on.
  virtual void Close() {}
};

/// A source of `count` pictures in the host's memory, made at once; Fetch waits while the client
/// holds all of them.
Result<std::shared_ptr<PictureSource>> MakeHostPool(const PictureParams& params, unsigned count);

/// A source of pictures in the memory of a CUDA device (kDevice) or in page-locked host memory
/// (kUpload). It makes a picture when none is free: a session holds as many as it has in
/// flight.
Result<std::shared_ptr<PictureSource>> MakeCudaPool(const PictureParams& params, std::shared_ptr<CudaMemory> cuda,
                                                    MemoryKind kind);

}  // namespace acutance::libvmaf
