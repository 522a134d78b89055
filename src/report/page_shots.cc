#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

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

using Videos = std::vector<size_t>;

/// Row of a shot of all these encodes.
std::string ShotRow(const Page& page, const Videos& videos, size_t number) {
  const SummaryVideo& first = page.summary->videos[videos.front()];
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
  if (page.quality_column >= 0)
    for (const size_t v : videos) row += QualityCells(page, v, shot);
  return row + "</tr>\n";
}

std::string ShotTable(const Page& page, const Videos& videos, size_t count) {
  const Summary& summary = *page.summary;
  std::vector<std::string> head = {"shot", "from", "frames"};
  if (!summary.videos[videos.front()].shot_information.empty())
    head.insert(head.end(), {"SI, max", "SI, mean", "TI, max", "TI, mean"});
  for (size_t i = 0; page.quality_column >= 0 && i < videos.size(); ++i) {
    const size_t v = videos[i];
    const ScoreTable::Column& column = summary.videos[v].scores->columns()[static_cast<size_t>(page.quality_column)];
    const std::string of = summary.videos.size() > 1 ? VideoName(summary, v) + ", " : "";
    head.push_back(of + column.shown + ", mean");
    head.emplace_back(of + "worst");
  }
  std::string rows;
  for (size_t s = 0; s < count; ++s) rows += ShotRow(page, videos, s);
  return SortableTable(head, rows);
}

/// Whether pairs of both have the same frames of the reference.
bool AreAlignedAlike(const SummaryVideo& a, const SummaryVideo& b) {
  if (!a.alignment || !b.alignment) return a.alignment == b.alignment;
  using Pair = std::pair<int64_t, int64_t>;
  return std::ranges::equal(a.alignment->pairs, b.alignment->pairs, {}, &Pair::first, &Pair::first);
}

/// Encodes that are aligned otherwise have shots of their own, in numbers of their pairs.
std::vector<Videos> GroupByShots(const Summary& summary) {
  std::vector<Videos> groups;
  for (size_t v = 0; v < summary.videos.size(); ++v) {
    const auto& own = summary.videos[v].shots;
    if (!own || own->empty()) continue;
    const auto has_same = [&](const Videos& group) {
      const auto is_same = [](const Part& a, const Part& b) { return a.begin == b.begin && a.end == b.end; };
      const SummaryVideo& first = summary.videos[group.front()];
      return std::ranges::equal(*first.shots, *own, is_same) && AreAlignedAlike(first, summary.videos[v]);
    };
    const auto group = std::ranges::find_if(groups, has_same);
    if (group == groups.end()) groups.push_back({v});
    else group->push_back(v);
  }
  return groups;
}

}  // namespace

std::string ShotsPart(const Page& page) {
  constexpr size_t kMost = 2000;  // rows of a few hundred bytes
  const Summary& summary = *page.summary;
  const std::vector<Videos> groups = GroupByShots(summary);
  if (groups.empty()) return "";
  const SummaryVideo& first = summary.videos[groups.front().front()];
  const bool is_measured = !first.shot_information.empty();
  if (groups.size() == 1 && first.shots->size() == 1 && !is_measured) return "";
  std::string tables, note;
  for (const Videos& group : groups) {
    const size_t all = summary.videos[group.front()].shots->size(), count = std::min(kMost, all);
    if (count < all) note += fmt::format("The first {} of {} shots. ", count, all);
    tables += ShotTable(page, group, count);
  }
  if (groups.size() > 1)
    note +=
        "Encodes whose frames are not all the same ones of the reference have a table of their own, with their "
        "own numbers of frames. ";
  if (is_measured)
    note +=
        "SI and TI are the reference's detail and change (spatial and temporal information of ITU-T P.910): the "
        "greatest value of a shot's frames, "
        "and their mean, in steps of 8-bit luma of full range.";
  return Section("shots", "Shots", (note.empty() ? "" : "<p class=\"note\">" + note + "</p>\n") + tables);
}

}  // namespace acutance
