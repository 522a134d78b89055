#include "backend/sycl/queue.h"

#include <exception>
#include <mutex>
#include <utility>
#include <variant>
#include <vector>

#include "backend/sycl/error.h"
#include "backend/sycl/kernel.h"
#include "exec/check_copy.h"

namespace acutance::sycl_backend {

namespace experimental = sycl::ext::oneapi::experimental;

/// Failures that the device reports asynchronously: the runtime may call at any time and from any
/// thread.
class AsyncErrors {
 public:
  void Add(const sycl::exception_list& list) {
    const std::lock_guard lock(mutex_);
    if (!first_ && list.size() > 0) first_ = *list.begin();
  }
  void Rethrow() {
    const std::lock_guard lock(mutex_);
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

namespace {

struct Copy {
  void* to;
  const void* from;
  size_t bytes, rows, to_stride, from_stride;

  void Enqueue(sycl::queue& queue) const {
    for (size_t row = 0; row < rows; ++row)
      experimental::memcpy(queue, static_cast<std::byte*>(to) + row * to_stride,
                           static_cast<const std::byte*>(from) + row * from_stride, bytes);
  }
};

struct Launch {
  sycl::kernel kernel;
  sycl::nd_range<3> range;
  std::vector<std::byte> args;

  void Enqueue(sycl::queue& queue) const {
    experimental::submit(queue, [&](sycl::handler& handler) {
      handler.set_arg(0, experimental::raw_kernel_arg(args.data(), args.size()));
      handler.parallel_for(range, kernel);
    });
  }
};

class SyclRecording : public Recording {
 public:
  explicit SyclRecording(std::shared_ptr<Context> context) : context_(std::move(context)) {}

  void Add(Copy copy) { steps_.push_back(copy); }
  void Add(Launch launch) { steps_.push_back(std::move(launch)); }
  void Enqueue(sycl::queue& queue) const {
    for (const auto& step : steps_) std::visit([&](const auto& each) { each.Enqueue(queue); }, step);
  }

 private:
  const std::shared_ptr<Context> context_;  // outlives the kernels
  std::vector<std::variant<Copy, Launch>> steps_;
};

class SyclMark : public Mark {
 public:
  SyclMark(std::shared_ptr<Context> context, std::shared_ptr<AsyncErrors> errors, sycl::event end)
      : context_(std::move(context)), errors_(std::move(errors)), end_(std::move(end)) {}

  Status Wait() override {
    constexpr const char* kDoing = "finish what was marked";
    ACU_RETURN_IF_ERROR(context_->WaitFor(end_, kDoing));
    return Try(context_->info().name, kDoing, [&] { errors_->Rethrow(); });
  }

 private:
  const std::shared_ptr<Context> context_;
  const std::shared_ptr<AsyncErrors> errors_;
  sycl::event end_;
};

Result<Copy> Bound(const CopyCommand& copy) {
  ACU_RETURN_IF_ERROR(CheckCopy(copy));
  return Copy{reinterpret_cast<void*>(copy.to->address() + copy.to_offset),
              reinterpret_cast<const void*>(copy.from->address() + copy.from_offset),
              copy.bytes,
              copy.bytes == 0 ? 0 : copy.rows,
              copy.to_stride,
              copy.from_stride};
}

Status Append(const CopyCommand& copy, SyclRecording& recording) {
  ACU_ASSIGN_OR_RETURN(const Copy bound, Bound(copy));
  recording.Add(bound);
  return {};
}

Status Append(const LaunchCommand& launch, SyclRecording& recording) {
  const auto& kernel = static_cast<const SyclKernel&>(*launch.kernel);
  ACU_RETURN_IF_ERROR(kernel.compiled().status);
  const Grid& grid = launch.grid;
  if (grid.x < 1 || grid.y < 1 || grid.z < 1)
    return Error(StatusCode::kInvalidArgument, "kernel {} cannot be launched on {}x{}x{} workgroups", kernel.symbol(),
                 grid.x, grid.y, grid.z);
  if (launch.args.size() != kernel.args_bytes())
    return Error(StatusCode::kInvalidArgument, "kernel {} takes {} bytes of arguments, not {}", kernel.symbol(),
                 kernel.args_bytes(), launch.args.size());
  const sycl::range<3> local(1, kernel.group_y(), kernel.group_x());  // the last dimension is the fastest
  const sycl::range<3> groups(grid.z, grid.y, grid.x);
  recording.Add(Launch{*kernel.compiled().kernel, sycl::nd_range<3>(groups * local, local), launch.args});
  return {};
}

}  // namespace

Result<std::unique_ptr<Queue>> SyclQueue::Make(std::shared_ptr<Context> context) {
  ACU_RETURN_IF_ERROR(context->Lost());
  const std::string name = context->info().name;
  std::unique_ptr<Queue> queue;
  ACU_RETURN_IF_ERROR(Try(name, "make a queue",
                          [&] { queue.reset(new SyclQueue(std::move(context), std::make_shared<AsyncErrors>())); }));
  return queue;
}

SyclQueue::SyclQueue(std::shared_ptr<Context> context, const std::shared_ptr<AsyncErrors>& errors)
    : context_(std::move(context)),
      errors_(errors),
      queue_(std::make_unique<sycl::queue>(
          context_->context(), context_->device(), [errors](const sycl::exception_list& list) { errors->Add(list); },
          sycl::property::queue::in_order())) {}

SyclQueue::~SyclQueue() {
  static_cast<void>(Wait());
  if (context_->is_abandoned()) static_cast<void>(queue_.release());
}

Result<std::unique_ptr<Recording>> SyclQueue::Record(std::span<const Command> commands) {
  ACU_RETURN_IF_ERROR(context_->Lost());
  context_->compiler().Compile();
  auto recording = std::make_unique<SyclRecording>(context_);
  for (const Command& command : commands)
    ACU_RETURN_IF_ERROR(std::visit([&](const auto& each) { return Append(each, *recording); }, command));
  return std::unique_ptr<Recording>(std::move(recording));
}

Status SyclQueue::Submit(Recording& recording) {
  ACU_RETURN_IF_ERROR(context_->Lost());
  return Try(context_->info().name, "start a recording",
             [&] { static_cast<SyclRecording&>(recording).Enqueue(*queue_); });
}

Status SyclQueue::Copy(std::span<const CopyCommand> copies) {
  ACU_RETURN_IF_ERROR(context_->Lost());
  for (const CopyCommand& copy : copies) {
    ACU_ASSIGN_OR_RETURN(const sycl_backend::Copy bound, Bound(copy));
    ACU_RETURN_IF_ERROR(Try(context_->info().name, "start a copy", [&] { bound.Enqueue(*queue_); }));
  }
  return {};
}

Result<std::unique_ptr<Mark>> SyclQueue::MarkEnd() {
  ACU_RETURN_IF_ERROR(context_->Lost());
  std::unique_ptr<Mark> mark;
  ACU_RETURN_IF_ERROR(Try(context_->info().name, "mark the end of what was submitted", [&] {
    mark = std::make_unique<SyclMark>(context_, errors_, queue_->ext_oneapi_submit_barrier());
  }));
  return mark;
}

Status SyclQueue::Wait() {
  constexpr const char* kDoing = "finish what was submitted";
  ACU_RETURN_IF_ERROR(context_->Lost());
  sycl::event end;
  ACU_RETURN_IF_ERROR(Try(context_->info().name, kDoing, [&] { end = queue_->ext_oneapi_submit_barrier(); }));
  ACU_RETURN_IF_ERROR(context_->WaitFor(end, kDoing));
  return Try(context_->info().name, kDoing, [&] {
    queue_->throw_asynchronous();
    errors_->Rethrow();
  });
}

}  // namespace acutance::sycl_backend
