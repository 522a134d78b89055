#include "report/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/json.h"
#include "log/escape.h"
#include "log/json_text.h"
#include "report/page_parts.h"
#include "stats/pooling.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

const ScoreTable& Scores(const Page& page, size_t video) { return *page.summary->videos[video].scores; }

bool IsModel(const Page& page, const std::string& stored) {
  return std::ranges::any_of(page.summary->models, [&](const SummaryModel& m) { return m.column == stored; });
}

bool StandsForModel(const Page& page, const std::string& stored) {
  return std::ranges::find(page.model_columns, stored) != page.model_columns.end();
}

/// The members of a model collection are left out.
bool IsDrawn(const Page& page, const std::string& stored) {
  return StandsForModel(page, stored) || !IsModel(page, stored);
}

Json Curves(const Page& page) {
  int64_t count = 0;
  for (size_t v = 0; v < page.videos.size(); ++v)
    for (const ScoreTable::Column& column : Scores(page, v).columns()) count += IsDrawn(page, column.stored);
  const int64_t step = StepOf(page.summary->frame_count, count, page.most_points);
  Json curves = Json::Array();
  for (size_t v = 0; v < page.videos.size(); ++v)
    for (const ScoreTable::Column& column : Scores(page, v).columns()) {
      if (!IsDrawn(page, column.stored)) continue;
      const PackedCurve packed = PackCurve(column.scores, page.summary->frame_count, step);
      curves.Append({{"video", v},
                     {"name", column.shown},
                     {"model", StandsForModel(page, column.stored)},
                     {"shown", std::ranges::find(page.model_features, column.stored) != page.model_features.end()},
                     {"low", packed.low},
                     {"high", packed.high},
                     {"step", packed.step},
                     {"min", packed.minimum},
                     {"max", packed.maximum}});
    }
  return curves;
}

/// The frames at which shots begin, but the first: of the first video's pairs.
Json ShotStarts(const Summary& summary) {
  constexpr size_t kMostShots = 50'000;  // more are a tenth of the page, and no use
  Json starts = Json::Array();
  const auto& shots = summary.videos[0].shots;
  if (!shots || shots->size() > kMostShots) return starts;
  for (const Part& shot : *shots)
    if (shot.begin > 0) starts.Append(shot.begin);
  return starts;
}

std::string Data(const Page& page) {
  Json names = Json::Array();
  for (size_t v = 0; v < page.summary->videos.size(); ++v) names.Append(VideoName(*page.summary, v));
  const Json data = {{"frames", page.summary->frame_count},
                     {"rate", page.frame_rate},
                     {"videos", std::move(names)},
                     {"shots", ShotStarts(*page.summary)},
                     {"curves", Curves(page)}};
  std::string text = JsonLine(data);
  // "</script", "<script" and "<!--" mean something to a browser even inside a string.
  for (size_t at = 0; (at = text.find('<', at)) != text.npos;) text.replace(at, 1, "\\u003c");
  return text;
}

std::string ScoreRows(const Page& page, size_t video) {
  const SummaryVideo& scored = page.summary->videos[video];
  std::string models, features;
  for (const ScoreTable::Column& column : Scores(page, video).columns()) {
    const auto scores = ScoresOf(*page.summary, scored, column);
    std::string row = "<tr><th scope=\"row\">" + EscapeXml(column.shown) + "</th>";
    if (scores && !scores->empty()) {
      const std::vector<double> sorted = Sorted(*scores);
      for (const double value : {Mean(*scores), HarmonicMean(*scores), Minimum(*scores), Percentile(sorted, 5),
                                 Percentile(sorted, 50), Maximum(*scores), StandardDeviation(*scores)})
        row += std::isnan(value) ? "<td>-</td>" : fmt::format("<td>{:.4f}</td>", value);
    } else {
      row += "<td colspan=\"7\">no score</td>";
    }
    (IsModel(page, column.stored) ? models : features) += row + "</tr>\n";
  }
  return models + features;
}

std::string ScoresSection(const Page& page) {
  std::string text;
  for (size_t v = 0; v < page.videos.size(); ++v)
    text +=
        WideTable(page.summary->videos[v].distorted,
                  {"", "mean", "harmonic", "min", "5th percentile", "median", "max", "std dev"}, ScoreRows(page, v));
  return Section("scores", "All scores", text);
}

std::string Receipt(const Page& page) {
  const Summary& summary = *page.summary;
  std::string text = fmt::format("<footer><h2>Receipt</h2><ul><li>acutance {}</li>\n", EscapeXml(summary.version));
  for (const SummaryModel& model : summary.models)
    if (StandsForModel(page, model.column))
      text += fmt::format("<li>model {} as {}</li>\n", EscapeXml(model.source), EscapeXml(model.column));
  for (const SummaryDevice& device : summary.devices)
    text += fmt::format("<li>{} ({} {})</li>\n", EscapeXml(device.name), EscapeXml(device.backend), device.index);
  text += fmt::format("<li>{} frame pairs, one in {} scored, {:.1f} s, {} thread{}</li>\n", summary.frame_count,
                      summary.n_subsample, summary.seconds, summary.threads, summary.threads == 1 ? "" : "s");
  for (const std::string& line : page.receipt) text += "<li>" + EscapeXml(line) + "</li>\n";
  return text + "</ul></footer>\n";
}

}  // namespace

std::string MakePage(const Page& page) {
  const std::string title = PageTitle(page);
  std::string text = PageHead(title);
  // Of several encodes, the table and the chart of all come before sentences about each.
  const bool has_encodes = !page.encodes_part.empty();
  text += "<header><h1>" + EscapeXml(title) + "</h1>\n" + (has_encodes ? "" : VerdictPart(page)) + WarningsPart(page);
  text += "</header>\n<main>\n";
  if (has_encodes) text += page.encodes_part + Section("verdicts", "Encode by encode", VerdictPart(page));
  if (page.pictures_first) text += TogetherPart(page) + FramesPart(page);
  text += ComparedPart(page);
  text += CurvesPart(page);
  text += LossPart(page);
  text += WorstSecondsPart(page);
  text += ShotsPart(page);
  if (!page.pictures_first) text += TogetherPart(page) + FramesPart(page);
  text += ScoresSection(page);
  text += "</main>\n" + Receipt(page);
  text += "<script type=\"application/json\" id=\"data\">" + Data(page) + "</script>\n<script>\n";
  text += kPageScript;
  text += "</script>\n<script>\n";
  text += kPageLookScript;
  text += "</script>\n<script>\n";
  text += kSortScript;
  text += "</script>\n</body></html>\n";
  return text;
}

}  // namespace acutance
