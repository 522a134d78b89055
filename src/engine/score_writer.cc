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
      : writer_(writer), run_(run), tables_(writer.TablesOf(distorted)) {}

  void Set(int output, int64_t frame, double value) override {
    if (run_.columns[output] < 0) return;
    for (auto& table : tables_) writer_.Record(table->Set(run_.columns[output], frame, value));
  }
  void SetAggregate(std::string_view name, double value) override {
    for (auto& table : tables_) table->SetAggregate(name, value);
  }

 private:
  ScoreWriter& writer_;
  const MetricRun& run_;
  const std::span<const std::unique_ptr<ScoreTable>> tables_;
};

ScoreWriter::ScoreWriter(FeatureSet& features, std::vector<ModelRun>& models, int subsample)
    : features_(features), models_(models), subsample_(subsample) {}

ScoreWriter::~ScoreWriter() = default;

Status ScoreWriter::Start(int distorted_count, ForEach share) {
  share_ = std::move(share);
  for (int d = 0; d < distorted_count; ++d) {
    tables_.push_back(std::make_unique<ScoreTable>());
    ACU_RETURN_IF_ERROR(features_.AddColumns(*tables_.back()));
    for (ModelRun& model : models_) ACU_RETURN_IF_ERROR(model.AddColumns(*tables_.back()));
  }
  MakeSequences();
  return {};
}

void ScoreWriter::MakeSequences() {
  for (const MetricRun& run : features_.runs()) {
    const bool shared = !run.ReadsDistorted();
    std::vector<RunSequence>& sequences = sequences_.emplace_back(shared ? 1 : tables_.size());
    for (int d = 0; d < static_cast<int>(sequences.size()); ++d)
      if ((sequences[d].sequence = run.extractor->MakeSequence()))
        sequences[d].sink = std::make_unique<Sink>(*this, run, shared ? -1 : d);
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
    for (const auto& table : tables_) table->Reorder(features_.ColumnsOfOneFrame());
  return error_;
}

std::vector<std::string> ScoreWriter::Undefined() const {
  std::vector<std::string> sentences;
  const auto is_undefined = [](const std::optional<double>& score) { return score && std::isnan(*score); };
  for (size_t d = 0; d < tables_.size(); ++d) {
    for (const ScoreTable::Column& column : tables_[d]->columns()) {
      const auto first = std::ranges::find_if(column.scores, is_undefined);
      if (first == column.scores.end()) continue;
      sentences.push_back(fmt::format("{}{} is not a number in {} of {} frames; the first is frame {}", column.shown,
                                      tables_.size() > 1 ? fmt::format(" of distorted video {}", d + 1) : "",
                                      std::ranges::count_if(column.scores, is_undefined), column.scores.size(),
                                      first - column.scores.begin()));
    }
  }
  return sentences;
}

void ScoreWriter::WriteFrame(const FrameResults& frame) {
  for (const RunResult& result : frame.runs) {
    WriteValues(result, frame.index);
    RunSequence& sequence = sequences_[result.run][std::max(result.distorted, 0)];
    if (sequence.sequence) sequence.sequence->Push(frame.index, {result.values, result.kept}, *sequence.sink);
  }
}

void ScoreWriter::WriteValues(const RunResult& result, int64_t index) {
  const MetricRun& run = features_.runs()[result.run];
  for (size_t i = 0; i < run.columns.size(); ++i) {
    if (run.columns[i] < 0 || run.metric->outputs[i].phase != OutputPhase::kFrame) continue;
    for (auto& table : TablesOf(result.distorted)) Record(table->Set(run.columns[i], index, result.values[i]));
  }
}

std::span<const std::unique_ptr<ScoreTable>> ScoreWriter::TablesOf(int distorted) const {
  const std::span<const std::unique_ptr<ScoreTable>> all = tables_;
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
