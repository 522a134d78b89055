#include <fmt/format.h>

#include <algorithm>

#include "log/escape.h"
#include "report/page_parts.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

std::string Cell(const std::optional<double>& value, const char* format) {
  return value ? "<td>" + fmt::format(fmt::runtime(format), *value) + "</td>" : "<td>-</td>";
}

/// Mean and minimum, or maximum where that is worse, of the quality column.
std::string QualityCells(const Page& page, size_t video, const Part& shot) {
  const SummaryVideo& scored = page.summary->videos[video];
  const ScoreTable::Column& column = scored.scores->columns()[static_cast<size_t>(page.quality_column)];
  const auto scores = ScoresOf(*page.summary, scored, column, &shot);
  if (!scores || scores->empty()) return "<td>-</td><td>-</td>";
  const double worst = column.better == ScoreDirection::kHigher ? Minimum(*scores) : Maximum(*scores);
  return Cell(Mean(*scores), "{:.2f}") + Cell(worst, "{:.2f}");
}

std::string ShotRow(const Page& page, size_t number) {
  const SummaryVideo& first = page.summary->videos[0];
  const Part& shot = (*first.shots)[number];
  std::string row = fmt::format(
      "<tr><td>{}</td><td data-value=\"{}\"><button type=\"button\" class=\"go\" data-frame=\"{}\">{}</button></td>"
      "<td data-value=\"{}\">{} to {}</td>",
      number + 1, shot.begin, shot.begin, Clock(page, shot.begin), shot.end - shot.begin, shot.begin, shot.end - 1);
  if (!first.shot_information.empty()) {
    const ShotInformation& information = first.shot_information[number];
    row += Cell(information.spatial.max, "{:.1f}") + Cell(information.spatial.mean, "{:.1f}") +
           Cell(information.temporal.max, "{:.1f}") + Cell(information.temporal.mean, "{:.1f}");
  }
  for (size_t v = 0; page.quality_column >= 0 && v < page.summary->videos.size(); ++v)
    row += QualityCells(page, v, shot);
  return row + "</tr>\n";
}

}  // namespace

std::string ShotsPart(const Page& page) {
  constexpr size_t kMost = 2000;  // rows of a few hundred bytes
  const Summary& summary = *page.summary;
  const SummaryVideo& first = summary.videos[0];
  const bool is_measured = !first.shot_information.empty();
  if (!first.shots || first.shots->empty() || (first.shots->size() == 1 && !is_measured)) return "";
  std::vector<std::string> head = {"shot", "from", "frames"};
  if (is_measured) head.insert(head.end(), {"SI, max", "SI, mean", "TI, max", "TI, mean"});
  for (size_t v = 0; page.quality_column >= 0 && v < summary.videos.size(); ++v) {
    const ScoreTable::Column& column = summary.videos[v].scores->columns()[static_cast<size_t>(page.quality_column)];
    const std::string of = summary.videos.size() > 1 ? VideoName(summary, v) + ", " : "";
    head.push_back(of + column.shown + ", mean");
    head.emplace_back(of + "worst");
  }
  const size_t count = std::min(kMost, first.shots->size());
  std::string rows;
  for (size_t s = 0; s < count; ++s) rows += ShotRow(page, s);
  std::string note =
      count < first.shots->size() ? fmt::format("The first {} of {} shots. ", count, first.shots->size()) : "";
  if (is_measured)
    note +=
        "SI and TI are the reference's detail and change (spatial and temporal information of ITU-T P.910): the "
        "greatest value of a shot's frames, "
        "and their mean, in steps of 8-bit luma of full range.";
  return Section("shots", "Shots",
                 (note.empty() ? "" : "<p class=\"note\">" + note + "</p>\n") + SortableTable(head, rows));
}

}  // namespace acutance
