#include "backend/hip/queue.h"

#include <utility>

#include "backend/hip/error.h"
#include "backend/hip/kernel.h"
#include "exec/check_copy.h"

namespace acutance::hip {
namespace {

class HipRecording : public Recording {
 public:
  HipRecording(std::shared_ptr<Context> context, hipGraphExec_t graph) : context_(std::move(context)), graph_(graph) {}
  ~HipRecording() override {
    const CurrentContext current(*context_);
    if (current.pushed()) context_->driver().hipGraphExecDestroy(graph_);
  }

  hipGraphExec_t graph() const { return graph_; }

 private:
  const std::shared_ptr<Context> context_;
  hipGraphExec_t graph_;
};

class HipMark : public Mark {
 public:
  HipMark(std::shared_ptr<Context> context, hipEvent_t event) : context_(std::move(context)), event_(event) {}
  ~HipMark() override {
    const CurrentContext current(*context_);
    if (current.pushed()) context_->driver().hipEventDestroy(event_);
  }

  Status Wait() override {
    const CurrentContext current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    return context_->Check(context_->driver().hipEventSynchronize(event_), "finish what was marked");
  }

 private:
  const std::shared_ptr<Context> context_;
  hipEvent_t event_;
};

constexpr int kMaxGridYz = 65535;  // of every GPU that is supported

Status CheckLaunch(const LaunchCommand& launch, const HipKernel& kernel) {
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

Result<std::unique_ptr<Queue>> HipQueue::Make(std::shared_ptr<Context> context) {
  const CurrentContext current(*context);
  ACU_RETURN_IF_ERROR(current.status());
  hipStream_t stream = nullptr;
  ACU_RETURN_IF_ERROR(
      context->Check(context->driver().hipStreamCreateWithFlags(&stream, hipStreamNonBlocking), "make a stream"));
  return std::unique_ptr<Queue>(new HipQueue(std::move(context), stream));
}

HipQueue::~HipQueue() {
  const CurrentContext current(*context_);
  if (!current.pushed()) return;
  context_->driver().hipStreamSynchronize(stream_);
  context_->driver().hipStreamDestroy(stream_);
}

Status HipQueue::Enqueue(const CopyCommand& copy) {
  ACU_RETURN_IF_ERROR(CheckCopy(copy));
  if (copy.to_extent() == 0) return {};
  void* to = reinterpret_cast<void*>(copy.to->address() + copy.to_offset);
  const void* from = reinterpret_cast<const void*>(copy.from->address() + copy.from_offset);
  if (copy.rows == 1)
    return context_->Check(context_->driver().hipMemcpyAsync(to, from, copy.bytes, hipMemcpyDefault, stream_),
                           fmt::format("copy {} bytes", copy.bytes));
  return context_->Check(context_->driver().hipMemcpy2DAsync(to, copy.to_stride, from, copy.from_stride, copy.bytes,
                                                             copy.rows, hipMemcpyDefault, stream_),
                         fmt::format("copy {} rows of {} bytes", copy.rows, copy.bytes));
}

Status HipQueue::Enqueue(const LaunchCommand& launch) {
  const auto& kernel = static_cast<const HipKernel&>(*launch.kernel);
  ACU_RETURN_IF_ERROR(CheckLaunch(launch, kernel));
  // The driver copies the arguments; its interface only lacks a const.
  void* parameters[] = {const_cast<std::byte*>(launch.args.data())};
  const Grid& grid = launch.grid;
  return context_->Check(
      context_->driver().hipModuleLaunchKernel(kernel.function(), grid.x, grid.y, grid.z, kernel.group_x(),
                                               kernel.group_y(), 1, 0, stream_, parameters, nullptr),
      fmt::format("record a launch of kernel {} on {}x{}x{} workgroups", kernel.symbol(), grid.x, grid.y, grid.z));
}

Result<std::unique_ptr<Recording>> HipQueue::Record(std::span<const Command> commands) {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  const Driver& driver = context_->driver();
  ACU_RETURN_IF_ERROR(
      context_->Check(driver.hipStreamBeginCapture(stream_, hipStreamCaptureModeRelaxed), "begin a recording"));
  Status status;
  for (const Command& command : commands) {
    status = std::visit([&](const auto& c) { return Enqueue(c); }, command);
    if (!status.ok()) break;
  }
  // A capture must end on every path, else the stream takes no work any more.
  hipGraph_t graph = nullptr;
  const hipError_t ended = driver.hipStreamEndCapture(stream_, &graph);
  if (status.ok()) status = context_->Check(ended, "end a recording");
  hipGraphExec_t executable = nullptr;
  if (status.ok())
    status = context_->Check(driver.hipGraphInstantiateWithFlags(&executable, graph, 0), "prepare a recording");
  if (graph) driver.hipGraphDestroy(graph);
  ACU_RETURN_IF_ERROR(status);
  return std::unique_ptr<Recording>(new HipRecording(context_, executable));
}

Status HipQueue::Submit(Recording& recording) {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  hipGraphExec_t graph = static_cast<HipRecording&>(recording).graph();
  return context_->Check(context_->driver().hipGraphLaunch(graph, stream_), "start a recording");
}

Status HipQueue::Copy(std::span<const CopyCommand> copies) {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  for (const CopyCommand& copy : copies) ACU_RETURN_IF_ERROR(Enqueue(copy));
  return {};
}

Result<std::unique_ptr<Mark>> HipQueue::MarkEnd() {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  hipEvent_t event = nullptr;
  ACU_RETURN_IF_ERROR(
      context_->Check(context_->driver().hipEventCreateWithFlags(&event, hipEventDisableTiming), "make an event"));
  auto mark = std::make_unique<HipMark>(context_, event);
  ACU_RETURN_IF_ERROR(context_->Check(context_->driver().hipEventRecord(event, stream_), "record an event"));
  return std::unique_ptr<Mark>(std::move(mark));
}

Status HipQueue::Wait() {
  const CurrentContext current(*context_);
  ACU_RETURN_IF_ERROR(current.status());
  return context_->Check(context_->driver().hipStreamSynchronize(stream_), "finish what was submitted");
}

}  // namespace acutance::hip
