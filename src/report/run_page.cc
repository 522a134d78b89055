#include "report/run_page.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "base/threads/parallel_for.h"
#include "model/lost_points.h"
#include "report/damage_classifier.h"
#include "report/page.h"
#include "report/sampled_frames.h"
#include "run/frame_maps.h"
#include "run/worst_frames.h"

namespace acutance {
namespace {

/// The column of `aim` that went into an adm3, by the same options; -1: there is none.
int AimColumn(const ScoreTable& table, std::string key) {
  const size_t at = key.find("adm3");
  return at == key.npos ? -1 : table.Find(key.replace(at, 4, "aim"));
}

/// The points that a model's frames lost, read from a table.
class LossReader {
 public:
  LossReader(const ModelRun& run, const ScoreTable& table) : run_(run), table_(table) {
    for (const std::string& key : run.feature_keys()) {
      columns_.push_back(table.Find(key));
      aims_.push_back(AimColumn(table, key));
    }
  }

  std::optional<LostPoints> Of(int64_t frame) const {
    std::vector<double> values, aim;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const auto value = columns_[i] < 0 ? std::nullopt : table_.Get(columns_[i], frame);
      if (!value) return std::nullopt;
      values.push_back(*value);
      const auto added = aims_[i] < 0 ? std::nullopt : table_.Get(aims_[i], frame);
      aim.push_back(added.value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    return FindLostPoints(run_.model(), values, aim, {});
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
  const ModelRun& run_;
  const ScoreTable& table_;
  std::vector<int> columns_, aims_;
};

/// The most points that a screen shows, with their envelopes.
constexpr int64_t kPointsOfSmallPage = 40'000;

struct MapOfDamage {
  Damage damage;
  std::string_view metric;
  const char* name;  // of the map
  const char* words;
};
constexpr MapOfDamage kMapsOfDamage[] = {{Damage::kDetail, "adm", "adm2", "where detail is lost"},
                                         {Damage::kAddedDetail, "adm", "aim", "where detail is added"},
                                         {Damage::kTexture, "vif", "vif_scale0", "where texture is lost"},
                                         {Damage::kBanding, "cambi", "cambi", "where banding is"}};

/// What is wrong with a frame that lost half a point, and the map of banding where it is that.
void AddCause(const WorstFrame& worst, PageFrame& frame) {
  constexpr double kNothing = 0.5;
  if (frame.lost && frame.lost->best - frame.lost->score < kNothing) return;
  const FrameCause cause = ClassifyDamage(FindEvidence(worst.reference, worst.distorted), worst.shows.has_value());
  frame.cause = DescribeDamage(cause, worst);
  if (cause.cause != Cause::kBanding) return;
  frame.map = BandingMap(worst.reference, worst.distorted);
  frame.map_block = kMapBlock;
  frame.map_columns = (worst.reference.format.width + kMapBlock - 1) / kMapBlock;
  frame.map_words = "where banding is (cambi)";
}

/// The map of what cost most, by the first feature that has one.
void AddMap(const RunView& view, PageFrame& frame) {
  if (!frame.lost || !frame.map.empty()) return;
  const auto most = std::ranges::max_element(frame.lost->points) - frame.lost->points;
  for (const auto& [damage, metric, name, words] : kMapsOfDamage) {
    if (static_cast<int>(damage) != most) continue;
    for (const MetricRun& run : view.metrics) {
      if (metric != run.metric->name || !frame.map.empty()) continue;
      const Result<std::vector<FrameMap>> maps = MakeFrameMaps(run, frame.reference, frame.distorted);
      if (!maps.ok()) continue;
      for (const FrameMap& map : *maps) {
        if (map.name != name) continue;
        frame.map = map.losses;
        frame.map_block = map.size;
        frame.map_columns = map.columns;
        frame.map_words = fmt::format("{} ({})", words, name);
      }
    }
  }
}

/// The columns of the models; the first of them, which ranks frames, or null.
const ModelRun* NoteModels(const RunView& view, Page& page) {
  const ModelRun* ranking = nullptr;
  for (const ModelRun& model : view.models) {
    if (!model.predicts()) continue;
    page.model_columns.push_back(model.main_score_key());
    if (ranking) continue;
    ranking = &model;
    page.model_features = model.feature_keys();
  }
  const std::string first = ranking ? ranking->main_score_key() : "";
  page.quality_column = QualityColumn(*view.tables[0], first).value_or(-1);
  return ranking;
}

void AddWorst(const RunView& view, std::span<const WorstFrame> frames, PageVideo& video) {
  const auto most = static_cast<size_t>(FramesShownOf(view.tables.size()));
  for (const WorstFrame& worst : frames.first(std::min(frames.size(), most))) {
    video.worst.push_back({worst.frame, worst.score, video.lost_at ? video.lost_at(worst.frame) : std::nullopt,
                           worst.reference, worst.distorted});
  }
}

void AddCausesAndMaps(const RunView& view, int threads, std::span<PageVideo> videos) {
  std::vector<std::pair<const WorstFrame*, PageFrame*>> frames;
  for (size_t v = 0; v < videos.size(); ++v)
    for (size_t i = 0; i < videos[v].worst.size(); ++i)
      frames.emplace_back(&view.run->worst[v][i], &videos[v].worst[i]);
  // A frame without a map is shown without one.
  (void)ParallelFor(threads, static_cast<int>(frames.size()), [&](int i) {
    AddCause(*frames[i].first, *frames[i].second);
    AddMap(view, *frames[i].second);
    return Status();
  });
}

}  // namespace

int FramesShownOf(size_t videos) { return std::max(2, kFramesShown / static_cast<int>(videos)); }

std::string ReportPage(const Summary& summary, const RunView& view, PageChoice choice) {
  const ScoredRun& run = *view.run;
  Page page;
  page.summary = &summary;
  page.frame_rate = run.frame_rate;
  page.full_range = run.color.full_range.value_or(false);
  page.receipt = std::move(choice.receipt);
  page.encodes_part = std::move(choice.encodes_part);
  if (choice.is_small) page.most_points = kPointsOfSmallPage;
  const ModelRun* const ranking = NoteModels(view, page);
  for (size_t d = 0; d < summary.videos.size(); ++d) {
    PageVideo video;
    if (ranking && !ranking->model().is_collection()) {
      const LossReader loss(*ranking, *view.tables[d]);
      const std::vector<LostPoints> lost = loss.OfMany(run.frames, view.subsample);
      if (!lost.empty()) video.lost = MeanLostPoints(lost);
      video.lost_frames = std::ssize(lost);
      video.lost_at = [loss](int64_t frame) { return loss.Of(frame); };
    }
    if (d < run.worst.size() && !choice.is_small) AddWorst(view, run.worst[d], video);
    page.videos.push_back(std::move(video));
  }
  AddCausesAndMaps(view, summary.threads, page.videos);
  return MakePage(page);
}

}  // namespace acutance
