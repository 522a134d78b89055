#include "exec/plan.h"

#include <algorithm>
#include <cstring>

#include "base/int_math.h"

namespace acutance {
namespace {

constexpr int kRowBytes = 64;  // rows start at multiples: two sectors of a GPU cache, any vector load is aligned
constexpr int kBufferShift = 48;

/// The BufferRef in buffer member `i` of a launch's arguments.
uint64_t ReferenceAt(std::span<const std::byte> args, uint32_t i) {
  uint64_t value;
  std::memcpy(&value, args.data() + i * sizeof(value), sizeof(value));
  return value;
}

int BufferOf(uint64_t reference) { return static_cast<int>(reference >> kBufferShift) - 1; }
uint64_t OffsetOf(uint64_t reference) { return reference & ((uint64_t{1} << kBufferShift) - 1); }

std::string_view KindName(Plan::BufferKind kind) {
  constexpr std::string_view kNames[] = {"scratch", "state", "table", "artifact"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace

const KernelImage* FindKernelImage(std::string_view kernel, std::string_view variant) {
  for (const KernelImage& image : KernelImages())
    if (image.kernel == kernel && image.variant == variant) return &image;
  return nullptr;
}

int PlanInput::row_stride() const {
  const int row_samples = kRowBytes / format.BytesPerSample();
  return CeilDiv(width(), row_samples) * row_samples;
}

std::string PlanInput::Name() const {
  constexpr std::string_view kPlanes[] = {"y", "cb", "cr"};
  const std::string_view name = video == Video::kReference ? "reference" : "distorted";
  return derived.empty() ? fmt::format("{} {}", name, kPlanes[plane])
                         : fmt::format("{} of {}, plane {}", derived, name, plane);
}

PlaneView PlanContext::Input(Video video, int plane, int back, std::string_view derived) const {
  const auto found = std::ranges::find_if(inputs, [&](const PlanInput& input) {
    return input.video == video && input.plane == plane && input.derived == derived;
  });
  const int first = history[static_cast<int>(video)] - back;
  if (found == inputs.end() || first < 0) return {};
  const bool is_one = batch_videos > 0 && video == Video::kDistorted;
  const int apart = is_one ? batch_videos : 1;  // pictures from one of the video(s) to the next
  const uint64_t offset = found->picture_bytes() * (first * copies(video) * apart + (is_one ? first_video : 0));
  return {.data = {Plan::kFirstInput + static_cast<int>(found - inputs.begin()), offset},
          .width = found->width(),
          .height = found->height(),
          .row_stride = found->row_stride(),
          .picture_stride = found->picture_stride() * apart};
}

PlanContext PlanContext::OfVideo(int number) const {
  PlanContext one = *this;
  one.first_video = number;
  one.batch_videos = std::exchange(one.videos, 1);
  return one;
}

PlaneView PlanContext::AllPictures(Video video, int plane, std::string_view derived) const {
  return Input(video, plane, history[static_cast<int>(video)], derived);
}

Plan::Plan(const PlanContext& context, int items, int sums, int words)
    : choice_(context.Choice()), items_(items), sums_(sums), words_(words) {
  for (const PlanInput& input : context.inputs) input_names_.push_back(input.Name());
}

BufferRef Plan::AddBuffer(BufferSpec spec) {
  buffers_.push_back(std::move(spec));
  return {first_own() + static_cast<int>(buffers_.size()) - 1, 0};
}

BufferRef Plan::AddScratch(std::string name, size_t bytes) { return AddBuffer({std::move(name), bytes}); }

BufferRef Plan::AddState(std::string name, size_t bytes) {
  return AddBuffer({std::move(name), bytes, BufferKind::kState});
}

bool Plan::has_state() const { return std::ranges::count(buffers_, BufferKind::kState, &BufferSpec::kind) > 0; }

BufferRef Plan::AddTableBytes(std::string name, std::vector<std::byte> contents) {
  const size_t bytes = contents.size();
  return AddBuffer({std::move(name), bytes, BufferKind::kTable, std::move(contents)});
}

PlaneView Plan::AddArtifact(std::string name, const PictureFormat& format) {
  const PlanInput layout = {.format = format};
  const size_t row_bytes = static_cast<size_t>(layout.row_stride()) * format.BytesPerSample();
  const BufferRef buffer =
      AddBuffer({std::move(name), layout.picture_bytes() * items_, BufferKind::kArtifact, {}, row_bytes});
  return {buffer, format.width, format.height, layout.row_stride(), layout.picture_stride()};
}

Grid GridFor(const KernelImage& kernel, const Work& work) {
  return {CeilDiv(work.x, kernel.group_x), CeilDiv(work.y, kernel.group_y * kernel.rows), work.z};
}

Result<const KernelImage*> Plan::Choose(std::span<const TuningEntry> tuning, std::string_view kernel) const {
  return ChooseVariant(tuning, kernel, choice_);
}

Status Plan::AddLaunchBytes(const KernelImage& kernel, Grid grid, std::span<const std::byte> args,
                            std::string_view border) {
  if (args.size() != kernel.args_bytes)
    return Error(StatusCode::kInvalidArgument, "kernel {} takes {} bytes of arguments, the plan has {}", kernel.symbol,
                 kernel.args_bytes, args.size());
  if (grid.x < 1 || grid.y < 1 || grid.z < 1)
    return Error(StatusCode::kInvalidArgument, "kernel {} is launched on an empty grid: {}x{}x{} workgroups",
                 kernel.symbol, grid.x, grid.y, grid.z);
  for (uint32_t i = 0; i < kernel.buffer_args; ++i) {
    const int buffer = BufferOf(ReferenceAt(args, i));
    if (buffer < 0 || buffer >= first_own() + static_cast<int>(buffers_.size()))
      return Error(StatusCode::kInvalidArgument,
                   "kernel {}: argument {} names no buffer of the plan, nor a declared input", kernel.symbol, i + 1);
  }
  launches_.push_back({&kernel, grid, {args.begin(), args.end()}, std::string(border)});
  return {};
}

bool Plan::ReadsInput(int input) const {
  return std::ranges::any_of(
      launches_, [&](const Launch& launch) { return std::ranges::count(BuffersOf(launch), kFirstInput + input) > 0; });
}

std::string Plan::NameOf(int buffer) const {
  if (buffer == kSumsBuffer) return "sums";
  if (buffer == kWordsBuffer) return "words";
  if (buffer == kBeforeClipBuffer) return "frames before the clip";
  if (buffer < first_own()) return input_names_[buffer - kFirstInput];
  return buffers_[buffer - first_own()].name;
}

std::string Plan::Print(const std::function<bool(const Launch&)>& runs) const {
  const auto name = [&](uint64_t reference) {
    const std::string text = NameOf(BufferOf(reference));
    return OffsetOf(reference) ? fmt::format("{} + {} bytes", text, OffsetOf(reference)) : text;
  };
  std::string text = fmt::format("results: {} items, {} sums and {} partial results each\n", items_, sums_, words_);
  for (const BufferSpec& buffer : buffers_)
    text += fmt::format("{}: {}, {} bytes\n", KindName(buffer.kind), buffer.name, buffer.bytes);
  for (const Launch& launch : launches_) {
    if (runs && !runs(launch)) continue;
    const KernelImage& kernel = *launch.kernel;
    text +=
        fmt::format("launch: {} {}, {}x{}x{} workgroups of {}x{} items, border: {}\n", kernel.kernel, kernel.variant,
                    launch.grid.x, launch.grid.y, launch.grid.z, kernel.group_x, kernel.group_y, launch.border);
    for (uint32_t i = 0; i < kernel.buffer_args; ++i)
      text += fmt::format("  buffer {}: {}\n", i + 1, name(ReferenceAt(launch.args, i)));
    text += "  numbers:";
    for (size_t at = kernel.buffer_args * sizeof(uint64_t); at + sizeof(int32_t) <= launch.args.size();
         at += sizeof(int32_t)) {
      int32_t number;
      std::memcpy(&number, launch.args.data() + at, sizeof(number));
      text += fmt::format(" {}", number);
    }
    text += "\n";
  }
  return text;
}

std::vector<std::byte> BindArguments(const Plan::Launch& launch, std::span<const uint64_t> buffers) {
  std::vector<std::byte> args = launch.args;
  for (uint32_t i = 0; i < launch.kernel->buffer_args; ++i) {
    const uint64_t reference = ReferenceAt(args, i);
    const uint64_t address = buffers[BufferOf(reference)] + OffsetOf(reference);
    std::memcpy(args.data() + i * sizeof(address), &address, sizeof(address));
  }
  return args;
}

std::vector<int> BuffersOf(const Plan::Launch& launch) {
  std::vector<int> buffers;
  for (uint32_t i = 0; i < launch.kernel->buffer_args; ++i) buffers.push_back(BufferOf(ReferenceAt(launch.args, i)));
  return buffers;
}

bool IsUnused(const Plan::Launch& launch, const PlanContext& context, std::span<const Plan* const> plans) {
  bool makes_any = false;
  for (const int buffer : BuffersOf(launch)) {
    const int input = buffer - Plan::kFirstInput;
    if (input < 0 || input >= std::ssize(context.inputs) || context.inputs[input].derived.empty()) continue;
    if (std::ranges::any_of(plans, [&](const Plan* plan) { return plan->ReadsInput(input); })) return false;
    makes_any = true;
  }
  return makes_any;
}

void AddKernels(const Plan& plan, std::vector<const KernelImage*>& images) {
  for (const Plan::Launch& launch : plan.launches())
    if (std::ranges::find(images, launch.kernel) == images.end()) images.push_back(launch.kernel);
}

Result<const KernelImage*> ChooseVariant(std::span<const TuningEntry> table, std::string_view kernel,
                                         const VariantChoice& choice) {
  const TuningEntry* entry = FindTuning(choice.overrides, kernel, choice.workload, choice.family);
  if (entry == nullptr) entry = FindTuning(table, kernel, choice.workload, choice.family);
  if (entry == nullptr)
    return Error(StatusCode::kUnsupported, "kernel {} has no tuning entry for {} pictures on device family '{}'",
                 kernel, WorkloadClassName(choice.workload), choice.family);
  const bool is_float = choice.sample_bytes == sizeof(float);
  const std::string variant = fmt::format("{}{}_{}", is_float ? "f" : "u", 8 * choice.sample_bytes, entry->shape);
  const KernelImage* image = FindKernelImage(kernel, variant);
  if (image == nullptr) image = FindKernelImage(kernel, entry->shape);
  if (image == nullptr)
    return Error(StatusCode::kUnsupported,
                 "kernel {} was not built as {}: choose one of the shapes in its CMakeLists.txt", kernel, variant);
  return image;
}

}  // namespace acutance
