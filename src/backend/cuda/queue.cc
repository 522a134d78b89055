#include "backend/cuda/queue.h"

#include <utility>

#include "backend/cuda/error.h"
#include "backend/cuda/kernel.h"
#include "exec/check_copy.h"

namespace acutance::cuda {
namespace {

class CudaRecording : public Recording {
 public:
  CudaRecording(std::shared_ptr<Context> context, CUgraphExec graph) : context_(std::move(context)), graph_(graph) {}
  ~CudaRecording() override {
    const CurrentContext current(*context_);
    if (current.pushed()) context_->driver().cuGraphExecDestroy(graph_);
  }

  CUgraphExec graph() const { return graph_; }

 private:
  const std::shared_ptr<Context> context_;
  CUgraphExec graph_;
};

class CudaMark : public Mark {
 public:
  CudaMark(std::shared_ptr<Context> context, CUevent event) : context_(std::move(context)), event_(event) {}
  ~CudaMark() override {
    const CurrentContext current(*context_);
    if (current.pushed()) context_->driver().cuEventDestroy_v2(event_);
  }

  Status Wait() override {
    const CurrentContext current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    return context_->Check(context_->driver().cuEventSynchronize(event_), "finish what was marked");
  }

 private:
  const std::shared_ptr<Context> context_;
  CUevent event_;
};

constexpr int kMaxGridYz = 65535;  // of every compute capability; x is limited by int alone

Status CheckLaunch(const LaunchCommand& launch, const CudaKernel& kernel) {
  const Grid& grid = launch.grid;
  if (grid.x < 1 || grid.y < 1 || grid.z < 1 || grid.y > kMaxGridYz || grid.z > kMaxGridYz)
    return Error(StatusCode::kInvalidArgument,
                 "kernel {} cannot be launched on {}x{}x{} workgroups: from 1, and y and z to {}", kernel.symbol(),
                 grid.x, grid.y, grid.z, kMaxGridYz);
  if (launch.args.size() == kernel.args_bytes()) return {};
  return Error(StatusCode::kInvalidArgument, "kernel {} takes {} bytes of arguments, not {}", kernel.symbol(),
               kernel.args_bytes(), launch.args.size());
}

}  // namespace

Result<std::unique_ptr<Queue>> CudaQueue::Make(std::shared_ptr<Context> context) {
  const CurrentContext current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  CUstream stream = nullptr;
  ACU_RETURN_IF_ERROR(
      context->Check(context->driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "make a stream"));
  return std::unique_ptr<Queue>(new CudaQueue(std::move(context), stream));
}

CudaQueue::~CudaQueue() {
  const CurrentContext current(*context_);
  if (!current.pushed()) return;
  context_->driver().cuStreamSynchronize(stream_);
  context_->driver().cuStreamDestroy_v2(stream_);
}

Status CudaQueue::Enqueue(const CopyCommand& copy) {
  ACU_RETURN_IF_ERROR(CheckCopy(copy));
  if (copy.to_extent() == 0) return {};
  const CUdeviceptr to = copy.to->address() + copy.to_offset, from = copy.from->address() + copy.from_offset;
  if (copy.rows == 1)
    return context_->Check(context_->driver().cuMemcpyAsync(to, from, copy.bytes, stream_),
                           fmt::format("copy {} bytes", copy.bytes));
  CUDA_MEMCPY2D rows = {};
  rows.srcMemoryType = rows.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.srcDevice = from;
  rows.srcPitch = copy.from_stride;
  rows.dstDevice = to;
  rows.dstPitch = copy.to_stride;
  rows.WidthInBytes = copy.bytes;
  rows.Height = copy.rows;
  return context_->Check(context_->driver().cuMemcpy2DAsync_v2(&rows, stream_),
                         fmt::format("copy {} rows of {} bytes", copy.rows, copy.bytes));
}

Status CudaQueue::Enqueue(const LaunchCommand& launch) {
  const auto& kernel = static_cast<const CudaKernel&>(*launch.kernel);
  ACU_RETURN_IF_ERROR(CheckLaunch(launch, kernel));
  // The driver copies the arguments; its interface only lacks a const.
  void* parameters[] = {const_cast<std::byte*>(launch.args.data())};
  const Grid& grid = launch.grid;
  return context_->Check(
      context_->driver().cuLaunchKernel(kernel.function(), grid.x, grid.y, grid.z, kernel.group_x(), kernel.group_y(),
                                        1, 0, stream_, parameters, nullptr),
      fmt::format("record a launch of kernel {} on {}x{}x{} workgroups", kernel.symbol(), grid.x, grid.y, grid.z));
}

Result<std::unique_ptr<Recording>> CudaQueue::Record(std::span<const Command> commands) {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  const Driver& driver = context_->driver();
  ACU_RETURN_IF_ERROR(
      context_->Check(driver.cuStreamBeginCapture_v2(stream_, CU_STREAM_CAPTURE_MODE_RELAXED), "begin a recording"));
  Status status;
  for (const Command& command : commands) {
    status = std::visit([&](const auto& c) { return Enqueue(c); }, command);
    if (!status.ok()) break;
  }
  // A capture must end on every path, else the stream takes no work any more.
  CUgraph graph = nullptr;
  const CUresult ended = driver.cuStreamEndCapture(stream_, &graph);
  if (status.ok()) status = context_->Check(ended, "end a recording");
  CUgraphExec executable = nullptr;
  if (status.ok())
    status = context_->Check(driver.cuGraphInstantiateWithFlags(&executable, graph, 0), "prepare a recording");
  if (graph) driver.cuGraphDestroy(graph);
  ACU_RETURN_IF_ERROR(status);
  return std::unique_ptr<Recording>(new CudaRecording(context_, executable));
}

Status CudaQueue::Submit(Recording& recording) {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  CUgraphExec graph = static_cast<CudaRecording&>(recording).graph();
  return context_->Check(context_->driver().cuGraphLaunch(graph, stream_), "start a recording");
}

Status CudaQueue::Copy(std::span<const CopyCommand> copies) {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  for (const CopyCommand& copy : copies) ACU_RETURN_IF_ERROR(Enqueue(copy));
  return {};
}

Result<std::unique_ptr<Mark>> CudaQueue::MarkEnd() {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  CUevent event = nullptr;
  ACU_RETURN_IF_ERROR(
      context_->Check(context_->driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING), "make an event"));
  auto mark = std::make_unique<CudaMark>(context_, event);
  ACU_RETURN_IF_ERROR(context_->Check(context_->driver().cuEventRecord(event, stream_), "record an event"));
  return std::unique_ptr<Mark>(std::move(mark));
}

Status CudaQueue::Wait() {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  return context_->Check(context_->driver().cuStreamSynchronize(stream_), "finish what was submitted");
}

}  // namespace acutance::cuda
