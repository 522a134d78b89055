#include "devices/run_kernel.h"

#include <algorithm>
#include <memory>

#include "exec/kernel_image.h"

namespace acutance {

Result<std::vector<std::byte>> RunKernel(Device& device, const KernelRun& run, std::span<const std::byte> from,
                                         size_t to_bytes) {
  const KernelImage* image = FindKernelImage(run.kernel, run.variant);
  if (!image) return Error(StatusCode::kUnsupported, "this build has no kernel {} {}", run.kernel, run.variant);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Kernel> kernel, device.LoadKernel(*image));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Queue> queue, device.MakeQueue());
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> upload, device.Allocate(from.size(), MemoryKind::kUpload));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> in, device.Allocate(from.size(), MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> out, device.Allocate(to_bytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> readback, device.Allocate(to_bytes, MemoryKind::kReadback));
  std::ranges::copy(from, upload->host());
  const Command commands[] = {
      LaunchCommand{kernel.get(), run.grid(*image), run.args(in->address(), out->address()), {out.get()}},
      CopyCommand{out.get(), 0, readback.get(), 0, to_bytes}};
  const CopyCommand copy[] = {{upload.get(), 0, in.get(), 0, from.size()}};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue->Record(commands));
  ACU_RETURN_IF_ERROR(queue->Copy(copy));
  ACU_RETURN_IF_ERROR(queue->Submit(*recording));
  ACU_RETURN_IF_ERROR(queue->Wait());
  return std::vector<std::byte>(readback->host(), readback->host() + to_bytes);
}

}  // namespace acutance
