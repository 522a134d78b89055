#include "report/run_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/threads/parallel_for.h"
#include "engine/frame_maps.h"
#include "model/lost_points.h"
#include "report/damage_classifier.h"
#include "report/page.h"
#include "report/page_parts.h"
#include "report/receipt.h"
#include "run/run_observers.h"

namespace acutance {

std::vector<int64_t> SampledFrames(int64_t frames, int subsample, int64_t most) {
  // Multiples of the golden ratio are spread over [0, 1) with the least gaps (Weyl's sequence).
  constexpr double kGolden = 0.6180339887498949;
  const int64_t scored = (frames + subsample - 1) / subsample, count = std::min(scored, most);
  std::vector<int64_t> sampled;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t first = scored * k / count, length = scored * (k + 1) / count - first;
    const double place = k * kGolden - std::floor(k * kGolden);
    sampled.push_back((first + static_cast<int64_t>(place * length)) * subsample);
  }
  return sampled;
}

namespace {

/// The points that a model's frames lost, read from a table.
class LossReader {
 public:
  LossReader(const ModelRun& run, const ViewedVideo& video) : run_(run), table_(*video.scores) {
    for (const std::string& key : run.feature_keys(video.number)) features_.push_back(FeatureOf(video.metrics, key));
  }

  std::optional<LostPoints> Of(int64_t frame) const {
    std::vector<double> values;
    std::vector<FeatureDamage> damage;
    for (const Feature& feature : features_) {
      const auto value = feature.column < 0 ? std::nullopt : table_.Get(feature.column, frame);
      if (!value) return std::nullopt;
      values.push_back(*value);
      damage.push_back(feature.damage);
      if (feature.part_column >= 0)
        damage.back().part = feature.part_weight * table_.Get(feature.part_column, frame).value_or(0);
    }
    return FindLostPoints(run_.model(), values, damage, {});
  }

  /// What the frames lost, some hundreds at most: each costs 16 or 32 predictions.
  std::vector<LostPoints> OfMany(int64_t frames, int subsample) const {
    constexpr int64_t kMost = 400;
    std::vector<LostPoints> all;
    for (const int64_t frame : SampledFrames(frames, subsample, kMost))
      if (const auto lost = Of(frame)) all.push_back(*lost);
    return all;
  }

 private:
  struct Feature {
    int column = -1;  // -1: there is none
    FeatureDamage damage{};
    int part_column = -1;  // of DamagePart::output; -1: there is none
    double part_weight = 0;
  };

  Feature FeatureOf(std::span<const MetricRun> metrics, const std::string& key) const {
    Feature feature{.column = table_.Find(key)};
    const std::optional<RunOutput> found = FindOutput(metrics, key);
    if (!found) return feature;
    const DamageSpec& damage = found->output->damage;
    feature.damage = {.kind = damage.kind, .ideal = damage.ideal};
    if (!damage.part) return feature;
    const auto part = std::ranges::find(found->run->metric->outputs, damage.part->output, &OutputSpec::name);
    feature.damage.part_kind = damage.part->kind;
    feature.part_column = table_.Find(MakeOutputKey(*part, found->run->options).stored);
    feature.part_weight = damage.part->weight(found->run->options);
    return feature;
  }

  const ModelRun& run_;
  const ScoreTable& table_;
  std::vector<Feature> features_;
};

/// The most points that a screen shows, with their envelopes.
constexpr int64_t kPointsOfSmallPage = 40'000;

/// What the map of a kind of damage shows.
constexpr const char* kMapWords[kDamages] = {"where detail is lost", "where detail is added", "where texture is lost",
                                             "where banding is", "where colors are wrong"};

void SetMap(FrameMap map, PageFrame& frame) {
  frame.map_words = fmt::format("{} ({})", kMapWords[static_cast<int>(*map.damage)], map.name);
  frame.map = std::move(map.losses);
  frame.map_block = map.size;
  frame.map_columns = map.columns;
}

/// What is wrong with a frame that lost half a point, and the map of banding where it is that.
void AddCause(const WorstFrame& worst, PageFrame& frame) {
  constexpr double kNothing = 0.5;
  if (frame.lost && frame.lost->best - frame.lost->score < kNothing) return;
  const FrameCause cause = ClassifyDamage(FindEvidence(worst.reference, worst.distorted), worst.shows.has_value());
  frame.cause = DescribeDamage(cause, worst);
  if (cause.cause != Cause::kBanding) return;
  if (auto map = BandingMap(worst.reference, worst.distorted)) SetMap(*std::move(map), frame);
}

/// Whether an output of the metric measures the damage, or a part of one does.
bool Measures(const Metric& metric, Damage kind) {
  return std::ranges::any_of(metric.outputs, [&](const OutputSpec& output) {
    return output.damage.kind == kind || (output.damage.part && output.damage.part->kind == kind);
  });
}

/// The map of what cost most, by the first feature that has one.
void AddMap(const ViewedVideo& video, PageFrame& frame) {
  if (!frame.lost || !frame.map.empty()) return;
  const auto most = static_cast<Damage>(std::ranges::max_element(frame.lost->points) - frame.lost->points);
  for (const MetricRun& run : video.metrics) {
    if (!run.Serves(video.number) || !Measures(*run.metric, most)) continue;
    Result<std::vector<FrameMap>> maps = MakeFrameMaps(run, frame.reference, frame.distorted);
    if (!maps.ok()) continue;
    const auto found = std::ranges::find(*maps, most, &FrameMap::damage);
    if (found != maps->end()) return SetMap(*std::move(found), frame);
  }
}

/// A model that ranks frames, or null.
const ModelRun* RankingModel(const ViewedVideo& video) {
  const auto found = std::ranges::find_if(video.models, &ModelRun::predicts);
  return found == video.models.end() ? nullptr : &*found;
}

/// The columns of the models, and the features of the one that ranks frames.
void NoteModels(const RunView& view, Page& page) {
  for (const ModelRun& model : view.videos[0].models)
    if (model.predicts()) page.model_columns.push_back(model.main_score_key());
  for (const ViewedVideo& video : view.videos) {
    const ModelRun* const ranking = RankingModel(video);
    if (!ranking) continue;
    for (const std::string& key : ranking->feature_keys(video.number)) {
      if (std::ranges::find(page.model_features, key) != page.model_features.end()) continue;
      page.model_features.push_back(key);
      if (const auto found = FindOutput(video.metrics, key); found && found->output->damage.annoying_from)
        page.annoyances.push_back({key, *found->output->damage.kind, *found->output->damage.annoying_from});
    }
  }
  page.quality_column =
      FindQualityColumn(*view.videos[0].scores, page.model_columns.empty() ? "" : page.model_columns[0]).value_or(-1);
  if (page.quality_column < 0) return;
  const std::string& ranking = view.videos[0].scores->columns()[static_cast<size_t>(page.quality_column)].stored;
  if (const auto found = FindOutput(view.videos[0].metrics, ranking); found && !found->output->clip.empty())
    page.clip_score = std::string(found->output->clip) + found->run->options.KeySuffix();
}

void AddWorst(std::span<const WorstFrame> frames, size_t most, PageVideo& video) {
  for (const WorstFrame& worst : frames.first(std::min(frames.size(), most))) {
    video.worst.push_back({worst.frame, worst.score, video.lost_at ? video.lost_at(worst.frame) : std::nullopt,
                           worst.reference, worst.distorted});
  }
}

void AddCauses(const RunView& view, int threads, bool has_maps, std::span<PageVideo> videos) {
  struct Shown {
    const ViewedVideo& video;
    const WorstFrame& worst;
    PageFrame& frame;
  };
  std::vector<Shown> frames;
  for (size_t v = 0; v < videos.size(); ++v)
    for (size_t i = 0; i < videos[v].worst.size(); ++i)
      frames.push_back({view.videos[v], view.run->worst[v][i], videos[v].worst[i]});
  // A frame without a map is shown without one.
  (void)ParallelFor(threads, static_cast<int>(frames.size()), [&](int i) {
    AddCause(frames[i].worst, frames[i].frame);
    if (has_maps) AddMap(frames[i].video, frames[i].frame);
    return Status();
  });
}

/// As many frames with all encodes as have few enough pictures.
void AddTogether(const ScoredRun& run, Page& page) {
  constexpr size_t kMostPictures = 40;
  const size_t most = kMostPictures / (run.encodes.size() + 1);
  for (const auto& [frame, reference, distorted] : run.common_frames)
    if (page.together.size() < most) page.together.push_back({frame, reference, distorted});
}

/// What the page shows of the scores and of `most_frames` worst frames of each video.
Page BuildPage(const Summary& summary, const RunView& view, int most_frames, bool has_maps) {
  const ScoredRun& run = *view.run;
  Page page;
  page.summary = &summary;
  page.frame_rate = run.frame_rate;
  page.full_range = run.color.full_range.value_or(false);
  NoteModels(view, page);
  for (size_t d = 0; d < summary.videos.size(); ++d) {
    PageVideo video;
    const ModelRun* const ranking = RankingModel(view.videos[d]);
    if (ranking && !ranking->model().is_collection()) {
      const LossReader loss(*ranking, view.videos[d]);
      const std::vector<LostPoints> lost = loss.OfMany(run.encodes[d].frames, view.subsample);
      if (!lost.empty()) video.lost = MeanLostPoints(lost);
      video.lost_frames = std::ssize(lost);
      video.lost_at = [loss](int64_t frame) { return loss.Of(frame); };
    }
    if (d < run.worst.size()) AddWorst(run.worst[d], static_cast<size_t>(most_frames), video);
    page.videos.push_back(std::move(video));
  }
  AddCauses(view, summary.threads, has_maps, page.videos);
  if (most_frames > 0) AddTogether(run, page);
  return page;
}

}  // namespace

int FramesShownOf(size_t videos) { return std::max(2, kFramesShown / static_cast<int>(videos)); }

std::string ReportPage(const Summary& summary, const RunView& view, PageChoice choice) {
  Page page = BuildPage(summary, view, choice.is_small ? 0 : FramesShownOf(view.videos.size()), true);
  page.receipt = ReceiptLines(summary);
  std::ranges::move(choice.receipt, std::back_inserter(page.receipt));
  page.encodes_part = std::move(choice.encodes_part);
  page.first_frame = choice.first_frame;
  page.pictures_first = choice.pictures_first;
  if (choice.is_small) page.most_points = kPointsOfSmallPage;
  return MakePage(page);
}

void AddWorstSeconds(const RunView& view, int count, Summary& summary) {
  const Page page = BuildPage(summary, view, count, false);
  if (page.quality_column < 0) return;
  for (size_t v = 0; v < summary.videos.size(); ++v) {
    const ScoreTable::Column& column = summary.videos[v].scores->columns()[static_cast<size_t>(page.quality_column)];
    BadSeconds worst{column.shown, page.clip_score, column.better, {}};
    for (const WorstSecond& second : FindWorstSeconds(page, v, count))
      worst.seconds.push_back({second.first, second.first + second.frames, second.score, CauseOf(page, v, second)});
    summary.videos[v].worst_seconds = std::move(worst);
  }
}

}  // namespace acutance
