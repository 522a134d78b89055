#include "engine/score_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/int_math.h"
#include "base/trace.h"

namespace acutance {
namespace {

constexpr size_t kFramesAtOnce = 16;  // whose values a thread makes: less takes less time than to wake one

}  // namespace

/// Writes a Sequence's output into the score tables that its metric run serves.
class ScoreWriter::Sink : public ScoreSink {
 public:
  Sink(ScoreWriter& writer, const MetricRun& run, int distorted)
      : writer_(writer), run_(run), videos_(writer.VideosOf(distorted)) {}

  void Set(int output, int64_t frame, double value) override {
    for (const int d : videos_) writer_.SetScore(run_, output, d, frame, value);
  }
  void SetAggregate(std::string_view name, double value) override {
    for (const int d : videos_) writer_.tables_[d]->SetAggregate(name, value);
  }

 private:
  ScoreWriter& writer_;
  const MetricRun& run_;
  const std::span<const int> videos_;
};

ScoreWriter::ScoreWriter(FeatureSet& features, std::vector<ModelRun>& models, int subsample)
    : features_(features), models_(models), subsample_(subsample) {}

ScoreWriter::~ScoreWriter() = default;

Status ScoreWriter::Start(int distorted_count, ForEach share) {
  share_ = std::move(share);
  for (int d = 0; d < distorted_count; ++d) {
    videos_.push_back(d);
    tables_.push_back(std::make_unique<ScoreTable>());
  }
  ACU_RETURN_IF_ERROR(AddColumns());
  MakeSequences();
  return {};
}

/// The tables keep their addresses, by which the models know them.
Status ScoreWriter::Restart() {
  for (const auto& table : tables_) *table = ScoreTable();
  ACU_RETURN_IF_ERROR(AddColumns());
  MakeSequences();
  return {};
}

Status ScoreWriter::AddColumns() {
  for (const int d : videos_) {
    ACU_RETURN_IF_ERROR(features_.AddColumns(*tables_[d], d));
    for (ModelRun& model : models_) ACU_RETURN_IF_ERROR(model.AddColumns(*tables_[d], d));
  }
  return {};
}

void ScoreWriter::MakeSequences() {
  sequences_.clear();
  for (const MetricRun& run : features_.runs()) {
    std::vector<RunSequence>& sequences = sequences_.emplace_back(run.Results(static_cast<int>(tables_.size())));
    for (int i = 0; i < static_cast<int>(sequences.size()); ++i)
      if ((sequences[i].sequence = run.extractor->MakeSequence()))
        sequences[i].sink = std::make_unique<Sink>(*this, run, run.VideoOf(i));
  }
}

Status ScoreWriter::Write(std::span<FrameResults* const> frames) {
  const TraceSpan span("write", frames.empty() ? -1 : frames.front()->index);
  for (const FrameResults* frame : frames) WriteFrame(*frame);
  PredictReady(frames.back()->index + 1);
  return error_;
}

Status ScoreWriter::Finish(std::span<FrameResults* const> frames) {
  const TraceSpan span("finish", frames.empty() ? -1 : frames.front()->index);
  ACU_RETURN_IF_ERROR(share_(static_cast<int>(CeilDiv(frames.size(), kFramesAtOnce)), [&](int part) {
    const size_t begin = part * kFramesAtOnce, end = std::min(begin + kFramesAtOnce, frames.size());
    for (size_t i = begin; i < end; ++i) frames[i]->Finish(features_);
  }));
  for (const FrameResults* frame : frames) ACU_RETURN_IF_ERROR(frame->status);
  return {};
}

Status ScoreWriter::Flush(int64_t frames) {
  for (auto& sequences : sequences_)
    for (RunSequence& each : sequences)
      if (each.sequence) each.sequence->Flush(*each.sink);
  PredictReady(frames);
  for (const ModelRun& model : models_)
    for (const auto& table : tables_) Record(model.CheckComplete(*table, subsample_, frames));
  if (frames == 1)
    for (const int d : videos_) tables_[d]->Reorder(features_.ColumnsOfOneFrame(d));
  return error_;
}

std::vector<std::string> ScoreWriter::Undefined(const std::vector<std::string>& of_videos) const {
  std::vector<std::string> sentences;
  const auto is_undefined = [](const std::optional<double>& score) { return score && std::isnan(*score); };
  for (size_t d = 0; d < tables_.size(); ++d) {
    for (const ScoreTable::Column& column : tables_[d]->columns()) {
      const auto first = std::ranges::find_if(column.scores, is_undefined);
      if (first == column.scores.end()) continue;
      sentences.push_back(fmt::format("{}{} is not a number in {} of {} frames; the first is frame {}", column.shown,
                                      of_videos[d], std::ranges::count_if(column.scores, is_undefined),
                                      column.scores.size(), first - column.scores.begin()));
    }
  }
  return sentences;
}

void ScoreWriter::WriteFrame(const FrameResults& frame) {
  for (const RunResult& result : frame.runs) {
    WriteValues(result, frame.index);
    std::vector<RunSequence>& sequences = sequences_[result.run];
    RunSequence& sequence = sequences[sequences.size() > 1 ? result.distorted : 0];
    if (sequence.sequence) sequence.sequence->Push(frame.index, {result.values, result.kept}, *sequence.sink);
  }
}

void ScoreWriter::WriteValues(const RunResult& result, int64_t index) {
  const MetricRun& run = features_.runs()[result.run];
  for (int i = 0; i < std::ssize(run.metric->outputs); ++i) {
    if (run.metric->outputs[i].phase != OutputPhase::kFrame) continue;
    for (const int d : VideosOf(result.distorted)) SetScore(run, i, d, index, result.values[i]);
  }
}

void ScoreWriter::SetScore(const MetricRun& run, int output, int distorted, int64_t frame, double value) {
  if (const int column = run.columns[distorted][output]; column >= 0)
    Record(tables_[distorted]->Set(column, frame, value));
}

std::span<const int> ScoreWriter::VideosOf(int distorted) const {
  const std::span<const int> all = videos_;
  return distorted < 0 ? all : all.subspan(distorted, 1);
}

void ScoreWriter::PredictReady(int64_t frames) {
  for (ModelRun& model : models_)
    for (auto& table : tables_) Record(model.PredictReady(*table, subsample_, frames, share_));
}

void ScoreWriter::Record(const Status& status) {
  if (error_.ok() && !status.ok()) error_ = status;
}

}  // namespace acutance
