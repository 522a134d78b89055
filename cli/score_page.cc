#include "cli/score_page.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "engine/frame_maps.h"
#include "engine/worst_frames.h"
#include "model/lost_points.h"
#include "report/page.h"

namespace acutance::cli {
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

  /// The mean over frames that lie evenly, some hundreds at most: each costs 16 or 32 predictions.
  std::optional<LostPoints> Mean(int64_t frames, int subsample) const {
    constexpr int64_t kMost = 200;
    const int64_t step = std::max<int64_t>(1, frames / subsample / kMost) * subsample;
    std::vector<LostPoints> all;
    for (int64_t frame = 0; frame < frames; frame += step)
      if (const auto lost = Of(frame)) all.push_back(*lost);
    if (all.empty()) return std::nullopt;
    return MeanLostPoints(all);
  }

 private:
  const ModelRun& run_;
  const ScoreTable& table_;
  std::vector<int> columns_, aims_;
};

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

/// The map of what cost most, by the first feature that has one.
void AddMap(const Session& session, PageFrame& frame) {
  if (!frame.lost) return;
  const auto most = std::ranges::max_element(frame.lost->points) - frame.lost->points;
  for (const auto& [damage, metric, name, words] : kMapsOfDamage) {
    if (static_cast<int>(damage) != most) continue;
    for (const MetricRun& run : session.metric_runs()) {
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

}  // namespace

int FramesShownOf(size_t videos) { return std::max(2, kFramesShown / static_cast<int>(videos)); }

std::string ReportPage(const Summary& summary, const ScoredRun& result, std::vector<std::string> receipt) {
  const Session& session = *result.session;
  Page page;
  page.summary = &summary;
  page.frame_rate = result.frame_rate;
  page.full_range = result.color.full_range.value_or(false);
  page.receipt = std::move(receipt);
  const ModelRun* ranking = nullptr;
  for (const ModelRun& model : session.models()) {
    if (!model.predicts()) continue;
    page.model_columns.push_back(model.main_score_key());
    if (ranking) continue;
    ranking = &model;
    page.model_features = model.feature_keys();
  }
  const std::string first = page.model_columns.empty() ? "" : page.model_columns.front();
  page.quality_column = QualityColumn(session.scores(0), first).value_or(-1);
  for (size_t d = 0; d < summary.videos.size(); ++d) {
    PageVideo video;
    if (ranking && !ranking->model().is_collection()) {
      const LossReader loss(*ranking, session.scores(static_cast<int>(d)));
      video.lost = loss.Mean(result.frames, session.subsample());
      video.lost_at = [loss](int64_t frame) { return loss.Of(frame); };
    }
    if (d < result.worst.size())
      for (const WorstFrame& worst :
           std::span(result.worst[d])
               .first(std::min(result.worst[d].size(), static_cast<size_t>(FramesShownOf(summary.videos.size()))))) {
        video.worst.push_back({worst.frame, worst.score, video.lost_at ? video.lost_at(worst.frame) : std::nullopt,
                               worst.reference, worst.distorted});
        AddMap(session, video.worst.back());
      }
    page.videos.push_back(std::move(video));
  }
  return MakePage(page);
}

}  // namespace acutance::cli
