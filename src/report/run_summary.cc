#include "report/run_summary.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/system/file.h"
#include "report/receipt.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

void AddModels(const RunView& view, Summary& summary) {
  for (const ModelRun& model : view.videos.front().models) {
    for (const std::string& key : model.score_keys()) {
      SummaryModel entry{key, model.model().source};
      if (model.model().is_collection() && key == model.main_score_key())
        entry.members.assign(model.score_keys().begin(),
                             model.score_keys().begin() + static_cast<std::ptrdiff_t>(model.model().members.size()));
      summary.models.push_back(std::move(entry));
    }
  }
}

/// Bytes of the file, and bits a second of its video track.
void AddSize(const ScoredRun& run, size_t distorted, SummaryVideo& video) {
  if (distorted + 1 < run.inputs.size()) video.bit_rate = run.inputs[distorted + 1].facts.bit_rate;
  const std::optional<FileInfo> info = InfoOf(video.distorted);
  if (info && info->kind == FileKind::kRegular) video.bytes = static_cast<uint64_t>(info->identity.size);
}

ShotInformation PoolInformation(const Part& shot, std::span<const LumaInformation> frames) {
  std::vector<double> spatial, temporal;
  for (int64_t f = shot.begin; f < std::min<int64_t>(shot.end, std::ssize(frames)); ++f) {
    const LumaInformation& frame = frames[static_cast<size_t>(f)];
    if (frame.spatial) spatial.push_back(*frame.spatial);
    if (frame.temporal && f > shot.begin) temporal.push_back(*frame.temporal);
  }
  const auto pool = [](const std::vector<double>& values) {
    return values.empty() ? FrameStatistics() : FrameStatistics{Mean(values), Maximum(values)};
  };
  return {pool(spatial), pool(temporal)};
}

Status AddParts(const SummaryChoice& choice, const ScoredRun& run, const ScoredEncode& encode, SummaryVideo& video) {
  if (choice.segments) {
    ACU_ASSIGN_OR_RETURN(video.segments, SplitSegments(*choice.segments, 0, encode.frames, run.frame_rate));
  }
  if (!encode.shots) return {};
  SegmentSpec shots;
  for (const int64_t start : encode.shots->starts) shots.starts.push_back({static_cast<double>(start), true});
  ACU_ASSIGN_OR_RETURN(video.shots, SplitSegments(shots, 0, encode.frames, {}));
  if (encode.shots->information.empty()) return {};
  for (const Part& shot : *video.shots)
    video.shot_information.push_back(PoolInformation(shot, encode.shots->information));
  return {};
}

}  // namespace

Result<Summary> MakeSummary(const SummaryChoice& choice, const RunView& view) {
  const ScoredRun& run = *view.run;
  const PictureFormat& format = run.format;
  Summary summary{.version = ACUTANCE_VERSION,
                  .reference = choice.reference,
                  .width = format.width,
                  .height = format.height,
                  .bit_depth = format.bit_depth,
                  .pixel_format = PixelFormatName(format.pixel_format),
                  .frame_count = run.frames,
                  .n_subsample = view.subsample,
                  .seconds = run.seconds,
                  .bound = run.bound,
                  .threads = choice.threads,
                  .models = {},
                  .videos = {},
                  .warnings = run.warnings,
                  .model_reasons = run.model_reasons,
                  .devices = view.devices,
                  .inputs = run.inputs,
                  .frame_rate = run.frame_rate};
  if (!choice.pools.empty()) summary.pools = summary.part_pools = choice.pools;
  AddModels(view, summary);
  for (size_t d = 0; d < choice.distorted.size(); ++d) {
    SummaryVideo video{choice.distorted[d], view.videos[d].scores,
                       run.alignments.empty() ? nullptr : &run.alignments[d]};
    video.frames = run.encodes[d].frames;
    video.knows_pairs = run.knows_pairs;
    AddSize(run, d, video);
    ACU_RETURN_IF_ERROR(AddParts(choice, run, run.encodes[d], video));
    summary.videos.push_back(std::move(video));
  }
  ACU_ASSIGN_OR_RETURN(summary.verdicts, JudgeSummary(summary, choice.requirements));
  summary.receipt = MakeReceipt(summary, view);
  SealReceipt(summary.receipt);
  return summary;
}

}  // namespace acutance
