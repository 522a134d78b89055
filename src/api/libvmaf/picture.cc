#include "api/libvmaf/picture.h"

#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "api/handle_table.h"
#include "api/libvmaf/log.h"
#include "base/threads/exception_barrier.h"
#include "base/usable_cpus.h"

namespace acutance::libvmaf {

/// The samples of a picture, on the host or, with `cuda`, on a device.
struct PictureMemory {
  PictureMemory() = default;
  PictureMemory(const PictureMemory&) = delete;
  ~PictureMemory() {
    if (release) release();
  }
  const std::byte* end() const { return begin + bytes; }
  bool Holds(const std::byte* at) const { return begin <= at && at < end(); }

  std::byte* begin = nullptr;
  size_t bytes = 0;
  // None throws. Either may be empty.
  std::function<void()> release;     // called when the last reader of the samples is done
  std::function<void()> given_back;  // called when the client gives the picture back
  std::shared_ptr<CudaMemory> cuda;
};

namespace {

using Pictures = HandleTable<VmafRef, PictureMemory>;

constexpr std::align_val_t kAlign{64};
constexpr ptrdiff_t kMaxStride = ptrdiff_t{1} << 32;  // so that a plane's bytes cannot overflow

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

/// The struct of a picture that has no samples yet. bytes: the size of all its planes.
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

/// A picture over memory of its size.
VmafPicture Wrap(const PictureParams& params, const std::shared_ptr<PictureMemory>& memory) {
  VmafPicture picture = Layout(params, &memory->bytes);
  std::byte* samples = memory->begin;
  for (int p = 0; p < FormatOf(params).PlaneCount(); ++p) {
    picture.data[p] = samples;
    samples += picture.stride[p] * static_cast<size_t>(picture.h[p]);
  }
  picture.ref = Pictures::Get().Add(memory);
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

HeldPicture::HeldPicture(const VmafPicture& picture, std::shared_ptr<PictureMemory> memory)
    : format_(FormatOf(ParamsOf(picture))), picture_(picture), memory_(std::move(memory)) {}

Result<HeldPicture> HeldPicture::Find(const VmafPicture& picture, std::string_view name) {
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<PictureMemory> memory, Pictures::Get().Find(picture.ref, name));
  ACU_RETURN_IF_ERROR(CheckParams(ParamsOf(picture)));
  HeldPicture held(picture, std::move(memory));
  for (int p = 0; p < held.format_.PlaneCount(); ++p) ACU_RETURN_IF_ERROR(held.CheckPlane(p, name));
  return held;
}

bool HeldPicture::on_device() const { return memory_->cuda != nullptr; }

/// Checks the fields, which clients may change. A plane that begins in the picture's memory must
/// end in it; a client's own memory cannot be checked.
Status HeldPicture::CheckPlane(int plane, std::string_view name) const {
  const auto* begin = static_cast<const std::byte*>(picture_.data[plane]);
  const ptrdiff_t stride = picture_.stride[plane],
                  row = ptrdiff_t{format_.PlaneWidth(plane)} * format_.BytesPerSample();
  if (!begin) return Error(StatusCode::kInvalidArgument, "{}: data[{}] is NULL", name, plane);
  if (stride < row || stride > kMaxStride)
    return Error(StatusCode::kInvalidArgument, "{}: stride[{}] is {}, but a row has {} bytes", name, plane, stride,
                 row);
  if (((reinterpret_cast<uintptr_t>(begin) | static_cast<uintptr_t>(stride)) & (format_.BytesPerSample() - 1)) != 0)
    return Error(StatusCode::kInvalidArgument, "{}: samples of two bytes at an odd address or stride", name);
  const ptrdiff_t rows = format_.PlaneHeight(plane);
  if (rows * row == 0) return {};
  const ptrdiff_t bytes = (rows - 1) * stride + row;
  if (memory_->Holds(begin) ? memory_->end() - begin < bytes : on_device())
    return Error(StatusCode::kInvalidArgument,
                 "{}: plane {} of {}x{} samples does not lie in the memory of the picture", name, plane,
                 format_.PlaneWidth(plane), format_.PlaneHeight(plane));
  return {};
}

/// The planes of a picture whose memory, or a copy of it, is at `begin`.
void HeldPicture::SetPlanes(Picture& engine, const std::byte* begin) const {
  for (int p = 0; p < format_.PlaneCount(); ++p) {
    const auto* data = static_cast<const std::byte*>(picture_.data[p]);
    if (memory_->Holds(data)) data = begin + (data - memory_->begin);
    engine.planes[p] = {data, picture_.stride[p], format_.PlaneWidth(p), format_.PlaneHeight(p)};
  }
}

Status HeldPicture::CopyToHost(Picture& engine) const {
  ACU_ASSIGN_OR_RETURN(const std::shared_ptr<std::byte> samples, AllocateSamples(memory_->bytes));
  const std::span<std::byte> host(samples.get(), memory_->bytes);
  ACU_RETURN_IF_ERROR(memory_->cuda->Download(reinterpret_cast<uintptr_t>(memory_->begin), host));
  SetPlanes(engine, samples.get());
  engine.memory = std::shared_ptr<const void>(samples.get(), [device = memory_, samples](const void*) {});
  return {};
}

Result<Picture> HeldPicture::ToEngine(bool needs_host) const {
  Picture engine;
  engine.format = format_;
  engine.memory = std::shared_ptr<const void>(memory_, memory_->begin);
  if (!on_device()) {
    SetPlanes(engine, memory_->begin);
    return engine;
  }
  for (int p = 0; p < format_.PlaneCount(); ++p)
    engine.device_planes[p] = {reinterpret_cast<uintptr_t>(picture_.data[p]), static_cast<size_t>(picture_.stride[p])};
  if (needs_host) ACU_RETURN_IF_ERROR(CopyToHost(engine));
  return engine;
}

Status Release(VmafPicture& picture) {
  const VmafRef* const ref = std::exchange(picture, {}).ref;
  ACU_ASSIGN_OR_RETURN(const std::shared_ptr<PictureMemory> memory, Pictures::Get().Remove(ref, "pic"));
  if (memory->given_back) memory->given_back();
  return {};
}

Result<VmafPicture> AllocateVmafPicture(const PictureParams& params) {
  ACU_RETURN_IF_ERROR(CheckParams(params));
  ACU_ASSIGN_OR_RETURN(Samples samples, AllocateSamples(BytesOf(params)));
  const auto memory = std::make_shared<PictureMemory>();
  memory->release = [bytes = samples.get()] { FreeSamples()(bytes); };
  memory->begin = samples.release();
  return Wrap(params, memory);
}

namespace {

/// Waits while the client holds `count` pictures. Pictures that the engine still reads do not
/// count, because it may wait for more pictures before it is done with these; others are made in
/// their place.
class HostPool : public PictureSource {
 public:
  HostPool(const PictureParams& params, unsigned count, std::vector<Samples> samples)
      : params_(params), count_(count), state_(std::make_shared<State>()) {
    state_->spare = std::move(samples);
  }

  Result<VmafPicture> Fetch() override {
    const auto memory = std::make_shared<PictureMemory>();  // goes outside the lock
    std::unique_lock lock(state_->mutex);
    state_->given_back.wait(lock, [&] { return state_->closed || state_->held < count_; });
    if (state_->closed) return Error(StatusCode::kInvalidArgument, "the context was closed");
    if (state_->spare.empty()) {
      ACU_ASSIGN_OR_RETURN(Samples samples, AllocateSamples(BytesOf(params_)));
      state_->spare.push_back(std::move(samples));
    }
    memory->given_back = [state = state_] { state->TakeBack(); };
    memory->release = [state = state_, bytes = state_->spare.back().get()] { state->Put(Samples(bytes)); };
    memory->begin = state_->spare.back().release();
    state_->spare.pop_back();
    const VmafPicture picture = Wrap(params_, memory);
    ++state_->held;
    return picture;
  }

  void Close() override {
    const std::lock_guard lock(state_->mutex);
    state_->closed = true;
    state_->given_back.notify_all();
  }

 private:
  struct State {
    void Put(Samples samples) noexcept {
      static_cast<void>(CatchExceptions([&] {  // without room for it, it is freed
        const std::lock_guard lock(mutex);
        spare.push_back(std::move(samples));
        return Status();
      }));
    }
    void TakeBack() noexcept {
      const std::lock_guard lock(mutex);
      --held;
      given_back.notify_one();
    }
    std::mutex mutex;
    std::condition_variable given_back;
    std::vector<Samples> spare;
    unsigned held = 0;  // by the client
    bool closed = false;
  };
  const PictureParams params_;
  const unsigned count_;
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
    const auto memory = std::make_shared<PictureMemory>();
    memory->release = [state = state_, held = buffer.get()] { state->Put(std::unique_ptr<Buffer>(held)); };
    const bool on_device = kind_ == MemoryKind::kDevice;
    if (on_device) memory->cuda = state_->cuda;
    memory->begin = on_device ? reinterpret_cast<std::byte*>(buffer->address()) : buffer->host();
    static_cast<void>(buffer.release());
    return Wrap(params_, memory);
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
    void Put(std::unique_ptr<Buffer> buffer) noexcept {
      static_cast<void>(CatchExceptions([&] {  // without room for it, it is freed
        const std::lock_guard lock(mutex);
        spare.push_back(std::move(buffer));
        return Status();
      }));
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
  // The kernel grants more memory than there is, and ends a process when the pictures are cleared.
  const size_t bytes = BytesOf(params);
  if (const std::optional<size_t> available = AvailableMemory(); available && count > *available / bytes)
    return Error(StatusCode::kOutOfMemory, "no memory for {} pictures of {} bytes: {} bytes are available", count,
                 bytes, *available);
  std::vector<Samples> all;
  for (unsigned i = 0; i < count; ++i) {
    ACU_ASSIGN_OR_RETURN(Samples samples, AllocateSamples(bytes));
    all.push_back(std::move(samples));
  }
  return std::shared_ptr<PictureSource>(std::make_shared<HostPool>(params, count, std::move(all)));
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
    return lib::Release(*pic);
  });
}
