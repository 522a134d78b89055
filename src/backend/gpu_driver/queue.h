// A queue is a stream; recordings are graphs, captured from the stream and launched on it.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>

#include "backend/gpu_driver/context.h"
#include "backend/gpu_driver/kernel.h"
#include "base/status.h"
#include "exec/device.h"
#include "exec/device_checks.h"

namespace acutance::gpu {

template <class Api>
struct GpuRecording : Recording {
  GpuRecording(std::shared_ptr<Context<Api>> context, typename Api::Executable executable)
      : graph(std::move(context), executable) {}

  const Owned<Api, typename Api::Executable, &Api::DestroyExecutable> graph;
};

template <class Api>
class GpuMark : public Mark {
 public:
  GpuMark(std::shared_ptr<Context<Api>> context, typename Api::Event event) : event_(std::move(context), event) {}

  Status Wait() override {
    Context<Api>& context = event_.context();
    const CurrentContext<Api> current(context);
    ACU_RETURN_IF_ERROR(current.status());
    return context.WaitFor([&] { return context.api().QueryEvent(event_.handle()); }, "finish what was marked");
  }

 private:
  const Owned<Api, typename Api::Event, &Api::DestroyEvent> event_;
};

/// The limits of every GPU that either driver knows.
inline constexpr Grid kMostWorkgroups = {INT_MAX, 65535, 65535};

template <class Api>
class GpuQueue : public Queue {
 public:
  static Result<std::unique_ptr<Queue>> Make(std::shared_ptr<Context<Api>> context) {
    const CurrentContext<Api> current(*context);
    ACU_RETURN_IF_ERROR(current.status());
    typename Api::Stream stream{};
    ACU_RETURN_IF_ERROR(context->Check(context->api().MakeStream(&stream), "make a stream"));
    return std::unique_ptr<Queue>(new GpuQueue(std::move(context), stream));
  }
  ~GpuQueue() override {
    const CurrentContext<Api> current(*context_);
    if (!current.pushed()) return;
    const auto query = [&] { return api().Query(stream_); };
    static_cast<void>(context_->WaitFor(query, "end"));  // buffers may go right after
    if (!context_->is_abandoned()) api().DestroyStream(stream_);
  }

  typename Api::Stream stream() const { return stream_; }

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override {
    const CurrentContext<Api> current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    ACU_RETURN_IF_ERROR(context_->Check(api().BeginCapture(stream_), "begin a recording"));
    Status status = EnqueueAll(commands);
    // A capture must end on every path, else the stream takes no work any more.
    typename Api::Graph graph{};
    const auto ended = api().EndCapture(stream_, &graph);
    if (status.ok()) status = context_->Check(ended, "end a recording");
    typename Api::Executable executable{};
    if (status.ok()) status = context_->Check(api().Instantiate(&executable, graph), "prepare a recording");
    if (graph) api().DestroyGraph(graph);
    ACU_RETURN_IF_ERROR(status);
    return std::unique_ptr<Recording>(new GpuRecording<Api>(context_, executable));
  }

  Status Submit(Recording& recording) override {
    const CurrentContext<Api> current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    const auto executable = static_cast<GpuRecording<Api>&>(recording).graph.handle();
    return context_->Check(api().Launch(executable, stream_), "start a recording");
  }

  Status Copy(std::span<const CopyCommand> copies) override {
    const CurrentContext<Api> current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    for (const CopyCommand& copy : copies) ACU_RETURN_IF_ERROR(Enqueue(copy));
    return {};
  }

  Result<std::unique_ptr<Mark>> MarkEnd() override {
    const CurrentContext<Api> current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    typename Api::Event event{};
    ACU_RETURN_IF_ERROR(context_->Check(api().MakeEvent(&event), "make an event"));
    auto mark = std::make_unique<GpuMark<Api>>(context_, event);
    ACU_RETURN_IF_ERROR(context_->Check(api().RecordEvent(event, stream_), "record an event"));
    return std::unique_ptr<Mark>(std::move(mark));
  }

  Status Wait() override {
    const CurrentContext<Api> current(*context_);
    ACU_RETURN_IF_ERROR(current.status());
    return context_->WaitFor([&] { return api().Query(stream_); }, "finish what was submitted");
  }

 private:
  GpuQueue(std::shared_ptr<Context<Api>> context, typename Api::Stream stream)
      : context_(std::move(context)), stream_(stream) {}

  const Api& api() const { return context_->api(); }

  Status EnqueueAll(std::span<const Command> commands) {
    for (const Command& command : commands)
      ACU_RETURN_IF_ERROR(std::visit([&](const auto& c) { return Enqueue(c); }, command));
    return {};
  }

  Status Enqueue(const CopyCommand& copy) {
    ACU_RETURN_IF_ERROR(CheckCopy(copy));
    if (copy.to_extent() == 0) return {};
    const uint64_t to = copy.to->address() + copy.to_offset, from = copy.from->address() + copy.from_offset;
    if (copy.rows == 1)
      return context_->Check(api().Copy(to, from, copy.bytes, stream_), fmt::format("copy {} bytes", copy.bytes));
    return context_->Check(api().CopyRows(to, from, copy, stream_),
                           fmt::format("copy {} rows of {} bytes", copy.rows, copy.bytes));
  }

  Status Enqueue(const LaunchCommand& launch) {
    const auto& kernel = static_cast<const GpuKernel<Api>&>(*launch.kernel);
    ACU_RETURN_IF_ERROR(CheckLaunch(launch, kernel.symbol, kernel.args_bytes, kMostWorkgroups));
    // The driver copies the arguments; its interface only lacks a const.
    void* parameters[] = {const_cast<std::byte*>(launch.args.data())};
    const Grid& grid = launch.grid;
    return context_->Check(
        api().Launch(kernel.function, grid, kernel.group_x, kernel.group_y, parameters, stream_),
        fmt::format("record a launch of kernel {} on {}x{}x{} workgroups", kernel.symbol, grid.x, grid.y, grid.z));
  }

  const std::shared_ptr<Context<Api>> context_;
  const typename Api::Stream stream_;
};

}  // namespace acutance::gpu
