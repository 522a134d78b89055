#include "backend/cuda/queue.h"

#include <utility>

#include "backend/cuda/error.h"
#include "backend/cuda/kernel.h"

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

constexpr int kMaxGridYz = 65535;  // of every compute capability; x is limited by int alone

Status CheckCopy(const CopyCommand& copy) {
  auto fits = [&](const Buffer& buffer, size_t offset) {
    return offset <= buffer.bytes() && copy.bytes <= buffer.bytes() - offset;
  };
  if (fits(*copy.from, copy.from_offset) && fits(*copy.to, copy.to_offset)) return {};
  return Error(StatusCode::kInvalidArgument,
               "a copy of {} bytes reads at {} of a buffer of {} bytes and writes at {} of one of {}", copy.bytes,
               copy.from_offset, copy.from->bytes(), copy.to_offset, copy.to->bytes());
}

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
  if (copy.bytes == 0) return {};
  return context_->Check(context_->driver().cuMemcpyAsync(copy.to->address() + copy.to_offset,
                                                          copy.from->address() + copy.from_offset, copy.bytes, stream_),
                         fmt::format("record a copy of {} bytes", copy.bytes));
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

Status CudaQueue::Wait() {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  return context_->Check(context_->driver().cuStreamSynchronize(stream_), "finish what was submitted");
}

}  // namespace acutance::cuda
