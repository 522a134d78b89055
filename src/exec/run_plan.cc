#include "exec/run_plan.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>

namespace acutance {
namespace {

constexpr std::byte kPoison{0xA7};

bool IsReference(PlanInput input) { return input <= PlanInput::kReferenceCr; }
int PlaneOf(PlanInput input) { return static_cast<int>(input) % 3; }

size_t PictureBytes(const PlanContext& context, PlanInput input) {
  return static_cast<size_t>(context.layout(input).picture_stride) * context.format.BytesPerSample();
}

size_t InputBytes(const PlanContext& context, PlanInput input) {
  return PictureBytes(context, input) * (context.layout(input).history + context.batch);
}

size_t SumsBytes(const Plan& plan, const PlanContext& context) {
  return sizeof(int64_t) * plan.sum_count() * context.batch;
}

}  // namespace

size_t PlanRunner::DeviceBytes(const std::vector<Plan>& plans, const PlanContext& context) {
  size_t bytes = 0;
  for (int i = 0; i < kPlanInputs; ++i) {
    const PlanInput input = static_cast<PlanInput>(i);
    const auto reads = [&](const Plan& plan) { return plan.Reads(input); };
    if (std::any_of(plans.begin(), plans.end(), reads)) bytes += InputBytes(context, input);
  }
  for (const Plan& plan : plans)
    for (const Plan::BufferSpec& spec : plan.buffers()) bytes += spec.bytes;
  return bytes;
}

Result<std::unique_ptr<PlanRunner>> PlanRunner::Make(Device& device, std::vector<Plan> plans,
                                                     const PlanContext& context, Options options) {
  std::unique_ptr<PlanRunner> runner(new PlanRunner(device, context, std::move(options)));
  ACU_RETURN_IF_ERROR(runner->Prepare(std::move(plans)));
  return runner;
}

// The device may still read the staging memory; how that work ends no longer matters.
PlanRunner::~PlanRunner() {
  if (started_) static_cast<void>(Wait());
}

Status PlanRunner::Prepare(std::vector<Plan> plans) {
  ACU_ASSIGN_OR_RETURN(queue_, device_.MakeQueue());
  for (Plan& plan : plans) ACU_RETURN_IF_ERROR(AllocatePlan(std::move(plan)));
  ACU_RETURN_IF_ERROR(AllocateInputs());
  ACU_RETURN_IF_ERROR(AllocateStaging());
  ACU_RETURN_IF_ERROR(FillBuffers());
  return RecordBatch();
}

Status PlanRunner::AllocatePlan(Plan plan) {
  BoundPlan bound = {.plan = std::move(plan)};
  ACU_ASSIGN_OR_RETURN(bound.sums, device_.Allocate(SumsBytes(bound.plan, context_), MemoryKind::kReadback));
  for (const Plan::BufferSpec& spec : bound.plan.buffers()) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_.Allocate(spec.bytes, MemoryKind::kDevice));
    bound.own.push_back(std::move(buffer));
  }
  for (const Plan::Launch& launch : bound.plan.launches()) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, device_.LoadKernel(*launch.kernel));
    bound.kernels.push_back(std::move(kernel));
  }
  plans_.push_back(std::move(bound));
  return {};
}

Status PlanRunner::AllocateInputs() {
  for (int i = 0; i < kPlanInputs; ++i) {
    const PlanInput plane = static_cast<PlanInput>(i);
    const auto reads = [&](const BoundPlan& bound) { return bound.plan.Reads(plane); };
    if (std::none_of(plans_.begin(), plans_.end(), reads)) continue;
    const size_t bytes = InputBytes(context_, plane);
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_.Allocate(bytes, MemoryKind::kDevice));
    inputs_.push_back({plane, std::move(buffer)});
  }
  return {};
}

// One uploader for all inputs.
Status PlanRunner::AllocateStaging() {
  size_t upload = 0;
  for (const Input& input : inputs_) upload += input.buffer->bytes();
  if (options_.uploads_with) {
    uploader_ = options_.uploads_with->uploader_;
  } else {
    const std::byte padding = options_.poison ? kPoison : std::byte{0};
    ACU_ASSIGN_OR_RETURN(uploader_, Uploader::Make(device_, upload, queue_->BestCopyBytes(), padding));
  }
  if (!options_.poison) return {};
  size_t largest = 0;
  for (const BoundPlan& bound : plans_) {
    largest = std::max(largest, bound.sums->bytes());
    for (const auto& buffer : bound.own) largest = std::max(largest, buffer->bytes());
  }
  ACU_ASSIGN_OR_RETURN(poison_, device_.Allocate(largest, MemoryKind::kUpload));
  std::memset(poison_->host(), static_cast<int>(kPoison), largest);
  return {};
}

/// Uploads tables, and writes inputs once so that no kernel reads what nobody wrote: padding, missing history and the
/// rest of a short batch stay as they are.
Status PlanRunner::FillBuffers() {
  std::vector<std::unique_ptr<Buffer>> sources;
  std::vector<CopyCommand> commands;
  for (const Input& input : inputs_) uploader_->AppendFill(*input.buffer, commands);
  for (const BoundPlan& bound : plans_)
    for (size_t i = 0; i < bound.own.size(); ++i) {
      const std::vector<std::byte>& contents = bound.plan.buffers()[i].contents;
      if (contents.empty()) continue;
      ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> source, device_.Allocate(contents.size(), MemoryKind::kUpload));
      std::memcpy(source->host(), contents.data(), contents.size());
      commands.push_back({source.get(), 0, bound.own[i].get(), 0, contents.size()});
      sources.push_back(std::move(source));
    }
  ACU_RETURN_IF_ERROR(queue_->Copy(commands));
  return queue_->Wait();
}

Status PlanRunner::RecordBatch() {
  std::vector<Command> commands;
  if (options_.poison) AppendPoison(commands);
  AppendLaunches(commands);
  ACU_ASSIGN_OR_RETURN(recording_, queue_->Record(commands));
  return {};
}

void PlanRunner::AppendPoison(std::vector<Command>& commands) const {
  for (const BoundPlan& bound : plans_) {
    commands.push_back(CopyCommand{poison_.get(), 0, bound.sums.get(), 0, bound.sums->bytes()});
    for (size_t i = 0; i < bound.own.size(); ++i)
      if (bound.plan.buffers()[i].contents.empty())
        commands.push_back(CopyCommand{poison_.get(), 0, bound.own[i].get(), 0, bound.own[i]->bytes()});
  }
}

/// The plans' launches in turn: those of different plans do not depend on each other and may run side by side.
void PlanRunner::AppendLaunches(std::vector<Command>& commands) const {
  size_t most = 0;
  for (const BoundPlan& bound : plans_) most = std::max(most, bound.kernels.size());
  for (size_t i = 0; i < most; ++i)
    for (const BoundPlan& bound : plans_)
      if (i < bound.kernels.size()) commands.push_back(BindLaunch(bound, i));
}

LaunchCommand PlanRunner::BindLaunch(const BoundPlan& bound, size_t launch) const {
  std::vector<uint64_t> addresses(kPlanInputs);
  for (const Input& input : inputs_) addresses[static_cast<int>(input.plane)] = input.buffer->address();
  addresses.push_back(bound.sums->address());
  for (const auto& buffer : bound.own) addresses.push_back(buffer->address());
  const Plan::Launch& what = bound.plan.launches()[launch];
  LaunchCommand command = {bound.kernels[launch].get(), what.grid, BindArguments(what, addresses)};
  for (const int used : BuffersOf(what)) {
    if (used == kPlanInputs) command.shares.push_back(bound.sums.get());
    if (used < Plan::kFirstOwnBuffer) continue;
    const int own = used - Plan::kFirstOwnBuffer;
    if (bound.plan.buffers()[own].contents.empty()) command.shares.push_back(bound.own[own].get());
  }
  return command;
}

Status PlanRunner::Start(std::span<const Picture* const> references, std::span<const Picture* const> distorted) {
  if (started_) return Error(StatusCode::kInvalidArgument, "a batch is still running: wait for it before the next");
  ACU_RETURN_IF_ERROR(UploadPictures(references, distorted));
  return queue_->Submit(*recording_);
}

Status PlanRunner::UploadPictures(Pictures references, Pictures distorted) {
  const auto begin = std::chrono::steady_clock::now();
  upload_ = {};
  windows_.clear();
  adopted_.clear();
  const bool in_place = options_.imports && options_.imports->IsWorthIt() && OpenWindows(references, distorted);
  for (const Input& input : inputs_)
    ACU_RETURN_IF_ERROR(AddUpload(input, IsReference(input.plane) ? references : distorted, in_place));
  started_ = true;  // also after a failure: a part may run
  ACU_RETURN_IF_ERROR(uploader_->Run(upload_, *queue_, options_.for_each));
  if (!options_.imports) return {};
  options_.imports->Report(in_place, upload_.bytes(),
                           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return {};
}

bool PlanRunner::OpenWindows(Pictures references, Pictures distorted) {
  for (const Input& input : inputs_) {
    const Pictures pictures = IsReference(input.plane) ? references : distorted;
    const auto fits = [&](const Picture* picture) {
      return !picture || IsSolid(picture->planes[PlaneOf(input.plane)], context_.layout(input.plane));
    };
    if (!std::ranges::all_of(pictures, fits)) continue;
    if (!options_.imports->Open(pictures, PlaneOf(input.plane), options_.for_each, windows_)) return false;
  }
  return !windows_.empty();
}

/// Whether the rows follow one another as on the device. Others are copied by the host: devices are slow at short rows.
bool PlanRunner::IsSolid(const Plane& plane, const PlaneLayout& layout) const {
  const size_t sample_bytes = context_.format.BytesPerSample(), row = layout.width * sample_bytes;
  return plane.stride == static_cast<ptrdiff_t>(row) && layout.row_stride * sample_bytes == row;
}

Status PlanRunner::AddUpload(const Input& input, Pictures pictures, bool in_place) {
  const PlaneLayout& layout = context_.layout(input.plane);
  if (pictures.size() > static_cast<size_t>(layout.history) + static_cast<size_t>(context_.batch))
    return Error(StatusCode::kInvalidArgument, "{} pictures are too many for a batch of {} with a history of {}",
                 pictures.size(), context_.batch, layout.history);
  const size_t bytes = PictureBytes(context_, input.plane);
  for (size_t i = 0; i < pictures.size(); ++i) {
    if (!pictures[i]) continue;
    if (const DevicePlane& there = pictures[i]->device_planes[PlaneOf(input.plane)]; there.address != 0) {
      ACU_RETURN_IF_ERROR(AddDeviceCopy(there, layout, *input.buffer, i * bytes));
      continue;
    }
    const Plane& plane = pictures[i]->planes[PlaneOf(input.plane)];
    if (plane.data == nullptr || plane.width != layout.width || plane.height != layout.height)
      return Error(StatusCode::kInvalidArgument, "a plane of {}x{} samples was given where the plan reads {}x{}",
                   plane.width, plane.height, layout.width, layout.height);
    if (in_place && IsSolid(plane, layout) && FindWindow(windows_, plane.data)) {
      AddInPlace(plane, *input.buffer, i * bytes, bytes);
      continue;
    }
    const size_t sample_bytes = context_.format.BytesPerSample();
    upload_.planes.push_back(
        {plane, layout.width * sample_bytes, input.buffer.get(), i * bytes, layout.row_stride * sample_bytes});
  }
  return {};
}

Status PlanRunner::AddDeviceCopy(const DevicePlane& plane, const PlaneLayout& layout, const Buffer& to, size_t offset) {
  const size_t sample_bytes = context_.format.BytesPerSample();
  const size_t row_bytes = layout.width * sample_bytes;
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> from,
                       device_.Adopt(plane.address, plane.stride * (layout.height - 1) + row_bytes));
  upload_.direct.push_back({from.get(), 0, &to, offset, row_bytes, static_cast<size_t>(layout.height), plane.stride,
                            layout.row_stride * sample_bytes});
  adopted_.push_back(std::move(from));
  return {};
}

/// A picture may reach from one window into the next.
void PlanRunner::AddInPlace(const Plane& plane, const Buffer& to, size_t offset, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    const HostImports::Window& window = *FindWindow(windows_, plane.data + done);
    const size_t from = static_cast<size_t>(plane.data + done - window.begin());
    const size_t part = std::min(bytes - done, window.buffer().bytes() - from);
    upload_.direct.push_back({&window.buffer(), from, &to, offset + done, part});
    done += part;
  }
}

Status PlanRunner::Wait() {
  started_ = false;
  return queue_->Wait();
}

Status PlanRunner::Run(std::span<const Picture* const> references, std::span<const Picture* const> distorted) {
  ACU_RETURN_IF_ERROR(Start(references, distorted));
  return Wait();
}

/// Of one recording with the launches of so many batches; the least of several runs. A GPU that stood still, while
/// kernels were compiled say, takes a moment to reach its clock.
Result<double> PlanRunner::TimeRecording(int batches) {
  constexpr int kRuns = 4;
  constexpr std::chrono::milliseconds kLeast{50};
  std::vector<Command> commands;
  for (int i = 0; i < batches; ++i) AppendLaunches(commands);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue_->Record(commands));
  double least = std::numeric_limits<double>::infinity();
  const auto begin = std::chrono::steady_clock::now();
  for (int run = 0; run <= kRuns || std::chrono::steady_clock::now() - begin < kLeast; ++run) {
    const auto start = std::chrono::steady_clock::now();
    ACU_RETURN_IF_ERROR(queue_->Submit(*recording));
    ACU_RETURN_IF_ERROR(queue_->Wait());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    if (run > 0) least = std::min(least, time.count());  // the first run warms up
  }
  return least;
}

// What submitting and waiting cost is the same for one batch and for many.
Result<double> PlanRunner::TimeLaunches() {
  constexpr double kSeconds = 0.01;
  constexpr int kMostBatches = 256;
  ACU_ASSIGN_OR_RETURN(const double one, TimeRecording(1));
  const int more = std::clamp(static_cast<int>(kSeconds / one), 1, kMostBatches);
  ACU_ASSIGN_OR_RETURN(const double many, TimeRecording(1 + more));
  // Where other work came between, one batch may have taken longer than many.
  return many > one ? (many - one) / more : many / (1 + more);
}

std::span<const int64_t> PlanRunner::Sums(int plan, int frame) const {
  const size_t count = plans_[plan].plan.sum_count();
  return {reinterpret_cast<const int64_t*>(plans_[plan].sums->host()) + count * frame, count};
}

}  // namespace acutance
