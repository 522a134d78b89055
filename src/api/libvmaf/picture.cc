#include "api/libvmaf/picture.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include "api/libvmaf/log.h"

struct VmafRef {
  std::atomic<int> count = 1;
  std::function<void()> release;                                  // gives the samples back
  std::shared_ptr<acutance::libvmaf::CudaMemory> cuda = nullptr;  // set: the samples lie there
};

namespace acutance::libvmaf {
namespace {

constexpr std::align_val_t kAlign{64};

struct FreeSamples {
  void operator()(std::byte* memory) const { ::operator delete(memory, kAlign); }
};
using Samples = std::unique_ptr<std::byte, FreeSamples>;

PixelFormat PixelFormatOf(VmafPixelFormat format) {
  switch (format) {
    case VMAF_PIX_FMT_YUV422P:
      return PixelFormat::k422;
    case VMAF_PIX_FMT_YUV444P:
      return PixelFormat::k444;
    case VMAF_PIX_FMT_YUV400P:
      return PixelFormat::k400;
    default:
      return PixelFormat::k420;
  }
}

PictureFormat FormatOf(const PictureParams& params) {
  return {static_cast<int>(params.w), static_cast<int>(params.h), static_cast<int>(params.bpc),
          PixelFormatOf(params.pix_fmt)};
}

/// The struct of a picture without samples yet; bytes: of all its planes.
VmafPicture Layout(const PictureParams& params, size_t* bytes) {
  const PictureFormat format = FormatOf(params);
  VmafPicture picture{};
  picture.pix_fmt = params.pix_fmt;
  picture.bpc = params.bpc;
  *bytes = 0;
  for (int p = 0; p < format.PlaneCount(); ++p) {
    picture.w[p] = format.PlaneWidth(p);
    picture.h[p] = format.PlaneHeight(p);
    picture.stride[p] = ptrdiff_t{(format.PlaneWidth(p) + 31) & ~31} * format.BytesPerSample();
    *bytes += picture.stride[p] * static_cast<size_t>(picture.h[p]);
  }
  return picture;
}

Result<Samples> AllocateSamples(size_t bytes) {
  Samples samples(static_cast<std::byte*>(::operator new(bytes, kAlign, std::nothrow)));
  if (!samples) return Error(StatusCode::kOutOfMemory, "no memory for a picture of {} bytes", bytes);
  std::memset(samples.get(), 0, bytes);
  return samples;
}

/// A picture over `memory`, which lies on the host or, with `cuda`, on a device.
VmafPicture Wrap(const PictureParams& params, std::byte* memory, std::function<void()> release,
                 std::shared_ptr<CudaMemory> cuda = nullptr) {
  size_t bytes = 0;
  VmafPicture picture = Layout(params, &bytes);
  for (int p = 0; p < 3; ++p) {
    if (picture.stride[p] == 0) continue;  // 4:0:0
    picture.data[p] = memory;
    memory += picture.stride[p] * static_cast<size_t>(picture.h[p]);
  }
  picture.ref = new VmafRef{1, std::move(release), std::move(cuda)};
  return picture;
}

size_t BytesOf(const PictureParams& params) {
  size_t bytes = 0;
  Layout(params, &bytes);
  return bytes;
}

PictureParams ParamsOf(const VmafPicture& picture) {
  return {picture.pix_fmt, picture.bpc, picture.w[0], picture.h[0]};
}

void Drop(VmafRef* ref) {
  if (--ref->count > 0) return;
  ref->release();
  delete ref;
}

}  // namespace

Status CheckParams(const PictureParams& params) {
  if (params.pix_fmt <= VMAF_PIX_FMT_UNKNOWN || params.pix_fmt > VMAF_PIX_FMT_YUV400P)
    return Error(StatusCode::kInvalidArgument, "pixel format {} is unknown; there are 1 to 4",
                 static_cast<int>(params.pix_fmt));
  if (params.bpc < 8 || params.bpc > 16)
    return Error(StatusCode::kInvalidArgument, "bpc {} is out of range: 8 to 16 bits a sample", params.bpc);
  if (params.w < 1 || params.h < 1 || params.w > kMaxDimension || params.h > kMaxDimension)
    return Error(StatusCode::kInvalidArgument, "picture size {}x{} is out of range: each side must be 1 to {}",
                 params.w, params.h, kMaxDimension);
  return {};
}

Status CheckHeld(const VmafPicture& picture, std::string_view name) {
  if (!picture.ref || !picture.data[0])
    return Error(StatusCode::kInvalidArgument, "{} holds no picture: it was not allocated, or already given away",
                 name);
  return CheckParams(ParamsOf(picture));
}

PictureFormat FormatOf(const VmafPicture& picture) { return FormatOf(ParamsOf(picture)); }

bool IsOnDevice(const VmafPicture& picture) { return picture.ref->cuda != nullptr; }

namespace {

/// Planes as they lie from `samples` on, with the picture's strides.
void SetPlanes(Picture& engine, const VmafPicture& picture, const std::byte* samples) {
  for (int p = 0; p < engine.format.PlaneCount(); ++p) {
    engine.planes[p] = {samples, picture.stride[p], engine.format.PlaneWidth(p), engine.format.PlaneHeight(p)};
    samples += picture.stride[p] * static_cast<size_t>(picture.h[p]);
  }
}

Status CopyToHost(const VmafPicture& picture, Picture& engine) {
  const size_t bytes = BytesOf(ParamsOf(picture));
  ACU_ASSIGN_OR_RETURN(Samples samples, AllocateSamples(bytes));
  ACU_RETURN_IF_ERROR(
      picture.ref->cuda->Download(reinterpret_cast<uintptr_t>(picture.data[0]), {samples.get(), bytes}));
  SetPlanes(engine, picture, samples.get());
  engine.memory = std::shared_ptr<const void>(samples.release(), [device = engine.memory](const void* memory) {
    FreeSamples()(static_cast<std::byte*>(const_cast<void*>(memory)));
  });
  return {};
}

}  // namespace

Result<Picture> ToEngine(const VmafPicture& picture, bool needs_host) {
  Picture engine;
  engine.format = FormatOf(picture);
  ++picture.ref->count;
  engine.memory = std::shared_ptr<const void>(picture.data[0], [ref = picture.ref](const void*) { Drop(ref); });
  if (!IsOnDevice(picture)) {
    SetPlanes(engine, picture, static_cast<const std::byte*>(picture.data[0]));
    return engine;
  }
  for (int p = 0; p < engine.format.PlaneCount(); ++p)
    engine.device_planes[p] = {reinterpret_cast<uintptr_t>(picture.data[p]), static_cast<size_t>(picture.stride[p])};
  if (needs_host) ACU_RETURN_IF_ERROR(CopyToHost(picture, engine));
  return engine;
}

void Release(VmafPicture& picture) {
  Drop(picture.ref);
  picture = {};
}

Result<VmafPicture> AllocateVmafPicture(const PictureParams& params) {
  ACU_RETURN_IF_ERROR(CheckParams(params));
  ACU_ASSIGN_OR_RETURN(Samples samples, AllocateSamples(BytesOf(params)));
  std::byte* memory = samples.release();
  return Wrap(params, memory, [memory] { FreeSamples()(memory); });
}

namespace {

class HostPool : public PictureSource {
 public:
  HostPool(const PictureParams& params, std::vector<Samples> samples)
      : params_(params), state_(std::make_shared<State>()) {
    state_->spare = std::move(samples);
  }

  Result<VmafPicture> Fetch() override {
    std::unique_lock lock(state_->mutex);
    state_->returned.wait(lock, [&] { return !state_->spare.empty(); });
    std::byte* memory = state_->spare.back().release();
    state_->spare.pop_back();
    lock.unlock();
    return Wrap(params_, memory, [state = state_, memory] {
      const std::lock_guard guard(state->mutex);
      state->spare.emplace_back(memory);
      state->returned.notify_one();
    });
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable returned;
    std::vector<Samples> spare;
  };
  const PictureParams params_;
  const std::shared_ptr<State> state_;  // pictures return to it
};

class CudaPool : public PictureSource {
 public:
  CudaPool(const PictureParams& params, std::shared_ptr<CudaMemory> cuda, MemoryKind kind)
      : params_(params), kind_(kind), state_(std::make_shared<State>()) {
    state_->cuda = std::move(cuda);
  }

  Result<VmafPicture> Fetch() override {
    std::unique_ptr<Buffer> buffer = state_->Take();
    if (!buffer) {
      ACU_ASSIGN_OR_RETURN(buffer, state_->cuda->Allocate(BytesOf(params_), kind_));
    }
    const bool on_device = kind_ == MemoryKind::kDevice;
    std::byte* memory = on_device ? reinterpret_cast<std::byte*>(buffer->address()) : buffer->host();
    auto release = [state = state_, held = buffer.release()] { state->Put(std::unique_ptr<Buffer>(held)); };
    return Wrap(params_, memory, std::move(release), on_device ? state_->cuda : nullptr);
  }

 private:
  struct State {
    std::unique_ptr<Buffer> Take() {
      const std::lock_guard lock(mutex);
      if (spare.empty()) return nullptr;
      std::unique_ptr<Buffer> buffer = std::move(spare.back());
      spare.pop_back();
      return buffer;
    }
    void Put(std::unique_ptr<Buffer> buffer) {
      const std::lock_guard lock(mutex);
      spare.push_back(std::move(buffer));
    }
    std::shared_ptr<CudaMemory> cuda;
    std::mutex mutex;
    std::vector<std::unique_ptr<Buffer>> spare;
  };
  const PictureParams params_;
  const MemoryKind kind_;
  const std::shared_ptr<State> state_;
};

}  // namespace

Result<std::shared_ptr<PictureSource>> MakeHostPool(const PictureParams& params, unsigned count) {
  ACU_RETURN_IF_ERROR(CheckParams(params));
  if (count == 0) return Error(StatusCode::kInvalidArgument, "a pool of no pictures");
  std::vector<Samples> all;
  for (unsigned i = 0; i < count; ++i) {
    ACU_ASSIGN_OR_RETURN(Samples samples, AllocateSamples(BytesOf(params)));
    all.push_back(std::move(samples));
  }
  return std::shared_ptr<PictureSource>(std::make_shared<HostPool>(params, std::move(all)));
}

Result<std::shared_ptr<PictureSource>> MakeCudaPool(const PictureParams& params, std::shared_ptr<CudaMemory> cuda,
                                                    MemoryKind kind) {
  ACU_RETURN_IF_ERROR(CheckParams(params));
  return std::shared_ptr<PictureSource>(std::make_shared<CudaPool>(params, std::move(cuda), kind));
}

}  // namespace acutance::libvmaf

namespace lib = acutance::libvmaf;

extern "C" int vmaf_picture_alloc(VmafPicture* pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w,
                                  unsigned h) {
  return lib::Call(__func__, [&]() -> acutance::Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(pic, "pic"));
    ACU_ASSIGN_OR_RETURN(*pic, lib::AllocateVmafPicture({pix_fmt, bpc, w, h}));
    return {};
  });
}

extern "C" int vmaf_picture_unref(VmafPicture* pic) {
  return lib::Call(__func__, [&]() -> acutance::Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(pic, "pic"));
    if (!pic->ref)
      return acutance::Error(acutance::StatusCode::kInvalidArgument,
                             "pic holds no picture: it was not allocated, or already given away");
    lib::Release(*pic);
    return {};
  });
}
