#include "cli/frame_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "log/json_text.h"
#include "report/summary_json.h"

namespace acutance::cli {
namespace {

void Print(const Json& line) {
  fmt::print("{}", JsonLine(line));
  std::fflush(stdout);
}

/// The scores of a frame; nullopt where one is missing and all are wanted.
std::optional<Json> ScoresOfFrame(const ScoreTable& table, int64_t frame, bool whole_only) {
  Json scores = Json::Object();
  for (size_t i = 0; i < table.columns().size(); ++i) {
    const auto score = table.Get(static_cast<int>(i), frame);
    if (!score && whole_only) return std::nullopt;
    scores[table.columns()[i].shown] = score;
  }
  return scores;
}

std::vector<SummaryModel> ModelsOf(const Session& session) {
  std::vector<SummaryModel> models;
  for (const ModelRun& model : session.models())
    for (const std::string& key : model.score_keys()) models.push_back({key, model.model().source});
  return models;
}

}  // namespace

void FrameStream::Restart() {
  started_ = false;
  next_.clear();
}

void FrameStream::Warn(const std::string& warning) const {
  Print({{"schema", kSchemaName}, {"event", "warning"}, {"text", warning}});
}

void FrameStream::Start(std::optional<int64_t> total) {
  if (!started_) Print({{"schema", kSchemaName}, {"event", "start"}, {"frames", total}});
  started_ = true;
}

void FrameStream::Write(const Session& session, int64_t end, bool whole_only) {
  next_.resize(static_cast<size_t>(std::max<int>(1, session.distorted_count())));
  for (size_t video = 0; video < next_.size(); ++video)
    session.ReadScores(static_cast<int>(video), [&](const ScoreTable& table) {
      for (int64_t& frame = next_[video]; frame < end; frame += session.subsample()) {
        const auto scores = ScoresOfFrame(table, frame, whole_only);
        if (!scores) return;
        Print({{"schema", kSchemaName}, {"event", "frame"}, {"video", video}, {"frame", frame}, {"scores", *scores}});
      }
    });
}

void FrameStream::Update(const Session& session, std::optional<int64_t> total) {
  Start(total);
  Write(session, session.frames_done(), true);
}

void FrameStream::Finish(const Session& session, int64_t frames) {
  Start(frames);
  Write(session, frames, false);
}

Status CheckNames(const std::vector<Requirement>& requirements, const Session& session) {
  Status status;
  const std::vector<SummaryModel> models = ModelsOf(session);
  session.ReadScores(0, [&](const ScoreTable& table) {
    for (const Requirement& requirement : requirements)
      if (status.ok()) status = FindScore(requirement, table, models).status();
  });
  return status;
}

void FrameGate::Restart() {
  has_stopped_ = false;
  next_.clear();
}

bool FrameGate::Fails(const Session& session, int video) {
  bool fails = false;
  int64_t& next = next_[static_cast<size_t>(video)];
  const int64_t end = session.frames_done();
  const std::vector<SummaryModel> models = ModelsOf(session);
  session.ReadScores(video, [&](const ScoreTable& table) {
    for (const Requirement& requirement : requirements_) {
      const Result<std::optional<int>> column = FindScore(requirement, table, models);
      if (!column.ok() || !*column || !requirement.IsPerFrame()) continue;
      for (int64_t frame = next; frame < end; ++frame) {
        const auto score = table.Get(**column, frame);
        fails |= score && !requirement.Holds(*score);
      }
    }
  });
  next = end;
  return fails;
}

bool FrameGate::MustStop(const Session& session) {
  if (requirements_.empty() || !fail_fast_) return false;
  next_.resize(static_cast<size_t>(session.distorted_count()));
  for (size_t video = 0; video < next_.size(); ++video) has_stopped_ |= Fails(session, static_cast<int>(video));
  return has_stopped_;
}

}  // namespace acutance::cli
