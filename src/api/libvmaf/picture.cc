#include "api/libvmaf/picture.h"

#include <atomic>
#include <cstring>
#include <functional>
#include <new>
#include <utility>

#include "api/libvmaf/log.h"

struct VmafRef {
  std::atomic<int> count = 1;
  std::function<void()> release;  // gives the samples back
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

void SetPlanes(VmafPicture& picture, std::byte* samples) {
  for (int p = 0; p < 3; ++p) {
    if (picture.stride[p] == 0) continue;  // 4:0:0
    picture.data[p] = samples;
    samples += picture.stride[p] * static_cast<size_t>(picture.h[p]);
  }
}

Result<VmafPicture> AllocateVmafPicture(const PictureParams& params) {
  ACU_RETURN_IF_ERROR(CheckParams(params));
  size_t bytes = 0;
  VmafPicture picture = Layout(params, &bytes);
  ACU_ASSIGN_OR_RETURN(Samples samples, AllocateSamples(bytes));
  picture.ref = new VmafRef();
  std::byte* memory = samples.release();
  SetPlanes(picture, memory);
  picture.ref->release = [memory] { FreeSamples()(memory); };
  return picture;
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
  return CheckParams({picture.pix_fmt, picture.bpc, picture.w[0], picture.h[0]});
}

PictureFormat FormatOf(const VmafPicture& picture) {
  return FormatOf(PictureParams{picture.pix_fmt, picture.bpc, picture.w[0], picture.h[0]});
}

Picture ToEngine(const VmafPicture& picture) {
  Picture engine;
  engine.format = FormatOf(picture);
  for (int p = 0; p < engine.format.PlaneCount(); ++p)
    engine.planes[p] = {static_cast<const std::byte*>(picture.data[p]), picture.stride[p], engine.format.PlaneWidth(p),
                        engine.format.PlaneHeight(p)};
  ++picture.ref->count;
  engine.memory = std::shared_ptr<const void>(picture.data[0], [ref = picture.ref](const void*) { Drop(ref); });
  return engine;
}

void Release(VmafPicture& picture) {
  Drop(picture.ref);
  picture = {};
}

struct PicturePool::State {
  PictureParams params;
  std::mutex mutex;
  std::condition_variable returned;
  std::vector<Samples> spare;
};

Result<std::shared_ptr<PicturePool>> PicturePool::Make(const PictureParams& params, unsigned count) {
  ACU_RETURN_IF_ERROR(CheckParams(params));
  if (count == 0) return Error(StatusCode::kInvalidArgument, "a pool of no pictures");
  auto state = std::make_shared<State>();
  state->params = params;
  size_t bytes = 0;
  Layout(params, &bytes);
  for (unsigned i = 0; i < count; ++i) {
    ACU_ASSIGN_OR_RETURN(Samples samples, AllocateSamples(bytes));
    state->spare.push_back(std::move(samples));
  }
  return std::shared_ptr<PicturePool>(new PicturePool(std::move(state)));
}

VmafPicture PicturePool::Fetch() {
  auto ref = std::make_unique<VmafRef>();
  size_t bytes = 0;
  VmafPicture picture = Layout(state_->params, &bytes);
  std::unique_lock lock(state_->mutex);
  state_->returned.wait(lock, [&] { return !state_->spare.empty(); });
  std::byte* memory = state_->spare.back().release();
  state_->spare.pop_back();
  lock.unlock();
  SetPlanes(picture, memory);
  ref->release = [state = state_, memory] {
    std::lock_guard guard(state->mutex);
    state->spare.emplace_back(memory);
    state->returned.notify_one();
  };
  picture.ref = ref.release();
  return picture;
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
