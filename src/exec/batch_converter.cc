#include "exec/batch_converter.h"

#include <algorithm>
#include <array>
#include <set>

#include "base/int_math.h"
#include "convert/convert_color_args.h"
#include "convert/picture_conversion.h"
#include "convert/scale_across_args.h"
#include "convert/scale_down_args.h"
#include "exec/expand_samples_args.h"
#include "exec/run_plan.h"
#include "image/lazy_picture.h"

namespace acutance {
namespace {

constexpr int kFour = 4;         // samples that an item of scale_down makes
constexpr int kRowSamples = 32;  // rows between the filters begin at multiples of 64 bytes
/// Frames are scaled in groups that leave what lies between the filters in a GPU's cache.
constexpr size_t kScratchBytes = size_t{16} << 20;

const KernelImage* AcrossImage(const PictureFormat& source) {
  return FindKernelImage("scale_across", source.BytesPerSample() == 1 ? "u8_64x4r4" : "u16_64x4r4");
}
const KernelImage* DownImage(const PictureFormat& result) {
  return FindKernelImage("scale_down", result.BytesPerSample() == 1 ? "u8_64x4" : "u16_64x4");
}

const KernelImage* ColorImage(const PictureFormat& source, const PictureFormat& result) {
  if (source.BytesPerSample() < result.BytesPerSample()) return FindKernelImage("convert_color", "u8_u16_64x4");
  return FindKernelImage("convert_color", source.BytesPerSample() == 1 ? "u8_64x4" : "u16_64x4");
}

const KernelImage* RaiseImage(const PictureFormat& source) {
  return FindKernelImage("expand_samples", source.BytesPerSample() == 1 ? "u8_64x4" : "u16_64x4");
}

int SamplesOfWord(const PictureFormat& format) { return static_cast<int>(sizeof(uint32_t)) / format.BytesPerSample(); }

using Step = PictureConversion::Step;

/// What a plane's way through the filters takes, next to its samples.
struct Space {
  Space(const Step& step, int plane)
      : across(*step.across),
        down(*step.down),
        columns(CeilDiv(step.to->PlaneWidth(plane), kFour) * kFour),
        rows(step.to->PlaneHeight(plane)),
        scratch_row(CeilDiv(columns, kRowSamples) * kRowSamples),
        scratch_picture(int64_t{scratch_row} * step.from->PlaneHeight(plane)) {}

  // Tables follow one another: firsts along rows, weights along rows, then those down columns.
  size_t across_weights() const { return static_cast<size_t>(columns); }
  size_t down_firsts() const { return across_weights() + static_cast<size_t>(columns) * across.used; }
  size_t down_weights() const { return down_firsts() + rows; }
  size_t table_bytes() const { return (down_weights() + static_cast<size_t>(rows) * down.used) * sizeof(int32_t); }
  size_t scratch_bytes() const { return static_cast<size_t>(scratch_picture) * sizeof(int16_t); }

  const ScaleTaps &across, &down;
  int columns, rows;  // of the result; columns rounded up
  int scratch_row;    // in results of 16 bits
  int64_t scratch_picture;
};

/// Bytes of the largest of a plane's pictures between two steps.
size_t BytesBetween(const PictureConversion& scaling, int plane) {
  const std::vector<Step> steps = scaling.Steps(plane);
  size_t bytes = 0;
  const auto add = [&](const PictureFormat& format) {
    bytes = std::max(bytes, PlanInput{.plane = plane, .format = format}.picture_bytes());
  };
  if (scaling.color() && (!steps.empty() || scaling.expands_depth())) add(scaling.colored_format());
  for (size_t i = 0; i + 1 < steps.size(); ++i) add(*steps[i].to);
  return bytes;
}

/// Frames that go through all of a plane's steps together.
int GroupFrames(const PictureConversion& scaling, int plane, int all) {
  size_t most = BytesBetween(scaling, plane);
  for (const Step& step : scaling.Steps(plane)) most = std::max(most, Space(step, plane).scratch_bytes());
  return most == 0 ? all : static_cast<int>(std::clamp<size_t>(kScratchBytes / most, 1, static_cast<size_t>(all)));
}

void WriteAxis(const ScaleTaps& taps, int results, int32_t* firsts, int32_t* weights) {
  std::copy_n(taps.first.begin(), results, firsts);
  for (int k = 0; k < taps.used; ++k)
    for (int i = 0; i < results; ++i) weights[static_cast<size_t>(k) * results + i] = taps.weight(i, k);
}

void WriteTables(const Space& space, int32_t* to) {
  WriteAxis(space.across, space.columns, to, to + space.across_weights());
  WriteAxis(space.down, space.rows, to + space.down_firsts(), to + space.down_weights());
}

/// Whether kernels compute pictures of the video for the input.
bool IsMade(const VideoConversion& video, const PlanInput& input) {
  return input.derived.empty() && input.video == video.video && !video.scaling->PassesThrough(input.plane);
}

PlanInput SourceOf(const VideoConversion& video, int plane) {
  return {.video = video.video, .plane = plane, .format = video.scaling->source_format()};
}

std::span<const Picture* const> PicturesOf(const BatchPictures& pictures, Video video) {
  return video == Video::kReference ? pictures.reference : pictures.distorted;
}

/// Pictures of the history.
size_t Before(const PlanContext& context, Video video) {
  return static_cast<size_t>(context.history[static_cast<int>(video)]) * context.copies(video);
}

}  // namespace

size_t BatchConverter::DeviceBytes(const PlanContext& context, const std::vector<bool>& used) {
  size_t bytes = 0, scratch = 0, between = 0;
  for (const VideoConversion& video : context.scalings) {
    std::set<int> sources;
    for (size_t i = 0; i < context.inputs.size(); ++i) {
      const PlanInput& input = context.inputs[i];
      if (!used[i] || !IsMade(video, input)) continue;
      for (const int source : video.scaling->SourcesOf(input.plane)) sources.insert(source);
      const int frames = GroupFrames(*video.scaling, input.plane, context.frames);
      for (const Step& step : video.scaling->Steps(input.plane)) {
        const Space space(step, input.plane);
        bytes += space.table_bytes();
        scratch = std::max(scratch, space.scratch_bytes() * frames);
      }
      between = std::max(between, BytesBetween(*video.scaling, input.plane) * frames);
    }
    for (const int source : sources) bytes += SourceOf(video, source).picture_bytes() * context.frames;
  }
  return bytes + scratch + between;
}

void BatchConverter::AddKernels(const PlanContext& context, std::vector<const KernelImage*>& images) {
  const auto add = [&](const KernelImage* image) {
    if (image && std::ranges::find(images, image) == images.end()) images.push_back(image);
  };
  for (const VideoConversion& video : context.scalings)
    for (int plane = 0; plane < video.scaling->format().PlaneCount(); ++plane) {
      if (video.scaling->PassesThrough(plane)) continue;
      const std::vector<Step> steps = video.scaling->Steps(plane);
      const PictureFormat& colored = video.scaling->colored_format();
      if (video.scaling->color()) add(ColorImage(video.scaling->source_format(), colored));
      if (steps.empty() && video.scaling->expands_depth()) add(RaiseImage(colored));
      for (const Step& step : steps) add(AcrossImage(*step.from));
      for (size_t i = 0; i < steps.size(); ++i)
        add(DownImage(i + 1 < steps.size() ? *steps[i].to : video.scaling->format()));
    }
}

Result<std::unique_ptr<BatchConverter>> BatchConverter::Make(Device& device, Queue& queue, const PlanContext& context,
                                                             std::span<const Target> targets) {
  std::unique_ptr<BatchConverter> scaler(new BatchConverter(context));
  for (const VideoConversion& video : context.scalings)
    for (const Target& target : targets)
      if (IsMade(video, *target.input)) scaler->jobs_.push_back(scaler->JobOf(video, target));
  if (scaler->jobs_.empty()) return std::unique_ptr<BatchConverter>();
  ACU_RETURN_IF_ERROR(scaler->LoadKernels(device));
  ACU_RETURN_IF_ERROR(scaler->Allocate(device, queue));
  ACU_RETURN_IF_ERROR(scaler->Record(queue));
  return scaler;
}

BatchConverter::Job BatchConverter::JobOf(const VideoConversion& video, const Target& target) {
  const PlanInput& input = *target.input;
  Job job = {&video, target, SourceOf(video, input.plane), SourceOf(video, input.plane)};
  job.colored.format = video.scaling->colored_format();
  for (const int plane : video.scaling->SourcesOf(input.plane))
    job.sources.push_back(SourceAt(video, SourceOf(video, plane)));
  PlanInput from = job.colored;
  for (const Step& step : video.scaling->Steps(input.plane)) {
    PlanInput to = from;
    to.format = *step.to;
    job.filters.push_back({step, from, to});
    from = to;
  }
  if (!job.filters.empty()) job.filters.back().to = input;
  return job;
}

/// The index in sources_ of that plane, which is added if it is missing.
size_t BatchConverter::SourceAt(const VideoConversion& video, const PlanInput& plane) {
  const auto is_it = [&](const Source& source) { return source.video == &video && source.plane.plane == plane.plane; };
  const auto found = std::ranges::find_if(sources_, is_it);
  const size_t at = found - sources_.begin();
  if (found == sources_.end()) sources_.push_back({&video, plane});
  return at;
}

Status BatchConverter::LoadKernels(Device& device) {
  std::vector<const KernelImage*> images;
  AddKernels(context_, images);
  for (const KernelImage* image : images) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, device.LoadKernel(*image));
    kernels_.emplace_back(image, std::move(kernel));
  }
  return {};
}

Status BatchConverter::Allocate(Device& device, Queue& queue) {
  size_t table_bytes = 0, scratch = 0, between = 0;
  for (Job& job : jobs_) {
    const int frames = FramesOfGroup(job), plane = job.source.plane;
    for (Filter& filter : job.filters) {
      const Space space(filter.step, plane);
      filter.tables = table_bytes;
      table_bytes += space.table_bytes();
      scratch = std::max(scratch, space.scratch_bytes() * frames);
    }
    between = std::max(between, BytesBetween(*job.video->scaling, plane) * frames);
  }
  for (Source& source : sources_) {
    const size_t bytes = source.plane.picture_bytes() * context_.frames;
    ACU_ASSIGN_OR_RETURN(source.buffer, device.Allocate(bytes, MemoryKind::kDevice));
  }
  if (between > 0) {
    ACU_ASSIGN_OR_RETURN(between_, device.Allocate(between, MemoryKind::kDevice));
  }
  if (table_bytes == 0) return {};
  ACU_ASSIGN_OR_RETURN(scratch_, device.Allocate(scratch, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(tables_, device.Allocate(table_bytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Buffer> tables, device.Allocate(table_bytes, MemoryKind::kUpload));
  for (const Job& job : jobs_)
    for (const Filter& filter : job.filters)
      WriteTables(Space(filter.step, job.source.plane), reinterpret_cast<int32_t*>(tables->host() + filter.tables));
  const CopyCommand copy[] = {{tables.get(), 0, tables_.get(), 0, table_bytes}};
  const Status copied = queue.Copy(copy);
  const Status ended = queue.Wait();  // also where the copy failed: a part of it may read the host's memory
  return copied.ok() ? ended : copied;
}

const Kernel* BatchConverter::KernelOf(const KernelImage& image) const {
  return std::ranges::find(kernels_, &image, &decltype(kernels_)::value_type::first)->second.get();
}

/// In place of planes that are not needed, the first one is read with a weight of 0.
LaunchCommand BatchConverter::ChangeColor(const Job& job, const Group& group, const Place& to) const {
  const KernelImage& image = *ColorImage(job.source.format, job.colored.format);
  const ColorWeights& weights = job.video->scaling->color()->weights();
  const int plane = job.source.plane, from_samples = SamplesOfWord(job.source.format),
            to_samples = SamplesOfWord(job.colored.format);
  std::array<uint64_t, 3> from{};
  std::array<int64_t, 3> with{};
  from.fill(InSource(job, job.sources.front(), group).address);
  for (size_t i = 0; i < job.sources.size(); ++i) {
    from[i] = InSource(job, job.sources[i], group).address;
    with[i] = weights.weights[plane][sources_[job.sources[i]].plane.plane];
  }
  const ChangeColorArgs args = {.first = from[0],
                                .second = from[1],
                                .third = from[2],
                                .to = to.address,
                                .first_weight = with[0],
                                .second_weight = with[1],
                                .third_weight = with[2],
                                .bias = weights.bias[plane],
                                .from_picture = job.source.picture_stride() / from_samples,
                                .to_picture = to.picture_stride / to_samples,
                                .from_row = job.source.row_stride() / from_samples,
                                .to_row = job.colored.row_stride() / to_samples,
                                .words = CeilDiv(job.source.width(), to_samples),
                                .height = job.source.height(),
                                .bits = weights.bits,
                                .from_top = (1 << job.source.format.bit_depth) - 1,
                                .to_top = (1 << job.colored.format.bit_depth) - 1,
                                .padding = 0};
  const Grid grid = {CeilDiv(args.words, image.group_x), CeilDiv(args.height, image.group_y), group.frames};
  return {KernelOf(image), grid, ArgsBytes(args), {to.buffer}};
}

LaunchCommand BatchConverter::Across(const Filter& filter, const Place& from, int frames) const {
  const Space space(filter.step, filter.from.plane);
  const KernelImage& image = *AcrossImage(filter.from.format);
  const uint64_t tables = tables_->address() + filter.tables;
  const ScaleAcrossArgs args = {.from = from.address,
                                .first = tables,
                                .weights = tables + space.across_weights() * sizeof(int32_t),
                                .to = scratch_->address(),
                                .from_picture = filter.from.picture_stride(),
                                .to_picture = space.scratch_picture,
                                .from_row = filter.from.row_stride(),
                                .to_row = space.scratch_row,
                                .from_width = filter.from.width(),
                                .height = filter.from.height(),
                                .columns = space.columns,
                                .taps = space.across.used,
                                .bit_depth = filter.from.format.bit_depth,
                                .rounding = static_cast<int32_t>(space.across.rounding)};
  const Grid grid = {CeilDiv(space.columns, image.group_x), CeilDiv(args.height, image.group_y * image.rows), frames};
  return {KernelOf(image), grid, ArgsBytes(args), {scratch_.get(), from.buffer}};
}

LaunchCommand BatchConverter::Down(const Filter& filter, const Place& to, int frames) const {
  const Space space(filter.step, filter.from.plane);
  const KernelImage& image = *DownImage(filter.to.format);
  const uint64_t tables = tables_->address() + filter.tables;
  const int samples = SamplesOfWord(filter.to.format);
  const ScaleDownArgs args = {.from = scratch_->address(),
                              .first = tables + space.down_firsts() * sizeof(int32_t),
                              .weights = tables + space.down_weights() * sizeof(int32_t),
                              .to = to.address,
                              .from_picture = space.scratch_picture / 2,
                              .to_picture = to.picture_stride / samples,
                              .from_row = space.scratch_row / 2,
                              .to_row = filter.to.row_stride() / samples,
                              .from_height = filter.from.height(),
                              .fours = space.columns / kFour,
                              .height = space.rows,
                              .taps = space.down.used,
                              .bit_depth = filter.from.format.bit_depth,
                              .shift = to.shift};
  const Grid grid = {CeilDiv(args.fours, image.group_x), CeilDiv(space.rows, image.group_y), frames};
  return {KernelOf(image), grid, ArgsBytes(args), {scratch_.get(), to.buffer}};
}

LaunchCommand BatchConverter::Raise(const Job& job, const Place& from, const Place& to, int frames) const {
  const KernelImage& image = *RaiseImage(job.colored.format);
  const int samples = SamplesOfWord(job.colored.format);
  const ExpandSamplesArgs args = {.from = from.address,
                                  .to = to.address,
                                  .from_picture = from.picture_stride / samples,
                                  .to_picture = to.picture_stride / 2,
                                  .from_row = job.colored.row_stride() / samples,
                                  .to_row = job.target.input->row_stride() / 2,
                                  .words = CeilDiv(job.source.width(), samples),
                                  .height = job.source.height(),
                                  .shift = to.shift,
                                  .padding = 0};
  const Grid grid = {CeilDiv(args.words, image.group_x), CeilDiv(args.height, image.group_y), frames};
  return {KernelOf(image), grid, ArgsBytes(args), {from.buffer, to.buffer}};
}

BatchConverter::Place BatchConverter::InSource(const Job& job, size_t source, const Group& group) const {
  const Buffer* const buffer = sources_[source].buffer.get();
  return {buffer, buffer->address() + job.source.picture_bytes() * group.first, job.source.picture_stride(), 0};
}

BatchConverter::Place BatchConverter::Between(const PlanInput& plane) const {
  return {between_.get(), between_->address(), plane.picture_stride(), 0};
}

BatchConverter::Place BatchConverter::InTarget(const Job& job, const Group& group) const {
  const PlanInput& to = *job.target.input;
  const int copies = context_.copies(to.video);
  const size_t before = Before(context_, to.video) + static_cast<size_t>(group.first) * copies + job.video->number;
  return {.buffer = job.target.buffer,
          .address = job.target.buffer->address() + to.picture_bytes() * before,
          .picture_stride = to.picture_stride() * copies,
          .shift = to.format.bit_depth - job.colored.format.bit_depth};
}

int BatchConverter::FramesOfGroup(const Job& job) const {
  return GroupFrames(*job.video->scaling, job.source.plane, context_.frames);
}

void BatchConverter::AddLaunches(const Job& job, const Group& group, std::vector<Command>& commands) const {
  const Place target = InTarget(job, group);
  const bool raises = job.filters.empty() && target.shift > 0;
  Place from = InSource(job, job.sources.front(), group);
  if (job.video->scaling->color()) {
    const Place to = job.filters.empty() && !raises ? target : Between(job.colored);
    commands.emplace_back(ChangeColor(job, group, to));
    from = to;
  }
  if (raises) commands.emplace_back(Raise(job, from, target, group.frames));
  for (const Filter& filter : job.filters) {
    const Place to = &filter == &job.filters.back() ? target : Between(filter.to);
    commands.emplace_back(Across(filter, from, group.frames));
    commands.emplace_back(Down(filter, to, group.frames));
    from = to;
  }
}

Status BatchConverter::Record(Queue& queue) {
  std::vector<Command> commands;
  for (const Job& job : jobs_) {
    const int most = FramesOfGroup(job);
    for (int first = 0; first < context_.frames; first += most)
      AddLaunches(job, {first, std::min(most, context_.frames - first)}, commands);
  }
  ACU_ASSIGN_OR_RETURN(recording_, queue.Record(commands));
  return {};
}

bool BatchConverter::Makes(const PlanInput& input, size_t i) const {
  if (i < Before(context_, input.video)) return false;
  const size_t number = i % context_.copies(input.video);
  return std::ranges::any_of(jobs_, [&](const Job& job) {
    return job.target.input == &input && static_cast<size_t>(job.video->number) == number;
  });
}

bool BatchConverter::Takes(const BatchPictures& pictures) const {
  const auto are_lazy = [&](const Job& job) {
    const Video video = job.video->video;
    const std::span<const Picture* const> all = PicturesOf(pictures, video);
    for (size_t i = Before(context_, video) + job.video->number; i < all.size(); i += context_.copies(video))
      if (!all[i] || !all[i]->lazy || all[i]->lazy->conversion() != job.video->scaling.get()) return false;
    return true;
  };
  return std::ranges::all_of(jobs_, are_lazy);
}

Status BatchConverter::AddUploads(const BatchPictures& pictures, Upload& upload) const {
  for (const Source& source : sources_) {
    const PlanInput& to = source.plane;
    const size_t sample_bytes = to.format.BytesPerSample(), copies = context_.copies(to.video);
    const std::span<const Picture* const> all = PicturesOf(pictures, to.video);
    size_t offset = 0;
    for (size_t i = Before(context_, to.video) + source.video->number; i < all.size(); i += copies) {
      const Plane& plane = all[i]->lazy->source().planes[to.plane];
      if (plane.data == nullptr || plane.width != to.width() || plane.height != to.height())
        return Error(StatusCode::kInvalidArgument, "a plane of {}x{} samples was given where {}x{} are scaled",
                     plane.width, plane.height, to.width(), to.height());
      upload.planes.push_back(
          {plane, to.width() * sample_bytes, source.buffer.get(), offset, to.row_stride() * sample_bytes});
      offset += to.picture_bytes();
    }
  }
  return {};
}

size_t BatchConverter::upload_bytes() const {
  size_t bytes = 0;
  for (const Source& source : sources_) bytes += source.buffer->bytes();
  return bytes;
}

std::vector<const Buffer*> BatchConverter::upload_buffers() const {
  std::vector<const Buffer*> buffers;
  for (const Source& source : sources_) buffers.push_back(source.buffer.get());
  return buffers;
}

}  // namespace acutance
