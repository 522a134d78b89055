// Plan of a metric's work on a device, as data: buffers, launches and borders for a batch.
//
// A batch is a number of frames of one reference video and of one or more distorted videos. Work item z of a launch
// that compares is pair z: frame z / videos, distorted video z % videos. Work item z of a launch that reads the
// reference alone is frame z. Pictures lie on the device plane by plane, row by row: first those of the frames before
// the batch that the metrics read (history; frames before the clip have samples of 0, and Plan::BeforeClip counts
// them), then the batch's. The pictures of one frame in all distorted videos follow one another.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "convert/picture_conversion.h"
#include "exec/device.h"
#include "exec/tuning.h"
#include "image/picture.h"

namespace acutance {

/// A buffer of a plan, or an offset into one.
struct BufferRef {
  int buffer = -1;
  uint64_t offset = 0;  // bytes, below 2^48

  /// The value of a BUFFER member of an argument struct until the plan is bound to a device.
  operator uint64_t() const { return (static_cast<uint64_t>(buffer + 1) << 48) | offset; }
};

/// A plane of a video on the device, as a kernel reads it. Strides are in samples.
struct PlaneView {
  BufferRef data;  // the plane of the batch's first frame, or of one before
  int width = 0;
  int height = 0;
  int row_stride = 0;          // a multiple of 64 bytes
  int64_t picture_stride = 0;  // from one picture of the video(s) to the next
};

/// A plane that plans may read.
struct PlanInput {
  Video video = Video::kReference;
  int plane = 0;
  std::string derived{};  // DerivedInput::key; empty: the video's own plane
  PictureFormat format{};

  int width() const { return format.PlaneWidth(plane); }
  int height() const { return format.PlaneHeight(plane); }
  int row_stride() const;  // in samples
  int64_t picture_stride() const { return int64_t{row_stride()} * height(); }
  size_t picture_bytes() const { return static_cast<size_t>(picture_stride()) * format.BytesPerSample(); }
  std::string Name() const;  // "reference y"
};

/// A video whose pictures are lazy (image/lazy_picture.h), and the conversion that the device applies to them.
struct VideoConversion {
  Video video = Video::kDistorted;
  int number = 0;  // among the distorted videos
  std::shared_ptr<const PictureConversion> scaling;
};

/// Criteria by which the variant of a kernel is chosen.
struct VariantChoice {
  std::span<const TuningEntry> overrides;  // come before a metric's own tuning table
  WorkloadClass workload = WorkloadClass::kMedium;
  std::string family;    // DeviceInfo::family
  int sample_bytes = 1;  // of the samples that the kernel reads
};

/// Properties of a batch that all its plans share.
class PlanContext {
 public:
  PictureFormat format;          // of the videos
  int frames = 1;                // of a batch
  int videos = 1;                // distorted ones
  std::array<int, 2> history{};  // by Video: frames before the batch whose pictures are there
  bool artifacts = false;        // plans make their metrics' artifacts
  /// Batches have one frame, and a runner most often takes the next one after it, whose history pictures it then lacks:
  /// plans may retain what they computed of them (Plan::AddState).
  bool streams = false;
  WorkloadClass workload = WorkloadClass::kMedium;
  std::string family;                      // DeviceInfo::family
  std::span<const TuningEntry> overrides;  // come before a metric's own tuning table
  std::vector<PlanInput> inputs;
  std::vector<VideoConversion> scalings;
  int first_video = 0, batch_videos = 0;  // of OfVideo: its number, and the videos that the batch has; 0: `videos`

  /// For plans that read one of the distorted videos alone.
  PlanContext OfVideo(int number) const;

  /// Work items of a launch that compares.
  int pairs() const { return frames * videos; }
  /// Pictures of `video` in a frame.
  int copies(Video video) const { return video == Video::kReference ? 1 : videos; }
  /// All pictures of `video`, the history's included.
  int pictures(Video video) const { return (history[static_cast<int>(video)] + frames) * copies(video); }

  /// The plane `back` frames before each frame of the batch. `derived`: a DerivedInput's key; empty: the video's own.
  /// Where the metric has not declared the input, the view names no buffer, and AddLaunch refuses it.
  PlaneView Input(Video video, int plane = 0, int back = 0, std::string_view derived = {}) const;
  /// The same from the oldest picture of the history on: pictures(video) of them.
  PlaneView AllPictures(Video video, int plane, std::string_view derived = {}) const;
  VariantChoice Choice() const { return {overrides, workload, family, format.BytesPerSample()}; }
  size_t InputBytes(const PlanInput& input) const { return input.picture_bytes() * pictures(input.video); }
};

/// Work items of a launch; an item of a kernel with ROWS computes that many rows.
struct Work {
  int x = 1, y = 1, z = 1;
};

/// The workgroups that cover `work`.
Grid GridFor(const KernelImage& kernel, const Work& work);

class Plan {
 public:
  enum class BufferKind { kScratch, kState, kTable, kArtifact };
  struct BufferSpec {
    std::string name;
    size_t bytes;  // for the whole batch
    BufferKind kind = BufferKind::kScratch;
    std::vector<std::byte> contents{};  // of a table, uploaded once
    size_t row_bytes = 0;               // of an artifact, with padding
  };
  struct Launch {
    const KernelImage* kernel;
    Grid grid;
    std::vector<std::byte> args;
    std::string border;  // how the kernel reads beyond the edge, for readers: "mirror 2"
  };

  /// The most bytes of an argument struct: the size of push constants on every Vulkan device.
  static constexpr size_t kMaxArgsBytes = 128;

  /// Buffer numbers: the results, the frames before the clip, the context's inputs, the plan's own.
  static constexpr int kSumsBuffer = 0, kWordsBuffer = 1, kBeforeClipBuffer = 2, kFirstInput = 3;

  /// Each of `items` work items has `sums` sums and `words` partial results of 64 bits (ExtractorSpec).
  Plan(const PlanContext& context, int items, int sums, int words = 0);

  /// int64 [item][sums]
  BufferRef Sums() const { return {kSumsBuffer, 0}; }
  /// Partial results of 64 bits [item][words]
  BufferRef Words() const { return {kWordsBuffer, 0}; }
  /// int32 [3], by Video: how many frames of the context's history lie before the clip, in this batch; and how many
  /// batches of the runner precede it, each with the frame before that of the next (PlanContext::streams)
  BufferRef BeforeClip() const { return {kBeforeClipBuffer, 0}; }
  BufferRef AddScratch(std::string name, size_t bytes);
  /// Contents stay until the runner's next batch, where the context streams.
  BufferRef AddState(std::string name, size_t bytes);
  /// `values`: numbers or structs; without any, a table with one that is 0.
  template <std::ranges::contiguous_range Values>
  BufferRef AddTable(std::string name, const Values& values) {
    const auto bytes = std::as_bytes(std::span(values));
    std::vector<std::byte> contents(bytes.begin(), bytes.end());
    if (contents.empty()) contents.resize(sizeof(std::ranges::range_value_t<Values>));
    return AddTableBytes(std::move(name), std::move(contents));
  }
  /// A picture for each item, where the context asks for artifacts; in the order of ExtractorSpec::artifacts. One
  /// plane; picture_stride is from item to item.
  PlaneView AddArtifact(std::string name, const PictureFormat& format);

  /// Fails when the grid is empty, the struct's size is not the kernel's, or a BUFFER member names no buffer.
  template <class Args>
  Status AddLaunch(const KernelImage& kernel, Grid grid, const Args& args, std::string_view border) {
    static_assert(sizeof(Args) <= kMaxArgsBytes, "put the rest into a table");
    Args clean = args;
    ClearPadding(clean);
    return AddLaunchBytes(kernel, grid, std::as_bytes(std::span(&clean, 1)), border);
  }

  /// AddLaunch of the variant of `kernel` that the context's overrides or else `tuning` choose (ChooseVariant), for
  /// videos' samples: for `work`, or on a grid that does not depend on the variant.
  template <class Args>
  Status AddWork(std::span<const TuningEntry> tuning, std::string_view kernel, const Work& work, const Args& args,
                 std::string_view border) {
    const Result<const KernelImage*> image = Choose(tuning, kernel);
    return image.ok() ? AddLaunch(**image, GridFor(**image, work), args, border) : image.status();
  }
  template <class Args>
  Status AddGroups(std::span<const TuningEntry> tuning, std::string_view kernel, const Grid& grid, const Args& args,
                   std::string_view border) {
    const Result<const KernelImage*> image = Choose(tuning, kernel);
    return image.ok() ? AddLaunch(**image, grid, args, border) : image.status();
  }

  int items() const { return items_; }
  int sum_count() const { return sums_; }
  int word_count() const { return words_; }
  int first_own() const { return kFirstInput + static_cast<int>(input_names_.size()); }
  const std::vector<BufferSpec>& buffers() const { return buffers_; }  // its own: first_own() and up
  const std::vector<Launch>& launches() const { return launches_; }
  bool ReadsInput(int input) const;  // index into the context's inputs
  bool has_state() const;

  /// Human-readable plan: buffers with their sizes, launches with kernel, variant, grid, arguments and border. runs:
  /// which launches are printed; null: all.
  std::string Print(const std::function<bool(const Launch&)>& runs = nullptr) const;

 private:
  /// Equal arguments have equal bytes, by which a session finds cached recordings of its work (LanePart::Work). With a
  /// compiler that cannot clear padding it records anew.
  template <class Args>
  static void ClearPadding([[maybe_unused]] Args& args) {
#if __has_builtin(__builtin_clear_padding)
    __builtin_clear_padding(&args);
#endif
  }
  Status AddLaunchBytes(const KernelImage& kernel, Grid grid, std::span<const std::byte> args, std::string_view border);
  Result<const KernelImage*> Choose(std::span<const TuningEntry> tuning, std::string_view kernel) const;
  BufferRef AddTableBytes(std::string name, std::vector<std::byte> contents);
  BufferRef AddBuffer(BufferSpec spec);
  std::string NameOf(int buffer) const;

  VariantChoice choice_;
  std::vector<std::string> input_names_;
  int items_, sums_, words_;
  std::vector<BufferSpec> buffers_;
  std::vector<Launch> launches_;
};

/// A launch's arguments with the device addresses of `buffers` (by plan buffer number) in place of its BufferRefs.
std::vector<std::byte> BindArguments(const Plan::Launch& launch, std::span<const uint64_t> buffers);

/// Adds the kernels that the plan launches and `images` lacks.
void AddKernels(const Plan& plan, std::vector<const KernelImage*>& images);

/// The plan's buffers in a launch's BUFFER members, in their order.
std::vector<int> BuffersOf(const Plan::Launch& launch);

/// Whether a launch of the plan of derived pictures is skipped, since none of the plans reads its results.
bool IsUnused(const Plan::Launch& launch, const PlanContext& context, std::span<const Plan* const> plans);

/// The variant "<sample>_<shape>" of `kernel` that the context's overrides or else `table` choose, for example
/// "u8_64x4r8" for samples of one byte; "<shape>" for a kernel that reads no samples.
Result<const KernelImage*> ChooseVariant(std::span<const TuningEntry> table, std::string_view kernel,
                                         const VariantChoice& choice);
inline Result<const KernelImage*> ChooseVariant(std::span<const TuningEntry> table, std::string_view kernel,
                                                const PlanContext& context) {
  return ChooseVariant(table, kernel, context.Choice());
}

}  // namespace acutance
