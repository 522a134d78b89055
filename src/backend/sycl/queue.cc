#include "backend/sycl/queue.h"

#include <exception>
#include <mutex>
#include <span>
#include <string>
#include <sycl/sycl.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "exec/device_checks.h"

namespace acutance::sycl_backend {

namespace experimental = sycl::ext::oneapi::experimental;

namespace {

class SyclKernel : public Kernel {
 public:
  SyclKernel(std::shared_ptr<Context> context, const KernelImage& image)
      : context_(std::move(context)),
        compiled_(context_->compiler().Add(image)),
        group_x_(image.group_x),
        group_y_(image.group_y),
        args_bytes_(image.args_bytes) {}

  /// The kernel, once Compiler::Compile() has run.
  const CompiledKernel& compiled() const { return *compiled_; }
  const std::string& symbol() const { return compiled_->symbol; }
  size_t group_x() const { return group_x_; }
  size_t group_y() const { return group_y_; }
  uint32_t args_bytes() const { return args_bytes_; }

 private:
  const std::shared_ptr<Context> context_;  // declared first: the kernel is destroyed before it
  const std::shared_ptr<const CompiledKernel> compiled_;
  const size_t group_x_;
  const size_t group_y_;
  const uint32_t args_bytes_;
};

/// Failures that the device reports asynchronously: the runtime may call at any time and from any thread.
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
  ACU_RETURN_IF_ERROR(CheckLaunch(launch, kernel.symbol(), kernel.args_bytes()));
  const Grid& grid = launch.grid;
  const sycl::range<3> local(1, kernel.group_y(), kernel.group_x());  // the last dimension is the fastest
  const sycl::range<3> groups(grid.z, grid.y, grid.x);
  recording.Add(Launch{*kernel.compiled().kernel, sycl::nd_range<3>(groups * local, local), launch.args});
  return {};
}

class SyclQueue : public Queue {
 public:
  SyclQueue(std::shared_ptr<Context> context, const std::shared_ptr<AsyncErrors>& errors)
      : context_(std::move(context)),
        errors_(errors),
        queue_(std::make_unique<sycl::queue>(
            context_->context(), context_->device(), [errors](const sycl::exception_list& list) { errors->Add(list); },
            sycl::property::queue::in_order())) {}
  /// Waits: buffers may go right after.
  ~SyclQueue() override {
    static_cast<void>(SyclQueue::Wait());
    if (context_->is_abandoned()) static_cast<void>(queue_.release());
  }

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override {
    ACU_RETURN_IF_ERROR(context_->Lost());
    context_->compiler().Compile();
    auto recording = std::make_unique<SyclRecording>(context_);
    for (const Command& command : commands)
      ACU_RETURN_IF_ERROR(std::visit([&](const auto& each) { return Append(each, *recording); }, command));
    return std::unique_ptr<Recording>(std::move(recording));
  }

  Status Submit(Recording& recording) override {
    ACU_RETURN_IF_ERROR(context_->Lost());
    return Try("start a recording", [&] { static_cast<SyclRecording&>(recording).Enqueue(*queue_); });
  }

  Status Copy(std::span<const CopyCommand> copies) override {
    ACU_RETURN_IF_ERROR(context_->Lost());
    for (const CopyCommand& copy : copies) {
      ACU_ASSIGN_OR_RETURN(const sycl_backend::Copy bound, Bound(copy));
      ACU_RETURN_IF_ERROR(Try("start a copy", [&] { bound.Enqueue(*queue_); }));
    }
    return {};
  }

  Result<std::unique_ptr<Mark>> MarkEnd() override {
    ACU_RETURN_IF_ERROR(context_->Lost());
    std::unique_ptr<Mark> mark;
    ACU_RETURN_IF_ERROR(Try("mark the end of what was submitted", [&] {
      mark = std::make_unique<SyclMark>(context_, errors_, queue_->ext_oneapi_submit_barrier());
    }));
    return mark;
  }

  Status Wait() override {
    constexpr const char* kDoing = "finish what was submitted";
    ACU_RETURN_IF_ERROR(context_->Lost());
    sycl::event end;
    ACU_RETURN_IF_ERROR(Try(kDoing, [&] { end = queue_->ext_oneapi_submit_barrier(); }));
    ACU_RETURN_IF_ERROR(context_->WaitFor(end, kDoing));
    return Try(kDoing, [&] {
      queue_->throw_asynchronous();
      errors_->Rethrow();
    });
  }

 private:
  template <class Work>
  Status Try(std::string_view doing, Work&& work) const {
    return sycl_backend::Try(context_->info().name, doing, std::forward<Work>(work));
  }

  const std::shared_ptr<Context> context_;
  const std::shared_ptr<AsyncErrors> errors_;
  std::unique_ptr<sycl::queue> queue_;  // never destroyed where the device hangs
};

}  // namespace

Result<std::unique_ptr<Kernel>> LoadKernel(std::shared_ptr<Context> context, const KernelImage& image) {
  if (image.sycl_source.empty())
    return Error(StatusCode::kUnsupported, "kernel {} was not built for SYCL", image.symbol);
  ACU_RETURN_IF_ERROR(CheckSharedMemory(image, context->info()));
  ACU_RETURN_IF_ERROR(CheckWorkgroup(image, context->info(), context->largest_group()));
  return std::unique_ptr<Kernel>(std::make_unique<SyclKernel>(std::move(context), image));
}

Result<std::unique_ptr<Queue>> MakeQueue(std::shared_ptr<Context> context) {
  ACU_RETURN_IF_ERROR(context->Lost());
  const std::string name = context->info().name;
  std::unique_ptr<Queue> queue;
  ACU_RETURN_IF_ERROR(Try(name, "make a queue", [&] {
    queue = std::make_unique<SyclQueue>(std::move(context), std::make_shared<AsyncErrors>());
  }));
  return queue;
}

}  // namespace acutance::sycl_backend
