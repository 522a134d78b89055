#include "exec/run_plan.h"

#include <algorithm>
#include <cstring>

namespace acutance {
namespace {

constexpr std::byte kPoison{0xA7};
constexpr size_t kAlignment = 256;

size_t AlignUp(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

bool IsReference(PlanInput input) { return input <= PlanInput::kReferenceCr; }
int PlaneOf(PlanInput input) { return static_cast<int>(input) % 3; }

}  // namespace

Result<std::unique_ptr<PlanRunner>> PlanRunner::Make(Device& device, std::vector<Plan> plans,
                                                     const PlanContext& context, Options options) {
  std::unique_ptr<PlanRunner> runner(new PlanRunner(device, context, options));
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
  ACU_RETURN_IF_ERROR(UploadTables());
  return RecordBatch();
}

Status PlanRunner::AllocatePlan(Plan plan) {
  BoundPlan bound = {.plan = std::move(plan)};
  const size_t sums = sizeof(int64_t) * bound.plan.sum_count() * context_.batch;
  ACU_ASSIGN_OR_RETURN(bound.sums, device_.Allocate(sums, MemoryKind::kDevice));
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
  size_t offset = 0;
  for (int i = 0; i < kPlanInputs; ++i) {
    const PlanInput plane = static_cast<PlanInput>(i);
    const auto reads = [&](const BoundPlan& bound) { return bound.plan.Reads(plane); };
    if (std::none_of(plans_.begin(), plans_.end(), reads)) continue;
    const PlaneLayout& layout = context_.layout(plane);
    const size_t picture = static_cast<size_t>(layout.picture_stride) * context_.format.BytesPerSample();
    const size_t bytes = picture * (layout.history + context_.batch);
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_.Allocate(bytes, MemoryKind::kDevice));
    inputs_.push_back({plane, offset, bytes, std::move(buffer)});
    offset += AlignUp(bytes);
  }
  return {};
}

// One upload buffer for all inputs and one readback buffer for all sums.
Status PlanRunner::AllocateStaging() {
  const size_t upload = inputs_.empty() ? kAlignment : inputs_.back().staging_offset + inputs_.back().bytes;
  ACU_ASSIGN_OR_RETURN(staging_, device_.Allocate(upload, MemoryKind::kUpload));
  // Padding, missing history and the rest of a short batch.
  std::memset(staging_->host(), options_.poison ? static_cast<int>(kPoison) : 0, upload);
  size_t readback = 0;
  for (BoundPlan& bound : plans_) {
    bound.readback_offset = readback;
    readback += AlignUp(bound.sums->bytes());
  }
  ACU_ASSIGN_OR_RETURN(readback_, device_.Allocate(std::max(readback, kAlignment), MemoryKind::kReadback));
  if (!options_.poison) return {};
  size_t largest = kAlignment;
  for (const BoundPlan& bound : plans_) {
    largest = std::max(largest, bound.sums->bytes());
    for (const auto& buffer : bound.own) largest = std::max(largest, buffer->bytes());
  }
  ACU_ASSIGN_OR_RETURN(poison_, device_.Allocate(largest, MemoryKind::kUpload));
  std::memset(poison_->host(), static_cast<int>(kPoison), largest);
  return {};
}

Status PlanRunner::UploadTables() {
  std::vector<std::unique_ptr<Buffer>> sources;
  std::vector<Command> commands;
  for (const BoundPlan& bound : plans_)
    for (size_t i = 0; i < bound.own.size(); ++i) {
      const std::vector<std::byte>& contents = bound.plan.buffers()[i].contents;
      if (contents.empty()) continue;
      ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> source, device_.Allocate(contents.size(), MemoryKind::kUpload));
      std::memcpy(source->host(), contents.data(), contents.size());
      commands.push_back(CopyCommand{source.get(), 0, bound.own[i].get(), 0, contents.size()});
      sources.push_back(std::move(source));
    }
  if (commands.empty()) return {};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Recording> recording, queue_->Record(commands));
  ACU_RETURN_IF_ERROR(queue_->Submit(*recording));
  return queue_->Wait();
}

Status PlanRunner::RecordBatch() {
  std::vector<Command> commands;
  for (const Input& input : inputs_)
    commands.push_back(CopyCommand{staging_.get(), input.staging_offset, input.buffer.get(), 0, input.bytes});
  if (options_.poison) AppendPoison(commands);
  for (const BoundPlan& bound : plans_) AppendLaunches(bound, commands);
  for (const BoundPlan& bound : plans_)
    commands.push_back(CopyCommand{bound.sums.get(), 0, readback_.get(), bound.readback_offset, bound.sums->bytes()});
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

void PlanRunner::AppendLaunches(const BoundPlan& bound, std::vector<Command>& commands) const {
  std::vector<uint64_t> addresses(kPlanInputs);
  for (const Input& input : inputs_) addresses[static_cast<int>(input.plane)] = input.buffer->address();
  addresses.push_back(bound.sums->address());
  for (const auto& buffer : bound.own) addresses.push_back(buffer->address());
  for (size_t i = 0; i < bound.kernels.size(); ++i) {
    const Plan::Launch& launch = bound.plan.launches()[i];
    commands.push_back(LaunchCommand{bound.kernels[i].get(), launch.grid, BindArguments(launch, addresses)});
  }
}

Status PlanRunner::Start(std::span<const Picture* const> references, std::span<const Picture* const> distorted) {
  if (started_) return Error(StatusCode::kInvalidArgument, "a batch is still running: wait for it before the next");
  for (const Input& input : inputs_)
    ACU_RETURN_IF_ERROR(CopyIn(input, IsReference(input.plane) ? references : distorted));
  ACU_RETURN_IF_ERROR(queue_->Submit(*recording_));
  started_ = true;
  return {};
}

Status PlanRunner::CopyIn(const Input& input, std::span<const Picture* const> pictures) {
  const PlaneLayout& layout = context_.layout(input.plane);
  if (pictures.size() > static_cast<size_t>(layout.history + context_.batch))
    return Error(StatusCode::kInvalidArgument, "{} pictures are too many for a batch of {} with a history of {}",
                 pictures.size(), context_.batch, layout.history);
  const size_t sample_bytes = context_.format.BytesPerSample();
  for (size_t i = 0; i < pictures.size(); ++i) {
    if (pictures[i] == nullptr) continue;
    const Plane& plane = pictures[i]->planes[PlaneOf(input.plane)];
    if (plane.data == nullptr || plane.width != layout.width || plane.height != layout.height)
      return Error(StatusCode::kInvalidArgument, "a plane of {}x{} samples was given where the plan reads {}x{}",
                   plane.width, plane.height, layout.width, layout.height);
    std::byte* to = staging_->host() + input.staging_offset + i * layout.picture_stride * sample_bytes;
    for (int y = 0; y < layout.height; ++y)
      std::memcpy(to + y * layout.row_stride * sample_bytes, plane.data + y * plane.stride,
                  layout.width * sample_bytes);
  }
  return {};
}

Status PlanRunner::Wait() {
  started_ = false;
  return queue_->Wait();
}

Status PlanRunner::Run(std::span<const Picture* const> references, std::span<const Picture* const> distorted) {
  ACU_RETURN_IF_ERROR(Start(references, distorted));
  return Wait();
}

std::span<const int64_t> PlanRunner::Sums(int plan, int frame) const {
  const size_t count = plans_[plan].plan.sum_count();
  const std::byte* sums = readback_->host() + plans_[plan].readback_offset;
  return {reinterpret_cast<const int64_t*>(sums) + count * frame, count};
}

}  // namespace acutance
