#include "exec/batch_scaler.h"

#include <algorithm>

#include "base/int_math.h"
#include "exec/raise_samples_args.h"
#include "exec/run_plan.h"
#include "image/unmade_picture.h"
#include "scale/picture_scaling.h"
#include "scale/scale_across_args.h"
#include "scale/scale_down_args.h"

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

const KernelImage* RaiseImage(const PictureFormat& source) {
  return FindKernelImage("raise_samples", source.BytesPerSample() == 1 ? "u8_64x4" : "u16_64x4");
}

using Step = PictureScaling::Step;

/// What a plane's way through the filters takes, beside its samples.
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
  /// Frames of a group.
  int Frames(int all) const {
    return static_cast<int>(std::clamp<size_t>(kScratchBytes / scratch_bytes(), 1, static_cast<size_t>(all)));
  }

  const ScaleTaps &across, &down;
  int columns, rows;  // of the result; columns with some more
  int scratch_row;    // in results of 16 bits
  int64_t scratch_picture;
};

/// Frames that go through all of a plane's steps together.
int GroupFrames(std::span<const Step> steps, int plane, int all) {
  int frames = all;
  for (const Step& step : steps) frames = std::min(frames, Space(step, plane).Frames(all));
  return frames;
}

/// Bytes of a plane's pictures between two steps.
size_t BytesBetween(std::span<const Step> steps, int plane, int frames) {
  if (steps.size() < 2) return 0;
  return PlanInput{.plane = plane, .format = *steps.front().to}.picture_bytes() * frames;
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

/// Whether the input has pictures of the video that kernels make.
bool IsMade(const VideoScaling& video, const PlanInput& input) {
  return input.derived.empty() && input.video == video.video && !video.scaling->Keeps(input.plane);
}

PlanInput SourceOf(const VideoScaling& video, const PlanInput& input) {
  return {.video = input.video, .plane = input.plane, .format = video.scaling->source_format()};
}

template <class Args>
std::vector<std::byte> BytesOf(const Args& args) {
  const auto bytes = std::as_bytes(std::span(&args, 1));
  return {bytes.begin(), bytes.end()};
}

std::span<const Picture* const> PicturesOf(const BatchPictures& pictures, Video video) {
  return video == Video::kReference ? pictures.reference : pictures.distorted;
}

/// Pictures of the history.
size_t Before(const PlanContext& context, Video video) {
  return static_cast<size_t>(context.history[static_cast<int>(video)]) * context.copies(video);
}

}  // namespace

size_t BatchScaler::DeviceBytes(const PlanContext& context, const std::vector<bool>& used) {
  size_t bytes = 0, scratch = 0, between = 0;
  for (const VideoScaling& video : context.scalings)
    for (size_t i = 0; i < context.inputs.size(); ++i) {
      const PlanInput& input = context.inputs[i];
      if (!used[i] || !IsMade(video, input)) continue;
      bytes += SourceOf(video, input).picture_bytes() * context.frames;
      const std::vector<Step> steps = video.scaling->Steps(input.plane);
      const int frames = GroupFrames(steps, input.plane, context.frames);
      for (const Step& step : steps) {
        const Space space(step, input.plane);
        bytes += space.table_bytes();
        scratch = std::max(scratch, space.scratch_bytes() * frames);
      }
      between = std::max(between, BytesBetween(steps, input.plane, frames));
    }
  return bytes + scratch + between;
}

void BatchScaler::AddKernels(const PlanContext& context, std::vector<const KernelImage*>& images) {
  const auto add = [&](const KernelImage* image) {
    if (image && std::ranges::find(images, image) == images.end()) images.push_back(image);
  };
  for (const VideoScaling& video : context.scalings)
    for (int plane = 0; plane < video.scaling->format().PlaneCount(); ++plane) {
      if (video.scaling->Keeps(plane)) continue;
      const std::vector<Step> steps = video.scaling->Steps(plane);
      if (steps.empty()) add(RaiseImage(video.scaling->source_format()));
      for (const Step& step : steps) add(AcrossImage(*step.from));
      for (size_t i = 0; i < steps.size(); ++i)
        add(DownImage(i + 1 < steps.size() ? *steps[i].to : video.scaling->format()));
    }
}

Result<std::unique_ptr<BatchScaler>> BatchScaler::Make(Device& device, Queue& queue, const PlanContext& context,
                                                       std::span<const Target> targets) {
  std::unique_ptr<BatchScaler> scaler(new BatchScaler(context));
  for (const VideoScaling& video : context.scalings)
    for (const Target& target : targets)
      if (IsMade(video, *target.input)) scaler->jobs_.push_back(JobOf(video, target));
  if (scaler->jobs_.empty()) return std::unique_ptr<BatchScaler>();
  ACU_RETURN_IF_ERROR(scaler->LoadKernels(device));
  ACU_RETURN_IF_ERROR(scaler->Allocate(device, queue));
  ACU_RETURN_IF_ERROR(scaler->Record(queue));
  return scaler;
}

BatchScaler::Job BatchScaler::JobOf(const VideoScaling& video, const Target& target) {
  const PlanInput& input = *target.input;
  Job job = {&video, target, SourceOf(video, input)};
  PlanInput from = job.source;
  for (const Step& step : video.scaling->Steps(input.plane)) {
    PlanInput to = from;
    to.format = *step.to;
    job.filters.push_back({step, from, to});
    from = to;
  }
  if (!job.filters.empty()) job.filters.back().to = input;
  return job;
}

Status BatchScaler::LoadKernels(Device& device) {
  std::vector<const KernelImage*> images;
  AddKernels(context_, images);
  for (const KernelImage* image : images) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, device.LoadKernel(*image));
    kernels_.emplace_back(image, std::move(kernel));
  }
  return {};
}

Status BatchScaler::Allocate(Device& device, Queue& queue) {
  size_t table_bytes = 0, scratch = 0, between = 0;
  for (Job& job : jobs_) {
    const int frames = FramesOfGroup(job), plane = job.source.plane;
    for (Filter& filter : job.filters) {
      const Space space(filter.step, plane);
      filter.tables = table_bytes;
      table_bytes += space.table_bytes();
      scratch = std::max(scratch, space.scratch_bytes() * frames);
    }
    between = std::max(between, BytesBetween(job.video->scaling->Steps(plane), plane, frames));
    const size_t bytes = job.source.picture_bytes() * context_.frames;
    ACU_ASSIGN_OR_RETURN(job.uploaded, device.Allocate(bytes, MemoryKind::kDevice));
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

const Kernel* BatchScaler::KernelOf(const KernelImage& image) const {
  return std::ranges::find(kernels_, &image, &decltype(kernels_)::value_type::first)->second.get();
}

LaunchCommand BatchScaler::Across(const Filter& filter, uint64_t from, int frames) const {
  const Space space(filter.step, filter.from.plane);
  const KernelImage& image = *AcrossImage(filter.from.format);
  const uint64_t tables = tables_->address() + filter.tables;
  const ScaleAcrossArgs args = {.from = from,
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
                                .padding = 0};
  const Grid grid = {CeilDiv(space.columns, image.group_x), CeilDiv(args.height, image.group_y * image.rows), frames};
  LaunchCommand launch = {KernelOf(image), grid, BytesOf(args), {scratch_.get()}};
  if (between_) launch.shares.push_back(between_.get());
  return launch;
}

LaunchCommand BatchScaler::Down(const Filter& filter, const Place& to, int frames) const {
  const Space space(filter.step, filter.from.plane);
  const KernelImage& image = *DownImage(filter.to.format);
  const uint64_t tables = tables_->address() + filter.tables;
  const int samples = static_cast<int>(sizeof(uint32_t)) / filter.to.format.BytesPerSample();
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
  return {KernelOf(image), grid, BytesOf(args), {scratch_.get(), to.buffer}};
}

LaunchCommand BatchScaler::Raise(const Job& job, const Group& group) const {
  const KernelImage& image = *RaiseImage(job.source.format);
  const Place to = InTarget(job, group);
  const int samples = static_cast<int>(sizeof(uint32_t)) / job.source.format.BytesPerSample();  // of a word
  const RaiseSamplesArgs args = {.from = job.uploaded->address() + job.source.picture_bytes() * group.first,
                                 .to = to.address,
                                 .from_picture = job.source.picture_stride() / samples,
                                 .to_picture = to.picture_stride / 2,
                                 .from_row = job.source.row_stride() / samples,
                                 .to_row = job.target.input->row_stride() / 2,
                                 .words = CeilDiv(job.source.width(), samples),
                                 .height = job.source.height(),
                                 .shift = to.shift,
                                 .padding = 0};
  const Grid grid = {CeilDiv(args.words, image.group_x), CeilDiv(args.height, image.group_y), group.frames};
  return {KernelOf(image), grid, BytesOf(args), {to.buffer}};
}

BatchScaler::Place BatchScaler::InTarget(const Job& job, const Group& group) const {
  const PlanInput& to = *job.target.input;
  const int copies = context_.copies(to.video);
  const size_t before = Before(context_, to.video) + static_cast<size_t>(group.first) * copies + job.video->number;
  return {.buffer = job.target.buffer,
          .address = job.target.buffer->address() + to.picture_bytes() * before,
          .picture_stride = to.picture_stride() * copies,
          .shift = to.format.bit_depth - job.source.format.bit_depth};
}

int BatchScaler::FramesOfGroup(const Job& job) const {
  return GroupFrames(job.video->scaling->Steps(job.source.plane), job.source.plane, context_.frames);
}

void BatchScaler::AddLaunches(const Job& job, const Group& group, std::vector<Command>& commands) const {
  if (job.filters.empty()) commands.emplace_back(Raise(job, group));
  uint64_t from = job.uploaded->address() + job.source.picture_bytes() * group.first;
  for (size_t i = 0; i < job.filters.size(); ++i) {
    const Filter& filter = job.filters[i];
    Place to = InTarget(job, group);
    if (i + 1 < job.filters.size()) to = {between_.get(), between_->address(), filter.to.picture_stride(), 0};
    commands.emplace_back(Across(filter, from, group.frames));
    commands.emplace_back(Down(filter, to, group.frames));
    from = to.address;
  }
}

Status BatchScaler::Record(Queue& queue) {
  std::vector<Command> commands;
  for (const Job& job : jobs_) {
    const int most = FramesOfGroup(job);
    for (int first = 0; first < context_.frames; first += most)
      AddLaunches(job, {first, std::min(most, context_.frames - first)}, commands);
  }
  ACU_ASSIGN_OR_RETURN(recording_, queue.Record(commands));
  return {};
}

bool BatchScaler::Makes(const PlanInput& input, size_t i) const {
  if (i < Before(context_, input.video)) return false;
  const size_t number = i % context_.copies(input.video);
  return std::ranges::any_of(jobs_, [&](const Job& job) {
    return job.target.input == &input && static_cast<size_t>(job.video->number) == number;
  });
}

bool BatchScaler::MakesAll(const PlanInput& input) const {
  const auto is_of = [&](const Job& job) { return job.target.input == &input; };
  return std::ranges::count_if(jobs_, is_of) == context_.copies(input.video);
}

bool BatchScaler::Takes(const BatchPictures& pictures) const {
  const auto are_unmade = [&](const Job& job) {
    const Video video = job.video->video;
    const std::span<const Picture* const> all = PicturesOf(pictures, video);
    for (size_t i = Before(context_, video) + job.video->number; i < all.size(); i += context_.copies(video))
      if (!all[i] || !all[i]->unmade || all[i]->unmade->maker() != job.video->scaling.get()) return false;
    return true;
  };
  return std::ranges::all_of(jobs_, are_unmade);
}

Status BatchScaler::AddUploads(const BatchPictures& pictures, Upload& upload) const {
  for (const Job& job : jobs_) {
    const PlanInput& source = job.source;
    const size_t sample_bytes = source.format.BytesPerSample(), copies = context_.copies(source.video);
    const std::span<const Picture* const> all = PicturesOf(pictures, source.video);
    size_t offset = 0;
    for (size_t i = Before(context_, source.video) + job.video->number; i < all.size(); i += copies) {
      const Plane& plane = all[i]->unmade->source().planes[source.plane];
      if (plane.data == nullptr || plane.width != source.width() || plane.height != source.height())
        return Error(StatusCode::kInvalidArgument, "a plane of {}x{} samples was given where {}x{} are scaled",
                     plane.width, plane.height, source.width(), source.height());
      upload.planes.push_back(
          {plane, source.width() * sample_bytes, job.uploaded.get(), offset, source.row_stride() * sample_bytes});
      offset += source.picture_bytes();
    }
  }
  return {};
}

size_t BatchScaler::upload_bytes() const {
  size_t bytes = 0;
  for (const Job& job : jobs_) bytes += job.uploaded->bytes();
  return bytes;
}

std::vector<const Buffer*> BatchScaler::upload_buffers() const {
  std::vector<const Buffer*> buffers;
  for (const Job& job : jobs_) buffers.push_back(job.uploaded.get());
  return buffers;
}

}  // namespace acutance
