#include "exec/run_plan.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "base/int_math.h"
#include "base/threads/exception_barrier.h"
#include "base/trace.h"
#include "image/lazy_picture.h"

namespace acutance {
namespace {

constexpr std::byte kPoison{0xA7};

/// Stands where no kernel has written a result yet. No sum reaches it (docs/develop/numbers.md), and as a double it is
/// a negative number below 1e-300, which no sum of a row is.
constexpr int64_t kUnwritten = std::numeric_limits<int64_t>::min() + 0x5A5A5A5A;

/// Which of the context's inputs the plans read, or launches that are not idle.
std::vector<bool> UsedInputs(const Plan* derive, std::span<const Plan* const> plans, const PlanContext& context) {
  std::vector<bool> used(context.inputs.size());
  const auto mark = [&](const Plan::Launch& launch) {
    for (const int buffer : BuffersOf(launch))
      if (const int input = buffer - Plan::kFirstInput; input >= 0 && input < std::ssize(used)) used[input] = true;
  };
  for (const Plan* plan : plans) std::ranges::for_each(plan->launches(), mark);
  if (!derive) return used;
  for (const Plan::Launch& launch : derive->launches())
    if (!IsUnused(launch, context, plans)) mark(launch);
  return used;
}

constexpr size_t kBeforeClipBytes = 3 * sizeof(int32_t);  // of Plan::BeforeClip

/// A buffer of no bytes cannot be allocated.
size_t ResultBytes(const Plan& plan, int words) { return sizeof(int64_t) * std::max(words * plan.items(), 1); }

}  // namespace

std::string PlanRunner::PrintDerive(const Plan& derive, const std::vector<Plan>& plans, const PlanContext& context) {
  std::vector<const Plan*> all;
  for (const Plan& plan : plans) all.push_back(&plan);
  const auto runs = [&](const Plan::Launch& launch) { return !IsUnused(launch, context, all); };
  return std::ranges::any_of(derive.launches(), runs) ? derive.Print(runs) : "";
}

size_t PlanRunner::DeviceBytes(const std::vector<Plan>& plans, const std::optional<Plan>& derive,
                               const PlanContext& context) {
  std::vector<const Plan*> all;
  for (const Plan& plan : plans) all.push_back(&plan);
  const std::vector<bool> used = UsedInputs(derive ? &*derive : nullptr, all, context);
  if (derive) all.push_back(&*derive);
  size_t bytes = 0;
  for (size_t i = 0; i < context.inputs.size(); ++i)
    if (used[i]) bytes += context.InputBytes(context.inputs[i]);
  for (const Plan* plan : all)
    for (const Plan::BufferSpec& spec : plan->buffers()) bytes += spec.bytes;
  bytes += BatchConverter::DeviceBytes(context, used);
  return bytes;
}

Result<std::unique_ptr<PlanRunner>> PlanRunner::Make(Device& device, std::vector<Plan> plans,
                                                     const PlanContext& context, Options options) {
  std::unique_ptr<PlanRunner> runner(new PlanRunner(device, context, std::move(options)));
  ACU_RETURN_IF_ERROR(runner->Prepare(std::move(plans)));
  return runner;
}

// The device may still read the staging memory; how that work ends no longer matters.
PlanRunner::~PlanRunner() { End(); }

void PlanRunner::End() noexcept {
  if (std::exchange(started_, false)) static_cast<void>(CatchExceptions([&] { return queue_->Wait(); }));
}

void PlanRunner::Attach(ForEach for_each) {
  options_.for_each = std::move(for_each);
  upload_ = {};
  adopted_.clear();
  const std::lock_guard lock(pictures_.mutex);
  pictures_.started = true;
  pictures_.status = {};
  pictures_.uploaded.reset();
  pictures_.taken.reset();
  pictures_.is_awaited = false;
}

Status PlanRunner::Prepare(std::vector<Plan> plans) {
  ACU_ASSIGN_OR_RETURN(queue_, device_.MakeQueue());
  leading_ = options_.derive ? 1 : 0;
  LoadAhead(plans);
  if (options_.derive) ACU_RETURN_IF_ERROR(AllocatePlan(*std::exchange(options_.derive, std::nullopt)));
  for (Plan& plan : plans) ACU_RETURN_IF_ERROR(AllocatePlan(std::move(plan)));
  ACU_RETURN_IF_ERROR(AllocateInputs());
  ACU_RETURN_IF_ERROR(AllocateScaler());
  ACU_RETURN_IF_ERROR(AllocateBeforeClip());
  ACU_RETURN_IF_ERROR(AllocateStaging());
  ACU_RETURN_IF_ERROR(FillBuffers());
  return RecordBatch();
}

void PlanRunner::LoadAhead(const std::vector<Plan>& plans) {
  std::vector<const KernelImage*> images;
  if (options_.derive) AddKernels(*options_.derive, images);
  for (const Plan& plan : plans) AddKernels(plan, images);
  BatchConverter::AddKernels(context_, images);
  device_.LoadAhead(images);
}

Status PlanRunner::AllocatePlan(Plan plan) {
  BoundPlan bound = {.plan = std::move(plan)};
  const Plan& what = bound.plan;
  ACU_ASSIGN_OR_RETURN(bound.sums, device_.Allocate(ResultBytes(what, what.sum_count()), MemoryKind::kReadback));
  ACU_ASSIGN_OR_RETURN(bound.words, device_.Allocate(ResultBytes(what, what.word_count()), MemoryKind::kReadback));
  for (const Plan::BufferSpec& spec : what.buffers()) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_.Allocate(spec.bytes, MemoryKind::kDevice));
    bound.own.push_back(std::move(buffer));
    if (!options_.artifacts || spec.kind != Plan::BufferKind::kArtifact) continue;
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> copy, device_.Allocate(spec.bytes, MemoryKind::kReadback));
    bound.artifacts.push_back(std::move(copy));
  }
  for (const Plan::Launch& launch : what.launches()) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, device_.LoadKernel(*launch.kernel));
    bound.kernels.push_back(std::move(kernel));
  }
  plans_.push_back(std::move(bound));
  return {};
}

/// The plans of the metrics.
std::vector<const Plan*> PlanRunner::MetricPlans() const {
  std::vector<const Plan*> plans;
  for (const BoundPlan& bound : std::span(plans_).subspan(leading_)) plans.push_back(&bound.plan);
  return plans;
}

Status PlanRunner::AllocateInputs() {
  const std::vector<const Plan*> plans = MetricPlans();
  const std::vector<bool> used = UsedInputs(leading_ > 0 ? &plans_.front().plan : nullptr, plans, context_);
  for (int i = 0; i < std::ssize(context_.inputs); ++i) {
    if (!used[i]) continue;
    const size_t bytes = context_.InputBytes(context_.inputs[i]);
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> buffer, device_.Allocate(bytes, MemoryKind::kDevice));
    inputs_.emplace_back(i, std::move(buffer));
    zeros_.resize(std::max(zeros_.size(), static_cast<size_t>(context_.inputs[i].width()) * sizeof(uint16_t)));
  }
  return {};
}

Status PlanRunner::AllocateScaler() {
  std::vector<BatchConverter::Target> targets;
  for (const Input& input : inputs_) targets.push_back({&SpecOf(input), input.buffer.get()});
  ACU_ASSIGN_OR_RETURN(scaler_, BatchConverter::Make(device_, *queue_, context_, targets));
  return {};
}

Status PlanRunner::AllocateBeforeClip() {
  const auto reads = [](const BoundPlan& bound) {
    return bound.plan.ReadsInput(Plan::kBeforeClipBuffer - Plan::kFirstInput);
  };
  if (std::ranges::none_of(plans_, reads)) return {};
  ACU_ASSIGN_OR_RETURN(frames_before_start_here_, device_.Allocate(kBeforeClipBytes, MemoryKind::kUpload));
  ACU_ASSIGN_OR_RETURN(frames_before_start_there_, device_.Allocate(kBeforeClipBytes, MemoryKind::kDevice));
  return {};
}

// One uploader for all inputs.
Status PlanRunner::AllocateStaging() {
  size_t upload = 0;
  for (const Input& input : inputs_)
    if (SpecOf(input).derived.empty()) upload += input.buffer->bytes();
  if (scaler_) upload += scaler_->upload_bytes();
  if (options_.uploads_with) {
    uploader_ = options_.uploads_with->uploader_;
  } else {
    const std::byte padding = options_.poison ? kPoison : std::byte{0};
    ACU_ASSIGN_OR_RETURN(uploader_, Uploader::Make(device_, upload, queue_->BestCopyBytes(), padding));
  }
  if (!options_.poison) return {};
  size_t largest = 0;
  for (const BoundPlan& bound : plans_) {
    largest = std::max({largest, bound.sums->bytes(), bound.words->bytes()});
    for (const auto& buffer : bound.own) largest = std::max(largest, buffer->bytes());
  }
  ACU_ASSIGN_OR_RETURN(poison_, device_.Allocate(largest, MemoryKind::kUpload));
  std::memset(poison_->host(), static_cast<int>(kPoison), largest);
  return {};
}

/// Uploads tables, and writes the inputs once so that no kernel reads uninitialised memory:
/// padding and the rest of a short batch stay as they are.
Status PlanRunner::FillBuffers() {
  std::vector<std::unique_ptr<Buffer>> sources;
  std::vector<CopyCommand> commands;
  for (const Input& input : inputs_) uploader_->AppendFill(*input.buffer, commands);
  if (scaler_)
    for (const Buffer* buffer : scaler_->upload_buffers()) uploader_->AppendFill(*buffer, commands);
  for (const BoundPlan& bound : plans_)
    for (size_t i = 0; i < bound.own.size(); ++i) {
      const Plan::BufferSpec& spec = bound.plan.buffers()[i];
      // An artifact is read back with the padding of its rows, which no kernel writes.
      const bool is_read_back = options_.artifacts && spec.kind == Plan::BufferKind::kArtifact;
      const size_t bytes = is_read_back ? spec.bytes : spec.contents.size();
      if (bytes == 0) continue;
      ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> source, device_.Allocate(bytes, MemoryKind::kUpload));
      if (is_read_back) std::memset(source->host(), 0, bytes);
      else std::memcpy(source->host(), spec.contents.data(), bytes);
      commands.push_back({source.get(), 0, bound.own[i].get(), 0, bytes});
      sources.push_back(std::move(source));
    }
  const Status copied = queue_->Copy(commands);
  const Status ended = queue_->Wait();  // also where a copy failed: those before it read the sources
  return copied.ok() ? ended : copied;
}

Status PlanRunner::RecordBatch() {
  std::vector<Command> commands;
  if (options_.poison) AppendPoison(commands);
  if (frames_before_start_here_)
    commands.push_back(
        CopyCommand{frames_before_start_here_.get(), 0, frames_before_start_there_.get(), 0, kBeforeClipBytes});
  AppendLaunches(commands);
  AppendArtifacts(commands);
  ACU_ASSIGN_OR_RETURN(recording_, queue_->Record(commands));
  return {};
}

void PlanRunner::AppendPoison(std::vector<Command>& commands) const {
  const auto fill = [&](const Buffer& to) { commands.push_back(CopyCommand{poison_.get(), 0, &to, 0, to.bytes()}); };
  for (const BoundPlan& bound : plans_) {
    fill(*bound.sums);
    fill(*bound.words);
    for (size_t i = 0; i < bound.own.size(); ++i)
      if (const auto kind = bound.plan.buffers()[i].kind;
          kind != Plan::BufferKind::kTable && kind != Plan::BufferKind::kState)
        fill(*bound.own[i]);
  }
}

/// The plans' launches in turn: those of different plans do not depend on each other and may run side by side. Derived
/// inputs are complete before that; those that no plan reads are not computed.
void PlanRunner::AppendLaunches(std::vector<Command>& commands) const {
  const std::span<const BoundPlan> all = plans_;
  const std::vector<const Plan*> plans = MetricPlans();
  for (const BoundPlan& bound : all.first(leading_))
    for (size_t i = 0; i < bound.kernels.size(); ++i)
      if (!IsUnused(bound.plan.launches()[i], context_, plans)) commands.push_back(BindLaunch(bound, i));
  size_t most = 0;
  for (const BoundPlan& bound : all.subspan(leading_)) most = std::max(most, bound.kernels.size());
  for (size_t i = 0; i < most; ++i)
    for (const BoundPlan& bound : all.subspan(leading_))
      if (i < bound.kernels.size()) commands.push_back(BindLaunch(bound, i));
}

void PlanRunner::AppendArtifacts(std::vector<Command>& commands) const {
  for (const BoundPlan& bound : plans_)
    for (size_t i = 0, artifact = 0; artifact < bound.artifacts.size(); ++i) {
      if (bound.plan.buffers()[i].kind != Plan::BufferKind::kArtifact) continue;
      const Buffer& to = *bound.artifacts[artifact++];
      commands.push_back(CopyCommand{bound.own[i].get(), 0, &to, 0, to.bytes()});
    }
}

const Buffer* PlanRunner::BufferAt(const BoundPlan& bound, int buffer) const {
  if (buffer == Plan::kSumsBuffer) return bound.sums.get();
  if (buffer == Plan::kWordsBuffer) return bound.words.get();
  if (buffer == Plan::kBeforeClipBuffer) return frames_before_start_there_.get();
  if (buffer >= bound.plan.first_own()) return bound.own[buffer - bound.plan.first_own()].get();
  const auto input = std::ranges::find(inputs_, buffer - Plan::kFirstInput, &Input::index);
  return input == inputs_.end() ? nullptr : input->buffer.get();
}

/// Whether launches write it.
bool PlanRunner::IsWritten(const BoundPlan& bound, int buffer) const {
  if (buffer < Plan::kFirstInput) return true;
  if (buffer < bound.plan.first_own()) return !context_.inputs[buffer - Plan::kFirstInput].derived.empty();
  return bound.plan.buffers()[buffer - bound.plan.first_own()].kind != Plan::BufferKind::kTable;
}

LaunchCommand PlanRunner::BindLaunch(const BoundPlan& bound, size_t launch) const {
  std::vector<uint64_t> addresses;
  for (int i = 0; i < bound.plan.first_own() + std::ssize(bound.own); ++i) {
    const Buffer* buffer = BufferAt(bound, i);
    addresses.push_back(buffer ? buffer->address() : 0);
  }
  const Plan::Launch& what = bound.plan.launches()[launch];
  LaunchCommand command = {bound.kernels[launch].get(), what.grid, BindArguments(what, addresses)};
  for (const int used : BuffersOf(what))
    if (IsWritten(bound, used)) command.shares.push_back(BufferAt(bound, used));
  return command;
}

Status PlanRunner::Start(const BatchPictures& pictures, PlanRunner* before) {
  if (started_) return Error(StatusCode::kInvalidArgument, "a batch is still running: wait for it before the next");
  ClearResults();
  Status status = CatchExceptions([&] { return UploadPictures(pictures, before != nullptr); });
  if (before == this) FollowItself();
  else followed_ = 0;
  if (!before) CountBeforeClip(pictures);
  if (before == this) before = nullptr;
  const bool waits = before && ForwardsHistory(pictures);
  if (!waits) status = AnnounceUpload(status, pictures);
  if (before) {
    Status taken = TakePictures(*before);
    if (status.ok()) status = std::move(taken);
  }
  if (waits) status = AnnounceUpload(status, pictures);
  ACU_RETURN_IF_ERROR(status);
  if (frames_before_start_here_) {
    auto* const here = reinterpret_cast<int32_t*>(frames_before_start_here_->host());
    *std::ranges::copy(frames_before_start_, here).out = followed_;
  }
  return queue_->Submit(*recording_);
}

void PlanRunner::Skip(const Status& reason, PlanRunner* before) noexcept {
  static_cast<void>(AnnounceUpload(reason, {}));
  if (!before) return;
  {
    const std::lock_guard lock(before->pictures_.mutex);
    before->pictures_.is_awaited = false;
  }
  before->pictures_.changed.notify_all();
}

/// Called before a batch, so that it cannot end with the results of the one before.
void PlanRunner::ClearResults() {
  for (const BoundPlan& bound : plans_)
    for (const Buffer* results : {bound.sums.get(), bound.words.get()})
      std::fill_n(reinterpret_cast<int64_t*>(results->host()), results->bytes() / sizeof(int64_t), kUnwritten);
}

Status PlanRunner::CheckResults() const {
  for (const BoundPlan& bound : std::span(plans_).subspan(leading_)) {
    const Plan& plan = bound.plan;
    const auto is_written = [&](const Buffer& results, size_t words) {
      const auto* first = reinterpret_cast<const int64_t*>(results.host());
      return std::find(first, first + words, kUnwritten) == first + words;
    };
    const size_t items = plan.items();
    if (!is_written(*bound.sums, plan.sum_count() * items) || !is_written(*bound.words, plan.word_count() * items))
      return Error(StatusCode::kIo, "{}: a kernel did not run or did not end, though its driver reports no failure",
                   device_.info().name);
  }
  return {};
}

Status PlanRunner::UploadPictures(const BatchPictures& pictures, bool follows) {
  const TraceSpan span("upload");
  const Way way = {.scale = scaler_ && scaler_->Takes(pictures), .follows = follows};
  upload_ = {};
  adopted_.clear();
  if (options_.kept) kept_.Release(*options_.kept);
  for (const Input& input : inputs_)
    if (SpecOf(input).derived.empty()) ACU_RETURN_IF_ERROR(AddUpload(input, pictures, way));
  if (way.scale) ACU_RETURN_IF_ERROR(scaler_->AddUploads(pictures, upload_));
  started_ = true;  // also after a failure: a part may run
  ACU_RETURN_IF_ERROR(uploader_->Run(upload_, *queue_, options_.for_each));
  ACU_RETURN_IF_ERROR(kept_.Submit(*queue_));
  return way.scale ? scaler_->Submit(*queue_) : Status();
}

Status PlanRunner::AddUpload(const Input& input, const BatchPictures& batch, const Way& way) {
  const PlanInput& spec = SpecOf(input);
  const bool is_reference = spec.video == Video::kReference;
  const std::vector<const Picture*>& pictures = is_reference ? batch.reference : batch.distorted;
  if (std::ssize(pictures) > context_.pictures(spec.video))
    return Error(StatusCode::kInvalidArgument, "{} pictures are too many for a batch with room for {}", pictures.size(),
                 context_.pictures(spec.video));
  const size_t bytes = spec.picture_bytes(), sample_bytes = spec.format.BytesPerSample();
  const size_t history =
      static_cast<size_t>(context_.history[static_cast<int>(spec.video)]) * context_.copies(spec.video);
  for (size_t i = 0; i < pictures.size(); ++i) {
    if (!pictures[i]) {
      const Plane before_the_clip = {zeros_.data(), 0, spec.width(), spec.height()};
      if (i < history && !way.follows)
        upload_.planes.push_back({before_the_clip, spec.width() * sample_bytes, input.buffer.get(), i * bytes,
                                  spec.row_stride() * sample_bytes});
      continue;
    }
    if (const DevicePlane& there = pictures[i]->device_planes[spec.plane]; there.address != 0) {
      ACU_RETURN_IF_ERROR(AddDeviceCopy(there, spec, *input.buffer, i * bytes));
      continue;
    }
    if (way.scale && scaler_->Makes(spec, i)) continue;
    if (is_reference && i < batch.identities.size() && IsKept(batch.identities[i], input, i * bytes, i >= history))
      continue;
    ACU_ASSIGN_OR_RETURN(const Plane plane, PlaneOf(*pictures[i], spec.plane));
    if (plane.data == nullptr || plane.width != spec.width() || plane.height != spec.height())
      return Error(StatusCode::kInvalidArgument, "a plane of {}x{} samples was given where the plan reads {}x{}",
                   plane.width, plane.height, spec.width(), spec.height());
    AddPlane({plane, spec.width() * sample_bytes, input.buffer.get(), i * bytes, spec.row_stride() * sample_bytes});
  }
  return {};
}

/// The device fetches a plane where it lies, if it can: pictures outlive their batch.
void PlanRunner::AddPlane(const Upload::PlaneCopy& copy) {
  const Plane& plane = copy.plane;
  if (plane.stride >= static_cast<ptrdiff_t>(copy.row_bytes)) {
    const auto stride = static_cast<size_t>(plane.stride), rows = static_cast<size_t>(plane.height);
    const size_t all = stride * (rows - 1) + copy.row_bytes;
    if (const Device::UploadPlace place = device_.FindUpload(plane.data, all); place.buffer) {
      if (stride == copy.to_stride)
        return upload_.direct.push_back({place.buffer, place.offset, copy.to, copy.offset, all});
      return upload_.direct.push_back(
          {place.buffer, place.offset, copy.to, copy.offset, copy.row_bytes, rows, stride, copy.to_stride});
    }
  }
  upload_.planes.push_back(copy);
}

/// Whether the picture's plane comes from where an earlier run left it; else it is left there if may_keep.
bool PlanRunner::IsKept(const PictureKey& picture, const Input& input, size_t offset, bool may_keep) {
  if (!options_.kept || !picture.has_value()) return false;
  const PlanInput& spec = SpecOf(input);
  const PlaneCache::Key key = {picture, spec.plane, spec.picture_bytes()};
  if (kept_.TakeFrom(*options_.kept, key, *input.buffer, offset)) return true;
  if (may_keep) kept_.PutInto(*options_.kept, key, *input.buffer, offset);
  return false;
}

Status PlanRunner::AddDeviceCopy(const DevicePlane& plane, const PlanInput& input, const Buffer& to, size_t offset) {
  const size_t sample_bytes = input.format.BytesPerSample(), height = input.height();
  const size_t row_bytes = input.width() * sample_bytes;
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> from,
                       device_.Adopt(plane.address, plane.stride * (height - 1) + row_bytes));
  upload_.direct.push_back(
      {from.get(), 0, &to, offset, row_bytes, height, plane.stride, input.row_stride() * sample_bytes});
  adopted_.push_back(std::move(from));
  return {};
}

Status PlanRunner::Wait() {
  const TraceSpan span("batch");
  started_ = false;
  ACU_RETURN_IF_ERROR(queue_->Wait());
  if (options_.kept) kept_.Fill(*options_.kept);
  return CheckResults();
}

Status PlanRunner::Run(const BatchPictures& pictures) {
  ACU_RETURN_IF_ERROR(Start(pictures));
  return Wait();
}

std::span<const int64_t> PlanRunner::Sums(int plan, int item) const {
  const BoundPlan& bound = plans_[leading_ + plan];
  const size_t count = bound.plan.sum_count();
  return {reinterpret_cast<const int64_t*>(bound.sums->host()) + count * item, count};
}

std::span<const int64_t> PlanRunner::Words(int plan, int item) const {
  const BoundPlan& bound = plans_[leading_ + plan];
  const size_t count = bound.plan.word_count();
  return {reinterpret_cast<const int64_t*>(bound.words->host()) + count * item, count};
}

void PlanRunner::CopyArtifact(int plan, int item, int artifact, const MutablePicture& to) const {
  const BoundPlan& bound = plans_[leading_ + plan];
  const auto is_artifact = [](const Plan::BufferSpec& spec) { return spec.kind == Plan::BufferKind::kArtifact; };
  auto spec = std::ranges::find_if(bound.plan.buffers(), is_artifact);
  for (int i = 0; i < artifact; ++i) spec = std::find_if(spec + 1, bound.plan.buffers().end(), is_artifact);
  const std::byte* from = bound.artifacts[artifact]->host() + spec->bytes / bound.plan.items() * item;
  const size_t row = static_cast<size_t>(to.format.width) * to.format.BytesPerSample();
  for (int y = 0; y < to.format.height; ++y, from += spec->row_bytes) std::memcpy(to.Row<std::byte>(0, y), from, row);
}

}  // namespace acutance
