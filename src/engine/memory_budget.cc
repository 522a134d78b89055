#include "engine/memory_budget.h"

#include <algorithm>

#include "base/environment.h"
#include "base/int_math.h"
#include "base/usable_cpus.h"

namespace acutance {
namespace {

size_t BytesOf(const PictureFormat& format, int planes) {
  size_t samples = 0;
  for (int p = 0; p < planes; ++p) samples += static_cast<size_t>(format.PlaneWidth(p)) * format.PlaneHeight(p);
  return samples * format.BytesPerSample();
}

size_t BytesOf(const PictureFormat& format) { return BytesOf(format, format.PlaneCount()); }

size_t PairBytes(const FeatureSet& features, const SessionSpec& spec) {
  const PictureFormat& format = spec.format;
  size_t bytes = BytesOf(format, features.NeedsChroma() ? format.PlaneCount() : 1) * (1 + spec.distorted_count);
  for (const Video video : {Video::kReference, Video::kDistorted})
    for (const auto& derived : features.derived(video))
      bytes += BytesOf(derived->Format(format)) * (video == Video::kReference ? 1 : spec.distorted_count);
  for (const VideoConversion& video : spec.conversions) bytes += BytesOf(video.scaling->source_format());
  return bytes;
}

/// VIF and ADM hold 1.3 and 1.5 bytes a sample.
size_t WorkBytes(const FeatureSet& features, const SessionSpec& spec) {
  constexpr size_t kBytesPerSample = 2;
  const bool cpu_begins = !spec.devices || spec.devices->joins_later();
  size_t results = 0;
  for (const MetricRun& run : features.runs())
    if (cpu_begins || !run.HasPlan()) results += run.only < 0 ? spec.distorted_count : 1;
  return static_cast<size_t>(spec.format.width) * spec.format.height * kBytesPerSample * results;
}

}  // namespace

MemoryBudget::MemoryBudget(const FeatureSet& features, const SessionSpec& spec)
    : format_(spec.format),
      limit_(spec.max_memory),
      pair_(PairBytes(features, spec)),
      work_(WorkBytes(features, spec)),
      held_(pair_ *
            (std::max(features.History(Video::kReference), features.History(Video::kDistorted)) + spec.read_ahead)) {}

Result<int> MemoryBudget::MostFrames() const {
  constexpr size_t kMegabyte = 1'000'000, kNoLimit = 1 << 20;
  std::optional<size_t> memory = limit_;
  if (!memory && AvailableMemory()) memory = *AvailableMemory() / 2;
  if (!memory) return static_cast<int>(kNoLimit);
  const size_t frame = pair_ + work_, left = *memory - std::min(*memory, held_);
  if (left >= frame || !limit_) return static_cast<int>(std::clamp<size_t>(left / frame, 1, kNoLimit));
  const auto megabytes = [](size_t bytes) { return CeilDiv(bytes, kMegabyte); };
  return Error(StatusCode::kOutOfMemory,
               "{} MB of memory are needed to score one frame of {}x{}: {} MB for its pictures, {} MB for the features "
               "and {} MB for pictures before it and those read ahead; {} MB are allowed",
               megabytes(pair_) + megabytes(work_) + megabytes(held_), format_.width, format_.height, megabytes(pair_),
               megabytes(work_), megabytes(held_), *memory / kMegabyte);
}

}  // namespace acutance
