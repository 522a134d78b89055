#include "exec/plan.h"

#include <cstring>

#include "base/int_math.h"

namespace acutance {
namespace {

constexpr int kRowBytes = 64;  // rows start at multiples: two sectors of a GPU cache, any vector load is aligned
constexpr int kBufferShift = 48;

constexpr std::string_view kFixedBufferNames[] = {"reference y",  "reference cb", "reference cr", "distorted y",
                                                  "distorted cb", "distorted cr", "sums"};

/// The BufferRef in buffer member `i` of a launch's arguments.
uint64_t ReferenceAt(std::span<const std::byte> args, uint32_t i) {
  uint64_t value;
  std::memcpy(&value, args.data() + i * sizeof(value), sizeof(value));
  return value;
}

int BufferOf(uint64_t reference) { return static_cast<int>(reference >> kBufferShift) - 1; }
uint64_t OffsetOf(uint64_t reference) { return reference & ((uint64_t{1} << kBufferShift) - 1); }

PlaneLayout MakeLayout(const PictureFormat& format, int plane, int history) {
  const int row_samples = kRowBytes / format.BytesPerSample();
  const int width = format.PlaneWidth(plane), height = format.PlaneHeight(plane);
  const int stride = CeilDiv(width, row_samples) * row_samples;
  return {.width = width,
          .height = height,
          .row_stride = stride,
          .picture_stride = int64_t{stride} * height,
          .history = history};
}

}  // namespace

WorkloadClass ClassifyWorkload(int width, int height) {
  const int64_t pixels = int64_t{width} * height;
  if (pixels < int64_t{1280} * 720) return WorkloadClass::kSmall;
  return pixels < int64_t{3840} * 2160 ? WorkloadClass::kMedium : WorkloadClass::kLarge;
}

std::string_view WorkloadClassName(WorkloadClass workload) {
  switch (workload) {
    case WorkloadClass::kSmall:
      return "small";
    case WorkloadClass::kMedium:
      return "medium";
    case WorkloadClass::kLarge:
      return "large";
  }
  return "";
}

PlanContext MakePlanContext(const PictureFormat& format, int batch, int history, std::string_view family) {
  PlanContext context = {.format = format,
                         .batch = batch,
                         .workload = ClassifyWorkload(format.width, format.height),
                         .family = std::string(family),
                         .overrides = {},
                         .inputs = {}};
  for (int plane = 0; plane < format.PlaneCount(); ++plane) {
    context.inputs[plane] = MakeLayout(format, plane, history);
    context.inputs[plane + 3] = MakeLayout(format, plane, 0);
  }
  return context;
}

BufferRef Plan::AddScratch(std::string name, size_t bytes) {
  buffers_.push_back({std::move(name), bytes, {}});
  return {kFirstOwnBuffer + static_cast<int>(buffers_.size()) - 1, 0};
}

BufferRef Plan::AddTable(std::string name, std::vector<std::byte> contents) {
  const size_t bytes = contents.size();
  buffers_.push_back({std::move(name), bytes, std::move(contents)});
  return {kFirstOwnBuffer + static_cast<int>(buffers_.size()) - 1, 0};
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
    if (buffer < 0 || buffer >= kFirstOwnBuffer + static_cast<int>(buffers_.size()))
      return Error(StatusCode::kInvalidArgument, "kernel {}: argument {} names no buffer of the plan", kernel.symbol,
                   i + 1);
  }
  launches_.push_back({&kernel, grid, {args.begin(), args.end()}, std::string(border)});
  return {};
}

bool Plan::Reads(PlanInput input) const {
  return std::ranges::any_of(launches_, [&](const Launch& launch) {
    return std::ranges::count(BuffersOf(launch), static_cast<int>(input)) > 0;
  });
}

std::string Plan::Print() const {
  const auto name = [&](uint64_t reference) {
    const int buffer = BufferOf(reference);
    const std::string_view text = buffer < kFirstOwnBuffer ? kFixedBufferNames[buffer]
                                                           : std::string_view(buffers_[buffer - kFirstOwnBuffer].name);
    return OffsetOf(reference) ? fmt::format("{} + {} bytes", text, OffsetOf(reference)) : std::string(text);
  };
  std::string text = fmt::format("sums: {} a frame\n", sum_count_);
  for (const BufferSpec& buffer : buffers_)
    text += fmt::format("{}: {}, {} bytes\n", buffer.contents.empty() ? "scratch" : "table", buffer.name, buffer.bytes);
  for (const Launch& launch : launches_) {
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

const TuningEntry* FindTuning(std::span<const TuningEntry> table, std::string_view kernel, WorkloadClass workload,
                              std::string_view family) {
  const TuningEntry* best = nullptr;
  for (const TuningEntry& entry : table) {
    if (entry.kernel != kernel || entry.workload != workload || !family.starts_with(entry.family)) continue;
    if (best == nullptr || entry.family.size() > best->family.size()) best = &entry;
  }
  return best;
}

Result<TunedKernel> ChooseVariant(std::span<const TuningEntry> table, std::string_view kernel,
                                  const PlanContext& context) {
  const TuningEntry* entry = FindTuning(context.overrides, kernel, context.workload, context.family);
  if (entry == nullptr) entry = FindTuning(table, kernel, context.workload, context.family);
  if (entry == nullptr)
    return Error(StatusCode::kUnsupported, "kernel {} has no tuning entry for {} pictures on device family '{}'",
                 kernel, WorkloadClassName(context.workload), context.family);
  const std::string variant = fmt::format("u{}_{}", 8 * context.format.BytesPerSample(), entry->shape);
  const KernelImage* image = FindKernelImage(kernel, variant);
  if (image == nullptr) image = FindKernelImage(kernel, entry->shape);
  if (image == nullptr)
    return Error(StatusCode::kUnsupported,
                 "kernel {} was not built as {}: choose one of the shapes in its CMakeLists.txt", kernel, variant);
  return TunedKernel{image, entry->batch};
}

}  // namespace acutance
