#include "report/score_rows.h"

#include <algorithm>
#include <iterator>

#include "log/canonical_json.h"
#include "log/escape.h"
#include "log/output_file.h"
#include "log/table/arrow_file.h"
#include "log/table/parquet_file.h"
#include "log/table/rows_file.h"

namespace acutance {
namespace {

constexpr TableFormat kTableFormats[] = {{"parquet", ParquetFile}, {"arrow", ArrowFile}, {"rows", RowsFile}};

using Whole = DataColumn::Values<int64_t>;
using Real = DataColumn::Values<double>;
using Text = DataColumn::Values<std::string>;

int64_t ShotOf(const std::vector<Part>& shots, int64_t frame) {
  const auto after = std::ranges::upper_bound(shots, frame, {}, &Part::begin);
  return std::max<int64_t>(0, after - shots.begin() - 1);
}

Whole ShotsOf(const SummaryVideo& video, const Whole& frames) {
  Whole shots;
  for (const auto& frame : frames)
    shots.push_back(video.shots ? std::optional(ShotOf(*video.shots, *frame)) : std::nullopt);
  return shots;
}

/// The frames of both videos that the k-th score is of.
void AddPairs(const SummaryVideo& video, const Whole& frames, DataTable& table) {
  Whole references, encodes;
  for (const auto& frame : frames) {
    const size_t k = static_cast<size_t>(*frame);
    const bool is_known = video.alignment == nullptr ? video.knows_pairs : k < video.alignment->pairs.size();
    const auto pair = video.alignment && is_known ? video.alignment->pairs[k] : std::pair{*frame, *frame};
    references.push_back(is_known ? std::optional(pair.first) : std::nullopt);
    encodes.push_back(is_known ? std::optional(pair.second) : std::nullopt);
  }
  table.columns.push_back({"reference_frame", std::move(references)});
  table.columns.push_back({"distorted_frame", std::move(encodes)});
}

void AddSeconds(const Summary& summary, DataTable& table) {
  Real seconds;
  for (const auto& frame : std::get<Whole>(table.columns[3].values))
    seconds.push_back(frame && summary.frame_rate ? std::optional(static_cast<double>(*frame) / *summary.frame_rate)
                                                  : std::nullopt);
  table.columns.push_back({"seconds", std::move(seconds)});
}

}  // namespace

const TableFormat* FindTableFormat(std::string_view name) {
  const auto* found = std::ranges::find(kTableFormats, name, &TableFormat::name);
  return found == std::end(kTableFormats) ? nullptr : found;
}

DataTable ScoreRows(const Summary& summary, size_t video) {
  const SummaryVideo& scored = summary.videos[video];
  Whole frames;
  for (int64_t frame = 0; frame < FramesOf(summary, scored); frame += summary.n_subsample) frames.emplace_back(frame);
  DataTable table;
  table.columns.push_back({"reference", Text(frames.size(), ValidUtf8(summary.reference))});
  table.columns.push_back({"distorted", Text(frames.size(), ValidUtf8(scored.distorted))});
  table.columns.push_back({"frame", frames});
  AddPairs(scored, frames, table);
  AddSeconds(summary, table);
  table.columns.push_back({"shot", ShotsOf(scored, frames)});
  for (const ScoreTable::Column& column : scored.scores->columns()) {
    Real scores;
    for (const auto& frame : frames) {
      const auto k = static_cast<size_t>(*frame);
      scores.push_back(k < column.scores.size() ? column.scores[k] : std::nullopt);
    }
    table.columns.push_back({column.shown, std::move(scores)});
  }
  if (summary.receipt.IsObject()) table.metadata.emplace_back("acutance.receipt", CanonicalJson(summary.receipt));
  return table;
}

void AppendRows(DataTable&& more, DataTable& table) {
  const auto before = static_cast<size_t>(table.rows()), added = static_cast<size_t>(more.rows());
  for (DataColumn& column : more.columns) {
    auto own = std::ranges::find(table.columns, column.name, &DataColumn::name);
    if (own == table.columns.end()) {
      std::visit([&](auto& values) { values.insert(values.begin(), before, std::nullopt); }, column.values);
      table.columns.push_back(std::move(column));
      continue;
    }
    std::visit(
        [&](auto& values) {
          auto& to = std::get<std::decay_t<decltype(values)>>(own->values);
          to.insert(to.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
        },
        column.values);
  }
  for (DataColumn& column : table.columns)
    std::visit([&](auto& values) { values.resize(before + added); }, column.values);
  std::ranges::move(more.metadata, std::back_inserter(table.metadata));
}

Status WriteTable(const std::string& path, const TableFormat& format, const DataTable& table) {
  return WriteFile(path, format.make(table));
}

}  // namespace acutance
