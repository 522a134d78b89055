#include "cli/score_summary.h"

#include <filesystem>
#include <utility>

#include "cli/summary_input.h"
#include "cli/version.h"

namespace acutance::cli {
namespace {

void AddModels(const Session& session, Summary& summary) {
  for (const ModelRun& model : session.models()) {
    for (const std::string& key : model.score_keys()) {
      SummaryModel entry{key, model.model().source};
      if (model.model().is_collection() && key == model.main_score_key())
        entry.members.assign(model.score_keys().begin(),
                             model.score_keys().begin() + static_cast<std::ptrdiff_t>(model.model().members.size()));
      summary.models.push_back(std::move(entry));
    }
  }
}

/// Bytes, and bits a second where the whole video was scored.
void AddSize(const ScoreArgs& args, const ScoredRun& result, SummaryVideo& video) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(video.distorted, error)) return;
  const uintmax_t bytes = std::filesystem::file_size(video.distorted, error);
  if (error) return;
  video.bytes = bytes;
  const bool is_whole = args.first_frame == 0 && args.frame_count == 0 && !result.error;
  if (is_whole && result.frame_rate && result.frames > 0)
    video.bit_rate = 8.0 * static_cast<double>(bytes) * *result.frame_rate / static_cast<double>(result.frames);
}

Status AddParts(const ScoreArgs& args, const ScoredRun& result, Summary& summary) {
  if (args.segments) {
    ACU_ASSIGN_OR_RETURN(summary.segments, CutParts(*args.segments, 0, result.frames, result.frame_rate));
  }
  if (!result.shot_starts) return {};
  PartChoice shots;
  for (const int64_t start : *result.shot_starts) shots.starts.push_back({static_cast<double>(start), true});
  ACU_ASSIGN_OR_RETURN(summary.shots, CutParts(shots, 0, result.frames, {}));
  return {};
}

}  // namespace

Result<Summary> MakeSummary(const ScoreArgs& args, const ScoredRun& result) {
  const PictureFormat& format = result.format;
  Summary summary{.version = kVersion,
                  .reference = args.reference,
                  .width = format.width,
                  .height = format.height,
                  .bit_depth = format.bit_depth,
                  .pixel_format = PixelFormatName(format.pixel_format),
                  .frame_count = result.frames,
                  .n_subsample = args.subsample,
                  .seconds = result.seconds,
                  .threads = args.threads,
                  .models = {},
                  .videos = {},
                  .warnings = result.warnings,
                  .model_reasons = result.model_reasons,
                  .frame_rate = result.frame_rate};
  if (!args.pools.empty()) summary.pools = summary.part_pools = args.pools;
  for (const InputFacts& input : result.inputs) summary.inputs.push_back(SummaryOf(input));
  AddModels(*result.session, summary);
  for (const auto& lane : result.session->lanes())
    summary.devices.push_back(
        {lane->info().backend, lane->info().index, lane->info().name, lane->batch(), lane->memory_bytes()});
  for (size_t d = 0; d < args.distorted.size(); ++d) {
    SummaryVideo video{args.distorted[d], &result.session->scores(static_cast<int>(d)),
                       result.alignments.empty() ? nullptr : &result.alignments[d]};
    AddSize(args, result, video);
    summary.videos.push_back(std::move(video));
  }
  ACU_RETURN_IF_ERROR(AddParts(args, result, summary));
  ACU_ASSIGN_OR_RETURN(summary.verdicts, JudgeSummary(summary, args.requirements));
  return summary;
}

}  // namespace acutance::cli
