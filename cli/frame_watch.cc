#include "cli/frame_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

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

void FrameStream::Restart(const Session& session) {
  started_ = false;
  for (int d = 0; d < session.distorted_count(); ++d) next_[session.number(d)] = 0;
}

void FrameStream::Warn(const std::string& warning) const {
  Print({{"schema", kSchemaName}, {"event", "warning"}, {"text", warning}});
}

void FrameStream::Start(const Session& session, std::optional<int64_t> total) {
  if (std::exchange(started_, true)) return;
  Json start = {{"schema", kSchemaName}, {"event", "start"}, {"frames", total}};
  if (session.distorted_count() < session.run_videos()) {
    start["videos"] = Json::Array();
    for (int d = 0; d < session.distorted_count(); ++d) start["videos"].Append(session.number(d));
  }
  Print(start);
}

void FrameStream::Write(const Session& session, int64_t end, bool whole_only) {
  for (int d = 0; d < session.distorted_count(); ++d)
    session.ReadScores(d, [&, video = session.number(d)](const ScoreTable& table) {
      for (int64_t& frame = next_[video]; frame < end; frame += session.subsample()) {
        const auto scores = ScoresOfFrame(table, frame, whole_only);
        if (!scores) return;
        Print({{"schema", kSchemaName}, {"event", "frame"}, {"video", video}, {"frame", frame}, {"scores", *scores}});
      }
    });
}

void FrameStream::Update(const Session& session, std::optional<int64_t> total) {
  Start(session, total);
  Write(session, session.frames_done(), true);
}

void FrameStream::Finish(const ScoredRun& run) {
  for (const ScoredEncode& encode : run.encodes) {
    Start(*encode.session, encode.frames);
    if (encode.video == 0) Write(*encode.session, encode.frames, false);
  }
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

void FrameGate::Restart(const Session& session) {
  for (int d = 0; d < session.distorted_count(); ++d) {
    failed_.erase(session.number(d));
    next_[session.number(d)] = 0;
  }
}

bool FrameGate::Fails(const Session& session, int video) {
  bool fails = false;
  int64_t& next = next_[session.number(video)];
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
  for (int d = 0; d < session.distorted_count(); ++d)
    if (Fails(session, d)) failed_.insert(session.number(d));
  return has_stopped();
}

}  // namespace acutance::cli
