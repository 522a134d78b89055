#include "report/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "log/escape.h"
#include "report/summary_json.h"
#include "stats/pooling.h"

namespace acutance {
namespace {

/// "x264/28.mp4" of "/encodes/x264/28.mp4", for two parts.
std::string LastParts(const std::string& path, int parts) {
  size_t begin = path.size();
  for (; parts > 0 && begin != path.npos && begin > 0; --parts) begin = path.find_last_of("/\\", begin - 1);
  return begin == path.npos || begin == 0 ? path : path.substr(begin + 1);
}

std::string FileName(const std::string& path) {
  const size_t slash = path.find_last_of('/');
  return slash == path.npos || slash + 1 == path.size() ? path : path.substr(slash + 1);
}

std::optional<double> MeanScore(const Page& page, size_t video, const std::string& column) {
  const SummaryVideo& scored = page.summary->videos[video];
  const int index = scored.scores->Find(column);
  if (index < 0) return std::nullopt;
  return Pool(scored.scores->columns()[index], {0, FramesOf(*page.summary, scored) - 1, page.summary->n_subsample},
              Pooling::kMean);
}

/// The grades of the scale on which VMAF was trained, each for the scores around its own: 20 is bad, 40 poor, 60 fair,
/// 80 good and 100 excellent.
const char* Grade(double vmaf) {
  if (vmaf >= 90) return "excellent";
  if (vmaf >= 70) return "good";
  if (vmaf >= 50) return "fair";
  return vmaf >= 30 ? "poor" : "bad";
}

bool HasModel(const Page& page) { return !page.model_columns.empty() && page.quality_column >= 0; }

struct MostLostKind {
  Damage kind;
  double points;
};

std::string NameOf(Damage kind) { return std::string(kDamageNames[static_cast<int>(kind)]); }

/// The kind of damage that cost most; nullopt where nothing costs half a point.
std::optional<MostLostKind> MostLost(const LostPoints& lost) {
  const auto* const most = std::ranges::max_element(lost.points);
  if (*most < 0.5) return std::nullopt;
  return MostLostKind{static_cast<Damage>(most - lost.points), *most};
}

/// Other damage in the frame that viewers object to, although it may cost fewer of the model's points: ", and banding
/// is visible"; "": there is none.
std::string AlsoVisible(const Page& page, size_t video, int64_t frame, Damage most) {
  const ScoreTable& table = *page.summary->videos[video].scores;
  for (const auto& [feature, kind, from] : page.annoyances)
    if (const int column = table.Find(feature);
        kind != most && column >= 0 && table.Get(column, frame).value_or(0) >= from)
      return fmt::format(", and {} is visible", NameOf(kind));
  return "";
}

/// What each kind of damage looks like, in the order of kDamageNames.
constexpr const char* kDamageLooks[kDamages] = {
    "fine structure is gone: blur, too few bits", "edges that the reference lacks: contours, blocks, ringing, noise",
    "pictures look softer or flatter", "smooth areas in visible steps", "colors differ from the reference's"};

std::string Sentence(const Page& page, size_t video) {
  std::string text = "<p class=\"verdict\"><strong>" + EscapeXml(VideoName(*page.summary, video)) + "</strong> ";
  const ScoreTable& scores = *page.summary->videos[video].scores;
  const auto clip = page.clip_score.empty() ? std::nullopt : scores.Aggregate(page.clip_score);
  const auto mean =
      page.quality_column < 0 ? std::nullopt : MeanScore(page, video, scores.columns()[page.quality_column].stored);
  if (clip) text += fmt::format("has {} <strong>{}</strong>.", EscapeXml(page.clip_score), Graded(page, *clip));
  else if (mean)
    text += fmt::format("has {} <strong>{}</strong> on average.", EscapeXml(QualityName(page)), Graded(page, *mean));
  else return text + "has no score of quality.</p>\n";
  const std::vector<WorstSecond> seconds = FindWorstSeconds(page, video, 1);
  if (!seconds.empty() && FramesOf(*page.summary, page.summary->videos[video]) > seconds[0].frames) {
    const std::string cause = CauseOf(page, video, seconds[0]);
    text += fmt::format(" Its worst second, from {}, has {}{}{}.", Clock(page, seconds[0].first),
                        clip ? EscapeXml(QualityName(page)) + " " : "", Graded(page, seconds[0].score),
                        cause.empty() ? "" : ", mostly for " + EscapeXml(cause));
  }
  const PageVideo& shown = page.videos[video];
  if (shown.lost)
    if (const auto most = MostLost(*shown.lost)) {
      const double all = shown.lost->best - shown.lost->score;
      // Other kinds may have gained some points.
      const std::string part =
          most->points < all ? fmt::format("{:.1f} of {:.1f}", most->points, all) : fmt::format("all of {:.1f}", all);
      text += fmt::format(" The model counts most of what the whole loses as {}: {} points.", NameOf(most->kind), part);
    }
  const Alignment* const pairs = page.summary->videos[video].alignment;
  const auto is_same = [](const auto& pair) { return pair.first == pair.second; };  // of a part of the video, too
  if (pairs && !pairs->is_identity() && !std::ranges::all_of(pairs->pairs, is_same))
    text +=
        fmt::format(" Its frames are not the reference's one by one: {}. What is compared are pairs that are aligned.",
                    EscapeXml(pairs->Describe()));
  return text + "</p>\n";
}

/// Warning where a score is so low that misaligned frames are the likelier cause, and the alignment was not checked.
std::string DoubtOfPairs(const Page& page, size_t video) {
  constexpr double kUnlikely = 30;
  if (!HasModel(page) || page.summary->videos[video].alignment) return "";
  const std::vector<WorstSecond> seconds = FindWorstSeconds(page, video, 1);
  if (seconds.empty() || seconds[0].score >= kUnlikely) return "";
  return fmt::format(
      "{} was compared frame by frame in the files' order, and its worst second has a score that encodes seldom have. "
      "If "
      "the worst frames below show different frames, some were lost or moved: --align auto finds that, and acutance "
      "doctor names it.",
      VideoName(*page.summary, video));
}

/// Whether a warning is about a conversion, which the table of the videos shows.
bool IsChange(const Summary& summary, const std::string& warning) {
  return std::ranges::any_of(summary.inputs, [&](const Input& input) {
    return std::ranges::find(input.changes, warning, &InputChange::text) != input.changes.end();
  });
}

}  // namespace

std::string QualityName(const Page& page) {
  return page.summary->videos[0].scores->columns()[page.quality_column].shown;
}

/// "93.41, excellent"; without the word where the score is no model's.
std::string Graded(const Page& page, double score) {
  return HasModel(page) ? fmt::format("{:.2f}, {}", score, Grade(score)) : fmt::format("{:.4g}", score);
}

std::string CauseOf(const Page& page, size_t video, const WorstSecond& second) {
  for (const PageFrame& shown : page.videos[video].worst)
    if (shown.frame >= second.first && shown.frame < second.first + second.frames && !shown.cause.empty())
      return shown.cause;
  const auto lost = page.videos[video].lost_at ? page.videos[video].lost_at(second.worst) : std::nullopt;
  const auto most = lost ? MostLost(*lost) : std::nullopt;
  return most ? NameOf(most->kind) + AlsoVisible(page, video, second.worst, most->kind) : "";
}

std::string VideoName(const Summary& summary, size_t video) {
  // The last parts of the paths that tell all videos apart, as many for each of them.
  for (int parts = 1; parts < 8; ++parts) {
    std::set<std::string> names;
    for (const SummaryVideo& one : summary.videos) names.insert(LastParts(one.distorted, parts));
    if (names.size() == summary.videos.size()) return LastParts(summary.videos[video].distorted, parts);
  }
  return summary.videos[video].distorted;
}

std::string Section(const std::string& id, const std::string& heading, const std::string& body) {
  return fmt::format("<section aria-labelledby=\"h-{0}\"><h2 id=\"h-{0}\">{1}</h2>\n{2}</section>\n", id, heading,
                     body);
}

std::string WideTable(const std::string& caption, const std::vector<std::string>& head, const std::string& rows) {
  std::string text = "<div class=\"wide\"><table>";
  if (!caption.empty()) text += "<caption>" + EscapeXml(caption) + "</caption>";
  text += "<thead><tr>";
  for (const std::string& cell : head) text += "<th scope=\"col\">" + EscapeXml(cell) + "</th>";
  return text + "</tr></thead>\n<tbody>" + rows + "</tbody></table></div>\n";
}

std::string SortableTable(const std::vector<std::string>& head, const std::string& rows) {
  constexpr std::string_view kTable = "<table";
  std::string text = WideTable("", head, rows);
  return text.insert(text.find(kTable) + kTable.size(), " class=\"sortable\"");
}

std::string PageHead(const std::string& title) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "script-src 'unsafe-inline'; img-src data:\">\n<title>{}</title>\n<style>\n",
      EscapeXml(title));
  text += kPageStyle;
  return text + "</style></head>\n<body>\n";
}

std::string PageTitle(const Page& page) {
  constexpr size_t kMostNames = 4;
  std::string names;
  if (page.summary->videos.size() > kMostNames) names = fmt::format("{} encodes", page.summary->videos.size());
  for (size_t v = 0; v < page.summary->videos.size() && page.summary->videos.size() <= kMostNames; ++v)
    names += (names.empty() ? "" : ", ") + VideoName(*page.summary, v);
  return fmt::format("{} against {}", names, FileName(page.summary->reference));
}

std::string VerdictPart(const Page& page) {
  std::string text;
  for (size_t v = 0; v < page.videos.size(); ++v) text += Sentence(page, v);
  if (HasModel(page))
    text +=
        "<p class=\"note\">VMAF was trained on a scale with 20 for bad, 40 poor, 60 fair, 80 good and 100 "
        "excellent.</p>\n";
  return text;
}

std::string WarningsPart(const Page& page) {
  std::string text;
  const auto warn = [&](const std::string& warning) {
    text += "<p class=\"warning\" role=\"note\">" + EscapeXml(warning) + "</p>\n";
  };
  for (size_t v = 0; v < page.videos.size(); ++v)
    if (const std::string doubt = DoubtOfPairs(page, v); !doubt.empty()) warn(doubt);
  for (const std::string& warning : page.summary->warnings)
    if (!IsChange(*page.summary, warning)) warn(warning);
  return text;
}

std::string ComparedPart(const Page& page) {
  const Summary& summary = *page.summary;
  const auto row = [](const std::string& name, const std::string& value) {
    return "<tr><th scope=\"row\">" + name + "</th><td>" + EscapeXml(value) + "</td></tr>\n";
  };
  std::string text = "<div class=\"wide\"><table class=\"facts\">\n";
  // What the stream declares, and what was done to it.
  const auto rows_of_input = [&](size_t number) {
    if (number >= summary.inputs.size()) return std::string();
    const Input& input = summary.inputs[number];
    const PictureFormat& format = input.format;
    const std::string stream = Describe(input);
    std::string rows =
        row("its stream", fmt::format("{}x{}, {} bit, {}{}{}", format.width, format.height, format.bit_depth,
                                      PixelFormatName(format.pixel_format), stream.empty() ? "" : ", ", stream));
    for (const InputChange& change : input.changes) rows += row("changed", change.text);
    return rows;
  };
  text += row("reference", summary.reference);
  text += rows_of_input(0);
  text += row("compared as",
              fmt::format("{}x{}, {} bit, {}{}", summary.width, summary.height, summary.bit_depth, summary.pixel_format,
                          page.frame_rate ? fmt::format(", {:.6g} frames/s", *page.frame_rate) : ""));
  text +=
      row("frames", fmt::format("{}{}", summary.frame_count,
                                summary.n_subsample > 1 ? fmt::format(", one in {} scored", summary.n_subsample) : ""));
  for (const SummaryVideo& video : summary.videos) {
    text += row("encode", video.distorted);
    text += rows_of_input(&video - summary.videos.data() + 1);
    if (FramesOf(summary, video) != summary.frame_count)
      text += row("frames", fmt::format("{}", FramesOf(summary, video)));
    text += row("pairs", video.alignment ? video.alignment->Describe() : "by frame number, not checked");
  }
  for (const std::string& reason : summary.model_reasons) text += row("model", reason);
  return Section("compared", "What was compared", text + "</table></div>\n");
}

std::string CurvesPart(const Page& page) {
  const auto& shots = page.summary->videos[0].shots;
  const bool has_cuts = shots && shots->size() > 1;
  return Section(
      "curves", "Frame by frame",
      std::string(
          "<p class=\"note\">Drag over a part to see it alone; the wheel or + and - zoom, the arrow keys move the "
          "cursor, 0 shows all.") +
          (has_cuts ? " Thin lines are cuts; [ and ] go from shot to shot." : "") +
          "</p>\n"
          "<div id=\"curves\" tabindex=\"0\" role=\"application\" aria-label=\"Curves of the scores of all "
          "frames\"></div>\n"
          "<p id=\"reading\" aria-live=\"polite\"></p>\n"
          "<noscript><p>The curves need JavaScript; the tables below do not.</p></noscript>\n");
}

std::string LossPart(const Page& page) {
  std::string rows;
  for (size_t v = 0; v < page.videos.size(); ++v) {
    if (!page.videos[v].lost) continue;
    const LostPoints& lost = *page.videos[v].lost;
    const double all = std::max(1.0, lost.best - lost.score);
    if (page.videos.size() > 1) rows += "<h3>" + EscapeXml(VideoName(*page.summary, v)) + "</h3>\n";
    rows += fmt::format(
        "<p>Without loss this content would have {:.1f}; the encode has {:.1f}, the mean of {} frames.</p>"
        "<div class=\"wide\"><table class=\"bars\">\n",
        lost.best, lost.score, page.videos[v].lost_frames);
    bool has_gain = false;
    for (int kind = 0; kind < kDamages; ++kind) {
      if (std::abs(lost.points[kind]) < 0.005) continue;
      has_gain |= lost.points[kind] < 0;
      rows += fmt::format(
          "<tr><th scope=\"row\">{}<br><span class=\"note\">{}</span></th><td>{:.2f}</td><td><span class=\"bar\" "
          "style=\"width:{:.1f}%\"></span></td></tr>\n",
          kDamageNames[kind], kDamageLooks[kind], lost.points[kind],
          std::clamp(lost.points[kind] / all, 0.0, 1.0) * 100);
    }
    rows += "</table></div>\n";
    if (has_gain) rows += "<p class=\"note\">Below zero: the model takes that difference for a gain.</p>\n";
  }
  if (rows.empty()) return "";
  return Section("lost", "Where points were lost",
                 "<p class=\"note\">Points of " + EscapeXml(QualityName(page)) +
                     " that each kind of damage costs, the mean over frames: what fixing it would gain, by itself and "
                     "with the others fixed before (Shapley values).</p>\n" +
                     rows);
}

std::string WorstSecondsPart(const Page& page) {
  constexpr int kCount = 5;
  if (page.quality_column < 0) return "";
  const bool names_encodes = page.videos.size() > 1;
  std::string rows;
  for (size_t v = 0; v < page.videos.size(); ++v)
    for (const WorstSecond& second : FindWorstSeconds(page, v, kCount))
      rows += fmt::format(
          "<tr><td><button type=\"button\" class=\"go\" data-frame=\"{}\">{}</button></td><td>{} to "
          "{}</td><td>{:.2f}</td><td>{}</td>{}</tr>\n",
          second.first, Clock(page, second.first), second.first, second.first + second.frames - 1, second.score,
          EscapeXml(CauseOf(page, v, second)),
          names_encodes ? "<td>" + EscapeXml(VideoName(*page.summary, v)) + "</td>" : "");
  if (rows.empty()) return "";
  std::vector<std::string> head = {"from", "frames", QualityName(page) + ", mean", "mostly for"};
  if (names_encodes) head.emplace_back("encode");
  return Section("seconds", "Worst seconds", WideTable("", head, rows));
}

}  // namespace acutance
