#include "exec/surface_splitter.h"

#include <mutex>
#include <utility>

#include "base/int_math.h"
#include "base/threads/exception_barrier.h"
#include "exec/unpack_samples_args.h"

namespace acutance {
namespace {

using Component = DeviceFrame::Component;

constexpr size_t kAlignment = 256;
constexpr int kPlanes = 3;

size_t AlignUp(size_t bytes) { return CeilDiv(bytes, kAlignment) * kAlignment; }

bool IsPlain(const Component& component) { return component.step == 1 && component.shift == 0; }

/// The bytes of a row in the frame, from the first byte of the first sample to the last of the last.
size_t PackedRow(const DeviceFrame& frame, int plane) {
  const size_t samples = static_cast<size_t>(frame.format.PlaneWidth(plane) - 1) * frame.components[plane].step + 1;
  return samples * frame.format.BytesPerSample();
}

bool HasPlane(const DeviceFrame& frame, int plane) {
  return frame.components[plane].plane.address != 0 && frame.format.PlaneWidth(plane) > 0 &&
         frame.format.PlaneHeight(plane) > 0;
}

}  // namespace

/// Picture memory that no picture uses; allocating on a device waits for all of its work.
struct SurfaceSplitter::Pool {
  explicit Pool(std::shared_ptr<Device> of) : device(std::move(of)) {}

  static Result<std::shared_ptr<Buffer>> Take(const std::shared_ptr<Pool>& pool, size_t bytes) {
    std::unique_ptr<Buffer> buffer;
    {
      const std::lock_guard lock(pool->mutex);
      if (!pool->free.empty()) {
        buffer = std::move(pool->free.back());
        pool->free.pop_back();
      }
    }
    if (!buffer) {
      ACU_ASSIGN_OR_RETURN(buffer, pool->device->Allocate(bytes, MemoryKind::kDevice));
    }
    return std::shared_ptr<Buffer>(buffer.release(), [pool](Buffer* done) {
      std::unique_ptr<Buffer> owned(done);
      static_cast<void>(CatchExceptions([&] {  // without room for it, it is freed
        const std::lock_guard lock(pool->mutex);
        pool->free.push_back(std::move(owned));
        return Status();
      }));
    });
  }

  const std::shared_ptr<Device> device;
  std::mutex mutex;
  std::vector<std::unique_ptr<Buffer>> free;
};

SurfaceSplitter::SurfaceSplitter(std::shared_ptr<Device> device)
    : device_(std::move(device)), pool_(std::make_shared<Pool>(device_)) {}

SurfaceSplitter::~SurfaceSplitter() = default;

Result<Queue*> SurfaceSplitter::queue() {
  if (!queue_) {
    ACU_ASSIGN_OR_RETURN(queue_, device_->MakeQueue());
  }
  return queue_.get();
}

Status SurfaceSplitter::Prepare(const DeviceFrame& frame) {
  first_ = frame;
  ACU_RETURN_IF_ERROR(queue().status());
  for (int p = 0; p < kPlanes; ++p) {
    if (!HasPlane(frame, p)) continue;
    const size_t rows = frame.format.PlaneHeight(p);
    const size_t row = static_cast<size_t>(frame.format.PlaneWidth(p)) * frame.format.BytesPerSample();
    spaces_[p] = {picture_bytes_, AlignUp(row)};
    picture_bytes_ += spaces_[p].stride * rows;
    if (IsPlain(frame.components[p])) continue;
    packed_spaces_[p] = {packed_bytes_, AlignUp(PackedRow(frame, p))};
    packed_bytes_ += packed_spaces_[p].stride * rows;
  }
  if (packed_bytes_ == 0) return {};
  ACU_ASSIGN_OR_RETURN(packed_, device_->Allocate(packed_bytes_, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(unpacked_, device_->Allocate(picture_bytes_, MemoryKind::kDevice));
  std::vector<Command> commands;
  for (int p = 0; p < kPlanes; ++p) {
    if (!HasPlane(frame, p) || IsPlain(frame.components[p])) continue;
    ACU_ASSIGN_OR_RETURN(LaunchCommand launch, UnpackingOf(frame, p));
    commands.emplace_back(std::move(launch));
  }
  ACU_ASSIGN_OR_RETURN(recording_, queue_->Record(commands));
  return {};
}

Result<LaunchCommand> SurfaceSplitter::UnpackingOf(const DeviceFrame& frame, int plane) {
  const int bytes = frame.format.BytesPerSample();
  const std::string_view variant = bytes == 1 ? "u8_64x4" : "u16_64x4";
  const KernelImage* image = FindKernelImage("unpack_samples", variant);
  if (!image) return Error(StatusCode::kUnsupported, "this build has no kernel unpack_samples {}", variant);
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, device_->LoadKernel(*image));
  kernels_.push_back(std::move(kernel));
  const Space &from = packed_spaces_[plane], &to = spaces_[plane];
  const int width = frame.format.PlaneWidth(plane), height = frame.format.PlaneHeight(plane);
  const UnpackSamplesArgs args = {.from = packed_->address() + from.offset,
                                  .to = unpacked_->address() + to.offset,
                                  .from_stride = static_cast<int32_t>(from.stride / bytes),
                                  .to_stride = static_cast<int32_t>(to.stride / bytes),
                                  .width = width,
                                  .height = height,
                                  .step = frame.components[plane].step,
                                  .shift = frame.components[plane].shift};
  return LaunchCommand{kernels_.back().get(),
                       {CeilDiv(width, image->group_x), CeilDiv(height, image->group_y), 1},
                       ArgsBytes(args),
                       {unpacked_.get()}};
}

Status SurfaceSplitter::CheckAlike(const DeviceFrame& frame) const {
  for (int p = 0; p < kPlanes; ++p) {
    const Component &mine = first_.components[p], &other = frame.components[p];
    if (frame.format != first_.format || HasPlane(frame, p) != HasPlane(first_, p) || mine.step != other.step ||
        mine.shift != other.shift)
      return Error(StatusCode::kUnsupported, "the decoder's frames changed");
  }
  return {};
}

Status SurfaceSplitter::Copy(const DeviceFrame& frame, const Buffer& to) {
  std::vector<std::unique_ptr<Buffer>> surfaces;
  std::vector<CopyCommand> in, out;
  for (int p = 0; p < kPlanes; ++p) {
    if (!HasPlane(frame, p)) continue;
    const DevicePlane& plane = frame.components[p].plane;
    const size_t rows = frame.format.PlaneHeight(p), row = PackedRow(frame, p);
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> surface,
                         device_->Adopt(plane.address, plane.stride * (rows - 1) + row));
    const bool plain = IsPlain(frame.components[p]);
    const Space &space = spaces_[p], &first = plain ? space : packed_spaces_[p];
    in.push_back({surface.get(), 0, plain ? &to : packed_.get(), first.offset, row, rows, plane.stride, first.stride});
    if (!plain) out.push_back({unpacked_.get(), space.offset, &to, space.offset, space.stride * rows});
    surfaces.push_back(std::move(surface));
  }
  ACU_RETURN_IF_ERROR(queue_->Copy(in));
  if (recording_) {
    ACU_RETURN_IF_ERROR(queue_->Submit(*recording_));
    ACU_RETURN_IF_ERROR(queue_->Copy(out));
  }
  return queue_->Wait();
}

Result<Picture> SurfaceSplitter::Unpack(const DeviceFrame& frame) {
  if (picture_bytes_ == 0) ACU_RETURN_IF_ERROR(Prepare(frame));
  ACU_RETURN_IF_ERROR(CheckAlike(frame));
  ACU_ASSIGN_OR_RETURN(const std::shared_ptr<Buffer> memory, Pool::Take(pool_, picture_bytes_));
  ACU_RETURN_IF_ERROR(Copy(frame, *memory));
  Picture picture{.format = frame.format, .memory = memory};
  for (int p = 0; p < kPlanes; ++p)
    if (HasPlane(frame, p)) picture.device_planes[p] = {memory->address() + spaces_[p].offset, spaces_[p].stride};
  return picture;
}

}  // namespace acutance
